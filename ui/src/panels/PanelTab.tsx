// A panel's tab: its title, which can be changed, and the cross that closes it.
import type { IDockviewPanelHeaderProps } from 'dockview-react';
import { useEffect, useRef, useState } from 'react';
import { changePanel } from '../state/work';
import { useBench, usePanel } from './bench';

export function PanelTab({ api }: IDockviewPanelHeaderProps) {
  const bench = useBench();
  const panel = usePanel(api.id);
  const [editing, setEditing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const title = panel ? bench.titleOf(panel) : '';
  useEffect(() => {
    if (title !== '') api.setTitle(title);
  }, [api, title]);
  useEffect(() => {
    if (!editing) return;
    input.current?.focus();
    input.current?.select();
  }, [editing]);
  // The tab itself has the focus, and belongs to the docking library.
  const inner = useRef<HTMLDivElement>(null);
  const { close } = bench;
  const id = api.id;
  useEffect(() => {
    const tab = inner.current?.closest<HTMLElement>('[role=tab]');
    if (!tab) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.target !== tab) return;
      if (event.key === 'Delete') close(id);
      else if (event.key === 'F2') setEditing(true);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    tab.addEventListener('keydown', onKey);
    return () => tab.removeEventListener('keydown', onKey);
  }, [close, id, panel === undefined]); // oxlint-disable-line react/exhaustive-deps
  if (!panel) return null;
  const rename = (text: string) => {
    setEditing(false);
    const name = text.trim();
    if (name !== title) bench.change('rename the chart', (work) => changePanel(work, panel.id, { title: name }));
  };
  return (
    <div className="tab" ref={inner} data-testid={`tab-${panel.id}`} title={`${title} (double-click, or F2, to rename)`} onDoubleClick={() => setEditing(true)}>
      {editing ? (
        <input
          ref={input}
          className="tab-input"
          aria-label="Title of the chart"
          defaultValue={title}
          onBlur={(event) => rename(event.currentTarget.value)}
          onPointerDown={(event) => event.stopPropagation()}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Enter') event.currentTarget.blur();
            if (event.key === 'Escape') setEditing(false);
          }}
        />
      ) : (
        <span className="tab-title">{title}</span>
      )}
      {/* For the pointer: within a tab there can be no button. With the keyboard, Delete closes. */}
      <span className="tab-close" aria-hidden="true" title="Close this chart (Delete)" data-testid={`close-${panel.id}`} onPointerDown={(event) => event.stopPropagation()} onDoubleClick={(event) => event.stopPropagation()} onClick={() => bench.close(panel.id)}>
        <svg width="9" height="9" viewBox="0 0 9 9" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round">
          <path d="M1 1 8 8M8 1 1 8" />
        </svg>
      </span>
    </div>
  );
}

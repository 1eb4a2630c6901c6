// The command palette: every action, found by its words.
import { Kbd, TextInput } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import type { Action } from './actions';
import { Dialog } from './Dialog';

export function Palette({ list, opened, onClose }: { list: readonly Action[]; opened: boolean; onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (opened) setText('');
  }, [opened]);
  useEffect(() => setAt(0), [text]);
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return list.filter((a) => a.id !== 'palette' && words.every((w) => a.title.toLowerCase().includes(w)));
  }, [list, text]);

  const choose = (action: Action | undefined) => {
    if (!action || action.why !== '') return;
    onClose();
    // After the dialog has given the focus back.
    setTimeout(action.run, 0);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const next = (at + step + found.length) % Math.max(1, found.length);
      setAt(next);
      document.getElementById(`command-${found[next]?.id}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[at]);
    }
  };

  return (
    <Dialog title="Commands" opened={opened} onClose={onClose}>
      <TextInput
        data-autofocus
        data-testid="palette-input"
        aria-label="Find a command"
        placeholder="Type what you want to do"
        role="combobox"
        aria-expanded
        aria-controls="commands"
        aria-activedescendant={found[at] ? `command-${found[at].id}` : undefined}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {found.length === 0 ? (
        <p className="quiet">No command has these words.</p>
      ) : (
        <ul className="palette-list" id="commands" role="listbox" aria-label="Commands">
          {found.map((action, i) => (
            <li
              key={action.id}
              id={`command-${action.id}`}
              role="option"
              aria-selected={i === at}
              aria-disabled={action.why !== ''}
              title={action.why || undefined}
              className="palette-item"
              onMouseEnter={() => setAt(i)}
              onClick={() => choose(action)}
            >
              <span>
                {action.title}
                {action.why !== '' && <span className="quiet"> – {action.why}</span>}
              </span>
              {action.shown !== '' && <Kbd>{action.shown}</Kbd>}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

// The top bar: data set, open, search, share, save, theme, help.
import { Button, Menu, TextInput } from '@mantine/core';
import { useEffect, useState, type RefObject } from 'react';
import { DataSet_State, type DataSet } from '../gen/cambium/v1/workbench_pb';
import { formatShare } from '../format/numbers';
import type { ExportFormat } from '../api/exports';
import { CompareMenu } from './CompareMenu';

const TYPING = 180; // ms without a key before a search is asked

interface Props {
  dataSets: readonly DataSet[];
  dataSet: DataSet | undefined;
  onDataSet: (id: string) => void;
  onOpen: () => void;
  /** Whether the menu of data sets to compare with is open. */
  comparing: boolean;
  onComparing: (open: boolean) => void;
  onCompare: (sets: string[]) => void;
  query: string;
  onQuery: (query: string) => void;
  onNext: (by: number) => void;
  searchRef: RefObject<HTMLInputElement | null>;
  /** Whether there is a tree to search. */
  searchable: boolean;
  /** The chart that is saved; '' if there is none. */
  chart: string;
  onSave: (format: ExportFormat) => void;
  /** What undoing and redoing would do; '' if there is nothing. */
  undo: string;
  redo: string;
  onUndo: () => void;
  onRedo: () => void;
  workspace: boolean;
  onSaveWorkspace: () => void;
  onOpenWorkspace: () => void;
  /** Applies the workspace to another data set, and shows that. */
  onApplyTo: (dataSet: string) => void;
  onShare: () => void;
  shared: boolean;
  scheme: 'light' | 'dark';
  onTheme: () => void;
  onHelp: () => void;
}

export function stateInWords(set: DataSet): string {
  switch (set.state) {
    case DataSet_State.READY:
      return 'ready';
    case DataSet_State.FAILED:
      return 'failed';
    case DataSet_State.READING:
      return set.bytesTotal > 0n ? `reading, ${formatShare(Number(set.bytesRead) / Number(set.bytesTotal))}` : 'reading';
    default:
      return 'waiting';
  }
}

export function TopBar(props: Props) {
  const { dataSets, dataSet, chart } = props;
  const others = dataSets.filter((d) => d.id !== dataSet?.id && d.state === DataSet_State.READY && d.compares.length === 0).reverse(); // the newest first
  return (
    <header className="top" aria-label="cambium">
      <h1 className="brand">cambium</h1>
      <Menu position="bottom-start" withinPortal transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button size="xs" variant="default" data-testid="data-set-menu" disabled={dataSets.length === 0} title={dataSet?.path} maw={260}>
            {dataSet ? dataSet.name : 'No data set'}
            {dataSet && dataSet.state !== DataSet_State.READY && <span className="quiet">{`\u00a0· ${stateInWords(dataSet)}`}</span>}
            {'\u00a0▾'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Data sets" mah="80vh" style={{ overflow: 'auto' }}>
          {dataSets.map((set) => (
            <Menu.Item key={set.id} onClick={() => props.onDataSet(set.id)} aria-current={set.id === dataSet?.id ? 'true' : undefined} title={set.path} rightSection={<span className="quiet">{stateInWords(set)}</span>}>
              {set.id === dataSet?.id ? '● ' : ''}
              {set.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" variant="filled" onClick={props.onOpen} data-testid="open-button">
        + Open
      </Button>
      <CompareMenu dataSets={dataSets} dataSet={dataSet} opened={props.comparing} onChange={props.onComparing} onCompare={props.onCompare} />
      <SearchBox query={props.query} onQuery={props.onQuery} onNext={props.onNext} inputRef={props.searchRef} disabled={!props.searchable} />
      <Button.Group>
        <Button size="xs" variant="default" px={8} onClick={props.onUndo} disabled={props.undo === ''} aria-label={props.undo === '' ? 'Undo' : `Undo: ${props.undo}`} title={props.undo === '' ? 'There is nothing to undo' : `Undo: ${props.undo} (u, Ctrl-Z)`} data-testid="undo">
          <Turn />
        </Button>
        <Button size="xs" variant="default" px={8} onClick={props.onRedo} disabled={props.redo === ''} aria-label={props.redo === '' ? 'Redo' : `Redo: ${props.redo}`} title={props.redo === '' ? 'There is nothing to redo' : `Redo: ${props.redo} (U, Ctrl-Shift-Z)`} data-testid="redo">
          <Turn back />
        </Button>
      </Button.Group>
      <Button size="xs" variant="default" onClick={props.onShare} title="Copy the address of this picture" data-testid="share-button">
        <span aria-live="polite">{props.shared ? 'Copied' : 'Share'}</span>
      </Button>
      <Menu position="bottom-end" withinPortal transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button size="xs" variant="default" disabled={!props.workspace} title={props.workspace ? 'Save a chart, or the workspace' : 'There is nothing to save yet'} data-testid="save-menu">
            Save ▾
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Save" mah="80vh" style={{ overflow: 'auto' }}>
          <Menu.Label>{chart === '' ? 'No chart is open' : chart}</Menu.Label>
          <Menu.Item disabled={chart === ''} onClick={() => props.onSave('svg')} data-testid="save-svg">
            Picture, SVG
          </Menu.Item>
          <Menu.Item disabled={chart === ''} onClick={() => props.onSave('png')} data-testid="save-png">
            Picture, PNG
          </Menu.Item>
          <Menu.Item disabled={chart === ''} onClick={() => props.onSave('csv')} data-testid="save-csv">
            Table, CSV
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>Workspace: charts, filters, colours, layout</Menu.Label>
          <Menu.Item onClick={props.onSaveWorkspace} rightSection={<span className="menu-key">Ctrl-S</span>} data-testid="save-workspace">
            Save the workspace
          </Menu.Item>
          <Menu.Item onClick={props.onOpenWorkspace} data-testid="open-workspace">
            Open a workspace …
          </Menu.Item>
          {others.length > 0 && <Menu.Label>Apply it to another data set</Menu.Label>}
          {others.map((d) => (
            <Menu.Item key={d.id} onClick={() => props.onApplyTo(d.id)} data-testid={`apply-to-${d.id}`}>
              {d.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" variant="default" onClick={props.onTheme} data-testid="theme-button" title="Light or dark (t)">
        {props.scheme === 'dark' ? 'Light' : 'Dark'}
      </Button>
      <Button size="xs" variant="default" onClick={props.onHelp} aria-label="Help" title="Help (?)" data-testid="help-button">
        ?
      </Button>
    </header>
  );
}

function Turn({ back = false }: { back?: boolean }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" style={back ? { transform: 'scaleX(-1)' } : undefined}>
      <path d="M6 3 2.5 6.5 6 10M2.5 6.5H10a3.5 3.5 0 0 1 0 7H7" />
    </svg>
  );
}

function SearchBox({ query, onQuery, onNext, inputRef, disabled }: { query: string; onQuery: (query: string) => void; onNext: (by: number) => void; inputRef: RefObject<HTMLInputElement | null>; disabled: boolean }) {
  const [text, setText] = useState(query);
  // The address may change by itself: back, forward, Esc.
  useEffect(() => setText((now) => (now.trim() === query.trim() ? now : query)), [query]);
  useEffect(() => {
    if (text === query) return undefined;
    const timer = setTimeout(() => onQuery(text), TYPING);
    return () => clearTimeout(timer);
    // Only what is typed starts the clock.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [text]);
  return (
    <div className="search" role="search">
      <TextInput
        size="xs"
        ref={inputRef}
        data-testid="search-input"
        aria-label="Find in the profile"
        placeholder="/ find a name, package:, self>5 % … (Ctrl-K for commands)"
        value={text}
        disabled={disabled}
        title={disabled ? 'There are no calling contexts to search' : undefined}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            if (text !== query) onQuery(text);
            else onNext(event.shiftKey ? -1 : 1);
          } else if (event.key === 'Escape') {
            if (text !== '') onQuery('');
            setText('');
            event.currentTarget.blur();
          }
        }}
      />
    </div>
  );
}

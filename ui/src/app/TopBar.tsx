// The top bar: data set, open, search, share, save, theme, help.
import { Button, Menu, TextInput } from '@mantine/core';
import { useEffect, useState, type RefObject } from 'react';
import { DataSet_State, type DataSet } from '../gen/cambium/v1/workbench_pb';
import { formatShare } from '../format/numbers';
import { exportUrl, type ExportFormat } from '../api/exports';
import type { SceneRequest } from '../api/useScene';

const TYPING = 180; // ms without a key before a search is asked

interface Props {
  dataSets: readonly DataSet[];
  dataSet: DataSet | undefined;
  onDataSet: (id: string) => void;
  onOpen: () => void;
  query: string;
  onQuery: (query: string) => void;
  onNext: (by: number) => void;
  searchRef: RefObject<HTMLInputElement | null>;
  exportRequest: SceneRequest | undefined;
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
  const { dataSets, dataSet, exportRequest } = props;
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
        <Menu.Dropdown aria-label="Data sets">
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
      <SearchBox query={props.query} onQuery={props.onQuery} onNext={props.onNext} inputRef={props.searchRef} disabled={!exportRequest} />
      <Button size="xs" variant="default" onClick={props.onShare} title="Copy the address of this picture" data-testid="share-button">
        <span aria-live="polite">{props.shared ? 'Copied' : 'Share'}</span>
      </Button>
      <Menu position="bottom-end" withinPortal transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button size="xs" variant="default" disabled={!exportRequest} title={exportRequest ? 'Save this picture' : 'There is no picture to save yet'} data-testid="save-menu">
            Save ▾
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Save as">
          {exportRequest && (
            <>
              <SaveItem format="svg" title="Picture, SVG" request={exportRequest} />
              <SaveItem format="png" title="Picture, PNG" request={exportRequest} />
              <SaveItem format="csv" title="Table, CSV" request={exportRequest} />
            </>
          )}
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

function SaveItem({ format, title, request }: { format: ExportFormat; title: string; request: SceneRequest }) {
  return (
    <Menu.Item component="a" href={exportUrl(format, request)} download data-testid={`save-${format}`}>
      {title}
    </Menu.Item>
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
        title={disabled ? 'Open a profile first' : undefined}
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

// A table whose rows are a tree: opened and closed by hand, and of any length. As in other
// tables, the rows that are seen are real rows, the others are asked for when they are scrolled to.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { TableColumn_Order, type Table, type TableRow } from '../gen/cambium/v1/workbench_pb';
import { packageAndRest } from '../format/names';
import { css } from '../scene/colour';
import type { Act } from '../panels/compacting';
import { RowMenu, type RowAt } from '../panels/RowMenu';
import { toggled } from '../panels/treeStates';
import type { How } from '../state/filters';
import { hovered, pointed, useStore } from '../state/hover';
import { ROW } from './rows';
import { useKnownRows } from './useKnownRows';
import { useRows } from './useRows';
import './treetable.css';

interface Props {
  /** Rows for twice the height. */
  table: Table;
  /** What the rows are of, but for which of them: rows of something else are not kept. */
  of: string;
  width: number;
  height: number;
  title: string;
  testId: string;
  pin: number | undefined;
  open: string;
  onOpen: (open: string) => void;
  onSort: (sort: string) => void;
  onFirst: (first: number) => void;
  onFocus: (id: number) => void;
  onPin: (id: number | undefined) => void;
  onAct: Act;
  onSelect: (id: number, what: 'context' | 'method', how: How, name: string) => void;
  /** Of a comparison of two traces: shows the calls of a context in both. */
  onTimelines?: ((id: number) => void) | undefined;
}

/** Layers after which rows are moved to the right no further: there must be room for the name. */
const DEEPEST = 40;
const STEP = 14;
/** Between columns, as in dock.css. */
const GAP = 14;
const LEAST_NAME = 280;

const ARIA_SORT = { [TableColumn_Order.UNSPECIFIED]: 'none', [TableColumn_Order.FALLING]: 'descending', [TableColumn_Order.RISING]: 'ascending' } as const;

export function TreeTable({ table, of, width, height, title, testId, pin, open, onOpen, onSort, onFirst, onFocus, onPin, onAct, onSelect, onTimelines }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState(-1);
  const [menu, setMenu] = useState<RowAt>();
  const listed = useStore(pointed);
  const total = Number(table.total);
  const room = Math.max(ROW, height - ROW);
  const rows = useRows(box, room, total);
  const { show } = rows;
  const known = useKnownRows(table, of, rows, room, onFirst);

  useLayoutEffect(() => {
    if (cursor >= total) setCursor(total - 1);
  }, [cursor, total]);
  // What the cursor is on is not known while its row is on its way.
  const current = cursor >= 0 ? known.get(cursor) : undefined;
  const currentId = current?.id;
  useEffect(() => {
    if (currentId !== undefined) hovered.set(currentId);
  }, [currentId]);
  useEffect(() => () => hovered.set(undefined), []);

  const go = (row: number) => {
    const next = Math.max(0, Math.min(total - 1, row));
    setCursor(next);
    show(next);
  };
  const toggle = (row: TableRow) => onOpen(toggled(open, row.id));
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== box.current) return;
    if (event.shiftKey && event.key.startsWith('Arrow')) return; // about everything, see actions.ts
    const page = Math.max(1, Math.floor(room / ROW) - 1);
    const to: Record<string, number> = { ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page, Home: 0, End: total - 1 };
    if (event.key in to) go(to[event.key]);
    else if (event.key === 'ArrowRight') {
      if (current?.expandable && !current.expanded) toggle(current);
      else if (current?.expanded) go(cursor + 1);
      else if (cursor < 0) go(0);
    } else if (event.key === 'ArrowLeft') {
      if (current?.expanded) toggle(current);
      else if (current && current.parent >= 0n) go(Number(current.parent));
    } else if (event.key === 'Enter' && current) onFocus(current.id);
    else if (event.key === ' ' && current) onSelect(current.id, 'context', event.shiftKey ? 'add' : 'replace', current.cells[0]);
    else if (event.key === 'Escape' && cursor >= 0) {
      setCursor(-1);
      hovered.set(undefined);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onClick = (event: React.MouseEvent, i: number, row: TableRow) => {
    setCursor(i);
    if (event.ctrlKey || event.metaKey) onSelect(row.id, 'context', 'add', row.cells[0]);
    else onPin(row.id === pin ? undefined : row.id);
  };

  const shown: number[] = [];
  for (let i = rows.first; i < rows.last; i++) shown.push(i);
  // Numbers that fit beside a name that can be read.
  const widths = table.columns.slice(1).map((c) => Math.max(84, Math.ceil(c.title.length * 7.4) + 16));
  let used = 0;
  let fit = 0;
  while (fit < widths.length && (fit < 2 || used + widths[fit] + GAP <= width - LEAST_NAME)) used += widths[fit++] + GAP;
  const seen = table.columns.slice(0, 1 + fit);
  // Each row is a grid of its own: only widths that are given are the same in all of them.
  const columns = `minmax(0, 1fr) ${widths.slice(0, fit).map((w) => `${w}px`).join(' ')}`;
  const offset = rows.scroll - (rows.top - rows.first) * ROW;
  return (
    <div
      ref={box}
      className="table-room tree-table"
      style={{ width, height }}
      tabIndex={0}
      role="treegrid"
      aria-label={`${title}. Arrow keys move through the rows, right opens one, left closes it, Enter makes it the root, Space selects it.`}
      aria-rowcount={total + 1}
      aria-colcount={seen.length}
      aria-multiselectable
      aria-activedescendant={cursor >= rows.first && cursor < rows.last ? `${testId}-row-${cursor}` : undefined}
      data-testid={testId}
      onScroll={rows.onScroll}
      onKeyDown={onKeyDown}
    >
      <div className="table-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: columns }}>
        {seen.map((column, i) => (
          // Columns have no other name than their place.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={i} role="columnheader" className={column.number ? 'number' : ''} aria-sort={ARIA_SORT[column.sorted]}>
            {column.sort === '' ? (
              column.title
            ) : (
              <button type="button" className="tree-sort" title={`Sort by ${column.title}`} onClick={() => onSort(column.sort)} data-testid={`${testId}-sort-${i}`}>
                {column.title}
                {column.sorted === TableColumn_Order.FALLING ? ' ↓' : column.sorted === TableColumn_Order.RISING ? ' ↑' : ''}
              </button>
            )}
          </span>
        ))}
      </div>
      <div style={{ height: rows.height, position: 'relative' }} role="presentation">
        <div role="rowgroup" style={{ position: 'absolute', left: 0, right: 0, top: 0, transform: `translateY(${Math.max(0, Math.min(offset, rows.height - ROW))}px)` }}>
          {shown.map((i) => {
            const row = known.get(i);
            return (
              <div
                key={i}
                id={`${testId}-row-${i}`}
                role="row"
                aria-rowindex={i + 2}
                aria-level={row ? row.depth + 1 : undefined}
                aria-expanded={row?.expandable ? row.expanded : undefined}
                aria-posinset={row?.sibling}
                aria-setsize={row?.siblings}
                aria-selected={row?.selected ?? false}
                className="table-row"
                data-cursor={i === cursor ? 'yes' : undefined}
                data-pinned={row && row.id === pin ? 'yes' : undefined}
                data-pointed={row && row.id === listed ? 'yes' : undefined}
                data-match={row && row.match > 0 ? row.match : undefined}
                style={{ gridTemplateColumns: columns }}
                onPointerEnter={() => row && hovered.set(row.id)}
                onPointerLeave={() => hovered.set(currentId)}
                onClick={(event) => row && onClick(event, i, row)}
                onDoubleClick={() => row && onFocus(row.id)}
                onContextMenu={(event) => {
                  if (!row) return;
                  event.preventDefault();
                  setCursor(i);
                  setMenu({ id: row.id, name: row.cells[0], x: event.clientX, y: event.clientY });
                }}
              >
                {row ? <Cells row={row} columns={seen.length} onToggle={() => (setCursor(i), toggle(row))} /> : <span className="quiet" role="gridcell">…</span>}
              </div>
            );
          })}
        </div>
      </div>
      {menu && <RowMenu at={menu} onClose={() => setMenu(undefined)} onFocus={onFocus} onAct={onAct} onTimelines={onTimelines} />}
    </div>
  );
}

function Cells({ row, columns, onToggle }: { row: TableRow; columns: number; onToggle: () => void }) {
  const [pack, rest] = packageAndRest(row.cells[0]);
  return (
    <>
      {row.share > 0 && <span className="table-share" style={{ width: `${row.share * 100}%`, background: row.color === 0 ? undefined : css(row.color) }} data-group={row.color === 0 ? undefined : 'yes'} />}
      <span role="gridcell" className="code table-name" title={row.cells[0]} style={{ paddingLeft: Math.min(row.depth, DEEPEST) * STEP }}>
        <span
          role="presentation"
          className="tree-toggle"
          data-open={row.expandable ? (row.expanded ? 'yes' : 'no') : undefined}
          onClick={(event) => {
            if (!row.expandable) return;
            event.stopPropagation();
            onToggle();
          }}
          onDoubleClick={(event) => event.stopPropagation()}
        />
        {row.color !== 0 && <span className="swatch" style={{ background: css(row.color) }} />}
        {pack !== '' && <span className="table-package quiet">{pack}</span>}
        <span className="table-rest">{rest}</span>
      </span>
      {row.cells.slice(1, columns).map((cell, i) => (
        // oxlint-disable-next-line react/no-array-index-key
        <span key={i} role="gridcell" className="number">
          {cell}
        </span>
      ))}
    </>
  );
}

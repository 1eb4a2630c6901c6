// A table of any length: the rows that are seen are real rows, the others are asked for when
// somebody scrolls to them.
import { useLayoutEffect, useRef, useState } from 'react';
import type { Table, TableRow } from '../gen/cambium/v1/workbench_pb';
import { useBench } from '../panels/bench';
import type { PanelPicture } from '../scene/picture';
import { css } from '../scene/colour';
import { packageAndRest } from '../format/names';
import type { PanelSpec } from '../state/work';
import { ROW } from './rows';
import { useKnownRows } from './useKnownRows';
import { useRows } from './useRows';
import { useSelecting, howOf } from './useSelecting';

interface Props {
  panel: PanelSpec;
  picture: PanelPicture;
  table: Table;
  width: number;
  height: number;
  onFirst: (first: number) => void;
}

export function TableChart({ panel, picture, table, width, height, onFirst }: Props) {
  const bench = useBench();
  const box = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState(-1);
  const anchor = useRef(-1);
  const select = useSelecting(panel.id);
  const total = Number(table.total);
  const room = Math.max(ROW, height - ROW);
  const rows = useRows(box, room, total);
  const { show } = rows;
  const known = useKnownRows(table, `${total} ${table.columns.map((c) => c.title).join()}`, rows, room, onFirst);

  useLayoutEffect(() => {
    if (cursor >= total) setCursor(total - 1);
  }, [cursor, total]);

  const selectRows = (from: number, to: number, keys: Parameters<typeof howOf>[0] | 'replace') => {
    if (!picture.selectable) return;
    const a = Math.min(from, to);
    const y = ROW * 1.5;
    void select({ x0: 1, y0: y, x1: 2, y1: y + ROW * Math.abs(to - from) }, keys === 'replace' ? 'replace' : howOf(keys), a);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const page = Math.max(1, Math.floor(room / ROW) - 1);
    const to: Record<string, number> = { ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page, Home: 0, End: total - 1 };
    if (event.key in to && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      const next = Math.max(0, Math.min(total - 1, to[event.key]));
      if (!event.shiftKey) anchor.current = next;
      else if (anchor.current < 0) anchor.current = Math.max(0, cursor);
      setCursor(next);
      show(next);
    } else if (event.key === ' ' && cursor >= 0) {
      event.preventDefault();
      const wide = anchor.current >= 0 && anchor.current !== cursor;
      selectRows(wide ? anchor.current : cursor, cursor, wide ? { ...held(event), shiftKey: false } : event);
    } else if (event.key === 'Escape' && cursor >= 0) {
      event.preventDefault();
      setCursor(-1);
      anchor.current = -1;
    }
  };

  const shown: number[] = [];
  for (let i = rows.first; i < rows.last; i++) shown.push(i);
  const columns = `minmax(0, 1fr) ${table.columns.slice(1).map((c) => (c.number ? 'minmax(88px, auto)' : 'minmax(0, 1fr)')).join(' ')}`;
  const range = anchor.current >= 0 && cursor >= 0 ? [Math.min(anchor.current, cursor), Math.max(anchor.current, cursor)] : [cursor, cursor];
  const offset = rows.scroll - (rows.top - rows.first) * ROW;
  return (
    <div
      ref={box}
      className="table-room"
      style={{ width, height }}
      tabIndex={0}
      role="grid"
      aria-label={`${bench.titleOf(panel)}. Arrow keys move through the rows, Space selects.`}
      aria-rowcount={total + 1}
      aria-colcount={table.columns.length}
      aria-multiselectable
      aria-activedescendant={cursor >= 0 ? `${panel.id}-row-${cursor}` : undefined}
      data-testid={`table-${panel.id}`}
      onScroll={rows.onScroll}
      onKeyDown={onKeyDown}
    >
      <div className="table-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: columns }}>
        {table.columns.map((column, i) => (
          // Columns have no other name than their place.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={i} role="columnheader" className={column.number ? 'number' : ''}>
            {column.title}
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
                id={`${panel.id}-row-${i}`}
                role="row"
                aria-rowindex={i + 2}
                aria-selected={row?.selected ?? false}
                className="table-row"
                data-cursor={i >= range[0] && i <= range[1] && cursor >= 0 ? 'yes' : undefined}
                style={{ gridTemplateColumns: columns }}
                onClick={(event) => {
                  if (event.shiftKey && cursor >= 0 && !event.altKey) {
                    selectRows(anchor.current >= 0 ? anchor.current : cursor, i, 'replace');
                  } else {
                    anchor.current = i;
                    selectRows(i, i, event.ctrlKey || event.metaKey ? { ...held(event), ctrlKey: false, metaKey: false, shiftKey: true } : event);
                  }
                  setCursor(i);
                }}
              >
                {row ? <Cells row={row} table={table} /> : <span className="quiet">…</span>}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function held(event: { shiftKey: boolean; altKey: boolean; ctrlKey: boolean; metaKey: boolean }) {
  const { shiftKey, altKey, ctrlKey, metaKey } = event;
  return { shiftKey, altKey, ctrlKey, metaKey };
}

function Cells({ row, table }: { row: TableRow; table: Table }) {
  return (
    <>
      {row.share > 0 && <span className="table-share" style={{ width: `${row.share * 100}%`, background: row.color === 0 ? undefined : css(row.color) }} data-group={row.color === 0 ? undefined : 'yes'} />}
      {row.cells.map((cell, i) => {
        const column = table.columns[i];
        if (column?.number) {
          return (
            // oxlint-disable-next-line react/no-array-index-key
            <span key={i} role="gridcell" className="number">
              {cell}
            </span>
          );
        }
        const [pack, rest] = packageAndRest(cell);
        return (
          // oxlint-disable-next-line react/no-array-index-key
          <span key={i} role="gridcell" className="code table-name" title={cell}>
            {i === 0 && row.color !== 0 && <span className="swatch" style={{ background: css(row.color) }} />}
            {pack !== '' && <span className="table-package quiet">{pack}</span>}
            <span className="table-rest">{rest}</span>
          </span>
        );
      })}
    </>
  );
}

// The rows of a table that have come so far.
import { useEffect, useMemo, useRef } from 'react';
import type { Table, TableRow } from '../gen/cambium/v1/workbench_pb';
import { ROW, type Rows } from './rows';

/** How many rows are kept before they are forgotten all at once. */
const MOST = 4000;

/**
 * Gives rows by their number. Those of pictures before stay until other ones come, so that nothing flickers while somebody
 * scrolls; rows of something else, which `of` tells, are not kept. What is seen and has not come is asked for.
 */
export function useKnownRows(table: Table, of: string, seen: Rows, room: number, onFirst: (first: number) => void): ReadonlyMap<number, TableRow> {
  const have = Number(table.first);
  const kept = useRef<{ of: string; rows: Map<number, TableRow> }>({ of: '', rows: new Map() });
  const known = useMemo(() => {
    const before = kept.current.of === of && kept.current.rows.size < MOST ? kept.current.rows : new Map<number, TableRow>();
    kept.current = { of, rows: before };
    table.rows.forEach((row, i) => before.set(have + i, row));
    return before;
  }, [table, have, of]);
  const { first, last } = seen;
  useEffect(() => {
    const missing = first < have || last > have + table.rows.length;
    if (missing && Number(table.total) > 0) onFirst(Math.max(0, first - Math.floor(room / ROW / 2)));
  }, [first, last, have, table, onFirst, room]);
  return known;
}

// Walking from segment to segment with the arrow keys.
import type { SectorTable } from './decode';
import { walkDiscs, type Direction } from './discs';
import type { PickIndex } from './pick';

/** The segment in a direction, or the same one where there is none. Marks are passed over. */
export function walk(table: SectorTable, picks: PickIndex, from: number, direction: Direction): number {
  if (table.shape === 'discs') return walkDiscs(table, from, direction);
  const g = table.geometry;
  const r0 = g[from * 4];
  const r1 = g[from * 4 + 1];
  const a0 = g[from * 4 + 2];
  const a1 = g[from * 4 + 3];
  switch (direction) {
    case 'parent': {
      const found = r0 > 0 ? picks.atPolar(r0 - 0.5, (a0 + a1) / 2) : -1;
      return found >= 0 ? found : from;
    }
    case 'child': {
      let best = from;
      let width = 0;
      for (let i = 0; i < table.size; i++) {
        if (table.kind[i] !== 0 || Math.abs(g[i * 4] - r1) > 0.5) continue;
        const middle = (g[i * 4 + 2] + g[i * 4 + 3]) / 2;
        const span = g[i * 4 + 3] - g[i * 4 + 2];
        if (middle >= a0 && middle < a1 && span > width) {
          best = i;
          width = span;
        }
      }
      return best;
    }
    case 'next':
    case 'previous': {
      const ring = picks.ringOf(from);
      const step = direction === 'next' ? 1 : -1;
      let at = ring.indexOf(from);
      for (let tries = 0; tries < ring.length; tries++) {
        at = (at + step + ring.length) % ring.length;
        if (table.kind[ring[at]] === 0) return ring[at];
      }
      return from;
    }
  }
  return from;
}

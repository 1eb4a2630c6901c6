// Sectors that are drawn as discs: between their radii, in the middle of their angles. Where they
// are, which is at a point, and how to walk from one to the next.
import type { DecodedScene, SectorTable } from './decode';

/** Where an arrow key leads. */
export type Direction = 'parent' | 'child' | 'next' | 'previous';

export interface Disc {
  x: number;
  y: number;
  r: number;
}

/** The disc of a geometry: r0, r1, a0, a1. */
export function discOf({ cx, cy }: Pick<SectorTable, 'cx' | 'cy'>, [r0, r1, a0, a1]: ArrayLike<number> & Iterable<number>): Disc {
  const at = (r0 + r1) / 2;
  const a = (a0 + a1) / 2;
  return { x: cx + Math.sin(a) * at, y: cy - Math.cos(a) * at, r: (r1 - r0) / 2 };
}

/** What is nearer than this to a point is meant: discs can be smaller than a finger or a trembling hand. */
const REACH = 5;

/** The disc at a point, or the nearest one close by; -1 if there is none. */
export function discAt(table: SectorTable, x: number, y: number): number {
  let best = -1;
  let least = REACH;
  for (let i = 0; i < table.size; i++) {
    const disc = discOf(table, table.geometry.subarray(i * 4, i * 4 + 4));
    const away = Math.hypot(x - disc.x, y - disc.y) - disc.r;
    if (away < least) {
      best = i;
      least = away;
    }
    if (away <= 0) return i;
  }
  return best;
}

function middle(table: SectorTable, i: number): { distance: number; angle: number } {
  const g = table.geometry;
  return { distance: (g[i * 4] + g[i * 4 + 1]) / 2, angle: (g[i * 4 + 2] + g[i * 4 + 3]) / 2 };
}

/** The disc that another one hangs on: the next one inwards whose sector has it; -1 for the root. */
export function parentOf(table: SectorTable, index: number): number {
  const g = table.geometry;
  const at = middle(table, index);
  let best = -1;
  let nearest = -Infinity;
  for (let i = 0; i < table.size; i++) {
    const { distance } = middle(table, i);
    if (i === index || table.kind[i] !== 0 || distance >= at.distance - 0.01 || distance <= nearest) continue;
    if (g[i * 4 + 2] <= at.angle && at.angle <= g[i * 4 + 3]) {
      best = i;
      nearest = distance;
    }
  }
  return best;
}

/** The disc in a direction, or the same one where there is none. The fan opens downwards, so that left and right are against the clock. */
export function walkDiscs(table: SectorTable, from: number, direction: Direction): number {
  const at = middle(table, from);
  if (direction === 'parent') {
    const found = parentOf(table, from);
    return found < 0 ? from : found;
  }
  let best = from;
  let score = Infinity;
  for (let i = 0; i < table.size; i++) {
    if (i === from || table.kind[i] !== 0) continue;
    const to = middle(table, i);
    if (direction === 'child') {
      const size = table.geometry[i * 4 + 1] - table.geometry[i * 4];
      if (-size < score && to.distance > at.distance && parentOf(table, i) === from) {
        best = i;
        score = -size;
      }
      continue;
    }
    const turn = direction === 'next' ? at.angle - to.angle : to.angle - at.angle;
    if (Math.abs(to.distance - at.distance) < 0.5 && turn > 0 && turn < score) {
      best = i;
      score = turn;
    }
  }
  return best;
}

/**
 * Where the discs of a scene start from, given what the scene before shows now: each from where
 * it was, and what is new grows out of the nearest one above it that was there.
 */
export function startOfDiscs(table: SectorTable, old: Float32Array, indexOf: ReadonlyMap<number, number>): Float32Array {
  const g = table.geometry;
  const start = new Float32Array(table.size * 4);
  for (let i = 0; i < table.size; i++) {
    const before = (at: number) => (table.kind[at] === 0 ? indexOf.get(table.id[at]) : undefined);
    let at = i;
    let was = before(at);
    while (was === undefined && at >= 0) {
      at = parentOf(table, at);
      was = at < 0 ? undefined : before(at);
    }
    if (was === undefined) {
      // Nothing above it was there: it grows where it is.
      const r = (g[i * 4] + g[i * 4 + 1]) / 2;
      start.set([r, r + 0.01, g[i * 4 + 2], g[i * 4 + 3]], i * 4);
      continue;
    }
    start.set(old.subarray(was * 4, was * 4 + 4), i * 4);
    if (at !== i) {
      const r = (old[was * 4] + old[was * 4 + 1]) / 2;
      start[i * 4] = r;
      start[i * 4 + 1] = r + 0.01;
    }
  }
  return start;
}

/** The scene before, with its discs where they go if there are fewer now: what is no more joins the nearest one above it that is left. */
export function joinedDiscs(older: DecodedScene, newer: DecodedScene): DecodedScene | undefined {
  if (older.sectors.shape !== 'discs' || newer.sectors.shape !== 'discs' || newer.sectors.size >= older.sectors.size) return undefined;
  const geometry = startOfDiscs(older.sectors, newer.sectors.geometry, newer.indexOf);
  return { ...older, sectors: { ...older.sectors, geometry, cx: newer.sectors.cx, cy: newer.sectors.cy } };
}

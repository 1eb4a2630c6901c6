// From one scene to the next so that each segment stays recognisable.
import type { DecodedScene, SectorTable } from './decode';
import { startOfDiscs } from './discs';

const TURN = 2 * Math.PI;

export const DURATION = 200;

/** Eases in and out. */
export function ease(t: number): number {
  const x = Math.min(1, Math.max(0, t));
  return x * x * (3 - 2 * x);
}

/** How rings lie in a scene: the radius of the centre and the thickness of a ring. */
export interface Rings {
  centre: number;
  thickness: number;
}

export function ringsOf(table: SectorTable): Rings {
  const g = table.geometry;
  let centre = Infinity;
  let thickness = Infinity;
  for (let i = 0; i < table.size; i++) {
    const inner = g[i * 4];
    const outer = g[i * 4 + 1];
    if (inner <= 0.001) {
      centre = Math.min(centre, outer);
    } else {
      centre = Math.min(centre, inner);
      thickness = Math.min(thickness, outer - inner);
    }
  }
  if (!Number.isFinite(centre)) centre = 0;
  if (!Number.isFinite(thickness)) thickness = centre > 0 ? centre : 1;
  return { centre, thickness: Math.max(thickness, 1e-6) };
}

/** Maps polar places of the new scene to where they were in the old one. */
export interface Mapping {
  angle(a: number): number;
  radius(r: number): number;
}

/** Whether a context has more than one place: only where boxes stand for many contexts. */
function repeats({ sectors, indexOf }: DecodedScene): boolean {
  if (sectors.shape === 'ring') return false;
  let contexts = 0;
  for (let i = 0; i < sectors.size; i++) if (sectors.kind[i] === 0) contexts++;
  return indexOf.size < contexts;
}

/**
 * The mapping between two scenes by what both know: the new root was a segment of the
 * old scene (going in), the old root is a segment of the new one (coming out), or the
 * root stayed. undefined if they have nothing in common.
 */
export function mappingBetween(older: DecodedScene, newer: DecodedScene, old: Float32Array): Mapping | undefined {
  const from = ringsOf(older.sectors);
  const to = ringsOf(newer.sectors);
  const scale = from.thickness / to.thickness;
  if (older.sectors.shape !== newer.sectors.shape) return undefined;
  // A context that is drawn several times would come from one place with all of its boxes.
  if (repeats(older) || repeats(newer)) return undefined;
  const turn = newer.sectors.shape === 'ring' ? TURN : Math.max(1, newer.source.width);
  const oldRoot = older.source.root;
  const newRoot = newer.source.root;
  if (oldRoot === newRoot) {
    return {
      angle: (a) => a,
      radius: (r) => (r < to.centre ? (r / to.centre) * from.centre : from.centre + (r - to.centre) * scale),
    };
  }
  const inside = older.indexOf.get(newRoot);
  if (inside !== undefined) {
    const [r0, r1, a0, a1] = old.subarray(inside * 4, inside * 4 + 4);
    return {
      angle: (a) => a0 + (a / turn) * (a1 - a0),
      radius: (r) => (r < to.centre ? r0 + (r / to.centre) * (r1 - r0) : r1 + (r - to.centre) * scale),
    };
  }
  const outside = newer.indexOf.get(oldRoot);
  if (outside !== undefined) {
    const g = newer.sectors.geometry;
    const b0 = g[outside * 4 + 2];
    const span = Math.max(g[outside * 4 + 3] - b0, 1e-6);
    const rim = g[outside * 4 + 1];
    return {
      angle: (a) => Math.min(turn, Math.max(0, ((a - b0) / span) * turn)),
      radius: (r) => (r >= rim ? from.centre + (r - rim) * scale : Math.max(0, from.centre - (rim - r) * scale)),
    };
  }
  return undefined;
}

/**
 * Where every sector of the new scene starts from, given the geometry that the old one
 * shows at this moment; undefined if the scenes have nothing in common.
 */
export function startGeometry(older: DecodedScene, newer: DecodedScene, old: Float32Array): Float32Array | undefined {
  const shapes = [older.sectors.shape, newer.sectors.shape];
  if (shapes.includes('discs')) return shapes[0] === shapes[1] ? startOfDiscs(newer.sectors, old, older.indexOf) : undefined;
  const mapping = mappingBetween(older, newer, old);
  if (!mapping) return undefined;
  const table = newer.sectors;
  const g = table.geometry;
  const start = new Float32Array(table.size * 4);
  for (let i = 0; i < table.size; i++) {
    const before = table.kind[i] === 0 ? older.indexOf.get(table.id[i]) : undefined;
    if (before !== undefined) {
      start.set(old.subarray(before * 4, before * 4 + 4), i * 4);
      continue;
    }
    start[i * 4] = mapping.radius(g[i * 4]);
    start[i * 4 + 1] = mapping.radius(g[i * 4 + 1]);
    start[i * 4 + 2] = mapping.angle(g[i * 4 + 2]);
    start[i * 4 + 3] = mapping.angle(g[i * 4 + 3]);
  }
  return start;
}

/** Whether a movement would not be seen: nothing moves by more than a hundredth. */
export function isStill(from: Float32Array, to: Float32Array): boolean {
  return from.every((value, i) => Math.abs(value - to[i]) < 0.01);
}

/** The geometry between two at t. */
export function mix(from: Float32Array, to: Float32Array, t: number): Float32Array {
  if (t >= 1) return to;
  const result = new Float32Array(to.length);
  for (let i = 0; i < to.length; i++) result[i] = from[i] + (to[i] - from[i]) * t;
  return result;
}

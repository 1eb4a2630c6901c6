// Tubes as columns, what is under a point, and which of them keep their colour while a call is
// brushed.
import type { Tubes } from '../gen/cambium/v1/tubes_pb';
import { f32, u32 } from './decode';

/** A tube has the points first[i] to first[i + 1] - 1. */
export interface TubeTable {
  readonly size: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly first: Uint32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly w: Float32Array;
  readonly fill: Uint32Array;
  /** Fill while the pointer is in the lower half; empty if that makes no difference. */
  readonly other: Uint32Array;
  /** How strong the highlight is, 0 to 255. */
  readonly shine: Uint8Array;
}

const EMPTY = new Uint8Array();

/** Columns that are short make the table short. */
export function decodeTubes(tubes: Tubes | undefined): TubeTable {
  const column = (name: 'a' | 'b' | 'count' | 'fill' | 'other') => u32(tubes?.[name] ?? EMPTY);
  const [a, b, count, fill, other] = [column('a'), column('b'), column('count'), column('fill'), column('other')];
  const [x, y, w] = [f32(tubes?.x ?? EMPTY), f32(tubes?.y ?? EMPTY), f32(tubes?.w ?? EMPTY)];
  const shine = tubes?.shine ?? EMPTY;
  const points = Math.min(x.length, y.length, w.length);
  let size = Math.min(a.length, b.length, count.length, fill.length, shine.length);
  const first = new Uint32Array(size + 1);
  for (let i = 0; i < size; i++) {
    first[i + 1] = first[i] + count[i];
    if (first[i + 1] > points) size = i;
  }
  return { size, a, b, first, x, y, w, fill, other: other.length >= size ? other : new Uint32Array(), shine };
}

/** A call stack that the pointer is in: rows from up to before end, of the first trace (0) or the second. */
export interface Brush {
  side: number;
  from: number;
  end: number;
}

/** What the pointer does to the colours of tubes. */
export interface TubeLook {
  /** It is in the lower half of the picture. */
  lower: boolean;
  brush: Brush | undefined;
}

export const PLAIN: TubeLook = { lower: false, brush: undefined };

/** Whether a tube starts in the call stack that is brushed. */
export function isBrushed({ a, b }: TubeTable, i: number, { side, from, end }: Brush): boolean {
  const call = side === 0 ? a[i] : b[i];
  return call >= from && call < end;
}

/** The gray of what is not brushed, on a light and on a dark background; what is brushed is seen through it. */
const GRAY = { light: 0xd0d0d000, dark: 0x3c3c3c00 };
const THROUGH = 0.3;

/** The colour of each tube. If none of them starts in what is brushed, all have their own. */
export function tubeColours(table: TubeTable, { lower, brush }: TubeLook, dark: boolean): Uint32Array {
  const fill = lower && table.other.length > 0 ? table.other : table.fill;
  if (!brush) return fill;
  const gray = dark ? GRAY.dark : GRAY.light;
  const colours = new Uint32Array(table.size);
  let any = false;
  for (let i = 0; i < table.size; i++) {
    const brushed = isBrushed(table, i, brush);
    any ||= brushed;
    colours[i] = brushed ? fill[i] : (gray | Math.round((fill[i] & 0xff) * THROUGH)) >>> 0;
  }
  return any ? colours : fill;
}

/** How dark the borders of tubes are, and how narrow their highlight: as in package scene. */
export const BORDER = 0.5;
export const HIGHLIGHT = 12;

/** The colour of a tube so far off its middle, 0 there and 1 at the borders. */
export function shade(fill: number, shine: number, off: number): number {
  const round = 1 - off * off;
  const light = BORDER + (1 - BORDER) * round;
  const gloss = (shine / 255) * Math.max(round, 0) ** HIGHLIGHT;
  const mix = (v: number) => Math.round(v * light + (255 - v * light) * gloss);
  return ((mix(fill >>> 24) << 24) | (mix((fill >>> 16) & 0xff) << 16) | (mix((fill >>> 8) & 0xff) << 8) | (fill & 0xff)) >>> 0;
}

// Turns a scene's packed little-endian columns into typed arrays.
import { Sectors_Shape, type Scene, type Sectors } from '../gen/cambium/v1/workbench_pb';

export const NO_METHOD = 0xffffffff;

/** How sectors lie: around a centre, as discs there, or unrolled, as boxes that grow down from the top or up from the bottom. */
export type Shape = 'ring' | 'discs' | 'down' | 'up';

/** Sectors as columns; four floats a sector in geometry: r0, r1, a0, a1 (of boxes: from the edge that they grow from, and from left to right, in pixels). */
export interface SectorTable {
  readonly size: number;
  readonly shape: Shape;
  readonly cx: number;
  readonly cy: number;
  readonly kind: Uint8Array;
  readonly id: Uint32Array;
  readonly geometry: Float32Array;
  readonly fill: Uint32Array;
  readonly ink: Uint32Array;
  readonly method: Uint32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly count: Uint32Array;
  readonly label: Uint8Array;
  /** Empty if nothing is highlighted. */
  readonly match: Uint8Array;
  readonly names: readonly string[];
  readonly shortNames: readonly string[];
  readonly metricTotal: number;
  readonly rootTotal: number;
  /** Of a comparison of two profiles. */
  readonly sides: SideColumns | undefined;
}

/** What sectors were on either side; NaN where it is not known. */
export interface SideColumns {
  readonly self: readonly [Float64Array, Float64Array];
  readonly total: readonly [Float64Array, Float64Array];
  /** They are shares of the own whole, from 0 to 1. */
  readonly share: boolean;
}

const LITTLE = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** The bytes of a column in an aligned buffer of the machine's byte order. */
function aligned(bytes: Uint8Array, width: number): { buffer: ArrayBuffer; at: number; length: number } {
  const length = Math.floor(bytes.byteLength / width);
  if (LITTLE && bytes.byteOffset % width === 0 && bytes.buffer instanceof ArrayBuffer) {
    return { buffer: bytes.buffer, at: bytes.byteOffset, length };
  }
  const copy = new Uint8Array(length * width);
  copy.set(bytes.subarray(0, length * width));
  if (!LITTLE && width > 1) {
    for (let i = 0; i < copy.length; i += width) copy.subarray(i, i + width).reverse();
  }
  return { buffer: copy.buffer, at: 0, length };
}

export function u32(bytes: Uint8Array): Uint32Array {
  const { buffer, at, length } = aligned(bytes, 4);
  return new Uint32Array(buffer, at, length);
}

export function f32(bytes: Uint8Array): Float32Array {
  const { buffer, at, length } = aligned(bytes, 4);
  return new Float32Array(buffer, at, length);
}

export function f64(bytes: Uint8Array): Float64Array {
  const { buffer, at, length } = aligned(bytes, 8);
  return new Float64Array(buffer, at, length);
}

const EMPTY = new Uint8Array();

const SHAPES: Record<Sectors_Shape, Shape> = { [Sectors_Shape.UNSPECIFIED]: 'ring', [Sectors_Shape.DOWN]: 'down', [Sectors_Shape.UP]: 'up', [Sectors_Shape.DISCS]: 'discs' };

/** Decodes the sectors of a scene; columns that are short make the table short. */
export function decodeSectors(sectors: Sectors | undefined): SectorTable {
  const r0 = f32(sectors?.r0 ?? EMPTY);
  const r1 = f32(sectors?.r1 ?? EMPTY);
  const a0 = f32(sectors?.a0 ?? EMPTY);
  const a1 = f32(sectors?.a1 ?? EMPTY);
  const id = u32(sectors?.id ?? EMPTY);
  const fill = u32(sectors?.fill ?? EMPTY);
  const size = Math.min(r0.length, r1.length, a0.length, a1.length, id.length, fill.length);
  const geometry = new Float32Array(size * 4);
  for (let i = 0; i < size; i++) {
    geometry[i * 4] = r0[i];
    geometry[i * 4 + 1] = r1[i];
    geometry[i * 4 + 2] = a0[i];
    geometry[i * 4 + 3] = a1[i];
  }
  const bytes = (column: Uint8Array | undefined) => (column?.length === size ? column : new Uint8Array(size));
  const full = <T extends { length: number }>(column: T, empty: T) => (column.length >= size ? column : empty);
  const unknown = () => new Float64Array(size).fill(Number.NaN);
  return {
    size,
    shape: SHAPES[sectors?.shape ?? Sectors_Shape.UNSPECIFIED] ?? 'ring',
    cx: sectors?.cx ?? 0,
    cy: sectors?.cy ?? 0,
    kind: bytes(sectors?.kind),
    id,
    geometry,
    fill,
    ink: full(u32(sectors?.ink ?? EMPTY), new Uint32Array(size).fill(0x000000ff)),
    method: full(u32(sectors?.method ?? EMPTY), new Uint32Array(size).fill(NO_METHOD)),
    self: full(f64(sectors?.self ?? EMPTY), new Float64Array(size)),
    total: full(f64(sectors?.total ?? EMPTY), new Float64Array(size)),
    count: full(u32(sectors?.count ?? EMPTY), new Uint32Array(size).fill(1)),
    label: bytes(sectors?.label),
    match: sectors?.match.length === size ? sectors.match : EMPTY,
    names: sectors?.names ?? [],
    shortNames: sectors?.shortNames ?? [],
    metricTotal: sectors?.metricTotal ?? 0,
    rootTotal: sectors?.rootTotal ?? 0,
    sides: sectors?.sides && {
      self: [full(f64(sectors.sides.selfFrom), unknown()), full(f64(sectors.sides.selfTo), unknown())],
      total: [full(f64(sectors.sides.totalFrom), unknown()), full(f64(sectors.sides.totalTo), unknown())],
      share: sectors.sides.share,
    },
  };
}

/** A scene with its sectors decoded, as painters and picking use it. */
export interface DecodedScene {
  readonly source: Scene;
  readonly sectors: SectorTable;
  readonly layoutMs: number;
  /** Where each drawn context is: id to index. */
  readonly indexOf: ReadonlyMap<number, number>;
}

export function decodeScene(scene: Scene, layoutMs: number): DecodedScene {
  const sectors = decodeSectors(scene.sectors);
  const indexOf = new Map<number, number>();
  for (let i = 0; i < sectors.size; i++) if (sectors.kind[i] === 0) indexOf.set(sectors.id[i], i);
  return { source: scene, sectors, layoutMs, indexOf };
}

/** Where a place in a scene is, as a distance from what sectors grow from, and a way along it. */
export function placeIn({ shape, cx, cy }: SectorTable, x: number, y: number): { r: number; a: number } {
  if (shape === 'down' || shape === 'up') return { r: shape === 'up' ? cy - y : y, a: x };
  const angle = Math.atan2(x - cx, cy - y);
  return { r: Math.hypot(x - cx, y - cy), a: angle < 0 ? angle + 2 * Math.PI : angle };
}

/** The top of a box from its distances. */
export function topOf({ shape, cy }: SectorTable, r0: number, r1: number): number {
  return shape === 'up' ? cy - r1 : r0;
}

export function nameOf(table: SectorTable, index: number): string {
  return table.names[table.method[index]] ?? '';
}

export function shortNameOf(table: SectorTable, index: number): string {
  return table.shortNames[table.method[index]] ?? '';
}

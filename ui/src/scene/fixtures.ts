// Scenes for tests.
import { create } from '@bufbuild/protobuf';
import { SceneSchema, SectorsSchema } from '../gen/cambium/v1/workbench_pb';
import { decodeScene, type DecodedScene } from './decode';

export interface Row {
  id: number;
  r0: number;
  r1: number;
  a0: number;
  a1: number;
  kind?: number;
  match?: number;
}

function packed(rows: readonly number[], width: number, write: (view: DataView, at: number, value: number) => void): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(rows.length * width));
  rows.forEach((value, i) => write(view, i * width, value));
  return new Uint8Array(view.buffer);
}

const u32 = (rows: readonly number[]) => packed(rows, 4, (v, at, x) => v.setUint32(at, x, true));
const f32 = (rows: readonly number[]) => packed(rows, 4, (v, at, x) => v.setFloat32(at, x, true));
const f64 = (rows: readonly number[]) => packed(rows, 8, (v, at, x) => v.setFloat64(at, x, true));

export function sceneOf(rows: readonly Row[], root = rows[0]?.id ?? 0): DecodedScene {
  const sectors = create(SectorsSchema, {
    cx: 400,
    cy: 300,
    kind: Uint8Array.from(rows, (r) => r.kind ?? 0),
    id: u32(rows.map((r) => r.id)),
    r0: f32(rows.map((r) => r.r0)),
    r1: f32(rows.map((r) => r.r1)),
    a0: f32(rows.map((r) => r.a0)),
    a1: f32(rows.map((r) => r.a1)),
    fill: u32(rows.map(() => 0x336699ff)),
    ink: u32(rows.map(() => 0x000000ff)),
    method: u32(rows.map((r) => r.id)),
    self: f64(rows.map((r) => r.id + 0.5)),
    total: f64(rows.map((r) => r.id * 2 ** 33)),
    count: u32(rows.map(() => 1)),
    label: Uint8Array.from(rows, () => 1),
    match: rows.some((r) => r.match !== undefined) ? Uint8Array.from(rows, (r) => r.match ?? 0) : new Uint8Array(),
    names: ['a'],
    shortNames: ['a'],
  });
  return decodeScene(create(SceneSchema, { sectors, root, width: 800, height: 600 }), 1);
}

/** Numbers between 0 and 1, the same every time. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Rings of random sectors that do not overlap, with gaps. */
export function randomRows(seed: number): Row[] {
  const next = random(seed);
  const rows: Row[] = [];
  const rings = 2 + Math.floor(next() * 6);
  for (let ring = 0; ring < rings; ring++) {
    let a = next() * 0.3;
    while (a < 6.2) {
      const a1 = Math.min(2 * Math.PI, a + next() ** 3 * 1.5 + 1e-4);
      rows.push({ id: rows.length, r0: 30 + ring * 35, r1: 65 + ring * 35 + (next() < 0.1 ? 10 : 0), a0: a, a1 });
      a = next() < 0.7 ? a1 : a1 + next() * 0.3;
    }
  }
  return rows;
}

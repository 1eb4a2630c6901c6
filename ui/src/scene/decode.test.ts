import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { SectorsSchema } from '../gen/cambium/v1/workbench_pb';
import { decodeSectors, f32, f64, u32 } from './decode';
import { sceneOf } from './fixtures';

function shifted(bytes: Uint8Array, by: number): Uint8Array {
  const buffer = new Uint8Array(bytes.length + by);
  buffer.set(bytes, by);
  return buffer.subarray(by);
}

test('columns decode wherever they begin in their buffer', () => {
  const view = new DataView(new ArrayBuffer(16));
  view.setFloat64(0, 1.5, true);
  view.setFloat64(8, -(2 ** 40), true);
  const words = new DataView(new ArrayBuffer(8));
  words.setUint32(0, 0xffffffff, true);
  words.setUint32(4, 7, true);
  const floats = new DataView(new ArrayBuffer(4));
  floats.setFloat32(0, 0.25, true);
  for (let by = 0; by < 9; by++) {
    expect([...f64(shifted(new Uint8Array(view.buffer), by))]).toEqual([1.5, -(2 ** 40)]);
    expect([...u32(shifted(new Uint8Array(words.buffer), by))]).toEqual([0xffffffff, 7]);
    expect([...f32(shifted(new Uint8Array(floats.buffer), by))]).toEqual([0.25]);
  }
});

test('a table of sectors', () => {
  const { sectors, indexOf } = sceneOf([
    { id: 3, r0: 0, r1: 40, a0: 0, a1: 6.25 },
    { id: 8, r0: 40, r1: 80, a0: 0.5, a1: 1.5, match: 1 },
    { id: 8, r0: 80, r1: 90, a0: 0.5, a1: 0.75, kind: 1 },
  ]);
  expect(sectors.size).toBe(3);
  expect([...sectors.geometry.subarray(4, 8)]).toEqual([40, 80, 0.5, 1.5]);
  expect(sectors.total[1]).toBe(8 * 2 ** 33);
  expect(sectors.self[0]).toBe(3.5);
  expect([...sectors.match]).toEqual([0, 1, 0]);
  // A mark has its parent's id, but it is not the parent.
  expect(indexOf.get(8)).toBe(1);
});

test('no sectors and columns of unequal length do no harm', () => {
  expect(decodeSectors(undefined).size).toBe(0);
  const table = decodeSectors(create(SectorsSchema, { id: new Uint8Array(12), r0: new Uint8Array(4), r1: new Uint8Array(8), a0: new Uint8Array(8), a1: new Uint8Array(8), fill: new Uint8Array(8), match: new Uint8Array(5) }));
  expect(table.size).toBe(1);
  expect(table.match.length).toBe(0);
});

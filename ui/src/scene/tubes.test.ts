import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { TubesSchema } from '../gen/cambium/v1/tubes_pb';
import { decodeTubes, isBrushed, shade, tubeColours } from './tubes';

function bytes(column: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(column.buffer);
}

const wire = (more = {}) =>
  create(TubesSchema, {
    a: bytes(new Uint32Array([3, 7])),
    b: bytes(new Uint32Array([10, 20])),
    count: bytes(new Uint32Array([2, 3])),
    x: bytes(new Float32Array([1, 2, 3, 4, 5])),
    y: bytes(new Float32Array([1, 2, 3, 4, 5])),
    w: bytes(new Float32Array([0, 0, 8, 4, 8])),
    fill: bytes(new Uint32Array([0xff0000ff, 0x00ff0080])),
    shine: new Uint8Array([0, 255]),
    ...more,
  });

test('tubes have their points one after the other', () => {
  const t = decodeTubes(wire());
  expect(t.size).toBe(2);
  expect([...t.first]).toEqual([0, 2, 5]);
  expect(decodeTubes(undefined).size).toBe(0);
});

test('a tube without all of its points is left out, with those behind it', () => {
  const t = decodeTubes(wire({ w: bytes(new Float32Array([0, 0, 8])) }));
  expect(t.size).toBe(1);
});

test('what is not brushed is gray, and can be seen through', () => {
  const t = decodeTubes(wire());
  const brush = { side: 0, from: 3, end: 6 };
  expect(isBrushed(t, 0, brush)).toBe(true);
  expect(isBrushed(t, 1, brush)).toBe(false);
  expect([...tubeColours(t, { lower: false, brush }, false)]).toEqual([0xff0000ff, 0xd0d0d026]);
  // Of the second trace by its own calls.
  expect([...tubeColours(t, { lower: true, brush: { side: 1, from: 20, end: 21 } }, true)]).toEqual([0x3c3c3c4d, 0x00ff0080]);
  // A brush that no tube starts in changes nothing.
  expect(tubeColours(t, { lower: false, brush: { side: 0, from: 4, end: 6 } }, false)).toBe(t.fill);
});

test('the lower half has colours of its own, if there are any', () => {
  const t = decodeTubes(wire({ other: bytes(new Uint32Array([1, 2])) }));
  expect([...tubeColours(t, { lower: false, brush: undefined }, false)]).toEqual([0xff0000ff, 0x00ff0080]);
  expect([...tubeColours(t, { lower: true, brush: undefined }, false)]).toEqual([1, 2]);
});

test('tubes are shaded as package scene does', () => {
  expect(shade(0xc86428ff, 0, 0)).toBe(0xc86428ff);
  expect(shade(0xc86428ff, 255, 0)).toBe(0xffffffff);
  expect(shade(0xc86428ff, 0, 1)).toBe(0x643214ff);
});

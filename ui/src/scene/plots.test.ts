import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { PlotSchema } from '../gen/cambium/v1/workbench_pb';
import { boxOf, panBy, placeAt, shiftOf, valueAt, withoutPeriod, zoomAt, zoomOf } from './plots';
import { canvasPixels, type DecodedPicture } from './picture';

const PLOT = create(PlotSchema, {
  x: 100, y: 50, w: 200, h: 100,
  across: { name: 'Bytecode', from: 0, to: 1000, min: 0, max: 1000, dimension: 'x' },
  up: { name: 'Location', from: 0, to: 50, min: 0, max: 50, entities: true, dimension: 'y' },
});
const inside = { plot: PLOT, where: 'inside' } as const;

test('an axis without cells has a period if it says so', () => {
  const time = { ...PLOT.across!, entities: false, dimension: 'x', period: true };
  expect(zoomOf(time, 'across', false)).toBe('period');
  expect(zoomOf({ ...time, period: false }, 'across', false)).toBeUndefined();
});

test('what a point belongs to', () => {
  expect(placeAt([PLOT], 150, 80)?.where).toBe('inside');
  expect(placeAt([PLOT], 50, 80)?.where).toBe('up');
  expect(placeAt([PLOT], 150, 170)?.where).toBe('across');
  expect(placeAt([PLOT], 50, 170)).toBeUndefined();
  const below = { ...PLOT, y: 165 };
  expect(placeAt([PLOT, below], 150, 170)).toEqual({ plot: below, where: 'inside' });
});

test('which axes can be zoomed', () => {
  expect(zoomOf(PLOT.across, 'across', true)).toBe('period');
  expect(zoomOf(PLOT.across, 'across', false)).toBeUndefined(); // lengths of bars
  expect(zoomOf(PLOT.up, 'up', false)).toBe('rows');
  expect(zoomOf(PLOT.up, 'across', false)).toBe('columns');
});

test('the wheel zooms what is under the pointer', () => {
  expect(zoomAt(inside, true, {}, 200, 100, 0.5)).toEqual({ period: { from: 250, to: 750 }, rows: { from: 12.5, to: 37.5 } });
  expect(zoomAt({ plot: PLOT, where: 'up' }, true, {}, 50, 50, 0.5)).toEqual({ rows: { from: 0, to: 25 } });
  expect(zoomAt(inside, true, {}, 200, 100, 0.5, 'across')).toEqual({ period: { from: 250, to: 750 } });
  expect(zoomAt(inside, false, {}, 200, 100, 2)).toEqual({ rows: undefined });
});

test('values grow upwards, entities are counted from the top', () => {
  const up = { ...PLOT.across!, from: 0, to: 10, min: 0, max: 10 };
  expect(valueAt(PLOT, 'up', up, up, 0, 50)).toBe(10);
  expect(valueAt(PLOT, 'up', PLOT.up!, PLOT.up!, 0, 50)).toBe(0);
});

test('dragging moves what is shown along', () => {
  const glance = { period: { from: 250, to: 750 }, rows: { from: 10, to: 30 } };
  expect(panBy(PLOT, true, glance, 20, 10)).toEqual({ period: { from: 200, to: 700 }, rows: { from: 8, to: 28 } });
});

test('a picture of another part is moved until the new one comes', () => {
  const picture = { plots: [PLOT], rasters: [{}] } as unknown as DecodedPicture;
  expect(shiftOf(picture, {})).toBeUndefined();
  const shift = shiftOf(picture, { period: { from: 500, to: 1000 } });
  // The middle of the old picture is the left end now.
  expect([200 * shift!.sx + shift!.dx, 300 * shift!.sx + shift!.dx]).toEqual([100, 300]);
  expect(shift).toMatchObject({ sy: 1, dy: 0 });
});

test('a chart that chose to show a part of its rows is left where it is, and moved from there', () => {
  const some = { ...PLOT, up: { ...PLOT.up!, max: 900 } };
  const picture = { plots: [some], rasters: [] } as unknown as DecodedPicture;
  expect(shiftOf(picture, {})).toBeUndefined();
  expect(panBy(some, false, {}, 0, -10).rows).toEqual({ from: 5, to: 55 });
});

test('what a drag covers; on an axis, all that is along the other one', () => {
  expect(boxOf(inside, { x: 150, y: 80 }, { x: 120, y: 500 })).toMatchObject({ x0: 120, y0: 80, x1: 150 });
  expect(boxOf(inside, { x: 150, y: 80 }, { x: 120, y: 500 }).y1).toBeLessThan(150);
  expect(boxOf({ plot: PLOT, where: 'up' }, { x: 20, y: 60 }, { x: 30, y: 70 })).toMatchObject({ x0: 100, y0: 60, y1: 70 });
});

test('rows that are selected by their labels are meant whenever', () => {
  expect(withoutPeriod('"Location" in ["a"] and "Bytecode" in 0..500', 'Bytecode')).toBe('"Location" in ["a"]');
  expect(withoutPeriod('"Location" in ["a"]', 'Bytecode')).toBe('"Location" in ["a"]');
  expect(withoutPeriod('"Location" in ["x and \\"Bytecode\\" in 0..5 y"]', 'Bytecode')).toBe('"Location" in ["x and \\"Bytecode\\" in 0..5 y"]');
});

test('pixels as a canvas wants them', () => {
  // 0x11223344 and 0xaabbccff, little-endian.
  expect([...canvasPixels(Uint8Array.from([0x44, 0x33, 0x22, 0x11, 0xff, 0xcc, 0xbb, 0xaa]))]).toEqual([0x11, 0x22, 0x33, 0x44, 0xaa, 0xbb, 0xcc, 0xff]);
});

import { expect, test } from 'vitest';
import { isFlipped, labelSize, placeOf } from './labels';

test('labels on the lower half are turned', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(isFlipped)).toEqual([false, false, true, true, true, false, false]);
});

test('rings that are too thin have no labels', () => {
  expect(labelSize(8)).toBe(0);
  expect(labelSize(11)).toBe(0);
  expect(labelSize(12.6)).toBe(8.5);
  expect(labelSize(16)).toBeCloseTo(9.92);
  expect(labelSize(50)).toBe(13);
  expect(labelSize(300)).toBe(20);
  expect(labelSize(300, 330)).toBe(13);
});

const widthOf = (text: string, size: number) => text.length * size * 0.6;

test('a name that fits along the arc stands there', () => {
  expect(placeOf(100, 125, 0, 1, 'Parser.parse', widthOf)).toMatchObject({ text: 'Parser.parse', radial: false, angle: 0.5 });
  expect(placeOf(40, 65, 0, 2 * Math.PI, 'main', widthOf)).toMatchObject({ radial: false, angle: 0 });
});

test('in a wide ring a narrow segment has its name along the radius, where it is wide enough for it', () => {
  const place = placeOf(80, 330, 1, 1.06, 'huffmanBitWriter.write', widthOf);
  expect(place).toMatchObject({ text: 'huffmanBitWriter.write', radial: true });
  const inner = (place?.radius ?? 0) - widthOf('huffmanBitWriter.write', place?.size ?? 0);
  expect(inner).toBeGreaterThanOrEqual(80);
  expect(inner * 0.06).toBeGreaterThanOrEqual(place?.size ?? Infinity);
});

test('a few letters of a name say nothing', () => {
  expect(placeOf(100, 125, 0, 0.3, 'verylongname', widthOf)).toBeUndefined();
  expect(placeOf(100, 150, 0, 0.12, 'averyverylongname', widthOf)).toBeUndefined();
  expect(placeOf(80, 330, 1, 1.02, 'main', widthOf)).toBeUndefined();
});

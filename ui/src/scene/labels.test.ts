import { expect, test } from 'vitest';
import { isFlipped, labelSize } from './labels';

test('labels on the lower half are turned', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(isFlipped)).toEqual([false, false, true, true, true, false, false]);
});

test('rings that are too thin have no labels', () => {
  expect(labelSize(8)).toBe(0);
  expect(labelSize(16)).toBeCloseTo(9.92);
  expect(labelSize(50)).toBe(13);
  expect(labelSize(300)).toBe(20);
});

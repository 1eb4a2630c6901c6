import { expect, test } from 'vitest';
import { ROW, isScaled, rowsFrom, scrollTo, TALLEST, topAt, wheeled } from './rows';

const ROOM = 240;
const rowsAt = (scroll: number, total: number) => rowsFrom(topAt(scroll, ROOM, total), ROOM, total);

test('a short table scrolls by pixels', () => {
  expect(rowsAt(0, 1000)).toEqual({ height: 24_000, top: 0, first: 0, last: 10 });
  expect(rowsAt(36, 1000)).toMatchObject({ top: 1.5, first: 1, last: 12 });
  expect(rowsAt(24_000 - ROOM, 1000)).toMatchObject({ first: 990, last: 1000 });
  expect(rowsAt(0, 3)).toMatchObject({ height: 3 * ROW, first: 0, last: 3 });
  expect(isScaled(1000)).toBe(false);
});

test('of millions of rows every one can be reached', () => {
  const total = 5_000_000;
  expect(isScaled(total)).toBe(true);
  expect(rowsAt(0, total)).toMatchObject({ height: TALLEST, first: 0 });
  expect(rowsAt(TALLEST - ROOM, total)).toMatchObject({ first: total - 10, last: total });
  for (const row of [0, 1, 17, 2_500_000, total - 10]) expect(topAt(scrollTo(row, ROOM, total), ROOM, total)).toBeCloseTo(row, 3);
  expect(rowsFrom(total + 5, ROOM, total)).toMatchObject({ first: total - 10, last: total });
  expect(rowsFrom(-3, ROOM, total)).toMatchObject({ top: 0, first: 0 });
});

test('a wheel moves rows by what it says, in pixels, lines or pages', () => {
  expect(wheeled({ deltaY: 120, deltaMode: 0 }, ROOM)).toBe(5);
  expect(wheeled({ deltaY: -3, deltaMode: 1 }, ROOM)).toBe(-3);
  expect(wheeled({ deltaY: 1, deltaMode: 2 }, ROOM)).toBe(10);
});

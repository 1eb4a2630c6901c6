import { expect, test } from 'vitest';
import { ROW, rowsAt, scrollTo, TALLEST } from './rows';

const ROOM = 240;

test('a short table scrolls by pixels', () => {
  expect(rowsAt(0, ROOM, 1000)).toEqual({ height: 24_000, top: 0, first: 0, last: 10 });
  expect(rowsAt(36, ROOM, 1000)).toMatchObject({ top: 1.5, first: 1, last: 12 });
  expect(rowsAt(24_000 - ROOM, ROOM, 1000)).toMatchObject({ first: 990, last: 1000 });
  expect(rowsAt(0, ROOM, 3)).toMatchObject({ height: 3 * ROW, first: 0, last: 3 });
});

test('of millions of rows every one can be reached', () => {
  const total = 5_000_000;
  expect(rowsAt(0, ROOM, total)).toMatchObject({ height: TALLEST, first: 0 });
  expect(rowsAt(TALLEST - ROOM, ROOM, total)).toMatchObject({ first: total - 10, last: total });
  for (const row of [0, 1, 17, 2_500_000, total - 10]) expect(rowsAt(scrollTo(row, ROOM, total), ROOM, total).top).toBeCloseTo(row, 3);
});

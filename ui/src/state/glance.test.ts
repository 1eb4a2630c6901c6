import { expect, test } from 'vitest';
import { cleanGlance, isZoomed, panned, zoomed } from './glance';

const ALL = { from: 0, to: 100, min: 0, max: 100 };

test('zooming keeps what is under the pointer where it is', () => {
  expect(zoomed(ALL, 20, 0.5)).toEqual({ from: 10, to: 60 });
  expect(zoomed({ ...ALL, from: 10, to: 60 }, 60, 0.5)).toEqual({ from: 35, to: 60 });
  expect(zoomed({ ...ALL, from: 90, to: 100 }, 95, 4)).toEqual({ from: 60, to: 100 });
});

test('no further in than two, no further out than all', () => {
  expect(zoomed({ ...ALL, from: 10, to: 12 }, 11, 0.1)).toEqual({ from: 10, to: 12 });
  expect(zoomed({ ...ALL, from: 10, to: 60 }, 11, 9)).toBeUndefined();
  expect(zoomed(ALL, 50, 1)).toBeUndefined();
});

test('panning stops at the ends', () => {
  expect(panned({ ...ALL, from: 10, to: 20 }, 5)).toEqual({ from: 15, to: 25 });
  expect(panned({ ...ALL, from: 10, to: 20 }, -50)).toEqual({ from: 0, to: 10 });
  expect(panned({ ...ALL, from: 10, to: 20 }, 500)).toEqual({ from: 90, to: 100 });
  expect(panned(ALL, 5)).toBeUndefined();
});

test('glances from elsewhere are cleaned', () => {
  expect(cleanGlance({ rows: { from: 1, to: 2 }, columns: { from: 3 }, period: 'x', other: 1 })).toEqual({ rows: { from: 1, to: 2 } });
  expect(isZoomed(cleanGlance(null))).toBe(false);
  expect(isZoomed({ period: { from: 1, to: 2 } })).toBe(true);
});

import { expect, test } from 'vitest';
import { sceneOf } from './fixtures';
import { ease, isStill, mix, startGeometry } from './transition';

const TURN = 2 * Math.PI;
const whole = sceneOf([
  { id: 0, r0: 0, r1: 40, a0: 0, a1: TURN },
  { id: 1, r0: 40, r1: 80, a0: 0, a1: 2 },
  { id: 2, r0: 40, r1: 80, a0: 2, a1: 5 },
  { id: 5, r0: 80, r1: 120, a0: 2, a1: 3.5 },
]);
const inside = sceneOf([
  { id: 2, r0: 0, r1: 40, a0: 0, a1: TURN },
  { id: 5, r0: 40, r1: 80, a0: 0, a1: TURN / 2 },
  { id: 6, r0: 80, r1: 120, a0: 0, a1: TURN / 4 },
]);

const row = (g: Float32Array | undefined, i: number) => Array.from(g ?? []).slice(i * 4, i * 4 + 4);
const near = (actual: number[], expected: number[]) => {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, i) => expect(value).toBeCloseTo(expected[i], 3));
};

test('going in: what was drawn grows from its place, the new from where it would have been', () => {
  const start = startGeometry(whole, inside, whole.sectors.geometry);
  near(row(start, 0), [40, 80, 2, 5]);
  near(row(start, 1), [80, 120, 2, 3.5]);
  near(row(start, 2), [120, 160, 2, 2.75]);
});

test('coming out is the way back', () => {
  const start = startGeometry(inside, whole, inside.sectors.geometry);
  near(row(start, 2), [0, 40, 0, TURN]);
  near(row(start, 3), [40, 80, 0, TURN / 2]);
  // What lies outside has no width: before the start, and below the centre.
  near(row(start, 1), [0, 40, 0, 0]);
});

test('the same root: new layers come from beyond the rim', () => {
  const deeper = sceneOf([
    { id: 0, r0: 0, r1: 20, a0: 0, a1: TURN },
    { id: 1, r0: 20, r1: 40, a0: 0, a1: 2 },
    { id: 9, r0: 40, r1: 60, a0: 0, a1: 1 },
  ]);
  const start = startGeometry(whole, deeper, whole.sectors.geometry);
  near(row(start, 1), [40, 80, 0, 2]);
  near(row(start, 2), [80, 120, 0, 1]);
});

test('an interrupted movement goes on from where it is', () => {
  const now = mix(whole.sectors.geometry, Float32Array.from(whole.sectors.geometry, (x) => x + 10), 0.5);
  near(row(startGeometry(whole, inside, now), 1), [85, 125, 7, 8.5]);
});

test('scenes that have nothing in common do not move', () => {
  expect(startGeometry(whole, sceneOf([{ id: 77, r0: 0, r1: 40, a0: 0, a1: TURN }]), whole.sectors.geometry)).toBeUndefined();
});

test('the same picture in other colours does not move', () => {
  const start = startGeometry(whole, whole, whole.sectors.geometry);
  expect(start && isStill(start, whole.sectors.geometry)).toBe(true);
  expect(isStill(Float32Array.of(1, 2), Float32Array.of(1, 2.5))).toBe(false);
});

test('mixing and easing', () => {
  const from = Float32Array.of(0, 0);
  const to = Float32Array.of(10, 20);
  expect([...mix(from, to, 0.25)]).toEqual([2.5, 5]);
  expect(mix(from, to, 1)).toBe(to);
  expect([ease(-1), ease(0), ease(0.5), ease(1), ease(9)]).toEqual([0, 0, 0.5, 1, 1]);
});

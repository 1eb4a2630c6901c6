import { expect, test } from 'vitest';
import { random, randomRows, sceneOf } from './fixtures';
import { PickIndex } from './pick';
import { walk } from './walk';

test.each(Array.from({ length: 30 }, (_, i) => i + 1))('as brute force finds it, scene %i', (seed) => {
  const { sectors } = sceneOf(randomRows(seed));
  const picks = new PickIndex(sectors);
  const next = random(seed + 1000);
  const g = sectors.geometry;
  for (let n = 0; n < 400; n++) {
    const x = next() * 800;
    const y = next() * 600;
    const r = Math.hypot(x - 400, y - 300);
    const angle = (Math.atan2(x - 400, 300 - y) + 2 * Math.PI) % (2 * Math.PI);
    let expected = -1;
    for (let i = 0; i < sectors.size; i++) {
      if (r >= g[i * 4] && r < g[i * 4 + 1] && angle >= g[i * 4 + 2] && angle < g[i * 4 + 3]) expected = i;
    }
    expect(picks.at(x, y)).toBe(expected);
  }
});

test('the centre is a sector like others', () => {
  const { sectors } = sceneOf([{ id: 1, r0: 0, r1: 40, a0: 0, a1: 2 * Math.PI }]);
  expect(new PickIndex(sectors).at(400, 300)).toBe(0);
  expect(new PickIndex(sectors).at(445, 300)).toBe(-1);
});

test('a mark without width does not hide the segment that starts where it does', () => {
  const { sectors } = sceneOf([
    { id: 0, r0: 0, r1: 40, a0: 0, a1: 2 * Math.PI },
    { id: 1, r0: 40, r1: 80, a0: 1, a1: 2 },
    { id: 9, r0: 40, r1: 80, a0: 1, a1: 1, kind: 1 },
  ]);
  expect(new PickIndex(sectors).atPolar(60, 1.5)).toBe(1);
});

test('walking with the arrows', () => {
  const { sectors } = sceneOf([
    { id: 0, r0: 0, r1: 40, a0: 0, a1: 2 * Math.PI },
    { id: 1, r0: 40, r1: 80, a0: 0, a1: 2 },
    { id: 2, r0: 40, r1: 80, a0: 2, a1: 5 },
    { id: 0, r0: 40, r1: 80, a0: 5, a1: 6, kind: 1 },
    { id: 3, r0: 80, r1: 120, a0: 0.5, a1: 1 },
  ]);
  const picks = new PickIndex(sectors);
  expect(walk(sectors, picks, 0, 'child')).toBe(2);
  expect(walk(sectors, picks, 2, 'parent')).toBe(0);
  expect(walk(sectors, picks, 2, 'next')).toBe(1);
  expect(walk(sectors, picks, 1, 'previous')).toBe(2);
  expect(walk(sectors, picks, 1, 'child')).toBe(4);
  expect(walk(sectors, picks, 4, 'child')).toBe(4);
  expect(walk(sectors, picks, 0, 'parent')).toBe(0);
});

import { expect, test } from 'vitest';
import type { SectorTable } from './decode';
import { discAt, discOf, joinedDiscs, parentOf, startOfDiscs, walkDiscs } from './discs';
import { sceneOf } from './fixtures';

/** A root above two children, the first with one of its own; the fan opens downwards from (400, 300). */
function fan(): { table: SectorTable; indexOf: ReadonlyMap<number, number> } {
  const { sectors, indexOf } = sceneOf([
    { id: 1, r0: -20, r1: 20, a0: 2, a1: 4.2 },
    { id: 2, r0: 50, r1: 80, a0: 3.2, a1: 4.2 },
    { id: 3, r0: 55, r1: 75, a0: 2, a1: 3.2 },
    { id: 4, r0: 110, r1: 120, a0: 3.2, a1: 4.2 },
    { id: 2, r0: 111, r1: 113, a0: 2, a1: 3.2, kind: 1 },
  ]);
  return { table: { ...sectors, shape: 'discs' }, indexOf };
}

test('a disc is in the middle of its sector', () => {
  const { table } = fan();
  expect(discOf(table, table.geometry.subarray(0, 4))).toMatchObject({ x: 400, y: 300, r: 20 });
  const { x, y, r } = discOf(table, table.geometry.subarray(4, 8));
  expect(r).toBe(15);
  expect(x).toBeLessThan(400);
  expect(y).toBeGreaterThan(300);
  expect(discAt(table, x + 14, y)).toBe(1);
  expect(discAt(table, x + 18, y)).toBe(1); // close by
  expect(discAt(table, x, y + 400)).toBe(-1);
});

test('walking goes along edges and across layers', () => {
  const { table } = fan();
  expect([0, 1, 2, 3].map((i) => parentOf(table, i))).toEqual([-1, 0, 0, 1]);
  expect(walkDiscs(table, 0, 'child')).toBe(1);
  expect(walkDiscs(table, 1, 'child')).toBe(3);
  expect(walkDiscs(table, 3, 'child')).toBe(3);
  expect(walkDiscs(table, 3, 'parent')).toBe(1);
  expect(walkDiscs(table, 0, 'parent')).toBe(0);
  expect(walkDiscs(table, 1, 'next')).toBe(2); // to the right
  expect(walkDiscs(table, 2, 'previous')).toBe(1);
  expect(walkDiscs(table, 2, 'next')).toBe(2);
});

test('what is no more joins what is left above it', () => {
  const rows = [
    { id: 1, r0: -20, r1: 20, a0: 2, a1: 4.2 },
    { id: 2, r0: 50, r1: 80, a0: 2, a1: 4.2 },
    { id: 3, r0: 100, r1: 110, a0: 2, a1: 4.2 },
  ];
  const scene = (n: number) => {
    const made = sceneOf(rows.slice(0, n));
    return { ...made, sectors: { ...made.sectors, shape: 'discs' as const } };
  };
  const [many, few] = [scene(3), scene(2)];
  const joined = joinedDiscs(many, few);
  expect(joined?.sectors.size).toBe(3);
  expect([...(joined?.sectors.geometry.subarray(0, 8) ?? [])]).toEqual([...few.sectors.geometry]);
  expect(joined?.sectors.geometry[8]).toBe(65);
  expect(joinedDiscs(few, many)).toBeUndefined();
});

test('what is new grows out of what was there above it', () => {
  const { table } = fan();
  const old = Float32Array.from([-10, 10, 2, 4.2, 30, 60, 2, 4.2]);
  const start = startOfDiscs(table, old, new Map([[1, 0], [2, 1]]));
  expect([...start.subarray(0, 4)]).toEqual([...old.subarray(0, 4)]);
  expect([...start.subarray(4, 8)]).toEqual([...old.subarray(4, 8)]);
  expect(start[12]).toBe(45); // from its parent
  expect(start[13]).toBeCloseTo(45.01);
  expect(start[8]).toBe(0); // from the root
});

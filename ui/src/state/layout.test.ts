import { expect, test } from 'vitest';
import { arrange, fitLayout, fromDock, isLayout, moveToEdge, panelsOf, resized, sameLayout, stackWith, toDock, type Layout } from './layout';

const stack = (...tabs: string[]): Layout => ({ tabs });
const THREE: Layout = { split: 'row', parts: [[40, stack('1')], [60, { split: 'column', parts: [[50, stack('2', '3')], [50, stack('4')]] }]] };

/** A layout as text: [1 | [2 3 / 4]]. */
function draw(layout: Layout | undefined): string {
  if (!layout) return 'nothing';
  if ('tabs' in layout) return layout.tabs.map((t) => (t === layout.front ? `*${t}` : t)).join(' ');
  return `[${layout.parts.map(([share, part]) => `${share}: ${draw(part)}`).join(layout.split === 'row' ? ' | ' : ' / ')}]`;
}

test('to the docking library and back', () => {
  for (const layout of [THREE, stack('1'), { tabs: ['1', '2'], front: '2' }, { split: 'column', parts: [[30, stack('1')], [70, stack('2')]] } satisfies Layout]) {
    const { root, orientation } = toDock(layout, 1000, 600);
    expect(draw(fromDock(root, orientation))).toBe(draw(layout));
  }
});

test('a split within one of its own direction survives', () => {
  const odd: Layout = { split: 'row', parts: [[50, { split: 'row', parts: [[50, stack('1')], [50, stack('2')]] }], [50, stack('3')]] };
  const { root, orientation } = toDock(odd, 1000, 600);
  expect(panelsOf(fromDock(root, orientation) ?? stack())).toEqual(['1', '2', '3']);
});

test('what is gone goes, what is new comes', () => {
  expect(draw(fitLayout(THREE, ['1', '3', '4']))).toBe('[40: 1 | 60: [50: 3 / 50: 4]]');
  expect(draw(fitLayout(THREE, ['4']))).toBe('4');
  expect(draw(fitLayout(THREE, ['1', '2', '3', '4', '5']))).toBe('[60: [40: 1 | 60: [50: 2 3 / 50: 4]] | 40: 5]');
  expect(draw(fitLayout(undefined, ['1', '2']))).toBe('[50: 1 | 50: 2]');
  expect(draw(fitLayout(THREE, []))).toBe('nothing');
  expect(panelsOf(arrange(['1', '2', '3', '4', '5']))).toEqual(['1', '2', '3', '4', '5']);
});

test('moved, stacked and resized without a pointer', () => {
  expect(draw(moveToEdge(THREE, '4', 'left'))).toBe('[35: 4 | 26: 1 | 39: 2 3]');
  expect(draw(moveToEdge(THREE, '1', 'bottom'))).toBe('[33: 2 3 / 33: 4 / 35: 1]');
  expect(draw(stackWith(THREE, '4', '1'))).toBe('[40: 1 *4 | 60: 2 3]');
  expect(draw(resized(THREE, '2', 'row', 10))).toBe('[30: 1 | 70: [50: 2 3 / 50: 4]]');
  expect(draw(resized(THREE, '2', 'column', -5))).toBe('[40: 1 | 60: [45: 2 3 / 55: 4]]');
  expect(draw(moveToEdge(stack('1'), '1', 'left'))).toBe('1');
});

test('rounding makes no difference, order does', () => {
  const nearly: Layout = { split: 'row', parts: [[41, stack('1')], [59, { split: 'column', parts: [[50, stack('2', '3')], [50, stack('4')]] }]] };
  expect(sameLayout(THREE, nearly)).toBe(true);
  expect(sameLayout(THREE, moveToEdge(THREE, '1', 'right'))).toBe(false);
  expect(sameLayout(undefined, THREE)).toBe(false);
});

test('nonsense is no layout', () => {
  expect(isLayout(THREE)).toBe(true);
  for (const value of [null, 3, {}, { tabs: [] }, { tabs: [1] }, { split: 'row', parts: [] }, { split: 'up', parts: [[1, stack('1')]] }, { split: 'row', parts: [[0, stack('1')]] }]) expect(isLayout(value)).toBe(false);
});

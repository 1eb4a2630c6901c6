import { expect, test } from 'vitest';
import { changeDepth, Wheel } from './depth';

test('depth stays between one and what there is', () => {
  expect(changeDepth(12, 1, 12, 30)).toBe(13);
  expect(changeDepth(12, -1, 12, 30)).toBe(11);
  expect(changeDepth(1, -1, 1, 30)).toBe(1);
  expect(changeDepth(12, 1, 12, 12)).toBe(12);
});

test('a depth beyond what there is counts as what there is', () => {
  expect(changeDepth(12, -1, 7, 7)).toBe(6);
  expect(changeDepth(12, 1, 7, 7)).toBe(12);
  expect(changeDepth('all', -1, 7, 7)).toBe(6);
  expect(changeDepth('all', 1, 7, 7)).toBe('all');
});

test('where nobody chose a depth, it is what is shown', () => {
  expect(changeDepth('auto', 1, 20, 30)).toBe(21);
  expect(changeDepth('auto', -1, 20, 30)).toBe(19);
  expect(changeDepth('auto', 1, 30, 30)).toBe('auto');
});

test('notches of a wheel', () => {
  const wheel = new Wheel();
  expect(wheel.turn(-120, 0)).toBe(2);
  expect(wheel.turn(3, 1)).toBe(-1);
});

test('small movements add up, a change of direction starts anew', () => {
  const wheel = new Wheel();
  expect([wheel.turn(-25, 0), wheel.turn(-25, 0), wheel.turn(-25, 0)]).toEqual([0, 0, 1]);
  expect(wheel.turn(50, 0)).toBe(0);
  expect(wheel.turn(15, 0)).toBe(-1);
});

test('a flick is no more than three layers', () => {
  expect(new Wheel().turn(-5000, 0)).toBe(3);
});

import { expect, test } from 'vitest';
import { amend, begin, change, redo, undo } from './history';

test('undo and redo go through what was', () => {
  let h = change(change(begin('a'), 'b', 'to b'), 'c', 'to c');
  expect([h.past.at(-1)?.what, h.now]).toEqual(['to c', 'c']);
  h = undo(undo(h));
  expect([h.now, h.future.at(-1)?.what]).toEqual(['a', 'to b']);
  expect(undo(h)).toBe(h);
  h = redo(h);
  expect(h.now).toBe('b');
  h = change(h, 'd', 'to d');
  expect([h.now, h.future.length, undo(h).now]).toEqual(['d', 0, 'b']);
  expect(redo(h)).toBe(h);
});

test('what is amended is no step, and what is the same no change', () => {
  const h = change(begin('a'), 'b', 'to b');
  expect(change(h, 'b', 'again')).toBe(h);
  expect(undo(amend(h, 'b wider')).now).toBe('a');
  expect(redo(undo(amend(h, 'b wider'))).now).toBe('b wider');
});

test('only the last hundred are kept', () => {
  let h = begin(0);
  for (let i = 1; i <= 150; i++) h = change(h, i, 'more');
  expect(h.past.length).toBe(100);
});

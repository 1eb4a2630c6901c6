import { expect, test } from 'vitest';
import { allOf, combine, exclusion, inTitle, inWords, partsOf, plural } from './filters';

const A = '"Location" in ["a", "b"]';
const B = 'Method == "x and (y)"';

test('selections go together', () => {
  expect(combine('', A, 'add')).toBe(A);
  expect(combine(A, B, 'replace')).toBe(B);
  expect(combine(A, B, 'add')).toBe(`(${A}) or (${B})`);
  expect(combine(A, B, 'intersect')).toBe(`(${A}) and (${B})`);
  expect(combine(A, B, 'remove')).toBe(`(${A}) and not (${B})`);
  expect(combine('', B, 'remove')).toBe(`not (${B})`);
  expect(combine(A, '', 'add')).toBe(A);
  expect(combine(A, '', 'replace')).toBe('');
  expect(combine(A, A, 'add')).toBe(A);
});

test('of the same kind they stay flat, of another they get parentheses', () => {
  const two = combine(A, B, 'add');
  expect(combine(two, 'C == 1', 'add')).toBe(`(${A}) or (${B}) or (C == 1)`);
  expect(combine(two, 'C == 1', 'intersect')).toBe(`((${A}) or (${B})) and (C == 1)`);
  expect(combine(combine(A, B, 'intersect'), 'C == 1', 'remove')).toBe(`(${A}) and (${B}) and not (C == 1)`);
  expect(combine('(a == 1) or (b == 2) and (c == 3)', 'd == 4', 'intersect')).toBe('((a == 1) or (b == 2) and (c == 3)) and (d == 4)');
});

test('what is excluded twice is back', () => {
  expect(exclusion(A)).toBe(`not (${A})`);
  expect(exclusion(exclusion(A))).toBe(A);
  expect(exclusion('not (a == 1) or (b == 2)')).toBe('not (not (a == 1) or (b == 2))');
});

test('filters are put together and taken apart', () => {
  for (const list of [[], [A], [A, B], [A, `not (${B})`, 'Bytecode < 5']]) expect(partsOf(allOf(list))).toEqual(list);
  expect(partsOf('a == 1 and b == 2')).toEqual(['a == 1 and b == 2']);
});

test('what is packed is counted', () => {
  expect(inWords('"Item" in packed(300000, "AQAAAAABAAE")')).toBe('300,000 Items');
  expect(inWords('not ("Item" in packed(300000, "AQ-_")) and Bytecode == 3')).toBe('not (300,000 Items) and Bytecode 3');
  expect(inTitle('x'.repeat(2000))).toHaveLength(1502);
});

test('in words', () => {
  expect(inWords(A)).toBe('Location a or b');
  expect(inWords('Method == "java.lang.String.charAt(I)C"')).toBe('Method String.charAt(I)C');
  expect(inWords('Package == "java.util.jar"')).toBe('Package java.util.jar');
  expect(inWords('"Object Type" in ["a", "b", "c"]')).toBe('3 Object Types');
  expect(inWords('"Bytecode" in 1000..2000')).toBe('Bytecode 1,000 to 2,000');
  expect(inWords(`(${A}) and not (Context == 12)`)).toBe('(Location a or b) and not (Context 12)');
  expect(inWords('Context == 12', (field, id) => (field === 'Context' && id === '12' ? 'main' : ''))).toBe('Context main');
  expect(inWords('event in 0..499 or Method matches "^a"')).toBe('event 0 to 499 or Method matches ^a');
  expect(inWords('"Location" in ["broken')).toContain('Location');
});

test('more than one', () => {
  expect(['Method', 'Class', 'Entry', 'Array', 'Box'].map(plural)).toEqual(['Methods', 'Classes', 'Entries', 'Arrays', 'Boxes']);
});

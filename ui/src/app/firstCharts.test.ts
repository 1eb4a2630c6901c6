import { expect, test } from 'vitest';
import { isBoth, mostOf } from './firstCharts';

const samples = { rows: 9n, contexts: true, calls: false };
const calls = { rows: 3n, contexts: true, calls: true };
const marks = { rows: 5n, contexts: false, calls: false };

test('a profile within a trace has both', () => {
  expect(isBoth([samples, calls])).toBe(true);
  expect(isBoth([calls, marks])).toBe(false);
  expect(isBoth([samples, marks])).toBe(false);
  expect(isBoth([samples, { ...calls, rows: 0n }])).toBe(false);
  expect(isBoth([{ ...samples, rows: 0n }, calls])).toBe(false);
});

test('charts of events begin with what there is most of', () => {
  const types = [{ name: 'Call', rows: 3n }, { name: 'Sample', rows: 9n }, { name: 'Mark', rows: 9n }];
  expect(mostOf(types, 'Call')).toBe('Sample');
  expect(mostOf(types, 'Sample')).toBe('');
  expect(mostOf([{ name: 'Call', rows: 0n }], 'Call')).toBe('');
  expect(mostOf([], '')).toBe('');
});

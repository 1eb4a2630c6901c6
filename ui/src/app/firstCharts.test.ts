import { expect, test } from 'vitest';
import { hasCalls, mostOf } from './firstCharts';

const samples = { rows: 9n, calls: false };
const calls = { rows: 3n, calls: true };

test('a trace has calls, with a profile or without', () => {
  expect(hasCalls([samples, calls])).toBe(true);
  expect(hasCalls([calls])).toBe(true);
  expect(hasCalls([samples])).toBe(false);
  expect(hasCalls([samples, { ...calls, rows: 0n }])).toBe(false);
});

test('charts of events begin with what there is most of', () => {
  const types = [{ name: 'Call', rows: 3n }, { name: 'Sample', rows: 9n }, { name: 'Mark', rows: 9n }];
  expect(mostOf(types, 'Call')).toBe('Sample');
  expect(mostOf(types, 'Sample')).toBe('');
  expect(mostOf([{ name: 'Call', rows: 0n }], 'Call')).toBe('');
  expect(mostOf([], '')).toBe('');
});

import { expect, test } from 'vitest';
import { formatExact, formatShare, formatValue, formatWithUnit } from './numbers';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test.each([
  [0, 'count', '0'],
  [7, 'count', '7'],
  [999, 'count', '999'],
  [999.6, 'count', '1.00 k'],
  [1000, 'count', '1.00 k'],
  [274_848, 'contexts', '275 k'],
  [14_800_000, 'bytecodes', '14.8 M'],
  [999_499, 'x', '999 k'],
  [999_500, 'x', '1.00 M'],
  [-14_800_000, 'x', '-14.8 M'],
  [1_530_000_000, 'nanoseconds', '1.53 s'],
  [1_530_000_000n, 'ns', '1.53 s'],
  [250, 'nanoseconds', '250 ns'],
  [999_600, 'nanoseconds', '1.00 ms'],
  [90, 's', '90.0 s'],
  [180, 'seconds', '3.00 min'],
  [7200, 's', '2.00 h'],
  [86_088_089, 'bytes', '82.1 MiB'],
  [1023, 'bytes', '1.00 KiB'],
  [512, 'bytes', '512 B'],
  [2, 'MB', '2.00 MiB'],
] as const)('%s %s is %s', (value, unit, expected) => {
  expect(plain(formatValue(value, unit))).toBe(expected);
});

test('the unit is named where the value does not show it', () => {
  expect(plain(formatWithUnit(14_800_000, 'bytecodes'))).toBe('14.8 M bytecodes');
  expect(plain(formatWithUnit(1e9, 'nanoseconds'))).toBe('1.00 s');
  expect(plain(formatWithUnit(12, 'count'))).toBe('12');
});

test('exact values', () => {
  expect(formatExact(1234567n, 'bytes')).toBe('1,234,567 bytes');
});

test.each([
  [0, '0 %'],
  [1, '100 %'],
  [0.118, '11.8 %'],
  [0.017, '1.7 %'],
  [0.0042, '0.42 %'],
  [0.00001, '< 0.01 %'],
  [0.9999, '> 99.9 %'],
  [Number.NaN, '0 %'],
] as const)('share %s is %s', (share, expected) => {
  expect(plain(formatShare(share))).toBe(expected);
});

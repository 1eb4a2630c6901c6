import { expect, test } from 'vitest';
import { formatAddress, parseAddress, sameButFocus, type Address } from './address';

const FULL: Address = {
  ds: 'a1',
  view: 'ring',
  steps: [{ op: 'norec', arg: '' }, { op: 'focus', arg: '12' }, { op: 'depth', arg: '9' }],
  metric: 'time & more',
  params: { colour: 'package', size: 'total' },
  q: '/get.*Name/ self>5%',
  pin: 4_294_967_295,
  theme: 'dark',
  work: '{"p":[{"i":"1","v":"bar","t":"a & b # ~ ä"}],"f":["x == \\"y\\""]}',
};

test('round trip', () => {
  expect(parseAddress(formatAddress(FULL))).toEqual(FULL);
});

test('an empty address is an empty state and the other way round', () => {
  expect(formatAddress(parseAddress(''))).toBe('');
});

test('steps stay readable', () => {
  expect(formatAddress(FULL)).toContain('steps=norec,focus:12,depth:9');
});

test('nonsense is left out', () => {
  const address = parseAddress('?pin=abc&theme=pink&steps=,,&p.=x');
  expect(address).toMatchObject({ pin: undefined, theme: '', steps: [], params: {} });
});

test('the painter is kept', () => {
  expect(formatAddress(FULL, '?painter=canvas&other=1')).toContain('&painter=canvas');
});

test('the same but for the root', () => {
  const other = { ...FULL, steps: [{ op: 'norec', arg: '' }, { op: 'depth', arg: '9' }] };
  expect(sameButFocus(FULL, other)).toBe(true);
  expect(sameButFocus(FULL, { ...other, metric: 'x' })).toBe(false);
});

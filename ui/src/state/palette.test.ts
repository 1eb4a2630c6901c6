import { expect, test } from 'vitest';
import { contrast } from '../scene/colour';
import { freeColour, fromHex, PALETTE, toHex } from './palette';

test('every colour stands out from the light and the dark ground', () => {
  for (const { name, colour } of PALETTE) {
    expect(contrast(colour, 0xffffffff), name).toBeGreaterThanOrEqual(3);
    expect(contrast(colour, 0x151515ff), name).toBeGreaterThanOrEqual(3);
  }
});

test('a new group gets a colour that is free, or used least', () => {
  expect(freeColour([])).toBe(PALETTE[0].colour);
  expect(freeColour([PALETTE[0].colour, PALETTE[1].colour])).toBe(PALETTE[2].colour);
  expect(freeColour([...PALETTE.map((p) => p.colour), PALETTE[0].colour])).toBe(PALETTE[1].colour);
});

test('hex', () => {
  expect(toHex(0x00a0ffff)).toBe('#00a0ff');
  expect(fromHex('#00A0ff')).toBe(0x00a0ffff);
  expect(fromHex('#0af')).toBeUndefined();
});

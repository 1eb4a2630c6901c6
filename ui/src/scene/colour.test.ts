import { expect, test } from 'vitest';
import { blend, contrast, quietInk } from './colour';
import { DIM } from './painter';

test('contrast is that of WCAG', () => {
  expect(contrast(0x000000ff, 0xffffffff)).toBeCloseTo(21);
  expect(contrast(0x777777ff, 0xffffffff)).toBeCloseTo(4.48, 2);
});

test('labels of what a search does not find can be read, on light and dark', () => {
  for (const background of [0xffffffff, 0x151515ff]) {
    for (let r = 0; r < 256; r += 51) {
      for (let g = 0; g < 256; g += 51) {
        for (let b = 0; b < 256; b += 51) {
          const fill = ((r << 24) | (g << 16) | (b << 8) | 0xff) >>> 0;
          const on = blend(fill, background, DIM);
          expect(contrast(quietInk(on), on)).toBeGreaterThanOrEqual(4.5);
        }
      }
    }
  }
});

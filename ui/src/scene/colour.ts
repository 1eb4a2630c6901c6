// Colours as the scene writes them: 0xRRGGBBAA.

export function css(colour: number): string {
  const alpha = (colour & 0xff) / 255;
  return `rgb(${(colour >>> 24) & 0xff} ${(colour >>> 16) & 0xff} ${(colour >>> 8) & 0xff} / ${alpha.toFixed(3)})`;
}

/** Red, green, blue and alpha, each 0 to 1. */
export function floats(colour: number): [number, number, number, number] {
  return [
    ((colour >>> 24) & 0xff) / 255,
    ((colour >>> 16) & 0xff) / 255,
    ((colour >>> 8) & 0xff) / 255,
    (colour & 0xff) / 255,
  ];
}

/** A colour on its way to another: t 0 is a, 1 is b. */
export function blend(a: number, b: number, t: number): number {
  let result = 0;
  for (const shift of [24, 16, 8, 0]) {
    const from = (a >>> shift) & 0xff;
    const to = (b >>> shift) & 0xff;
    result |= Math.round(from + (to - from) * t) << shift;
  }
  return result >>> 0;
}

/** The relative luminance of WCAG 2. */
function luminance(colour: number): number {
  const [r, g, b] = floats(colour).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast ratio of WCAG 2, 1 to 21. */
export function contrast(a: number, b: number): number {
  const la = luminance(a);
  const lb = luminance(b);
  return (Math.max(la, lb) + 0.05) / (Math.min(la, lb) + 0.05);
}

const BLACK = 0x040404ff;
const WHITE = 0xffffffff;

/** An ink for text that stands back, but can be read: contrast 4.5 at least. */
export function quietInk(on: number): number {
  const full = contrast(on, BLACK) >= contrast(on, WHITE) ? BLACK : WHITE;
  for (let t = 0.5; t > 0; t -= 0.05) {
    const ink = blend(full, on, t);
    if (contrast(ink, on) >= 4.5) return ink;
  }
  return full;
}

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

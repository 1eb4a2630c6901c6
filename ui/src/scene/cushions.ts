// How cushions are shaded, as in package scene: the surface's slope goes evenly from one edge to
// the other, and the light comes from the left, above and ahead.
import { css } from './colour';

const LENGTH = Math.hypot(1, 2, 10);

/** How bright a surface of some slope is, as a part of its colour. */
export function cushion(slope: number): number {
  const cos = (slope + 10) / LENGTH / Math.hypot(slope, 1);
  return (40 + 215 * Math.max(cos, 0)) / 255;
}

function lit(colour: number, slope: number): string {
  const light = cushion(slope);
  const part = (shift: number) => Math.round(((colour >>> shift) & 0xff) * light);
  return css(((part(24) << 24) | (part(16) << 16) | (part(8) << 8) | (colour & 0xff)) >>> 0);
}

const STOPS = 6;
/** Narrower rectangles have one tone. */
const NARROW = 4;

/** What to fill a rectangle from x0 to x1 with. */
export function cushionFill(context: CanvasRenderingContext2D, colour: number, x0: number, x1: number, left: number, right: number): string | CanvasGradient {
  if (x1 - x0 < NARROW) return lit(colour, (left + right) / 2);
  const fill = context.createLinearGradient(x0, 0, x1, 0);
  for (let i = 0; i <= STOPS; i++) fill.addColorStop(i / STOPS, lit(colour, left + ((right - left) * i) / STOPS));
  return fill;
}

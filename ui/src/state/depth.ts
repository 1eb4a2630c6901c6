// How the wheel and the + and − keys change the number of layers.
import type { Depth } from './steps';

/** One notch of a mouse wheel is about a hundred pixels. */
const NOTCH = 60;

/** Adds up what a wheel reports and gives whole notches: positive is away from the person. */
export class Wheel {
  private rest = 0;

  turn(deltaY: number, deltaMode: number): number {
    const pixels = deltaY * (deltaMode === 1 ? 20 : deltaMode === 2 ? 400 : 1);
    if (Math.sign(pixels) !== Math.sign(this.rest)) this.rest = 0;
    this.rest += pixels;
    const notches = Math.trunc(this.rest / NOTCH);
    this.rest -= notches * NOTCH;
    // A flick of a free wheel should not empty the picture at once.
    return 0 - Math.max(-3, Math.min(3, notches));
  }
}

/** The depth after a change by a number of layers; never more than there are. `layers` are those that are shown. */
export function changeDepth(depth: Depth, by: number, layers: number, maxLayers: number): Depth {
  const top = Math.max(1, maxLayers);
  const now = depth === 'all' ? top : Math.min(depth === 'auto' ? layers : depth, top);
  const next = Math.max(1, Math.min(top, now + by));
  return next === now ? depth : next;
}

// The calls in a picture of two traces: what is at a place, what is beside what.
import type { DecodedPicture } from '../scene/picture';
import type { Brush } from '../scene/tubes';

/** The trace whose half a rectangle is in. */
export function sideOf({ rects, source }: DecodedPicture, i: number): number {
  return rects.y[i] + rects.h[i] / 2 < source.height / 2 ? 0 : 1;
}

/** The rectangle at a place, the one that was drawn last; −1 if there is none. */
export function rectAt({ rects }: DecodedPicture, x: number, y: number): number {
  for (let i = rects.size - 1; i >= 0; i--) {
    if (x >= rects.x[i] && x <= rects.x[i] + rects.w[i] && y >= rects.y[i] && y <= rects.y[i] + rects.h[i]) return i;
  }
  return -1;
}

/** What brushing a rectangle covers: its call and all that it calls. */
export function brushOf(scene: DecodedPicture, i: number): Brush | undefined {
  if (scene.rects.end.length <= i) return undefined;
  return { side: sideOf(scene, i), from: scene.rects.id[i], end: scene.rects.end[i] };
}

/** The rectangle of a call; −1 if it is not in the picture. */
export function rectOf(scene: DecodedPicture, side: number, id: number): number {
  for (let i = 0; i < scene.rects.size; i++) if (scene.rects.id[i] === id && sideOf(scene, i) === side) return i;
  return -1;
}

/** How far a way to the side counts against one ahead. */
const ASIDE = 4;

/** The nearest rectangle in a direction; −1 if there is none. */
export function nextRect({ rects }: DecodedPicture, from: number, dx: number, dy: number): number {
  const x = rects.x[from] + rects.w[from] / 2;
  const y = rects.y[from] + rects.h[from] / 2;
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < rects.size; i++) {
    if (i === from) continue;
    const cx = rects.x[i] + rects.w[i] / 2;
    const cy = rects.y[i] + rects.h[i] / 2;
    let far = 0;
    if (dy !== 0) {
      const ahead = (cy - y) * dy;
      if (ahead < 0.5) continue;
      // What is straight above or below is not aside, however wide it is.
      const aside = Math.max(0, rects.x[i] - x, x - rects.x[i] - rects.w[i]);
      far = ahead + ASIDE * aside;
    } else {
      const ahead = (cx - x) * dx;
      if (ahead <= 0 || Math.abs(cy - y) > 0.5) continue;
      far = ahead;
    }
    if (far < least) {
      least = far;
      best = i;
    }
  }
  return best;
}

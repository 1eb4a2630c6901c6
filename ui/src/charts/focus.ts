// What dragging, zooming and keys do to the focus of a side of a comparison. A plot of a side is
// either the whole trace, in which the focus is a window that can be drawn, moved and
// stretched, or the window itself, which shows the focus and nothing else. Keys do the same.
import type { Plot } from '../gen/cambium/v1/workbench_pb';
import { panned, zoomed, type AxisSpan, type Span } from '../state/glance';

/** How near to an edge of the window the pointer takes that edge, in pixels. */
const EDGE = 5;

export type Grip = 'new' | 'move' | 'from' | 'to';

export interface FocusDrag {
  side: number;
  plot: Plot;
  grip: Grip;
  /** Where the pointer went down, as a time. */
  at: number;
  /** The window before. */
  before: Span;
}

/** The time at a place of a plot, within what it shows. */
export function timeAt(plot: Plot, x: number): number {
  const { from, to } = plot.across ?? { from: 0, to: 0 };
  return from + Math.min(1, Math.max(0, (x - plot.x) / plot.w)) * (to - from);
}

function xOf(plot: Plot, time: number): number {
  const { from, to } = plot.across ?? { from: 0, to: 1 };
  return plot.x + ((time - from) / (to - from)) * plot.w;
}

/** What the pointer takes hold of. */
export function gripAt(plot: Plot, focus: Span | undefined, x: number): Grip {
  if (!focus) return 'new';
  const [x0, x1] = [xOf(plot, focus.from), xOf(plot, focus.to)];
  // A narrow window can be moved, too: its edges are taken from outside.
  const inner = Math.min(EDGE, (x1 - x0) / 4);
  if (x >= x0 - EDGE && x <= x0 + inner) return 'from';
  if (x <= x1 + EDGE && x >= x1 - inner) return 'to';
  return x > x0 && x < x1 ? 'move' : 'new';
}

/** Where the focus is while it is dragged to a place. */
export function dragged({ plot, grip, at, before }: FocusDrag, x: number): Span {
  const time = timeAt(plot, x);
  const { min, max } = extent(plot);
  switch (grip) {
    case 'move':
      return panned({ ...before, min, max }, time - at) ?? before;
    case 'from':
      return ordered(time, before.to);
    case 'to':
      return ordered(before.from, time);
    default:
      return ordered(at, time);
  }
}

function ordered(a: number, b: number): Span {
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

function extent(plot: Plot): { min: number; max: number } {
  return { min: plot.across?.min ?? 0, max: plot.across?.max ?? 0 };
}

/** The focus made smaller, by a factor under 1, or larger around a place; undefined is all of the trace. */
export function focusZoomed(plot: Plot, focus: Span | undefined, x: number, factor: number): Span | undefined {
  const axis: AxisSpan = { ...extent(plot), ...(focus ?? { from: plot.across?.min ?? 0, to: plot.across?.max ?? 0 }) };
  const around = Math.min(axis.to, Math.max(axis.from, timeAt(plot, x)));
  return zoomed(axis, around, factor);
}

/** The focus moved by pixels of a plot that shows the focus itself. */
export function focusPanned(plot: Plot, focus: Span | undefined, dx: number): Span | undefined {
  if (!focus) return undefined;
  return panned({ ...extent(plot), ...focus }, (-dx / plot.w) * (focus.to - focus.from));
}

/** How long a focus is that is drawn by a key, as a part of the trace. */
const DRAWN = 0.1;
/** How far an arrow key goes, as a part of the focus. */
const STEP = 0.1;
/** How much plus and minus change, as elsewhere. */
const ZOOM = 0.7;

/** What a key does to the focus: where it is then, 'all' for all of the trace, or undefined if the key is not about it. */
export function focusPressed(plot: Plot, focus: Span | undefined, key: string, shift: boolean): Span | 'all' | undefined {
  const { min, max } = extent(plot);
  if (max <= min) return undefined;
  if (!focus) {
    if (key !== 'Enter' && key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
    const middle = (min + max) / 2;
    const half = ((max - min) * DRAWN) / 2;
    return { from: middle - half, to: middle + half };
  }
  const length = focus.to - focus.from;
  // A focus of nothing must be able to grow.
  const step = Math.max(length * STEP, 1);
  const by = key === 'ArrowLeft' ? -step : key === 'ArrowRight' ? step : 0;
  if (by !== 0 && shift) return { from: focus.from, to: Math.min(max, Math.max(focus.from + 1, focus.to + by)) };
  const move = { PageUp: -length, PageDown: length, Home: min - focus.from, End: max - focus.to }[key] ?? by;
  if (move !== 0) return panned({ ...focus, min, max }, move) ?? focus;
  switch (key) {
    case '+':
    case '=':
      return zoomed({ ...focus, min, max }, (focus.from + focus.to) / 2, ZOOM) ?? 'all';
    case '-':
      return zoomed({ ...focus, min, max }, (focus.from + focus.to) / 2, 1 / ZOOM) ?? 'all';
    case 'Escape':
    case '0':
    case 'Delete':
      return 'all';
    case 'Home':
    case 'End':
    case 'Enter':
      return focus; // it is there already
    default:
      return undefined;
  }
}

// What dragging and zooming do to the focus of a side of a comparison. A plot of a side is
// either the whole trace, in which the focus is a window that can be drawn, moved and
// stretched, or the window itself, which shows the focus and nothing else.
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

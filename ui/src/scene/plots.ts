// What positions in a chart of events mean: which axis is where, and what zooming does to it.
import type { Axis as SceneAxis, Plot } from '../gen/cambium/v1/workbench_pb';
import { panned, zoomed, type Axis, type AxisSpan, type Glance, type Span } from '../state/glance';
import type { Shift } from './plotPainter';
import type { DecodedPicture } from './picture';

export interface Place {
  plot: Plot;
  /** Between the axes, on one of them, or beside the plot. */
  where: 'inside' | 'across' | 'up';
}

/** How far beside an axis its labels belong to it. */
const MARGIN = 400;

export function placeAt(plots: readonly Plot[], x: number, y: number): Place | undefined {
  // What is in one plot may be beside another.
  const inside = plots.find((p) => x >= p.x && x < p.x + p.w && y >= p.y && y < p.y + p.h);
  if (inside) return { plot: inside, where: 'inside' };
  for (const plot of plots) {
    const inX = x >= plot.x && x < plot.x + plot.w;
    const inY = y >= plot.y && y < plot.y + plot.h;
    if (inX && y >= plot.y + plot.h && y < plot.y + plot.h + MARGIN) return { plot, where: 'across' };
    if (inY && x < plot.x && x > plot.x - MARGIN) return { plot, where: 'up' };
  }
  return undefined;
}

/** What of a glance an axis shows a part of; undefined if it always shows all. */
export function zoomOf(axis: SceneAxis | undefined, direction: 'across' | 'up', cells: boolean): Axis | undefined {
  if (!axis || axis.dimension === '') return undefined;
  if (axis.entities) return direction === 'up' ? 'rows' : 'columns';
  // The lengths of bars are sums: no part of a coordinate would be a part of them.
  return direction === 'across' && (cells || axis.period) ? 'period' : undefined;
}

/**
 * What an axis is meant to span by now, which may be ahead of the picture. Where nobody chose a part the chart does, and not
 * every one begins with all: a timeline shows as many rows as can be read.
 */
export function spanOf(axis: SceneAxis, kind: Axis | undefined, glance: Glance): AxisSpan {
  const { from, to } = (kind && glance[kind]) ?? axis;
  return { from, to, min: axis.min, max: axis.max };
}

/** The value at a point of the plot, on an axis as it is meant to be. */
export function valueAt(plot: Plot, direction: 'across' | 'up', axis: SceneAxis, span: AxisSpan, x: number, y: number): number {
  let part = direction === 'across' ? (x - plot.x) / plot.w : (y - plot.y) / plot.h;
  if (direction === 'up' && !axis.entities) part = 1 - part;
  return span.from + Math.min(1, Math.max(0, part)) * (span.to - span.from);
}

/** Zooms the axes at a place by a factor. The answer is what changes. */
export function zoomAt(place: Place, cells: boolean, glance: Glance, x: number, y: number, factor: number, only?: 'across' | 'up'): Partial<Glance> {
  const change: Partial<Record<Axis, Span | undefined>> = {};
  for (const direction of ['across', 'up'] as const) {
    if (place.where !== 'inside' && place.where !== direction) continue;
    if (only && only !== direction) continue;
    const axis = place.plot[direction];
    const kind = zoomOf(axis, direction, cells);
    if (!axis || !kind) continue;
    const span = spanOf(axis, kind, glance);
    change[kind] = zoomed(span, valueAt(place.plot, direction, axis, span, x, y), factor);
  }
  return change;
}

/** Moves the axes by pixels. */
export function panBy(plot: Plot, cells: boolean, glance: Glance, dx: number, dy: number): Partial<Glance> {
  const change: Partial<Record<Axis, Span | undefined>> = {};
  for (const direction of ['across', 'up'] as const) {
    const axis = plot[direction];
    const kind = zoomOf(axis, direction, cells);
    if (!axis || !kind) continue;
    const span = spanOf(axis, kind, glance);
    const part = direction === 'across' ? -dx / plot.w : (axis.entities ? -dy : dy) / plot.h;
    change[kind] = panned(span, part * (span.to - span.from));
  }
  return change;
}

/** Where the present picture's content belongs by now; undefined if it is there. */
export function shiftOf(picture: DecodedPicture, glance: Glance): Shift | undefined {
  const plot = picture.plots[0];
  if (!plot || picture.plots.length > 1) return undefined;
  const cells = picture.rasters.length > 0;
  let sx = 1;
  let dx = 0;
  let sy = 1;
  let dy = 0;
  const moved = (axis: SceneAxis, span: AxisSpan) => Math.abs(span.from - axis.from) + Math.abs(span.to - axis.to) > (axis.to - axis.from) * 0.002 + 1.5 * Number(!axis.entities);
  const { across, up } = plot;
  if (across) {
    const span = spanOf(across, zoomOf(across, 'across', cells), glance);
    if (moved(across, span)) {
      sx = (across.to - across.from) / (span.to - span.from);
      const x = plot.x + ((across.from - span.from) / (span.to - span.from)) * plot.w;
      dx = x - plot.x * sx;
    }
  }
  if (up) {
    const span = spanOf(up, zoomOf(up, 'up', cells), glance);
    if (moved(up, span)) {
      sy = (up.to - up.from) / (span.to - span.from);
      const top = up.entities ? (up.from - span.from) / (span.to - span.from) : (span.to - up.to) / (span.to - span.from);
      dy = plot.y + top * plot.h - plot.y * sy;
    }
  }
  if (sx === 1 && sy === 1 && dx === 0 && dy === 0) return undefined;
  return { plot, sx, dx, sy, dy };
}

/** The rectangle between two points, or only one direction of it where the other is an axis. */
export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** What a drag, or a click, from one place to another covers: on an axis, all that is along the other one. */
export function boxOf(place: Place, a: { x: number; y: number }, b: { x: number; y: number }): Box {
  const { plot, where } = place;
  const box = { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
  if (where === 'up') Object.assign(box, { x0: plot.x, x1: plot.x + plot.w - 0.01 });
  if (where === 'across') Object.assign(box, { y0: plot.y, y1: plot.y + plot.h - 0.01 });
  const clamp = (v: number, from: number, size: number) => Math.min(from + size - 0.01, Math.max(from, v));
  return { x0: clamp(box.x0, plot.x, plot.w), x1: clamp(box.x1, plot.x, plot.w), y0: clamp(box.y0, plot.y, plot.h), y1: clamp(box.y1, plot.y, plot.h) };
}

/** A selection on the axis of entities means them whenever: the period that is shown has no part in it. */
export function withoutPeriod(filter: string, axisName: string): string {
  const tail = ` and ${JSON.stringify(axisName)} in `;
  const at = filter.lastIndexOf(tail);
  return at > 0 && /^-?\d+\.\.-?\d+$/.test(filter.slice(at + tail.length)) ? filter.slice(0, at) : filter;
}

// The keyboard in a chart with axes: a cursor that walks from entity to entity and through the
// values, widens with Shift, and selects; zooming and moving.
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import type { Plot } from '../gen/cambium/v1/workbench_pb';
import type { DecodedPicture } from '../scene/picture';
import { panBy, zoomAt, type Box, type Place } from '../scene/plots';
import type { Glance } from '../state/glance';
import type { How } from '../state/filters';
import { howOf } from './useSelecting';

interface Given {
  scene: DecodedPicture;
  glance: Glance;
  cells: boolean;
  scale: number;
  box: RefObject<HTMLDivElement | null>;
  look: (change: Partial<Glance>) => void;
  pointing: { ask: (q: { x: number; y: number; windowX: number; windowY: number }) => void; leave: () => void };
  onSelect: (place: Place, box: Box, how: How) => void;
}

/** Steps along an axis of values. */
const STEPS = 48;

/** How many pixels a step of the cursor is, and where the steps begin. */
function grid(plot: Plot): { w: number; h: number } {
  const w = plot.across?.entities ? plot.w / (plot.across.to - plot.across.from) : plot.w / STEPS;
  const h = plot.up?.entities ? plot.h / (plot.up.to - plot.up.from) : plot.h / STEPS;
  return { w: Math.max(w, 1), h: Math.max(h, 1) };
}

export function usePlotKeys(given: Given): { cursor: Box | undefined; onKeyDown: (event: React.KeyboardEvent) => void; forget: () => void } {
  const [cursor, setCursor] = useState<Box>();
  const latest = useRef({ ...given, cursor });
  latest.current = { ...given, cursor };
  const { scene } = given;
  // Another picture has other things at the same place.
  const { width, height } = scene.source;
  useEffect(() => setCursor(undefined), [width, height]);

  const forget = useCallback(() => setCursor(undefined), []);
  const onKeyDown = useCallback((event: React.KeyboardEvent) => {
    const { scene: now, glance, cells, scale, box, look, pointing, onSelect, cursor: before } = latest.current;
    const plot = now.plots[0];
    if (!plot) return;
    const key = event.key;
    const step = grid(plot);
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (arrow && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const [dx, dy] = arrow;
      let next: Box;
      // A bar is as wide as the plot: its cursor walks along the entities alone.
      const wholeW = !cells && !plot.across?.entities;
      const wholeH = !cells && !plot.up?.entities;
      if (!before) {
        next = { x0: plot.x, y0: plot.y, x1: wholeW ? plot.x + plot.w : plot.x + step.w, y1: wholeH ? plot.y + plot.h : plot.y + step.h };
      } else if (event.shiftKey) {
        next = { ...before, x1: before.x1 + (wholeW ? 0 : Math.max(0, dx) * step.w), y1: before.y1 + (wholeH ? 0 : Math.max(0, dy) * step.h) };
        if (dx < 0) next.x1 = Math.max(before.x0 + step.w, before.x1 - step.w);
        if (dy < 0) next.y1 = Math.max(before.y0 + step.h, before.y1 - step.h);
      } else {
        const mx = wholeW ? 0 : dx * step.w;
        const my = wholeH ? 0 : dy * step.h;
        next = { x0: before.x0 + mx, x1: before.x1 + mx, y0: before.y0 + my, y1: before.y1 + my };
      }
      const right = plot.x + plot.w + 0.5;
      const bottom = plot.y + plot.h + 0.5;
      if (next.x0 < plot.x - 0.5 || next.y0 < plot.y - 0.5 || next.x1 > right || next.y1 > bottom) return;
      setCursor(next);
      const bounds = box.current?.getBoundingClientRect();
      const x = wholeW ? plot.x + 1 : (next.x0 + next.x1) / 2;
      const y = wholeH ? plot.y + plot.h - 1 : (next.y0 + next.y1) / 2;
      pointing.ask({ x, y, windowX: (bounds?.left ?? 0) + x * scale, windowY: (bounds?.top ?? 0) + y * scale });
      return;
    }
    if (key === ' ' && before) {
      event.preventDefault();
      const inset = { x0: before.x0 + 0.25, y0: before.y0 + 0.25, x1: before.x1 - 0.25, y1: before.y1 - 0.25 };
      onSelect({ plot, where: 'inside' }, inset, howOf(event));
      return;
    }
    if (key === 'Escape' && before) {
      event.preventDefault();
      setCursor(undefined);
      pointing.leave();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const x = before ? (before.x0 + before.x1) / 2 : plot.x + plot.w / 2;
    const y = before ? (before.y0 + before.y1) / 2 : plot.y + plot.h / 2;
    const place: Place = { plot, where: 'inside' };
    const changes: Record<string, () => Partial<Glance>> = {
      '+': () => zoomAt(place, cells, glance, x, y, 0.7),
      '=': () => zoomAt(place, cells, glance, x, y, 0.7),
      '-': () => zoomAt(place, cells, glance, x, y, 1 / 0.7),
      w: () => zoomAt(place, cells, glance, x, y, 0.7, 'across'),
      s: () => zoomAt(place, cells, glance, x, y, 1 / 0.7, 'across'),
      a: () => panBy(plot, cells, glance, plot.w / 5, 0),
      d: () => panBy(plot, cells, glance, -plot.w / 5, 0),
      PageUp: () => panBy(plot, cells, glance, 0, plot.h * 0.8),
      PageDown: () => panBy(plot, cells, glance, 0, -plot.h * 0.8),
      '0': () => ({ rows: undefined, columns: undefined, period: undefined }),
    };
    const make = changes[key];
    if (!make) return;
    event.preventDefault();
    look(make());
  }, []);
  return { cursor, onKeyDown, forget };
}

// The keyboard in a picture of two traces: a cursor that goes from call to call, Enter for what a
// click does, zooming and moving the trace that the cursor is in.
import { useCallback, useRef, useState, type RefObject } from 'react';
import type { DecodedPicture } from '../scene/picture';
import type { Box, Place } from '../scene/plots';
import { nextRect, rectOf, sideOf } from './calls';
import type { Focusing } from './useFocus';

interface Given {
  scene: DecodedPicture;
  box: RefObject<HTMLDivElement | null>;
  focus: Focusing;
  pointing: { ask: (q: { x: number; y: number; windowX: number; windowY: number }) => void; leave: () => void };
  scale: number;
  onSelect: (box: Box) => void;
}

export interface CallCursor {
  box: Box;
  middle: { x: number; y: number };
}

export function useCallKeys(given: Given): { cursor: CallCursor | undefined; onKeyDown: (event: React.KeyboardEvent) => void; forget: () => void } {
  // The call and not its rectangle, so that the cursor stays with it in the next picture.
  const [on, setOn] = useState<{ side: number; id: number }>();
  const latest = useRef({ ...given, on });
  latest.current = { ...given, on };
  const index = on ? rectOf(given.scene, on.side, on.id) : -1;
  const forget = useCallback(() => setOn(undefined), []);
  const onKeyDown = useCallback((event: React.KeyboardEvent) => {
    const { scene, box, focus, pointing, scale, onSelect, on: before } = latest.current;
    const { rects, plots } = scene;
    if (event.altKey || event.ctrlKey || event.metaKey || rects.size === 0) return;
    const from = before ? rectOf(scene, before.side, before.id) : -1;
    const middle = (i: number) => ({ x: rects.x[i] + rects.w[i] / 2, y: rects.y[i] + rects.h[i] / 2 });
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (arrow) {
      event.preventDefault();
      const to = from < 0 ? 0 : nextRect(scene, from, arrow[0], arrow[1]);
      if (to < 0) return;
      setOn({ side: sideOf(scene, to), id: rects.id[to] });
      const bounds = box.current?.getBoundingClientRect();
      const { x, y } = middle(to);
      pointing.ask({ x, y, windowX: (bounds?.left ?? 0) + x * scale, windowY: (bounds?.top ?? 0) + y * scale });
      return;
    }
    if ((event.key === 'Enter' || event.key === ' ') && from >= 0) {
      event.preventDefault();
      const { x, y } = middle(from);
      onSelect({ x0: x, y0: y, x1: x, y1: y });
      return;
    }
    if (event.key === 'Escape' && before) {
      event.preventDefault();
      setOn(undefined);
      pointing.leave();
      return;
    }
    const plot = plots.find((p) => p.side === (before?.side ?? 0) + 1);
    if (!plot) return;
    const place: Place = { plot, where: 'inside' };
    const x = from < 0 ? plot.x + plot.w / 2 : Math.min(plot.x + plot.w, Math.max(plot.x, middle(from).x));
    const does: Record<string, () => void> = {
      '+': () => focus.zoom(place, x, 0.7),
      '=': () => focus.zoom(place, x, 0.7),
      w: () => focus.zoom(place, x, 0.7),
      '-': () => focus.zoom(place, x, 1 / 0.7),
      s: () => focus.zoom(place, x, 1 / 0.7),
      a: () => focus.pan(place, plot.w / 5),
      d: () => focus.pan(place, -plot.w / 5),
      '0': () => focus.widen(place),
    };
    const run = does[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  }, []);
  if (index < 0) return { cursor: undefined, onKeyDown, forget };
  const { x, y, w, h } = given.scene.rects;
  const box = { x0: x[index], y0: y[index], x1: x[index] + w[index], y1: y[index] + h[index] };
  return { cursor: { box, middle: { x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2 } }, onKeyDown, forget };
}

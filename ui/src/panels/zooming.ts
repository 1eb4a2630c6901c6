// Zooming into a picture that is asked for larger than its room, and moving it by dragging.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { makeStore } from '../state/hover';

/** What zooms the chart in front, for the keys. */
export const zooming = makeStore<((by: number) => void) | undefined>(undefined);

const STEP = 1.3;

/** Pixels that a picture may have: there are several layers of them. */
const MOST = 16e6;

/** How much larger than its room a picture is after some notches. */
export function zoomed(before: number, by: number, width: number, height: number, ratio: number): number {
  const most = Math.max(1, Math.min(8, Math.sqrt(MOST / (width * height * ratio * ratio))));
  return Math.min(most, Math.max(1, before * STEP ** by));
}

export function useZooming(on: boolean, front: boolean, width: number, height: number, shown: number | undefined) {
  const [zoom, setZoom] = useState(1);
  const room = useRef<HTMLDivElement>(null);
  const change = useCallback((by: number) => setZoom((now) => zoomed(now, Math.sign(by), width, height, devicePixelRatio)), [width, height]);
  useEffect(() => {
    if (!on || !front) return undefined;
    zooming.set(change);
    return () => {
      if (zooming.get() === change) zooming.set(undefined);
    };
  }, [on, front, change]);

  // What is in the middle stays there.
  const before = useRef(shown);
  useLayoutEffect(() => {
    const element = room.current;
    if (!element || shown === undefined) return;
    const by = shown / (before.current ?? shown);
    before.current = shown;
    if (by === 1) return;
    element.scrollLeft = (element.scrollLeft + element.clientWidth / 2) * by - element.clientWidth / 2;
    element.scrollTop = (element.scrollTop + element.clientHeight / 2) * by - element.clientHeight / 2;
  }, [shown]);

  const drag = useRef<{ x: number; y: number; left: number; top: number; moved: boolean }>(undefined);
  const dragging = {
    onPointerDown: (event: React.PointerEvent<HTMLDivElement>) => {
      const element = event.currentTarget;
      drag.current = event.button === 0 ? { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop, moved: false } : undefined;
    },
    onPointerMove: (event: React.PointerEvent<HTMLDivElement>) => {
      const from = drag.current;
      if (!from || event.buttons !== 1) return;
      from.moved ||= Math.hypot(event.clientX - from.x, event.clientY - from.y) > 4;
      if (!from.moved) return;
      event.currentTarget.scrollLeft = from.left - (event.clientX - from.x);
      event.currentTarget.scrollTop = from.top - (event.clientY - from.y);
    },
    // A drag is no click.
    onClickCapture: (event: React.MouseEvent<HTMLDivElement>) => {
      if (drag.current?.moved) event.stopPropagation();
      drag.current = undefined;
    },
  };
  return { zoom: on ? zoom : 1, zoomBy: change, room, dragging: on && zoom > 1 ? dragging : {} };
}

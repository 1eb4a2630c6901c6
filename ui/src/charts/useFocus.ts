// Drags and zooms the focus of a comparison where a plot shows one of its sides.
import { useMemo, useRef, useState } from 'react';
import { useBench } from '../panels/bench';
import type { Plot } from '../gen/cambium/v1/workbench_pb';
import type { Place } from '../scene/plots';
import type { Span } from '../state/glance';
import { withFocus } from '../state/pairing';
import { dragged, focusPanned, focusPressed, focusZoomed, gripAt, timeAt, type FocusDrag, type Grip } from './focus';

export interface Focusing {
  /** Takes hold of the focus; false if there is none at this place. */
  take: (place: Place, x: number) => boolean;
  /** Moves what is held; false if nothing is. */
  drag: (x: number) => boolean;
  /** Lets go; true if the focus was moved. */
  drop: () => boolean;
  /** Leaves the focus where it was before. */
  cancel: () => void;
  /** Turns the wheel, or presses a key for it; false if there is no focus at this place. */
  zoom: (place: Place, x: number, factor: number) => boolean;
  /** Makes the focus all of the trace; false if there is no focus at this place. */
  widen: (place: Place) => boolean;
  /** Moves the window that a plot shows by pixels. */
  pan: (place: Place, dx: number) => boolean;
  /** Presses a key where the whole of a side is shown; false if it does nothing to the focus. */
  press: (plot: Plot, key: string, shift: boolean) => boolean;
  grip: (place: Place, x: number) => Grip | undefined;
  /** Whether the focus is held now. */
  held: boolean;
}

/** Wheel turns and keys that come sooner after each other are one step of undoing, in ms. */
const ONE_STEP = 700;

export function useFocus(): Focusing {
  const bench = useBench();
  const latest = useRef(bench);
  latest.current = bench;
  const holding = useRef<FocusDrag & { moved: boolean }>(undefined);
  const [held, setHeld] = useState(false);
  const zoomedAt = useRef(0);
  const does = useMemo(() => {
    const focusOf = (side: number) => latest.current.desk.history.now.pairing.focus[side];
    const put = (side: number, focus: Span | undefined, more: boolean) => {
      const { amend, pair } = latest.current;
      if (more) amend((work) => ({ ...work, pairing: withFocus(work.pairing, side, focus) }));
      else pair('move the focus', (now) => withFocus(now, side, focus));
    };
    /** Steps that follow each other quickly are undone as one. */
    const step = (side: number, focus: Span | undefined) => {
      put(side, focus, performance.now() - zoomedAt.current < ONE_STEP);
      zoomedAt.current = performance.now();
    };
    return {
      take: ({ plot }: Place, x: number) => {
        if (plot.side === 0 || plot.window) return false;
        const side = plot.side - 1;
        const focus = focusOf(side);
        holding.current = { side, plot, grip: gripAt(plot, focus, x), at: timeAt(plot, x), before: focus ?? { from: 0, to: 0 }, moved: false };
        return true;
      },
      drag: (x: number) => {
        const hold = holding.current;
        if (!hold) return false;
        put(hold.side, dragged(hold, x), hold.moved);
        hold.moved = true;
        setHeld(true);
        return true;
      },
      drop: () => {
        const moved = holding.current?.moved ?? false;
        holding.current = undefined;
        setHeld(false);
        return moved;
      },
      cancel: () => {
        const hold = holding.current;
        if (hold?.moved) put(hold.side, hold.before.to === 0 ? undefined : hold.before, true);
        holding.current = undefined;
        setHeld(false);
      },
      zoom: ({ plot }: Place, x: number, factor: number) => {
        if (plot.side === 0) return false;
        step(plot.side - 1, focusZoomed(plot, focusOf(plot.side - 1), x, factor));
        return true;
      },
      widen: ({ plot }: Place) => {
        if (plot.side === 0) return false;
        if (focusOf(plot.side - 1)) put(plot.side - 1, undefined, false);
        return true;
      },
      pan: ({ plot }: Place, dx: number) => {
        if (plot.side === 0 || !plot.window) return false;
        step(plot.side - 1, focusPanned(plot, focusOf(plot.side - 1), dx));
        return true;
      },
      press: (plot: Plot, key: string, shift: boolean) => {
        const side = plot.side - 1;
        const before = focusOf(side);
        const next = focusPressed(plot, before, key, shift);
        if (next === undefined) return false;
        if (next === 'all') put(side, undefined, false);
        else if (next !== before) step(side, next);
        return true;
      },
      grip: ({ plot }: Place, x: number) => (plot.side === 0 || plot.window ? undefined : gripAt(plot, focusOf(plot.side - 1), x)),
    };
  }, []);
  return useMemo(() => ({ ...does, held }), [does, held]);
}

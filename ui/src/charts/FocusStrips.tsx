// The focus of a comparison for the keyboard: over each trace that is shown whole lies an element
// that can be focused, whose keys do to the window in it what the pointer does.
import { useId } from 'react';
import { formatWithUnit } from '../format/numbers';
import type { DecodedPicture } from '../scene/picture';
import { useBench } from '../panels/bench';
import type { Focusing } from './useFocus';

const SIDES = ['', 'A', 'B'];

export function FocusStrips({ scene, focus }: { scene: DecodedPicture; focus: Focusing }) {
  const bench = useBench();
  const help = useId();
  const strips = scene.plots.filter((plot) => plot.side > 0 && !plot.window);
  if (strips.length === 0) return null;
  const time = (at: number) => formatWithUnit(at, 'nanoseconds');
  return (
    <>
      <span id={help} hidden>
        Enter draws a focus. Arrow keys move it, Page Up and Page Down by its length, Home and End to the ends of the trace. Shift with an arrow key moves where it ends. Plus and minus make it smaller and larger, Escape takes it away.
      </span>
      {strips.map((plot) => {
        const span = bench.desk.history.now.pairing.focus[plot.side - 1];
        return (
          <div
            key={plot.side}
            className="focus-strip"
            role="slider"
            tabIndex={0}
            aria-label={`Focus in ${SIDES[plot.side]}`}
            aria-valuemin={plot.across?.min ?? 0}
            aria-valuemax={plot.across?.max ?? 0}
            aria-valuenow={span?.from ?? 0}
            aria-valuetext={span ? `${time(span.from)} to ${time(span.to)}` : 'all of the trace'}
            aria-describedby={help}
            data-testid={`focus-strip-${plot.side - 1}`}
            style={{ left: plot.x, top: plot.y, width: plot.w, height: plot.h }}
            onKeyDown={(event) => {
              if (event.ctrlKey || event.metaKey || event.altKey || !focus.press(plot, event.key, event.shiftKey)) return;
              // Neither the chart's cursor nor the page has the key besides.
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        );
      })}
    </>
  );
}

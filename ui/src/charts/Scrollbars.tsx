// Beside a plot that shows a part of an axis: which part, to be dragged.
import { useRef } from 'react';
import { spanOf, zoomOf } from '../scene/plots';
import type { DecodedPicture } from '../scene/picture';
import { panned, type Axis, type AxisSpan, type Glance } from '../state/glance';

interface Props {
  scene: DecodedPicture;
  glance: Glance;
  scale: number;
  look: (change: Partial<Glance>) => void;
}

const THICK = 7;
/** A thumb that is smaller cannot be caught. */
const SMALLEST = 14;

export function Scrollbars({ scene, glance, scale, look }: Props) {
  const plot = scene.plots[0];
  if (!plot || scene.plots.length > 1) return null;
  const cells = scene.rasters.length > 0;
  return (
    <>
      {(['across', 'up'] as const).map((direction) => {
        const axis = plot[direction];
        const kind = zoomOf(axis, direction, cells);
        if (!axis || !kind) return null;
        const span = spanOf(axis, kind, glance);
        if (span.to - span.from >= (span.max - span.min) * 0.999) return null;
        const room = direction === 'across' ? { left: plot.x, top: plot.y - THICK - 1, width: plot.w, height: THICK } : { left: plot.x + plot.w + 4, top: plot.y, width: THICK, height: plot.h };
        return <Bar key={direction} across={direction === 'across'} room={room} span={span} kind={kind} fromEnd={direction === 'up' && !axis.entities} scale={scale} look={look} />;
      })}
    </>
  );
}

function Bar({ across, room, span, kind, fromEnd, scale, look }: { across: boolean; room: { left: number; top: number; width: number; height: number }; span: AxisSpan; kind: Axis; fromEnd: boolean; scale: number; look: (change: Partial<Glance>) => void }) {
  const drag = useRef<{ at: number; span: AxisSpan }>(undefined);
  const length = across ? room.width : room.height;
  const all = span.max - span.min || 1;
  const size = Math.max(SMALLEST, ((span.to - span.from) / all) * length);
  const part = (span.from - span.min) / Math.max(1e-9, all - (span.to - span.from));
  const start = (fromEnd ? 1 - part : part) * (length - size);
  const move = (from: AxisSpan, by: number) => look({ [kind]: panned(from, (by / Math.max(1, length - size)) * (all - (from.to - from.from)) * (fromEnd ? -1 : 1)) });
  return (
    <div
      className="scrollbar"
      style={room}
      onPointerDown={(event) => {
        event.stopPropagation();
        const bounds = event.currentTarget.getBoundingClientRect();
        const at = (across ? event.clientX - bounds.left : event.clientY - bounds.top) / scale;
        event.currentTarget.setPointerCapture(event.pointerId);
        // Beside the thumb: it comes to the pointer.
        const off = at < start || at > start + size ? at - (start + size / 2) : 0;
        if (off !== 0) move(span, off);
        drag.current = { at: (across ? event.clientX : event.clientY) / scale - off, span };
      }}
      onPointerMove={(event) => {
        event.stopPropagation();
        if (drag.current) move(drag.current.span, (across ? event.clientX : event.clientY) / scale - drag.current.at);
      }}
      onPointerUp={(event) => {
        event.stopPropagation();
        drag.current = undefined;
      }}
      onPointerCancel={() => {
        drag.current = undefined;
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <div className="scrollbar-thumb" style={across ? { left: start, width: size, top: 0, bottom: 0 } : { top: start, height: size, left: 0, right: 0 }} />
    </div>
  );
}

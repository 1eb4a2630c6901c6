// A chart of events with axes: painted, pointed at, zoomed, moved, and selected in.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { View } from '../gen/cambium/v1/workbench_pb';
import { useBench } from '../panels/bench';
import type { DecodedPicture, PanelPicture } from '../scene/picture';
import { paintPicture } from '../scene/plotPainter';
import { boxOf, panBy, placeAt, shiftOf, withoutPeriod, zoomAt, type Box, type Place } from '../scene/plots';
import { forgetWidths } from '../scene/labels';
import type { Glance } from '../state/glance';
import { useStore } from '../state/hover';
import type { PanelSpec } from '../state/work';
import { FocusStrips } from './FocusStrips';
import { bandAt, Overlay } from './Overlay';
import { inWords, PointTip } from './PointTip';
import { Scrollbars } from './Scrollbars';
import { panning } from './tools';
import { useFocus, type Focusing } from './useFocus';
import { usePlotKeys } from './usePlotKeys';
import { usePointing } from './usePointing';
import { howOf, useSelecting } from './useSelecting';

interface Props {
  panel: PanelSpec;
  view: View;
  picture: PanelPicture;
  scene: DecodedPicture;
  glance: Glance;
  width: number;
  height: number;
  /** How many CSS pixels one of the picture is. */
  scale: number;
}

const CURSORS = { new: 'crosshair', move: 'grab', from: 'ew-resize', to: 'ew-resize' };

/** What dragging would do. */
function cursorAt(scene: DecodedPicture, at: { x: number; y: number }, focus: Focusing): string {
  const place = placeAt(scene.plots, at.x, at.y);
  return CURSORS[(place && focus.grip(place, at.x)) ?? 'new'];
}

/** Less than this is a click and no drag, in pixels. */
const STILL = 4;

interface Drag {
  place: Place;
  from: { x: number; y: number };
  to: { x: number; y: number };
  moving: boolean;
  pan: boolean;
}

export function PlotChart({ panel, view, picture, scene, glance, width, height, scale }: Props) {
  const bench = useBench();
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const dragging = useRef<Drag>(undefined);
  const [drag, setDrag] = useState<Drag>();
  const [hover, setHover] = useState<{ x: number; y: number }>();
  const pan = useStore(panning)[panel.id] === true;
  const select = useSelecting(panel.id);
  const pointing = usePointing(panel.id);
  const focus = useFocus();
  const cells = scene.rasters.length > 0;
  const shift = shiftOf(scene, glance);
  const now = useRef({ scene, glance, cells });
  now.current = { scene, glance, cells };
  const look = useCallback((change: Partial<Glance>) => bench.glance(panel.id, change), [bench, panel.id]);

  const paint = useCallback(() => {
    const element = canvas.current;
    const context = element?.getContext('2d', { alpha: false });
    if (!element || !context) return;
    const ratio = devicePixelRatio * scale;
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (element.width !== w) element.width = w;
    if (element.height !== h) element.height = h;
    paintPicture(context, now.current.scene, ratio, shiftOf(now.current.scene, now.current.glance));
  }, [width, height, scale]);
  useLayoutEffect(paint, [paint, scene, glance]);
  useEffect(() => {
    let there = true;
    void document.fonts.ready.then(() => {
      forgetWidths();
      if (there) paint();
    });
    return () => {
      there = false;
    };
    // Once is enough: fonts come once.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  const selectBox = useCallback(
    (place: Place, area: Box, how: ReturnType<typeof howOf>) => {
      if (!picture.selectable) return;
      const across = place.plot.across;
      const change = place.where === 'up' && across && !across.entities ? (filter: string) => withoutPeriod(filter, across.name) : undefined;
      void select(area, how, undefined, change);
    },
    [picture.selectable, select],
  );
  const keys = usePlotKeys({ scene, glance, cells, box, look, pointing, scale, onSelect: selectBox });

  const at = (event: { clientX: number; clientY: number }) => {
    const bounds = box.current?.getBoundingClientRect();
    return { x: (event.clientX - (bounds?.left ?? 0)) / scale, y: (event.clientY - (bounds?.top ?? 0)) / scale };
  };

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const onWheel = (event: WheelEvent) => {
      const bounds = element.getBoundingClientRect();
      const x = (event.clientX - bounds.left) / scale;
      const y = (event.clientY - bounds.top) / scale;
      const place = placeAt(now.current.scene.plots, x, y);
      if (!place) return;
      const turned = event.deltaY || event.deltaX;
      const pixels = turned * (event.deltaMode === 1 ? 20 : event.deltaMode === 2 ? 400 : 1);
      const only = event.shiftKey ? 'across' : event.altKey ? 'up' : undefined;
      const factor = Math.exp(Math.max(-240, Math.min(240, pixels)) * 0.002);
      if (focus.zoom(place, x, factor)) {
        event.preventDefault();
        pointing.leave();
        return;
      }
      const change = zoomAt(place, now.current.cells, now.current.glance, x, y, factor, only);
      if (Object.keys(change).length === 0) return;
      event.preventDefault();
      pointing.leave();
      look(change);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [look, pointing, scale, focus]);

  const onPointerDown = (event: React.PointerEvent) => {
    const from = at(event);
    const place = placeAt(scene.plots, from.x, from.y);
    if (!place || (event.button !== 0 && event.button !== 1)) return;
    if (event.button === 1) event.preventDefault();
    dragging.current = { place, from, to: from, moving: false, pan: event.button === 1 || pan };
    if (event.button === 0) focus.take(place, from.x);
    keys.forget();
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: React.PointerEvent) => {
    const to = at(event);
    const going = dragging.current;
    if (going) {
      const moving = going.moving || Math.hypot(to.x - going.from.x, to.y - going.from.y) >= STILL;
      if (moving && focus.drag(to.x)) {
        dragging.current = { ...going, to, moving };
        pointing.leave();
        setHover(undefined);
        return;
      }
      if (going.pan && moving && focus.pan(going.place, to.x - going.to.x)) {
        // It has no other zoom.
      } else if (going.pan && moving) {
        look(panBy(going.place.plot, cells, glance, to.x - going.to.x, to.y - going.to.y));
      }
      dragging.current = { ...going, to, moving };
      if (moving) {
        pointing.leave();
        setHover(undefined);
        setDrag(dragging.current);
      }
      return;
    }
    if (event.pointerType === 'touch') return;
    const place = placeAt(scene.plots, to.x, to.y);
    setHover(place ? to : undefined);
    if (place && picture.pointed && place.where !== 'across' && !shift) {
      pointing.ask({ x: place.where === 'up' && bandAt(scene, to) ? place.plot.x + 1 : to.x, y: to.y, windowX: event.clientX, windowY: event.clientY });
    } else {
      pointing.leave();
    }
  };
  const onPointerUp = (event: React.PointerEvent) => {
    const going = dragging.current;
    dragging.current = undefined;
    setDrag(undefined);
    if (focus.drop() || !going || going.pan || event.button !== 0) return;
    // The second click of a double-click shows all, and selects nothing more.
    if (!going.moving && event.detail > 1) return;
    selectBox(going.place, boxOf(going.place, going.from, going.to), howOf(event));
  };
  const stop = () => {
    focus.cancel();
    dragging.current = undefined;
    setDrag(undefined);
  };
  /** Shows all of a side; false where there is none. */
  const doubleClick = (point: { x: number; y: number }): boolean => {
    const place = placeAt(scene.plots, point.x, point.y);
    return place !== undefined && focus.widen(place);
  };
  const onLeave = () => {
    setHover(undefined);
    pointing.leave();
  };

  return (
    <div
      ref={box}
      className="chart plot"
      data-testid={`plot-${panel.id}`}
      data-shifted={shift ? 'yes' : undefined}
      tabIndex={0}
      role="application"
      aria-roledescription="chart"
      aria-label={`${bench.titleOf(panel)}. ${view.title}. Arrow keys move a cursor, Space selects, Shift with an arrow key widens; plus and minus zoom, 0 shows all.`}
      style={{ width, height, transform: scale === 1 ? undefined : `scale(${scale})`, transformOrigin: '0 0', cursor: pan ? 'grab' : hover ? cursorAt(scene, hover, focus) : 'default' }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={stop}
      onPointerLeave={onLeave}
      onDoubleClick={(event) => doubleClick(at(event)) || look({ rows: undefined, columns: undefined, period: undefined })}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && dragging.current) {
          event.preventDefault();
          stop();
          return;
        }
        keys.onKeyDown(event);
      }}
      onBlur={keys.forget}
    >
      <canvas ref={canvas} className="layer" aria-hidden="true" />
      <Overlay scene={scene} hover={drag || shift ? undefined : hover} drag={drag && drag.moving && !drag.pan ? boxOf(drag.place, drag.from, drag.to) : undefined} cursor={keys.cursor} marks={drag ? undefined : pointing.at?.answer.marks} />
      <FocusStrips scene={scene} focus={focus} />
      <Scrollbars scene={scene} glance={glance} scale={scale} look={look} />
      <div className="unseen" aria-live="polite">
        {keys.cursor && pointing.at ? inWords(pointing.at.answer) : ''}
      </div>
      {pointing.at && !drag && <PointTip at={pointing.at} />}
    </div>
  );
}

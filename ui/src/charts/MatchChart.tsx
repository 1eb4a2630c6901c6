// Two traces that are compared, closely: each half is zoomed and moved by itself, a click brings
// what matches of the other trace, and what is pointed at keeps its colour alone.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { View } from '../gen/cambium/v1/workbench_pb';
import { useBench } from '../panels/bench';
import { forgetWidths } from '../scene/labels';
import type { DecodedPicture, PanelPicture } from '../scene/picture';
import { paintPicture } from '../scene/plotPainter';
import { boxOf, placeAt, type Box, type Place } from '../scene/plots';
import { TubePainter } from '../scene/tubePainter';
import { PLAIN, tubeColours, type TubeLook } from '../scene/tubes';
import type { PanelSpec } from '../state/work';
import { brushOf, rectAt } from './calls';
import { Overlay } from './Overlay';
import { inWords, PointTip } from './PointTip';
import { useCallKeys } from './useCallKeys';
import { useFocus } from './useFocus';
import { usePointing } from './usePointing';
import { useSelecting } from './useSelecting';

interface Props {
  panel: PanelSpec;
  view: View;
  picture: PanelPicture;
  scene: DecodedPicture;
  width: number;
  height: number;
  /** How many CSS pixels one of the picture is. */
  scale: number;
}

/** Less than this is a click and no drag, in pixels. */
const STILL = 4;

interface Drag {
  place: Place;
  from: { x: number; y: number };
  to: { x: number; y: number };
  moving: boolean;
  /** A stretch of time is drawn, to zoom into it. */
  stretch: boolean;
}

export function MatchChart({ panel, view, picture, scene, width, height, scale }: Props) {
  const bench = useBench();
  const { dark, forceCanvas } = bench;
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const tubes = useRef<HTMLCanvasElement>(null);
  const painter = useRef<TubePainter>(undefined);
  const dragging = useRef<Drag>(undefined);
  const [drag, setDrag] = useState<Box>();
  const [grabbing, setGrabbing] = useState(false);
  const [hover, setHover] = useState<{ x: number; y: number }>();
  const select = useSelecting(panel.id);
  const pointing = usePointing(panel.id);
  const focus = useFocus();

  const selectBox = useCallback((area: Box) => void (picture.selectable && select(area, 'replace')), [picture.selectable, select]);
  const keys = useCallKeys({ scene, box, focus, pointing, scale, onSelect: selectBox });

  // What is pointed at, by the pointer or the cursor, decides which tubes keep their colour.
  const at = hover ?? keys.cursor?.middle;
  const index = at ? rectAt(scene, at.x, at.y) : -1;
  const brush = index < 0 ? undefined : brushOf(scene, index);
  const lower = at !== undefined && at.y >= scene.source.height / 2;
  const look = useMemo<TubeLook>(
    () => (brush || lower ? { lower, brush } : PLAIN),
    // Another object for the same call would paint anew.
    // oxlint-disable-next-line react/exhaustive-deps
    [lower, brush?.side, brush?.from, brush?.end],
  );

  const [lost, setLost] = useState(false);
  const plain = forceCanvas || lost;
  useLayoutEffect(() => {
    if (!tubes.current) return undefined;
    const made = new TubePainter(tubes.current, plain, () => setLost(true));
    painter.current = made;
    return () => {
      made.dispose();
      painter.current = undefined;
    };
  }, [plain]);
  const ratio = devicePixelRatio * scale;
  const paint = useCallback(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (element.width !== w) element.width = w;
    if (element.height !== h) element.height = h;
    paintPicture(context, scene, ratio, undefined, true);
  }, [scene, width, height, ratio]);
  useLayoutEffect(paint, [paint]);
  // Tubes have a canvas of their own, so that brushing paints nothing else; and that at most once
  // a frame, however often the pointer moves. The painter is made above.
  const paintTubes = useRef(() => {});
  paintTubes.current = () => {
    const element = tubes.current;
    if (!element || !painter.current) return;
    const { source, tubes: table } = scene;
    painter.current.paint(table, tubeColours(table, look, dark), source.background, source.width, source.height, ratio);
    element.dataset.painter = painter.current.name;
    element.dataset.tubes = String(table.size);
  };
  useLayoutEffect(() => paintTubes.current(), [scene, dark, ratio, plain]);
  useEffect(() => {
    const frame = requestAnimationFrame(() => paintTubes.current());
    return () => cancelAnimationFrame(frame);
  }, [look]);
  useLayoutEffect(() => {
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

  const placeOf = (event: { clientX: number; clientY: number }) => {
    const bounds = box.current?.getBoundingClientRect();
    return { x: (event.clientX - (bounds?.left ?? 0)) / scale, y: (event.clientY - (bounds?.top ?? 0)) / scale };
  };

  const plots = useRef(scene.plots);
  plots.current = scene.plots;
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const onWheel = (event: WheelEvent) => {
      const bounds = element.getBoundingClientRect();
      const x = (event.clientX - bounds.left) / scale;
      const place = placeAt(plots.current, x, (event.clientY - bounds.top) / scale);
      if (!place) return;
      event.preventDefault();
      pointing.leave();
      const unit = event.deltaMode === 1 ? 20 : event.deltaMode === 2 ? 400 : 1;
      // Turned sideways it moves.
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        focus.pan(place, -(event.deltaX || event.deltaY) * unit);
        return;
      }
      focus.zoom(place, x, Math.exp(Math.max(-240, Math.min(240, event.deltaY * unit)) * 0.002));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [pointing, scale, focus]);

  const onPointerDown = (event: React.PointerEvent) => {
    const from = placeOf(event);
    const place = placeAt(scene.plots, from.x, from.y);
    if (!place || (event.button !== 0 && event.button !== 1)) return;
    if (event.button === 1) event.preventDefault();
    dragging.current = { place, from, to: from, moving: false, stretch: event.shiftKey && event.button === 0 };
    keys.forget();
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: React.PointerEvent) => {
    const to = placeOf(event);
    const going = dragging.current;
    if (going) {
      const moving = going.moving || Math.hypot(to.x - going.from.x, to.y - going.from.y) >= STILL;
      dragging.current = { ...going, to, moving };
      if (!moving) return;
      pointing.leave();
      setHover(undefined);
      if (going.stretch) setDrag(boxOf({ ...going.place, where: 'across' }, going.from, to));
      else {
        setGrabbing(true);
        focus.pan(going.place, to.x - going.to.x);
      }
      return;
    }
    if (event.pointerType === 'touch') return;
    const place = placeAt(scene.plots, to.x, to.y);
    setHover(place ? to : undefined);
    if (place && picture.pointed) pointing.ask({ ...to, windowX: event.clientX, windowY: event.clientY });
    else pointing.leave();
  };
  const stop = () => {
    dragging.current = undefined;
    setDrag(undefined);
    setGrabbing(false);
  };
  const onPointerUp = (event: React.PointerEvent) => {
    const going = dragging.current;
    stop();
    if (!going || event.button !== 0) return;
    if (going.moving) {
      if (going.stretch) selectBox(boxOf({ ...going.place, where: 'across' }, going.from, going.to));
      return;
    }
    // The second click of a double-click shows all, and aligns nothing.
    if (event.detail <= 1) selectBox({ x0: going.from.x, y0: going.from.y, x1: going.from.x, y1: going.from.y });
  };
  const onDoubleClick = (event: React.MouseEvent) => {
    const { x, y } = placeOf(event);
    const place = placeAt(scene.plots, x, y);
    if (place) focus.widen(place);
  };
  const onLeave = () => {
    setHover(undefined);
    pointing.leave();
  };

  return (
    <div
      ref={box}
      className="chart plot"
      data-testid={`matches-${panel.id}`}
      data-half={lower ? 'b' : 'a'}
      data-brushed={brush ? `${'ab'[brush.side]}${brush.from}` : undefined}
      tabIndex={0}
      role="application"
      aria-roledescription="chart"
      aria-label={`${bench.titleOf(panel)}. ${view.title}. Arrow keys go from call to call, Enter brings the other trace to what matches; plus and minus zoom the trace that the cursor is in, A and D move it, 0 shows all of it.`}
      style={{ width, height, transform: scale === 1 ? undefined : `scale(${scale})`, transformOrigin: '0 0', cursor: grabbing ? 'grabbing' : index >= 0 ? 'pointer' : hover ? 'grab' : 'default' }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={stop}
      onPointerLeave={onLeave}
      onDoubleClick={onDoubleClick}
      onKeyDown={keys.onKeyDown}
      onBlur={keys.forget}
    >
      <canvas key={plain ? 'plain' : 'webgl'} ref={tubes} className="layer" aria-hidden="true" style={{ width: scene.source.width, height: scene.source.height }} />
      <canvas ref={canvas} className="layer" aria-hidden="true" />
      <Overlay scene={scene} hover={undefined} drag={drag} cursor={keys.cursor?.box} marks={grabbing || drag ? undefined : pointing.at?.answer.marks} />
      <div className="unseen" aria-live="polite">
        {keys.cursor && pointing.at ? inWords(pointing.at.answer) : ''}
      </div>
      {pointing.at && !grabbing && !drag && <PointTip at={pointing.at} />}
    </div>
  );
}

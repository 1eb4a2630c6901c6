// The chart: a scene drawn, and what the pointer, the wheel and the arrow keys do on it.
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useReducedMotion } from '@mantine/hooks';
import { formatShare, formatWithUnit } from '../format/numbers';
import { ChartView } from '../scene/chartView';
import { nameOf, shortNameOf, type DecodedScene } from '../scene/decode';
import { PickIndex } from '../scene/pick';
import type { Direction } from '../scene/discs';
import { walk } from '../scene/walk';
import { Wheel } from '../state/depth';
import { hovered, pointed, useStore } from '../state/hover';
import type { How } from '../state/filters';
import type { Act } from './compacting';
import { SegmentMenu, type SegmentAt } from './SegmentMenu';
import { Tooltip, type TooltipAt } from './Tooltip';

interface Props {
  scene: DecodedScene;
  width: number;
  height: number;
  title: string;
  unit: string;
  pin: number | undefined;
  dark: boolean;
  forceCanvas: boolean;
  onFocus: (id: number, index?: number) => void;
  onUp: () => void;
  onPin: (id: number | undefined) => void;
  onDepth: (by: number) => void;
  onPainter: (name: string) => void;
  /** A click expands and the right button compacts. */
  compacts: boolean;
  onAct: Act;
  onSelect: (id: number, what: 'context' | 'method', how: How, name: string) => void;
  testId: string;
  /** Of a comparison of two profiles: what its sides are called, in the order that they are looked at. */
  letters: readonly string[];
  /** Of a comparison of two traces: shows the calls of a context in both. */
  onTimelines?: ((id: number) => void) | undefined;
}

const ARROWS: Record<string, Direction> = { ArrowUp: 'parent', ArrowDown: 'child', ArrowLeft: 'previous', ArrowRight: 'next' };

/** The index of the root's own sector (the centre), or -1. */
function rootIndex(scene: DecodedScene): number {
  return scene.indexOf.get(scene.source.root) ?? -1;
}

export const Chart = memo(function Chart(props: Props) {
  const { scene, width, height, title, unit, pin, dark, forceCanvas, onFocus, onUp, onPin, onDepth, onPainter, compacts, onAct, onSelect, testId, letters, onTimelines } = props;
  const layers = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<ChartView>(undefined);
  const picks = useMemo(() => new PickIndex(scene.sectors), [scene]);
  const still = useReducedMotion();
  const [hover, setHoverIndex] = useState(-1);
  const [cursor, setCursor] = useState(-1);
  const [tooltip, setTooltip] = useState<TooltipAt>();
  const [menu, setMenu] = useState<SegmentAt>();
  const listed = useStore(pointed);
  const centre = rootIndex(scene);

  useLayoutEffect(() => {
    if (!layers.current) return undefined;
    const made = new ChartView(layers.current, forceCanvas);
    view.current = made;
    onPainter(made.painterName);
    return () => {
      made.dispose();
      view.current = undefined;
    };
  }, [forceCanvas, onPainter]);

  useLayoutEffect(() => {
    view.current?.resize(width, height, devicePixelRatio);
  }, [width, height, forceCanvas]);

  useLayoutEffect(() => {
    view.current?.show(scene, !still);
    setHoverIndex(-1);
    setCursor(-1);
    setTooltip(undefined);
    hovered.set(undefined);
    pointed.set(undefined);
  }, [scene, still, forceCanvas]);

  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const token = (name: string) => style.getPropertyValue(name).trim();
    view.current?.setInks({ line: token('--outline'), under: token('--outline-under'), accent: token('--accent') });
  }, [dark, forceCanvas]);

  useEffect(() => {
    view.current?.mark({ hover, pin, cursor, pointed: listed });
  }, [hover, pin, cursor, listed, scene, forceCanvas]);

  // A listener of its own: React's are passive and could not keep the page from scrolling.
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const wheel = new Wheel();
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey) return;
      event.preventDefault();
      const notches = wheel.turn(event.deltaY, event.deltaMode);
      if (notches !== 0) onDepth(notches);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [onDepth]);

  const pickAt = useCallback(
    (event: React.PointerEvent | React.MouseEvent) => {
      const bounds = box.current?.getBoundingClientRect();
      if (!bounds) return -1;
      const x = event.clientX - bounds.left;
      const y = event.clientY - bounds.top;
      const index = picks.at(x, y);
      if (index >= 0) return index;
      return -1;
    },
    [picks],
  );

  const onMove = (event: React.PointerEvent) => {
    if (view.current?.moving || event.pointerType === 'touch') return;
    const index = pickAt(event);
    setHoverIndex(index);
    setTooltip(index < 0 ? undefined : { index, x: event.clientX, y: event.clientY });
    if (index >= 0 && scene.sectors.kind[index] === 0) hovered.set(scene.sectors.id[index]);
  };
  const onLeave = () => {
    setHoverIndex(-1);
    setTooltip(undefined);
    hovered.set(cursor >= 0 ? scene.sectors.id[cursor] : undefined);
  };
  const inCentre = (event: React.MouseEvent) => {
    const bounds = box.current?.getBoundingClientRect();
    if (!bounds) return false;
    const { cx, cy, geometry, size, shape } = scene.sectors;
    if (shape !== 'ring') return false;
    const r = Math.hypot(event.clientX - bounds.left - cx, event.clientY - bounds.top - cy);
    let inner = centre >= 0 ? geometry[centre * 4 + 1] : Infinity;
    if (centre < 0) for (let i = 0; i < size; i++) inner = Math.min(inner, geometry[i * 4]);
    return Number.isFinite(inner) && r < inner;
  };
  const openMenu = (index: number, event: React.MouseEvent) => {
    setTooltip(undefined);
    setMenu({ index, x: event.clientX, y: event.clientY });
  };
  const onClick = (event: React.MouseEvent) => {
    const index = pickAt(event);
    const pinning = event.ctrlKey || event.metaKey || event.shiftKey;
    if (index >= 0 && pinning) {
      const id = scene.sectors.id[index];
      onPin(id === pin ? undefined : id);
    } else if (compacts) {
      if (index >= 0 && event.altKey) openMenu(index, event);
      else if (index >= 0 && scene.sectors.kind[index] === 0) onAct('expand', scene.sectors.id[index]);
    } else if (index === centre || (index < 0 && inCentre(event))) {
      if (index >= 0 || inCentre(event)) onUp();
    } else if (index >= 0) {
      // A mark has the id of the parent of what it hides.
      onFocus(scene.sectors.id[index], index);
    }
  };
  const onContextMenu = (event: React.MouseEvent) => {
    const index = pickAt(event);
    if (index < 0) return;
    event.preventDefault();
    if (compacts && !event.shiftKey && scene.sectors.kind[index] === 0) onAct('compact', scene.sectors.id[index]);
    else openMenu(index, event);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // With Shift, they are about everything and not about the cursor.
    const direction = event.shiftKey ? undefined : ARROWS[event.key];
    if (direction) {
      event.preventDefault();
      const begin = pin === undefined ? centre : (scene.indexOf.get(pin) ?? centre);
      const from = cursor >= 0 ? cursor : begin;
      const next = from < 0 ? (scene.sectors.size > 0 ? 0 : -1) : cursor < 0 && from === begin && direction !== 'child' ? from : walk(scene.sectors, picks, from, direction);
      setCursor(next);
      if (next >= 0) hovered.set(scene.sectors.id[next]);
    } else if (event.key === 'Enter' && cursor >= 0) {
      event.preventDefault();
      if (cursor === centre) onUp();
      else onFocus(scene.sectors.id[cursor], cursor);
    } else if (event.key === ' ') {
      event.preventDefault();
      const index = cursor >= 0 ? cursor : hover;
      if (index >= 0) onSelect(scene.sectors.id[index], 'context', event.shiftKey ? 'add' : 'replace', nameOf(scene.sectors, index));
    } else if ((event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) && cursor >= 0) {
      event.preventDefault();
      const bounds = box.current?.getBoundingClientRect();
      setMenu({ index: cursor, x: (bounds?.left ?? 0) + scene.sectors.cx, y: (bounds?.top ?? 0) + scene.sectors.cy });
    } else if (event.key === 'Escape' && cursor >= 0) {
      event.preventDefault();
      setCursor(-1);
      hovered.set(undefined);
    }
  };

  const spoken = cursor >= 0 ? describe(scene, cursor, unit) : '';
  return (
    <div
      ref={box}
      className="chart"
      data-testid={testId}
      tabIndex={0}
      role="application"
      aria-roledescription="chart"
      aria-label={`${title}. Arrow keys walk from caller to callee; Enter makes a context the root; Backspace goes back; Space selects; e expands and k compacts; Shift with down or up expands or compacts everything.`}
      style={{ width, height, cursor: hover >= 0 ? 'pointer' : 'default' }}
      onPointerMove={onMove}
      onPointerLeave={onLeave}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onContextMenu={onContextMenu}
    >
      <div ref={layers} className="layers" />
      <div className="unseen" aria-live="polite" data-testid="chart-spoken">
        {spoken}
      </div>
      {menu && menu.index < scene.sectors.size && <SegmentMenu scene={scene} at={menu} pin={pin} onClose={() => setMenu(undefined)} onFocus={(id) => onFocus(id, menu.index)} onPin={onPin} onAct={onAct} onSelect={onSelect} onTimelines={onTimelines} />}
      {tooltip && !menu && tooltip.index < scene.sectors.size && <Tooltip scene={scene} at={tooltip} unit={unit} letters={letters} />}
    </div>
  );
});

function describe(scene: DecodedScene, index: number, unit: string): string {
  const { sectors } = scene;
  const name = shortNameOf(sectors, index) || nameOf(sectors, index) || scene.source.rootTitle || 'the root';
  return `${name}: ${formatWithUnit(sectors.total[index], unit)}, ${formatShare(sectors.total[index] / (sectors.metricTotal || 1))} of the whole`;
}

// Which rows of a table are seen, and scrolling. Of very many rows a pixel of the bar is more than
// one row: so the row at the top is kept here, the wheel and the keys move it by rows, and the bar
// follows as well as it can.
import { useCallback, useEffect, useRef, useState, type RefObject, type UIEvent } from 'react';
import { isScaled, mostRows, rowsFrom, ROW, scrollTo, topAt, wheeled, type Rows } from './rows';

export interface Scrolled extends Rows {
  /** Where the bar is. */
  scroll: number;
  onScroll: (event: UIEvent<HTMLElement>) => void;
  /** Scrolls no further than needed for a row to be seen. */
  show: (row: number) => void;
}

export function useRows(box: RefObject<HTMLElement | null>, room: number, total: number): Scrolled {
  const [at, setAt] = useState({ scroll: 0, top: 0 });
  const now = useRef(at);
  const set = useCallback((next: { scroll: number; top: number }) => {
    now.current = next;
    setAt(next);
  }, []);
  const moveTo = useCallback(
    (row: number) => {
      const element = box.current;
      if (!element) return;
      const top = Math.max(0, Math.min(mostRows(room, total), row));
      element.scrollTo(element.scrollLeft, scrollTo(top, room, total));
      // Elsewhere the browser's own pixels decide.
      set({ scroll: element.scrollTop, top: isScaled(total) ? top : element.scrollTop / ROW });
    },
    [box, room, set, total],
  );
  const onScroll = useCallback(
    (event: UIEvent<HTMLElement>) => {
      const scroll = event.currentTarget.scrollTop;
      if (isScaled(total) && Math.abs(scroll - now.current.scroll) < 1) return; // by moveTo
      set({ scroll, top: topAt(scroll, room, total) });
    },
    [room, set, total],
  );
  useEffect(() => {
    const element = box.current;
    if (!element || !isScaled(total)) return undefined;
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
      event.preventDefault();
      moveTo(now.current.top + wheeled(event, room));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, moveTo, room, total]);
  const show = useCallback(
    (row: number) => {
      const seen = Math.floor(room / ROW);
      const { top } = rowsFrom(now.current.top, room, total);
      if (row < top) moveTo(row);
      else if (row + 1 > top + seen) moveTo(row - seen + 1);
    },
    [moveTo, room, total],
  );
  return { ...rowsFrom(at.top, room, total), scroll: at.scroll, onScroll, show };
}

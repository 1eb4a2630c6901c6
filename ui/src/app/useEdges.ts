// Tells at which ends a row that scrolls sideways has more than it shows, for a style sheet
// to fade it out there; and lets the wheel scroll it.
import { useEffect, useState, type RefObject, type WheelEvent } from 'react';

export interface Edges {
  'data-more-left': boolean | undefined;
  'data-more-right': boolean | undefined;
  onScroll: () => void;
  onWheel: (event: WheelEvent) => void;
}

export function useEdges(ref: RefObject<HTMLElement | null>): Edges {
  const [left, setLeft] = useState(false);
  const [right, setRight] = useState(false);
  const look = () => {
    const row = ref.current;
    if (!row) return;
    setLeft(row.scrollLeft > 1);
    setRight(row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
  };
  useEffect(() => {
    const row = ref.current;
    if (!row) return undefined;
    const sizes = new ResizeObserver(look);
    const children = new MutationObserver(look);
    sizes.observe(row);
    children.observe(row, { childList: true, subtree: true, characterData: true });
    look();
    return () => {
      sizes.disconnect();
      children.disconnect();
    };
    // oxlint-disable-next-line react/exhaustive-deps
  }, [ref]);
  return {
    'data-more-left': left || undefined,
    'data-more-right': right || undefined,
    onScroll: look,
    onWheel: (event) => {
      if (ref.current && event.deltaX === 0) ref.current.scrollLeft += event.deltaY;
    },
  };
}

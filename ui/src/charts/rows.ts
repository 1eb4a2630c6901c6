// Which rows of a table are seen. A browser cannot scroll over millions of rows of their own
// height, so that beyond a height the bar stands for more rows than it has pixels.

/** That of a row, and of the head, as the server's own pictures have it. */
export const ROW = 24;

/** The greatest height that every browser can scroll over. */
export const TALLEST = 8_000_000;

export interface Rows {
  /** The height of what is scrolled. */
  height: number;
  /** The row at the top, with its part that is scrolled out. */
  top: number;
  /** The first and the last row that are seen at least in part; last is not in it. */
  first: number;
  last: number;
}

export function rowsAt(scroll: number, room: number, total: number): Rows {
  const whole = total * ROW;
  const height = Math.min(whole, TALLEST);
  const most = Math.max(0, total - room / ROW);
  const way = Math.max(1, height - room);
  const top = whole <= TALLEST ? Math.min(most, scroll / ROW) : Math.min(most, Math.max(0, (scroll / way) * most));
  const first = Math.max(0, Math.floor(top));
  return { height, top, first, last: Math.min(total, Math.ceil(top + room / ROW)) };
}

/** How far to scroll so that a row is at the top. */
export function scrollTo(row: number, room: number, total: number): number {
  const whole = total * ROW;
  if (whole <= TALLEST) return Math.max(0, Math.min(row * ROW, whole - room));
  const most = Math.max(1, total - room / ROW);
  return Math.max(0, Math.min(1, row / most)) * (TALLEST - room);
}

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

/** Whether the bar stands for more rows than it has room for: then a pixel of it is more than one of the rows. */
export function isScaled(total: number): boolean {
  return total * ROW > TALLEST;
}

/** The last row that can be at the top. */
export function mostRows(room: number, total: number): number {
  return Math.max(0, total - room / ROW);
}

/** The rows that are seen if one is at the top. */
export function rowsFrom(row: number, room: number, total: number): Rows {
  const top = Math.max(0, Math.min(mostRows(room, total), row));
  return { height: Math.min(total * ROW, TALLEST), top, first: Math.floor(top), last: Math.min(total, Math.ceil(top + room / ROW)) };
}

/** The row at the top by where the bar is. */
export function topAt(scroll: number, room: number, total: number): number {
  const way = Math.max(1, TALLEST - room);
  return isScaled(total) ? Math.max(0, Math.min(1, scroll / way)) * mostRows(room, total) : scroll / ROW;
}

/** How far to scroll so that a row is at the top. */
export function scrollTo(row: number, room: number, total: number): number {
  const whole = total * ROW;
  if (whole <= TALLEST) return Math.max(0, Math.min(row * ROW, whole - room));
  const most = Math.max(1, total - room / ROW);
  return Math.max(0, Math.min(1, row / most)) * (TALLEST - room);
}

/** By how many rows a turn of the wheel moves. */
export function wheeled({ deltaY, deltaMode }: Pick<WheelEvent, 'deltaY' | 'deltaMode'>, room: number): number {
  if (deltaMode === 1) return deltaY;
  return deltaMode === 2 ? (deltaY * room) / ROW : deltaY / ROW;
}

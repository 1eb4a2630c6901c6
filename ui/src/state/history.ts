// Undoing and redoing: what was, what is, and what was undone.

export interface History<T> {
  past: readonly { state: T; what: string }[];
  now: T;
  /** The next to redo is last. */
  future: readonly { state: T; what: string }[];
}

const KEPT = 100;

export function begin<T>(now: T): History<T> {
  return { past: [], now, future: [] };
}

/** A change that can be undone; what says it in words. */
export function change<T>(history: History<T>, now: T, what: string): History<T> {
  if (now === history.now) return history;
  return { past: [...history.past.slice(1 - KEPT), { state: history.now, what }], now, future: [] };
}

/** A change that is not worth a step of its own, such as the width of a panel. */
export function amend<T>(history: History<T>, now: T): History<T> {
  return now === history.now ? history : { ...history, now };
}

export function undo<T>(history: History<T>): History<T> {
  const last = history.past.at(-1);
  if (!last) return history;
  return { past: history.past.slice(0, -1), now: last.state, future: [...history.future, { state: history.now, what: last.what }] };
}

export function redo<T>(history: History<T>): History<T> {
  const next = history.future.at(-1);
  if (!next) return history;
  return { past: [...history.past, { state: history.now, what: next.what }], now: next.state, future: history.future.slice(0, -1) };
}

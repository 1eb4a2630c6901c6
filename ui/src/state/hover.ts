// What is pointed at, in stores of their own, so that moving the pointer draws nothing
// anew but what shows it.
import { useSyncExternalStore } from 'react';

export interface Store<T> {
  get: () => T;
  set: (value: T) => void;
  subscribe: (listener: () => void) => () => void;
}

export function makeStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      if (value === current) return;
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** The context under the pointer, or the keyboard's cursor, in the chart. */
export const hovered = makeStore<number | undefined>(undefined);

/** The context that the pointer or the keyboard is at in a list: outlined in the chart. */
export const pointed = makeStore<number | undefined>(undefined);

/** What a row of a list does to tell that it is pointed at. */
export function pointing(id: number, point: (id: number | undefined) => void) {
  const leave = () => point(undefined);
  return {
    onMouseEnter: () => point(id),
    onMouseLeave: leave,
    // A click gives the focus too, but the pointer says all then.
    onFocus: (event: { currentTarget: Element }) => event.currentTarget.matches(':focus-visible') && point(id),
    onBlur: leave,
  };
}

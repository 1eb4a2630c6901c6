// How a person likes the page laid out. It is no part of what is looked at, so that it is
// kept by the browser and not in the address.
import type { Theme } from './address';
import { makeStore, useStore } from './hover';

export interface Preferences {
  foldLeft: boolean;
  foldRight: boolean;
  theme: Theme;
}

const KEY = 'cambium';

/** Preferences from what was kept; anything unknown is left to its default. */
export function parsePreferences(text: string | null): Preferences {
  let kept: Partial<Record<keyof Preferences, unknown>> = {};
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value === 'object' && value !== null) kept = value;
  } catch {
    // Somebody else's, or broken: begin anew.
  }
  return {
    foldLeft: kept.foldLeft === true,
    foldRight: kept.foldRight === true,
    theme: kept.theme === 'light' || kept.theme === 'dark' ? kept.theme : '',
  };
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser may refuse
  }
}

const store = makeStore<Preferences>(parsePreferences(typeof localStorage === 'undefined' ? null : read()));

export function prefer(change: (now: Preferences) => Partial<Preferences>): void {
  const next = { ...store.get(), ...change(store.get()) };
  store.set(next);
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // It lasts as long as the page.
  }
}

export function usePreferences(): Preferences {
  return useStore(store);
}

// The address as React state, with the browser's history.
import { useCallback, useSyncExternalStore } from 'react';
import { formatAddress, parseAddress, sameButFocus, type Address } from './address';

const listeners = new Set<() => void>();
let cachedSearch: string | undefined;
let cached: Address;

function snapshot(): Address {
  if (cachedSearch !== location.search) {
    cachedSearch = location.search;
    cached = parseAddress(cachedSearch);
  }
  return cached;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}

/** The state that the address tells now. */
export function addressNow(): Address {
  return snapshot();
}

export type Patch = Partial<Address> | ((now: Address) => Partial<Address>);

/** Changes the address: a new entry of the history, or instead of the present one. */
export function go(patch: Patch, how: 'push' | 'replace' = 'push'): void {
  const now = snapshot();
  const next = { ...now, ...(typeof patch === 'function' ? patch(now) : patch) };
  const query = formatAddress(next, location.search);
  if (query === formatAddress(now, location.search)) return;
  const url = location.pathname + query;
  if (how === 'push') history.pushState({ before: location.search }, '', url);
  else history.replaceState(history.state, '', url);
  for (const listener of listeners) listener();
}

/** Goes back in the history if the entry before differs only in its root. */
export function backToRootBefore(): boolean {
  const before = (history.state as { before?: string } | null)?.before;
  if (before === undefined) return false;
  const earlier = parseAddress(before);
  if (!sameButFocus(earlier, snapshot())) return false;
  history.back();
  return true;
}

export function useAddress(): Address {
  return useSyncExternalStore(subscribe, snapshot);
}

/** A stable callback that changes part of the address. */
export function useGo(how: 'push' | 'replace' = 'push'): (patch: Patch) => void {
  return useCallback((patch: Patch) => go(patch, how), [how]);
}

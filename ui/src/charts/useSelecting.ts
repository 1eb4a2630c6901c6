// Asks the server what a rectangle covers, and selects it.
import { useCallback } from 'react';
import { useClient } from '../api/context';
import { isAbort, wordsOf } from '../api/errors';
import { useBench } from '../panels/bench';
import type { How } from '../state/filters';
import type { Box } from '../scene/plots';

/** What the keys that are held say about a new selection. */
export function howOf(keys: { shiftKey: boolean; altKey: boolean; ctrlKey: boolean; metaKey: boolean }): How {
  if (keys.altKey) return 'remove';
  if (keys.ctrlKey || keys.metaKey) return 'intersect';
  return keys.shiftKey ? 'add' : 'replace';
}

export function useSelecting(panel: string): (box: Box, how: How, first?: number, change?: (filter: string) => string) => Promise<void> {
  const bench = useBench();
  const client = useClient();
  const { dataSet, shared, requestsOf, select, say } = bench;
  return useCallback(
    async (box, how, first, change) => {
      const panels = requestsOf(panel).map((p) => (p.id === panel && first !== undefined ? { ...p, first: BigInt(first) } : p));
      if (panels.length === 0) return;
      try {
        const { filter } = await client.select({ dataSet: dataSet.id, shared, panels, panel, ...box });
        select(change ? change(filter) : filter, how);
      } catch (error) {
        if (!isAbort(error)) say(wordsOf(error));
      }
    },
    [client, dataSet.id, shared, requestsOf, panel, select, say],
  );
}

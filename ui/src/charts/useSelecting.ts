// Asks the server what a rectangle covers, and selects it.
import { useCallback } from 'react';
import { useClient } from '../api/context';
import { isAbort, wordsOf } from '../api/errors';
import type { Period } from '../gen/cambium/v1/comparison_pb';
import { useBench } from '../panels/bench';
import type { How } from '../state/filters';
import { withFocus, type Pairing } from '../state/pairing';
import type { Box } from '../scene/plots';

/** What the keys that are held say about a new selection. */
export function howOf(keys: { shiftKey: boolean; altKey: boolean; ctrlKey: boolean; metaKey: boolean }): How {
  if (keys.altKey) return 'remove';
  if (keys.ctrlKey || keys.metaKey) return 'intersect';
  return keys.shiftKey ? 'add' : 'replace';
}

/** The focus that the server says; from 0 to 0 is all of the trace. */
function focused(pairing: Pairing, side: number, focus: Period | undefined): Pairing {
  if (!focus) return pairing;
  return withFocus(pairing, side, focus.to === 0n ? undefined : { from: Number(focus.from), to: Number(focus.to) });
}

export function useSelecting(panel: string): (box: Box, how: How, first?: number, change?: (filter: string) => string) => Promise<void> {
  const bench = useBench();
  const client = useClient();
  const { dataSet, shared, requestsOf, select, pair, say } = bench;
  return useCallback(
    async (box, how, first, change) => {
      const panels = requestsOf(panel).map((p) => (p.id === panel && first !== undefined ? { ...p, first: BigInt(first) } : p));
      if (panels.length === 0) return;
      try {
        const { filter, focusA, focusB } = await client.select({ dataSet: dataSet.id, shared, panels, panel, ...box });
        if (focusA ?? focusB) pair('move the focus', (now) => focused(focused(now, 0, focusA), 1, focusB));
        else select(change ? change(filter) : filter, how);
      } catch (error) {
        if (!isAbort(error)) say(wordsOf(error));
      }
    },
    [client, dataSet.id, shared, requestsOf, panel, select, pair, say],
  );
}

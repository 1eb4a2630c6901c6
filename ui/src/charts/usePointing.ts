// Asks what is under the pointer: one question at a time, the newest next.
import { useEffect, useMemo, useRef, useState } from 'react';
import { Latest } from '../api/asking';
import { useClient } from '../api/context';
import type { PointResponse } from '../gen/cambium/v1/workbench_pb';
import { useBench } from '../panels/bench';
import type { Pointed } from './PointTip';

interface Question {
  x: number;
  y: number;
  windowX: number;
  windowY: number;
  first?: number;
}

export function usePointing(panel: string): { at: Pointed | undefined; ask: (question: Question) => void; leave: () => void } {
  const bench = useBench();
  const client = useClient();
  const [at, setAt] = useState<Pointed>();
  const now = useRef(bench);
  now.current = bench;
  const latest = useMemo(
    () =>
      new Latest<Question, PointResponse>(
        (q, signal) => {
          const { dataSet, shared, requestsOf } = now.current;
          const panels = requestsOf(panel).map((p) => (p.id === panel && q.first !== undefined ? { ...p, first: BigInt(q.first) } : p));
          return client.point({ dataSet: dataSet.id, shared, panels, panel, x: q.x, y: q.y }, { signal });
        },
        (answer, q) => setAt(answer.found ? { answer, x: q.windowX, y: q.windowY } : undefined),
      ),
    [client, panel],
  );
  useEffect(() => () => latest.cancel(), [latest]);
  return useMemo(
    () => ({
      at,
      ask: (question: Question) => latest.put(question),
      leave: () => {
        latest.cancel();
        setAt(undefined);
      },
    }),
    [at, latest],
  );
}

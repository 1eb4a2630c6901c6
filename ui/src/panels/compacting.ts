// Expanding and compacting the nodes of a chart of trees: the server changes the steps, or says
// why it cannot be done.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from '../api/context';
import { wordsOf } from '../api/errors';
import { lookOf, type SceneRequest } from '../api/useScene';
import { makeStore } from '../state/hover';
import { setLevels } from '../state/levels';

/** The actions that the server knows; see the interface. */
export type Deed = 'expand' | 'compact' | 'level' | 'expand-package' | 'compact-package' | 'expand-here' | 'compact-here' | 'expand-all' | 'compact-all' | 'level-all' | 'reset' | 'explain';

export type Act = (deed: Deed, id?: number, n?: number) => void;

/** What acts on the chart in front, for the keys. */
export const compacting = makeStore<Act | undefined>(undefined);

export const WORDS: Record<Deed, string> = {
  expand: 'expand', compact: 'compact', level: 'set a level', 'expand-package': 'expand a package', 'compact-package': 'compact a package',
  'expand-here': 'expand a package here', 'compact-here': 'compact a package here', 'expand-all': 'expand everything', 'compact-all': 'compact everything',
  'level-all': 'set all levels', reset: 'compact fully', explain: 'explain',
};

/** How long a sentence stays. */
const STAYS = 9000;

export function useCompacting(request: SceneRequest | undefined, front: boolean) {
  const client = useClient();
  const [blocked, setBlocked] = useState('');
  const latest = useRef(request);
  latest.current = request;
  const act = useCallback<Act>(
    (deed, id = 0, n = 0) => {
      const now = latest.current;
      if (!now) return;
      client
        .compact({ look: lookOf(now), view: now.view, params: now.params, action: deed, id, n: BigInt(n) })
        .then((answer) => {
          // Something else may be shown by now.
          if (latest.current !== now) return;
          setBlocked(answer.blocked);
          if (answer.blocked === '') setLevels(now.dataSet, WORDS[deed], answer.steps);
        })
        .catch((error: unknown) => setBlocked(wordsOf(error)));
    },
    [client],
  );
  useEffect(() => {
    if (!front) return undefined;
    compacting.set(act);
    return () => {
      if (compacting.get() === act) compacting.set(undefined);
    };
  }, [act, front]);
  useEffect(() => {
    if (blocked === '') return undefined;
    const timer = setTimeout(() => setBlocked(''), STAYS);
    return () => clearTimeout(timer);
  }, [blocked]);
  return { act, blocked, forget: useCallback(() => setBlocked(''), []) };
}

// The answer to a question that a part of the page has, asked anew when it changes.
import { useEffect, useRef, useState } from 'react';
import type { WorkbenchClient } from './client';
import { useClient } from './context';
import { isAbort, wordsOf } from './errors';

export interface Answer<A> {
  answer: A | undefined;
  error: string;
  loading: boolean;
}

/** key says what is asked; '' asks nothing. The answer before stays until the next one comes. */
export function useAnswer<A>(key: string, ask: (client: WorkbenchClient, signal: AbortSignal) => Promise<A>, delay = 0): Answer<A> {
  const client = useClient();
  const [state, setState] = useState<Answer<A>>({ answer: undefined, error: '', loading: false });
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (key === '') {
      setState({ answer: undefined, error: '', loading: false });
      return undefined;
    }
    const abort = new AbortController();
    setState((s) => ({ ...s, loading: true }));
    const timer = setTimeout(() => {
      latest
        .current(client, abort.signal)
        .then((answer) => !abort.signal.aborted && setState({ answer, error: '', loading: false }))
        .catch((error: unknown) => {
          if (!abort.signal.aborted && !isAbort(error)) setState({ answer: undefined, error: wordsOf(error), loading: false });
        });
    }, delay);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [client, key, delay]);
  return state;
}

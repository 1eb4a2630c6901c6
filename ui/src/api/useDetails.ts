// Everything about one context: a little late, only the latest, the request before aborted.
import { useEffect, useState } from 'react';
import type { GetContextResponse } from '../gen/cambium/v1/details_pb';
import { useClient } from './context';
import { isAbort, wordsOf } from './errors';
import type { SceneRequest } from './useScene';

const DELAY = 60; // ms

export interface Details {
  context: GetContextResponse | undefined;
  error: string;
}

export function useDetails(request: SceneRequest | undefined, id: number | undefined): Details {
  const client = useClient();
  const [details, setDetails] = useState<Details>({ context: undefined, error: '' });
  const dataSet = request?.dataSet ?? '';
  const steps = request?.steps ?? '';
  const metric = request?.metric ?? '';
  const filter = request?.shared.filter ?? '';

  useEffect(() => {
    if (dataSet === '' || id === undefined) {
      setDetails({ context: undefined, error: '' });
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      client
        .getContext({ look: { dataSet, steps, metric, filter }, id }, { signal: abort.signal })
        .then((context) => !abort.signal.aborted && setDetails({ context, error: '' }))
        .catch((error: unknown) => {
          if (!abort.signal.aborted && !isAbort(error)) setDetails({ context: undefined, error: wordsOf(error) });
        });
    }, DELAY);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [client, dataSet, steps, metric, filter, id]);

  return details;
}

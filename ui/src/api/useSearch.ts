// What a search finds.
import { useEffect, useState } from 'react';
import type { SearchResponse } from '../gen/cambium/v1/details_pb';
import { useClient } from './context';
import { isAbort, wordsOf } from './errors';
import type { SceneRequest } from './useScene';

export interface Found {
  answer: SearchResponse | undefined;
  error: string;
  loading: boolean;
}

const NOTHING: Found = { answer: undefined, error: '', loading: false };

export function useSearch(request: SceneRequest | undefined, query: string): Found {
  const client = useClient();
  const [found, setFound] = useState<Found>(NOTHING);
  const dataSet = request?.dataSet ?? '';
  const steps = request?.steps ?? '';
  const metric = request?.metric ?? '';
  const filter = request?.shared.filter ?? '';

  useEffect(() => {
    if (dataSet === '' || query.trim() === '') {
      setFound(NOTHING);
      return;
    }
    const abort = new AbortController();
    setFound((f) => ({ ...f, loading: true }));
    client
      .search({ look: { dataSet, steps, metric, filter }, query, limit: 200 }, { signal: abort.signal })
      .then((answer) => {
        if (!abort.signal.aborted) setFound({ answer, error: answer.error, loading: false });
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbort(error)) setFound({ answer: undefined, error: wordsOf(error), loading: false });
      });
    return () => abort.abort();
  }, [client, dataSet, steps, metric, filter, query]);

  return found;
}

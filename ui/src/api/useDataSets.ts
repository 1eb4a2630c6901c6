// The catalog and the stream of data sets; says when the server is lost and tries again.
import { useEffect, useState } from 'react';
import type { DataSet, GetCatalogResponse } from '../gen/cambium/v1/workbench_pb';
import { useClient } from './context';
import { isAbort, wordsOf } from './errors';

export interface ServerState {
  catalog: GetCatalogResponse | undefined;
  /** undefined until the server first answered. */
  dataSets: DataSet[] | undefined;
  /** Why the server is not there; '' while it is. */
  lost: string;
  retry: () => void;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export function useServer(): ServerState {
  const client = useClient();
  const [catalog, setCatalog] = useState<GetCatalogResponse>();
  const [dataSets, setDataSets] = useState<DataSet[]>();
  const [lost, setLost] = useState('');
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    async function follow() {
      let wait = 500;
      while (!signal.aborted) {
        try {
          setCatalog(await client.getCatalog({}, { signal }));
          for await (const answer of client.watchDataSets({}, { signal })) {
            setLost('');
            wait = 500;
            setDataSets(answer.dataSets);
          }
        } catch (error) {
          if (signal.aborted || isAbort(error)) return;
          setLost(wordsOf(error));
        }
        await pause(wait, signal);
        wait = Math.min(wait * 2, 5000);
      }
    }
    void follow();
    return () => abort.abort();
  }, [client, attempt]);

  return { catalog, dataSets, lost, retry: () => setAttempt((n) => n + 1) };
}

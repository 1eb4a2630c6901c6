// Scenes from the server: only the latest request counts; the last scene stays until then.
import { useEffect, useRef, useState } from 'react';
import { decodeScene, type DecodedScene } from '../scene/decode';
import { useClient } from './context';
import { isAbort, wordsOf } from './errors';

export interface SceneRequest {
  dataSet: string;
  steps: string;
  metric: string;
  view: string;
  params: Record<string, string>;
  width: number;
  height: number;
  dark: boolean;
  highlight: string;
}

export interface SceneState {
  scene: DecodedScene | undefined;
  /** What the scene was asked for with. */
  request: SceneRequest | undefined;
  error: string;
  loading: boolean;
  retry: () => void;
}

export function useScene(request: SceneRequest | undefined): SceneState {
  const client = useClient();
  const [state, setState] = useState<Omit<SceneState, 'retry'>>({ scene: undefined, request: undefined, error: '', loading: false });
  const [attempt, setAttempt] = useState(0);
  const key = request ? JSON.stringify(request) : '';
  const latest = useRef(request);
  latest.current = request;

  useEffect(() => {
    const wanted = latest.current;
    if (!wanted) {
      setState({ scene: undefined, request: undefined, error: '', loading: false });
      return;
    }
    const abort = new AbortController();
    setState((s) => (s.request && s.request.dataSet !== wanted.dataSet
      ? { scene: undefined, request: undefined, error: '', loading: true }
      : { ...s, loading: true }));
    const { dataSet, steps, metric, view, params, width, height, dark, highlight } = wanted;
    client
      .getScene({ look: { dataSet, steps, metric }, view, params, width, height, dark, highlight }, { signal: abort.signal })
      .then((answer) => {
        if (abort.signal.aborted) return;
        if (!answer.scene) throw new Error('The server sent no picture.');
        setState({ scene: decodeScene(answer.scene, answer.layoutMs), request: wanted, error: '', loading: false });
      })
      .catch((error: unknown) => {
        if (abort.signal.aborted || isAbort(error)) return;
        setState((s) => ({ ...s, error: wordsOf(error), loading: false }));
      });
    return () => abort.abort();
  }, [client, key, attempt]);

  return { ...state, retry: () => setAttempt((n) => n + 1) };
}

// Scenes from the server: only the latest request counts; the last scene stays until then.
import { useEffect, useRef, useState } from 'react';
import { decodeScene, type DecodedScene } from '../scene/decode';
import type { WorkbenchClient } from './client';
import { useClient } from './context';
import { isAbort, wordsOf } from './errors';
import type { SharedInit } from './visualizer';

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
  /** The first row of a table. */
  first?: number;
  /** What all panels have in common. */
  shared: SharedInit;
}

/** The part of a request that says what is looked at. */
export function lookOf({ dataSet, steps, metric, shared }: SceneRequest) {
  return { dataSet, steps, metric, filter: shared.filter ?? '', swapped: shared.pairing?.swapped ?? false };
}

export interface SceneState {
  scene: DecodedScene | undefined;
  /** What the scene was asked for with, and the steps that the chart adds to those. */
  request: SceneRequest | undefined;
  error: string;
  loading: boolean;
  retry: () => void;
}

/** A tree without colour groups and selection needs no pass, and comes at once. */
async function fetchScene(client: WorkbenchClient, request: SceneRequest, signal: AbortSignal): Promise<DecodedScene> {
  const { dataSet, steps, metric, view, params, width, height, dark, highlight, shared, first = 0 } = request;
  if ((shared.groups ?? []).length === 0 && (shared.selection ?? '') === '') {
    const answer = await client.getScene({ look: lookOf(request), view, params, width, height, dark, highlight, first: BigInt(first) }, { signal });
    if (!answer.scene) throw new Error('The server sent no picture.');
    return decodeScene(answer.scene, answer.layoutMs);
  }
  const panel = { id: 'tree', view, params, width, height, steps, metric, highlight, first: BigInt(first) };
  let scene: DecodedScene | undefined;
  for await (const answer of client.visualize({ dataSet, shared, panels: [panel], dark }, { signal })) {
    for (const picture of answer.pictures) {
      if (picture.error !== '') throw new Error(picture.error);
      if (picture.scene) scene = decodeScene(picture.scene, 0);
    }
  }
  if (!scene) throw new Error('The server sent no picture.');
  return scene;
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
    fetchScene(client, wanted, abort.signal)
      .then((scene) => {
        if (!abort.signal.aborted) setState({ scene, request: { ...wanted, steps: scene.source.steps || wanted.steps }, error: '', loading: false });
      })
      .catch((error: unknown) => {
        if (abort.signal.aborted || isAbort(error)) return;
        setState((s) => ({ ...s, error: wordsOf(error), loading: false }));
      });
    return () => abort.abort();
  }, [client, key, attempt]);

  return { ...state, retry: () => setAttempt((n) => n + 1) };
}

// Scenes from the server: only the latest request counts; the last scene stays until then.
import { useEffect, useRef, useState } from 'react';
import { decodeScene, type DecodedScene } from '../scene/decode';
import type { WorkbenchClient } from './client';
import { useClient } from './context';
import { isAbort, wordsOf } from './errors';
import { FILTER, hasStep, parseSteps } from '../state/steps';
import { keyOf, type SharedInit } from './visualizer';

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
  /** How far a pass over the events is that the picture waits for. */
  pass: Pass | undefined;
  /** That was given up: the picture, if there is one, is of what was asked for before. */
  stopped: boolean;
  stop: () => void;
  retry: () => void;
}

export interface Pass {
  done: number;
  total: number;
}

/** A tree without colour groups, selection and filters needs no pass, and comes at once. */
async function fetchScene(client: WorkbenchClient, request: SceneRequest, signal: AbortSignal, onPass: (pass: Pass) => void): Promise<DecodedScene> {
  const { dataSet, steps, metric, view, params, width, height, dark, highlight, shared, first = 0 } = request;
  const filtered = (shared.filter ?? '') !== '' || hasStep(parseSteps(steps), FILTER);
  if ((shared.groups ?? []).length === 0 && (shared.selection ?? '') === '' && !filtered) {
    const answer = await client.getScene({ look: lookOf(request), view, params, width, height, dark, highlight, first: BigInt(first) }, { signal });
    if (!answer.scene) throw new Error('The server sent no picture.');
    return decodeScene(answer.scene, answer.layoutMs);
  }
  const panel = { id: 'tree', view, params, width, height, steps, metric, highlight, first: BigInt(first) };
  let scene: DecodedScene | undefined;
  for await (const answer of client.visualize({ dataSet, shared, panels: [panel], dark }, { signal })) {
    if (answer.total > 0n && !answer.complete) onPass({ done: Number(answer.done), total: Number(answer.total) });
    for (const picture of answer.pictures) {
      if (picture.error !== '') throw new Error(picture.error);
      if (picture.scene) scene = decodeScene(picture.scene, 0);
    }
  }
  if (!scene) throw new Error('The server sent no picture.');
  return scene;
}

const NOTHING: Omit<SceneState, 'retry' | 'stop'> = { scene: undefined, request: undefined, error: '', loading: false, pass: undefined, stopped: false };

export function useScene(request: SceneRequest | undefined): SceneState {
  const client = useClient();
  const [state, setState] = useState<Omit<SceneState, 'retry' | 'stop'>>(NOTHING);
  const stop = useRef<() => void>(() => undefined);
  const [attempt, setAttempt] = useState(0);
  const key = request ? keyOf(request) : '';
  const latest = useRef(request);
  latest.current = request;

  useEffect(() => {
    const wanted = latest.current;
    if (!wanted) {
      setState(NOTHING);
      return;
    }
    const abort = new AbortController();
    stop.current = () => {
      abort.abort();
      setState((s) => (s.loading ? { ...s, loading: false, pass: undefined, stopped: true } : s));
    };
    setState((s) => (s.request && s.request.dataSet !== wanted.dataSet
      ? { ...NOTHING, loading: true }
      : { ...s, loading: true, pass: undefined, stopped: false }));
    fetchScene(client, wanted, abort.signal, (pass) => !abort.signal.aborted && setState((s) => ({ ...s, pass })))
      .then((scene) => {
        if (!abort.signal.aborted) setState({ ...NOTHING, scene, request: { ...wanted, steps: scene.source.steps || wanted.steps } });
      })
      .catch((error: unknown) => {
        if (abort.signal.aborted || isAbort(error)) return;
        setState((s) => ({ ...s, error: wordsOf(error), loading: false, pass: undefined }));
      });
    return () => abort.abort();
  }, [client, key, attempt]);

  return { ...state, stop: () => stop.current(), retry: () => setAttempt((n) => n + 1) };
}

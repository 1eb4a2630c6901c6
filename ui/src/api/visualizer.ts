// The pictures of all charts of events. There is at most one request on its way: it has every
// panel whose picture is not what is wanted now, so that all of them come from one pass over
// the events. A newer one ends the one before, but not in its first moments: while somebody
// turns the wheel, pictures must come.
//
// A chart of a part of a coordinate does not know how much there is beside it. Where that is
// not known from earlier, a small picture of all of it is asked for along with it.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PanelSchema, Picture, SharedSchema } from '../gen/cambium/v1/workbench_pb';
import { keepPicture, NO_PICTURE, type PanelPicture } from '../scene/picture';
import { makeStore, type Store } from '../state/hover';
import type { WorkbenchClient } from './client';
import { isAbort, wordsOf } from './errors';

/** Messages that are still to be made. */
type Plain<T> = Extract<T, { $typeName?: undefined }>;
export type PanelInit = Plain<MessageInitShape<typeof PanelSchema>> & { id: string };
export type SharedInit = Plain<MessageInitShape<typeof SharedSchema>>;

export interface Wanted {
  dataSet: string;
  shared: SharedInit;
  panels: readonly PanelInit[];
  dark: boolean;
}

export interface Progress {
  running: boolean;
  done: number;
  total: number;
  /** Somebody stopped the pass: pictures may not have all events. */
  stopped: boolean;
  /** The pass before: its events and how long it took in ms; 0 if there was none. */
  events: number;
  ms: number;
}

const IDLE: Progress = { running: false, done: 0, total: 0, stopped: false, events: 0, ms: 0 };

/** How long a request may go on after a newer one is wanted, in ms. */
const PATIENCE = 150;

export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v));
}

interface Extent {
  min: number;
  max: number;
}

/** What follows the id of a panel in the id of the picture of all of it. */
const WHOLE = ' whole';
const SMALL = 64;

function wholeOf(panel: PanelInit): PanelInit {
  return { ...panel, id: panel.id + WHOLE, period: undefined, rows: undefined, columns: undefined, like: '', width: SMALL, height: SMALL };
}

/** The picture with the axis that its period is a part of. */
function widened(picture: PanelPicture, extent: Extent | undefined): PanelPicture {
  const [plot, ...more] = picture.scene?.plots ?? [];
  if (!picture.scene || !plot?.across || plot.across.entities || !extent || more.length > 0) return picture;
  const { across } = plot;
  const wide = { ...across, min: Math.min(across.from, extent.min), max: Math.max(across.to, extent.max) };
  return { ...picture, scene: { ...picture.scene, plots: [{ ...plot, across: wide }] } };
}

interface Run {
  abort: AbortController;
  keys: ReadonlyMap<string, string>;
  began: number;
}

export class Visualizer {
  readonly progress = makeStore<Progress>(IDLE);
  private readonly client: WorkbenchClient;
  private readonly pictures = new Map<string, Store<PanelPicture>>();
  /** What each panel's picture is of, once it is final. */
  private readonly finals = new Map<string, string>();
  private readonly extents = new Map<string, Extent>();
  private wanted: Wanted | undefined;
  private run: Run | undefined;
  private timer = 0;

  constructor(client: WorkbenchClient) {
    this.client = client;
  }

  picture(panel: string): Store<PanelPicture> {
    let store = this.pictures.get(panel);
    if (!store) this.pictures.set(panel, (store = makeStore(NO_PICTURE)));
    return store;
  }

  /** Says what is wanted now. */
  want(wanted: Wanted | undefined): void {
    if (wanted?.dataSet !== this.wanted?.dataSet) {
      this.end();
      for (const store of this.pictures.values()) store.set(NO_PICTURE);
      this.finals.clear();
      this.progress.set(IDLE);
    }
    this.wanted = wanted;
    this.plan();
  }

  /** Stops the pass; what has come stays, with a word that it is not all. */
  stop(): void {
    this.end();
    for (const store of this.pictures.values()) if (store.get().waiting) store.set({ ...store.get(), waiting: false });
    this.progress.set({ ...this.progress.get(), running: false, stopped: true });
  }

  /** Asks again for what is missing: after stop, or after an error. */
  again(panel?: string): void {
    if (panel !== undefined) this.finals.delete(panel);
    this.plan();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.end();
  }

  private rest(): void {
    this.progress.set({ ...this.progress.get(), running: false, done: 0, total: 0, stopped: false });
  }

  private end(): void {
    this.run?.abort.abort();
    this.run = undefined;
  }

  private keys(wanted: Wanted): Map<string, string> {
    const keys = new Map<string, string>();
    const of = (panel: PanelInit) => [wanted.dataSet, wanted.shared, wanted.dark, panel];
    for (const panel of wanted.panels) {
      const leader = panel.like ? wanted.panels.find((p) => p.id === panel.like) : undefined;
      keys.set(panel.id, keyOf([of(panel), leader && [leader.view, leader.subject, leader.map, leader.params, leader.sort, leader.period]]));
    }
    return keys;
  }

  private plan(): void {
    clearTimeout(this.timer);
    const { wanted, run } = this;
    if (!wanted) return;
    const keys = this.keys(wanted);
    for (const id of this.pictures.keys()) if (!keys.has(id)) this.finals.delete(id);
    const missing = wanted.panels.filter((p) => this.finals.get(p.id) !== keys.get(p.id));
    if (missing.length === 0) {
      this.end();
      this.rest();
      return;
    }
    if (run && missing.every((p) => run.keys.get(p.id) === keys.get(p.id))) return;
    const wait = run ? PATIENCE - (performance.now() - run.began) : 0;
    this.timer = window.setTimeout(() => this.begin(wanted, missing, keys), Math.max(0, wait));
  }

  private begin(wanted: Wanted, missing: readonly PanelInit[], keys: ReadonlyMap<string, string>): void {
    this.end();
    const run: Run = { abort: new AbortController(), keys: new Map(missing.map((p) => [p.id, keys.get(p.id) ?? ''])), began: performance.now() };
    this.run = run;
    for (const { id } of missing) {
      const store = this.picture(id);
      store.set({ ...store.get(), waiting: true });
    }
    // Those that are followed come along: the server must know how they are sorted.
    const leaders = wanted.panels.filter((p) => !missing.includes(p) && missing.some((m) => m.like === p.id));
    this.progress.set({ ...this.progress.get(), running: true, done: 0, total: 0, stopped: false });
    const wholes = missing.filter((p) => p.period && !this.extents.has(this.extentKey(wanted, p))).map(wholeOf);
    void this.follow(run, { ...wanted, panels: [...missing, ...leaders, ...wholes] });
  }

  private extentKey({ dataSet, shared }: Wanted, { view, subject, map, params }: PanelInit): string {
    return keyOf([dataSet, shared.filter, view, subject, map, params]);
  }

  /** Remembers how much there is of a coordinate, from a picture of all of it. */
  private learn(request: Wanted, panel: PanelInit, picture: PanelPicture): void {
    const across = picture.scene?.plots.length === 1 ? picture.scene.plots[0].across : undefined;
    if (!picture.final || panel.period || !across || across.entities) return;
    this.extents.set(this.extentKey(request, panel), { min: across.min, max: across.max });
    if (this.extents.size > 200) this.extents.delete(this.extents.keys().next().value ?? '');
  }

  private take(run: Run, request: Wanted, answer: Picture): void {
    const panel = request.panels.find((p) => p.id === answer.panel);
    if (!panel) return;
    if (panel.id.endsWith(WHOLE)) {
      this.learn(request, panel, keepPicture(answer, NO_PICTURE));
      const owner = this.picture(panel.id.slice(0, -WHOLE.length));
      owner.set(widened(owner.get(), this.extents.get(this.extentKey(request, panel))));
      return;
    }
    const key = run.keys.get(panel.id);
    if (key === undefined) return;
    const store = this.picture(panel.id);
    const picture = keepPicture(answer, store.get());
    this.learn(request, panel, picture);
    store.set(panel.period ? widened(picture, this.extents.get(this.extentKey(request, panel))) : picture);
    if (answer.final || answer.error !== '') this.finals.set(panel.id, key);
  }

  private async follow(run: Run, request: Wanted): Promise<void> {
    const { signal } = run.abort;
    try {
      for await (const answer of this.client.visualize({ ...request, panels: [...request.panels] }, { signal })) {
        if (this.run !== run) return;
        for (const picture of answer.pictures) this.take(run, request, picture);
        const total = Number(answer.total);
        const passed = answer.complete && total > 0;
        const { events, ms } = this.progress.get();
        this.progress.set({ running: !answer.complete, done: Number(answer.done), total, stopped: false, events: passed ? total : events, ms: passed ? performance.now() - run.began : ms });
      }
      if (this.run !== run) return;
      this.run = undefined;
      this.rest();
      // What has not become final by now will not by asking once more.
      for (const [id, key] of run.keys) {
        this.finals.set(id, key);
        const store = this.picture(id);
        if (store.get().waiting) store.set({ ...store.get(), waiting: false });
      }
      this.plan();
    } catch (error) {
      if (this.run !== run) return;
      this.run = undefined;
      this.rest();
      if (signal.aborted || isAbort(error)) return;
      for (const [id, key] of run.keys) {
        if (this.finals.get(id) === key) continue;
        const store = this.picture(id);
        store.set({ ...store.get(), scene: undefined, error: wordsOf(error), waiting: false });
        this.finals.set(id, key);
      }
    }
  }
}

// The workbench as its panels see it: what they are asked for with, and what can be done.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from '../api/context';
import { wordsOf } from '../api/errors';
import { download, writeFile, type ExportFormat } from '../api/exports';
import { panelInit, sharedInit } from '../api/requests';
import type { SceneState } from '../api/useScene';
import { Visualizer, type PanelInit, type SharedInit } from '../api/visualizer';
import type { DataSet, GetCatalogResponse, View } from '../gen/cambium/v1/workbench_pb';
import type { Bench, Room } from '../panels/bench';
import { treeSettings } from '../panels/treeSettings';
import type { Address } from '../state/address';
import { activate, amendWork, deskOf, doWork, glanceAt, newId, setFront, type Desk } from '../state/desks';
import { combine, type How } from '../state/filters';
import { firstGlance, type Glance } from '../state/glance';
import { parseSteps, requestSteps } from '../state/steps';
import type { Pairing } from '../state/pairing';
import { distinct, titleOf } from '../state/titles';
import { makePanel, withoutPanel, withPanel, type PanelSpec, type Work } from '../state/work';
import { bringToFront } from './useDeskOf';

interface Given {
  dataSet: DataSet | undefined;
  catalog: GetCatalogResponse | undefined;
  desk: Desk | undefined;
  dark: boolean;
  address: Address;
  forceCanvas: boolean;
  navigate: Bench['navigate'];
  onFrontScene: (shown: SceneState) => void;
  onPainter: (name: string) => void;
  onTrouble: (words: string) => void;
}

const NO_SHARED: SharedInit = { filter: '', groups: [], selection: '' };

/** The server takes no more. */
const MOST_PANELS = 24;

export function useBench(given: Given): Bench | undefined {
  const { dataSet, catalog, desk, dark, address, onTrouble } = given;
  const client = useClient();
  const visualizer = useMemo(() => new Visualizer(client), [client]);
  useEffect(() => () => visualizer.dispose(), [visualizer]);
  const [rooms, setRooms] = useState<Readonly<Record<string, Room>>>({});
  const [configuring, setConfiguring] = useState('');
  const [titles, setTitles] = useState<ReadonlyMap<string, string>>(new Map());
  const id = dataSet?.id ?? '';
  const work = desk?.history.now;

  const viewOf = useCallback((panel: PanelSpec) => catalog?.views.find((v) => v.name === panel.view), [catalog]);
  const filters = work?.filters;
  const groups = work?.groups;
  const selection = work?.selection;
  const pairing = work?.pairing;
  const shared = useMemo(() => (work ? sharedInit(work) : NO_SHARED), [filters, groups, selection, pairing]); // oxlint-disable-line react/exhaustive-deps

  const setRoom = useCallback((panel: string, room: Room | undefined) => {
    setRooms((now) => {
      const before = now[panel];
      if (before?.width === room?.width && before?.height === room?.height && before?.first === room?.first) return now;
      const next = { ...now };
      if (room) next[panel] = room;
      else delete next[panel];
      return next;
    });
  }, []);

  // Charts of events, as they are wanted now.
  const panels = work?.panels;
  const glances = desk?.glances;
  const wanted = useMemo<PanelInit[]>(
    () => (panels ?? []).flatMap((panel) => {
      const room = rooms[panel.id];
      return room && viewOf(panel)?.tree === false ? [panelInit(panel, glances?.[panel.id] ?? {}, room)] : [];
    }),
    [panels, glances, rooms, viewOf],
  );
  useEffect(() => {
    visualizer.want(id === '' || !desk ? undefined : { dataSet: id, shared, panels: wanted, dark });
  }, [visualizer, id, desk === undefined, shared, wanted, dark]); // oxlint-disable-line react/exhaustive-deps

  // Titles say what charts show, which the server tells with the picture.
  useEffect(() => {
    const tell = () => {
      const list = panels ?? [];
      const names = distinct(list.map((p) => titleOf(p, viewOf(p), visualizer.picture(p.id).get().map)));
      setTitles((now) => (list.length === now.size && list.every((p, i) => now.get(p.id) === names[i]) ? now : new Map(list.map((p, i) => [p.id, names[i]]))));
    };
    tell();
    const stops = (panels ?? []).map((p) => visualizer.picture(p.id).subscribe(tell));
    return () => stops.forEach((stop) => stop());
  }, [panels, viewOf, visualizer]);

  const latest = useRef({ ...given, wanted, shared, rooms, viewOf });
  latest.current = { ...given, wanted, shared, rooms, viewOf };

  const does = useMemo(() => {
    const now = () => latest.current;
    const requestOf = (panel: string) => now().wanted.find((p) => p.id === panel);
    const addPanel = (what: string, make: (id: string) => PanelSpec, glance?: Glance) => {
      const current = deskOf(id);
      if (!current) return;
      if (current.history.now.panels.length >= MOST_PANELS) {
        now().onTrouble(`There are ${MOST_PANELS} charts, which is as many as there can be: close one first.`);
        return;
      }
      const panel = make(newId(current));
      if (glance) glanceAt(id, panel.id, glance);
      doWork(id, what, (w) => withPanel(w, panel));
      const tree = now().viewOf(panel)?.tree === true;
      if (tree && current.front === '') setFront(id, panel.id);
      activateOn(panel.id);
    };
    const activateOn = (panel: string) => {
      activate(id, panel);
      const found = deskOf(id)?.history.now.panels.find((p) => p.id === panel);
      if (found && now().viewOf(found)?.tree) bringToFront(id, panel);
    };
    /** What writes a file of a panel, of trees too. */
    const exported = (panel: string): PanelInit | undefined => {
      const current = deskOf(id);
      const spec = current?.history.now.panels.find((p) => p.id === panel);
      if (!current || !spec) return undefined;
      const view = now().viewOf(spec);
      if (!view?.tree) return requestOf(panel) && { ...requestOf(panel), id: panel, first: 0n };
      const { address: a, dataSet: set } = now();
      const look = current.front === panel ? { steps: requestSteps(a.steps), metric: a.metric, params: a.params } : current.glances[panel]?.look;
      const { metric, params } = treeSettings(view, set, look?.metric ?? '', { ...spec.params, ...look?.params });
      const room = document.querySelector(`[data-testid="panel-${panel}"] .chart`)?.getBoundingClientRect();
      return { ...panelInit(spec, {}, { width: room?.width ?? 1000, height: room?.height ?? 800, first: 0 }), params, steps: current.front === panel ? requestSteps(a.steps) : requestSteps(parseSteps(look?.steps ?? '')), metric: metric?.name ?? '', highlight: a.q };
    };
    return {
      requestOf,
      requestsOf: (panel: string) => {
        const one = requestOf(panel);
        if (!one) return [];
        const all: PanelInit[] = [one];
        // Those that are followed, and whom those follow.
        for (let at = one; at.like; ) {
          const next = requestOf(at.like);
          if (!next || all.includes(next)) break;
          all.push(next);
          at = next;
        }
        return all;
      },
      change: (what: string, next: (w: Work) => Work) => doWork(id, what, next),
      amend: (next: (w: Work) => Work) => amendWork(id, next),
      glance: (panel: string, change: Partial<Glance>) => glanceAt(id, panel, change),
      activate: activateOn,
      configure: (panel: string) => {
        if (panel !== '') activateOn(panel);
        setConfiguring(panel);
      },
      select: (filter: string, how: How) => doWork(id, filter === '' && how === 'replace' ? 'clear the selection' : 'select', (w) => ({ ...w, selection: combine(w.selection, filter, how) })),
      pair: (what: string, next: (pairing: Pairing) => Pairing) => doWork(id, what, (w) => ({ ...w, pairing: next(w.pairing) })),
      addChart: (view: View) => addPanel(`add ${view.title || view.name}`, (panel) => makePanel(panel, view.name), firstGlance(view.name)),
      duplicate: (panel: string) => {
        const current = deskOf(id);
        const spec = current?.history.now.panels.find((p) => p.id === panel);
        if (!current || !spec) return;
        const { steps, metric, params } = now().address;
        const glance = current.front === panel ? { look: { steps: steps.map((s) => (s.arg === '' ? s.op : `${s.op}:${s.arg}`)).join(','), metric, params } } : current.glances[panel];
        addPanel('duplicate a chart', (fresh) => ({ ...spec, id: fresh }), glance);
      },
      close: (panel: string) => {
        const current = deskOf(id);
        if (current?.front === panel) {
          const other = current.history.now.panels.find((p) => p.id !== panel && now().viewOf(p)?.tree);
          bringToFront(id, other?.id ?? '');
        }
        doWork(id, 'close a chart', (w) => withoutPanel(w, panel));
        setConfiguring('');
      },
      save: (panel: string, format: ExportFormat) => {
        const one = exported(panel);
        if (!one) {
          now().onTrouble('There is no picture to save yet.');
          return;
        }
        const { shared: common, wanted: all, dark: inDark } = now();
        const panels = [one, ...all.filter((p) => p.id !== panel)];
        writeFile(format, panel, { dataSet: id, shared: common, panels, dark: inDark })
          .then(download)
          .catch((error: unknown) => now().onTrouble(`The file could not be written: ${wordsOf(error)}`));
      },
    };
  }, [id]);

  const { forceCanvas, navigate, onFrontScene, onPainter } = given;
  return useMemo<Bench | undefined>(() => {
    if (!dataSet || !catalog || !desk) return undefined;
    return {
      ...does, dataSet, catalog, desk, dark, address, shared, forceCanvas, visualizer, viewOf, setRoom, configuring, navigate, onFrontScene, onPainter,
      titleOf: (panel) => (panel.title === '' ? (titles.get(panel.id) ?? titleOf(panel, viewOf(panel), {})) : panel.title),
      say: onTrouble,
    };
  }, [does, dataSet, catalog, desk, dark, address, shared, forceCanvas, visualizer, viewOf, setRoom, configuring, navigate, onFrontScene, onPainter, titles, onTrouble]);
}

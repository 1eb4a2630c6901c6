// The desk of the data set that is shown: made when it is first seen, from the address or by
// default, and told to the address whenever it changes.
import { useEffect, useState } from 'react';
import { useClient } from '../api/context';
import { isAbort } from '../api/errors';
import type { WorkbenchClient } from '../api/client';
import type { DataSet, GetCatalogResponse } from '../gen/cambium/v1/workbench_pb';
import { addressOf, deskOf, glanceAt, isKeptHere, layOut, layOutFrom, setFront, useDesk, type Desk } from '../state/desks';
import { firstGlance } from '../state/glance';
import { pack } from '../state/packed';
import type { Layout } from '../state/layout';
import { formatSteps, parseSteps } from '../state/steps';
import { addressNow, go } from '../state/useAddress';
import { makePanel, NO_WORK, type PanelSpec, type Work } from '../state/work';
import type { Address } from '../state/address';
import { firstTree } from '../panels/treeSettings';
import { hasCalls, mostOf } from './firstCharts';

/** What a data set without calling contexts opens with: charts that say who and when. */
const FIRST = ['bar', 'hotspot'];
/** What a comparison of traces opens with. */
const COMPARING = ['overview', 'gaps', 'matches'];
/** Shares of the room that they get, in percent. */
const NARROW = 38;

/** Those of the charts that something can be shown in, with what there is most of. */
async function eventCharts(client: WorkbenchClient, dataSet: string, names: readonly string[], signal: AbortSignal): Promise<Omit<PanelSpec, 'id'>[]> {
  const forms = await Promise.all(names.map((view) => client.getForm({ dataSet, view }, { signal })));
  return names.flatMap((view, i) => {
    const { subject, subjects, problem } = forms[i];
    return subject === '' || problem !== '' ? [] : [makePanel('', view, { subject: mostOf(subjects, subject) })];
  });
}

/** A comparison opens with the overview, what only one run did beside it, and below it what matches in its focus. */
function comparisonWork(catalog: GetCatalogResponse): Work {
  const views = COMPARING.filter((name) => catalog.views.some((v) => v.pair && v.name === name));
  const panels = views.map((view, i): PanelSpec => makePanel(String(i + 1), view));
  const at = (view: string): Layout => ({ tabs: [String(views.indexOf(view) + 1)] });
  const above: Layout = { split: 'row', parts: [[68, at('overview')], [32, at('gaps')]] };
  if (!views.includes('overview') || !views.includes('gaps')) return { ...NO_WORK, panels };
  return { ...NO_WORK, panels, layout: views.includes('matches') ? { split: 'column', parts: [[48, above], [52, at('matches')]] } : above };
}

/** What a comparison of profiles opens with: where the change is, and how much it is. */
const DIFFERENCE = ['icicle', 'treetable'];

function differenceWork(catalog: GetCatalogResponse): Work {
  const panels = DIFFERENCE.filter((name) => catalog.views.some((v) => v.name === name)).map((view, i): PanelSpec => makePanel(String(i + 1), view, view === 'treetable' ? { params: { sort: 'change' } } : {}));
  const layout: Work['layout'] = panels.length === 2 ? { split: 'column', parts: [[58, { tabs: ['1'] }], [42, { tabs: ['2'] }]] } : undefined;
  return { ...NO_WORK, panels, layout };
}

const TIMELINE = 'timeline';

/** A tree, and below it the calls of a trace. */
function treeWork(view: string, timeline: boolean): Work {
  if (!timeline) return { ...NO_WORK, panels: [makePanel('1', view)] };
  return { ...NO_WORK, panels: [makePanel('1', view), makePanel('2', TIMELINE)], layout: { split: 'column', parts: [[60, { tabs: ['1'] }], [40, { tabs: ['2'] }]] } };
}

async function defaultWork(client: WorkbenchClient, catalog: GetCatalogResponse, dataSet: DataSet, trees: boolean, wanted: string, signal: AbortSignal): Promise<Work> {
  const named = catalog.views.find((v) => v.name === wanted);
  if (dataSet.compares.length > 0 && dataSet.traces) return comparisonWork(catalog);
  if (dataSet.compares.length > 0 && !named?.tree) return differenceWork(catalog);
  const tree = named?.tree ? named : firstTree(catalog.views);
  if (named && !named.tree) return { ...NO_WORK, panels: [makePanel('1', named.name)] };
  if (trees && tree) return treeWork(tree.name, !named && hasCalls(dataSet.events) && catalog.views.some((v) => v.name === TIMELINE));
  const events = catalog.views.filter((v) => !v.tree && !v.pair).map((v) => v.name);
  let views = await eventCharts(client, dataSet.id, FIRST.filter((n) => events.includes(n)), signal);
  if (views.length === 0) views = (await eventCharts(client, dataSet.id, events, signal)).slice(0, 1);
  const panels = views.map((panel, i): PanelSpec => ({ ...panel, id: String(i + 1) }));
  const layout: Work['layout'] = panels.length === 2 ? { split: 'row', parts: [[NARROW, { tabs: ['1'] }], [100 - NARROW, { tabs: ['2'] }]] } : undefined;
  return { ...NO_WORK, panels, layout };
}

export interface DeskState {
  desk: Desk | undefined;
  /** Nothing in the data set can be drawn. */
  nothing: boolean;
  /** The address names a desk that another tab kept. */
  lost: boolean;
}

export function useDeskOf(dataSet: DataSet | undefined, ready: boolean, trees: boolean, catalog: GetCatalogResponse | undefined, address: Address): DeskState {
  const client = useClient();
  const id = ready && dataSet ? dataSet.id : '';
  const desk = useDesk(id);
  const [nothing, setNothing] = useState('');
  const [lost, setLost] = useState(false);

  useEffect(() => {
    if (id === '' || desk || !catalog || !dataSet) return undefined;
    const abort = new AbortController();
    defaultWork(client, catalog, dataSet, trees, address.view, abort.signal)
      .then((work) => {
        if (abort.signal.aborted) return;
        const isTree = (panel: PanelSpec) => catalog.views.find((v) => v.name === panel.view)?.tree === true;
        const glances = Object.fromEntries(work.panels.map((p) => [p.id, firstGlance(p.view)]));
        const initial = pack(work, glances);
        const kept = addressNow().work;
        if (kept !== '' && layOutFrom(id, kept, initial)) return;
        setLost(isKeptHere(kept));
        setNothing(work.panels.length === 0 ? id : '');
        if (work.panels.length > 0) layOut(id, work, glances, work.panels.find(isTree)?.id ?? '', initial);
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbort(error)) setNothing(id);
      });
    return () => abort.abort();
    // The view of the address is where it begins, no more.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [client, id, desk === undefined, catalog, trees]);

  // The steps of the address are always those of a panel that is there.
  const panels = desk?.history.now.panels;
  const front = desk?.front;
  useEffect(() => {
    if (id === '' || !panels || front === undefined || !catalog) return;
    const isTree = (panel: PanelSpec) => catalog.views.find((v) => v.name === panel.view)?.tree === true;
    if (panels.some((p) => p.id === front && isTree(p))) return;
    bringToFront(id, panels.find(isTree)?.id ?? '');
  }, [id, panels, front, catalog]);

  useEffect(() => {
    if (!desk || id === '' || address.ds !== id) return;
    const value = addressOf(desk);
    if (value !== address.work) go((now) => (now.ds === id ? { work: value } : {}), 'replace');
  }, [desk, id, address.ds, address.work]);

  return { desk, nothing: nothing !== '' && nothing === id, lost };
}

/** Makes the address's steps those of another panel; the panel before keeps its own. */
export function bringToFront(dataSet: string, panel: string): void {
  const desk = deskOf(dataSet);
  const { ds, steps, metric, params } = addressNow();
  if (!desk || desk.front === panel || (ds !== '' && ds !== dataSet)) return;
  if (desk.front !== '') glanceAt(dataSet, desk.front, { look: { steps: formatSteps(steps), metric, params } });
  const look = desk.glances[panel]?.look;
  setFront(dataSet, panel);
  if (panel !== '') glanceAt(dataSet, panel, { look: undefined });
  go({ steps: parseSteps(look?.steps ?? ''), metric: look?.metric ?? '', params: look?.params ?? {} }, 'replace');
}

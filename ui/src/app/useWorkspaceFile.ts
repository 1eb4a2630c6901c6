// Saved workspaces: written by the server so that they mean something in other data sets, and
// made to fit by it when they are opened.
import { useCallback, useEffect, useState } from 'react';
import type { WorkbenchClient } from '../api/client';
import { download } from '../api/exports';
import { wordsOf } from '../api/errors';
import { panelInit, sharedInit } from '../api/requests';
import { useClient } from '../api/context';
import type { PanelInit, Visualizer } from '../api/visualizer';
import type { DataSet, GetCatalogResponse, Panel, Workspace } from '../gen/cambium/v1/workbench_pb';
import { deskOf, doWork, glanceAt, newId, useDesk, type Desk } from '../state/desks';
import { partsOf } from '../state/filters';
import type { Glance } from '../state/glance';
import { isLayout, type Layout } from '../state/layout';
import { requestSteps } from '../state/steps';
import { addressNow, go } from '../state/useAddress';
import type { Pairing as SavedPairing } from '../gen/cambium/v1/comparison_pb';
import { NO_PAIRING, type Pairing } from '../state/pairing';
import { makePanel, type PanelSpec, type Work } from '../state/work';

/** What was said about a workspace that was opened. */
export interface Report {
  file: string;
  problems: readonly string[];
  error: string;
}

function treeLook(desk: Desk, panel: PanelSpec): { steps: string; metric: string; params: Record<string, string> } {
  if (desk.front === panel.id) {
    const { steps, metric, params } = addressNow();
    return { steps: requestSteps(steps), metric, params };
  }
  const look = desk.glances[panel.id]?.look;
  return { steps: look?.steps ?? '', metric: look?.metric ?? '', params: { ...panel.params, ...look?.params } };
}

async function writeWorkspace(client: WorkbenchClient, dataSet: DataSet, desk: Desk, catalog: GetCatalogResponse, visualizer: Visualizer | undefined) {
  const work = desk.history.now;
  const panels = work.panels.map((panel): PanelInit => {
    const tree = catalog.views.find((v) => v.name === panel.view)?.tree === true;
    const init = panelInit(panel, desk.glances[panel.id] ?? {}, { width: 0, height: 0, first: 0 });
    if (tree) return { ...init, ...treeLook(desk, panel) };
    // Written out, so that it is said what another data set does not have.
    const shown = visualizer?.picture(panel.id).get();
    return shown ? { ...init, subject: shown.subject || init.subject, map: { ...shown.map, ...init.map }, params: { ...shown.params, ...init.params } } : init;
  });
  return client.saveWorkspace({ dataSet: dataSet.id, workspace: { title: dataSet.name, panels, shared: sharedInit(work), layout: work.layout ? JSON.stringify(work.layout) : '' } });
}

function readLayout(text: string, ids: ReadonlyMap<string, string>): Layout | undefined {
  const rename = (layout: Layout): Layout =>
    'tabs' in layout
      ? { tabs: layout.tabs.map((t) => ids.get(t) ?? t), ...(layout.front !== undefined && { front: ids.get(layout.front) ?? layout.front }) }
      : { split: layout.split, parts: layout.parts.map(([share, part]) => [share, rename(part)] as const) };
  try {
    const value: unknown = JSON.parse(text);
    return isLayout(value) ? rename(value) : undefined;
  } catch {
    return undefined;
  }
}

function glanceOf(panel: Panel): Glance {
  const glance: Glance = {};
  if (panel.rows && panel.rows.to > panel.rows.from) glance.rows = { from: panel.rows.from, to: panel.rows.to };
  if (panel.columns && panel.columns.to > panel.columns.from) glance.columns = { from: panel.columns.from, to: panel.columns.to };
  if (panel.period) glance.period = { from: Number(panel.period.from), to: Number(panel.period.to) };
  return glance;
}

function readPairing(p: SavedPairing | undefined): Pairing {
  if (!p) return NO_PAIRING;
  const span = (f: SavedPairing['focusA']) => f && { from: Number(f.from), to: Number(f.to) };
  return { run: p.run, tau: p.tau, names: p.names, focus: [span(p.focusA), span(p.focusB)], threads: [p.threadA, p.threadB], swapped: p.swapped };
}

/** Puts what the server made of a file on the desk: one step of undoing. */
function apply(dataSet: string, workspace: Workspace, isTree: (view: string) => boolean): void {
  const desk = deskOf(dataSet);
  if (!desk) return;
  // Panels of the file must not be taken for those that were there.
  const first = Number(newId(desk));
  const ids = new Map(workspace.panels.map((p, i) => [p.id, String(first + i)]));
  const idOf = (id: string) => ids.get(id) ?? '';
  const panels = workspace.panels.map((p) => makePanel(idOf(p.id), p.view, { title: p.title, subject: p.subject, map: p.map, params: isTree(p.view) ? {} : p.params, sort: p.sort, like: idOf(p.like) }));
  const work: Work = {
    panels,
    filters: partsOf(workspace.shared?.filter ?? ''),
    groups: (workspace.shared?.groups ?? []).map((g) => ({ name: g.name, colour: g.color, filter: g.filter, hidden: g.hidden })),
    selection: workspace.shared?.selection ?? '',
    pairing: readPairing(workspace.shared?.pairing),
    layout: readLayout(workspace.layout, ids),
  };
  for (const p of workspace.panels) {
    const look = isTree(p.view) ? { look: { steps: p.steps, metric: p.metric, params: { ...p.params } } } : {};
    glanceAt(dataSet, idOf(p.id), { ...glanceOf(p), ...look });
  }
  doWork(dataSet, 'open a workspace', () => work);
}

export function useWorkspaceFile(dataSet: DataSet | undefined, catalog: GetCatalogResponse | undefined, visualizer: Visualizer | undefined, onTrouble: (words: string) => void) {
  const client = useClient();
  const [report, setReport] = useState<Report>();
  const save = useCallback(async () => {
    const desk = dataSet && deskOf(dataSet.id);
    if (!desk || !catalog) return;
    try {
      const { content, fileName } = await writeWorkspace(client, dataSet, desk, catalog, visualizer);
      download({ name: fileName || 'workspace.cambium.json', content: new Blob([new Uint8Array(content)], { type: 'application/json' }) });
    } catch (error) {
      onTrouble(`The workspace could not be saved: ${wordsOf(error)}`);
    }
  }, [client, dataSet, catalog, visualizer, onTrouble]);
  const open = useCallback(
    async (name: string, content: Uint8Array<ArrayBuffer>, into?: string) => {
      const target = into ?? dataSet?.id;
      if (target === undefined || !catalog) return;
      try {
        const { workspace, problems } = await client.openWorkspace({ dataSet: target, content });
        if (!workspace) throw new Error('The server sent no workspace.');
        apply(target, workspace, (view) => catalog.views.find((v) => v.name === view)?.tree === true);
        go({ pin: undefined }, 'replace');
        if (problems.length > 0) setReport({ file: name, problems, error: '' });
      } catch (error) {
        setReport({ file: name, problems: [], error: wordsOf(error) });
      }
    },
    [client, dataSet, catalog],
  );
  // The desk of another data set is there once it has been laid out.
  const [pending, setPending] = useState<{ into: string; from: string; workspace: Workspace; problems: readonly string[] }>();
  const desk = useDesk(dataSet?.id ?? '');
  useEffect(() => {
    if (!pending || !desk || !catalog || pending.into !== dataSet?.id) return;
    setPending(undefined);
    apply(pending.into, pending.workspace, (view) => catalog.views.find((v) => v.name === view)?.tree === true);
    if (pending.problems.length > 0) setReport({ file: pending.from, problems: pending.problems, error: '' });
  }, [pending, desk, catalog, dataSet?.id]);
  const applyTo = useCallback(
    async (into: string, show: (dataSet: string) => void) => {
      const from = dataSet && deskOf(dataSet.id);
      if (!from || !catalog) return;
      const name = `The workspace of ${dataSet.name}`;
      try {
        const { content } = await writeWorkspace(client, dataSet, from, catalog, visualizer);
        const { workspace, problems } = await client.openWorkspace({ dataSet: into, content });
        if (!workspace) throw new Error('The server sent no workspace.');
        setPending({ into, from: name, workspace, problems });
        show(into);
      } catch (error) {
        setReport({ file: name, problems: [], error: wordsOf(error) });
      }
    },
    [client, dataSet, catalog, visualizer],
  );
  return { save, open, applyTo, report, forget: () => setReport(undefined) };
}


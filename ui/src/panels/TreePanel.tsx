// A panel with a chart of calling contexts. The front one's steps are those of the address; the
// others keep theirs with the workspace until somebody turns to them.
import { CloseButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useScene, type SceneRequest } from '../api/useScene';
import { keyOf } from '../api/visualizer';
import { TreeTable } from '../charts/TreeTable';
import { Chart } from './Chart';
import { Crumbs } from './Crumbs';
import { Busy, NoSamples, NothingLeft, SceneFailed } from './States';
import type { View } from '../gen/cambium/v1/workbench_pb';
import { quoted, type How } from '../state/filters';
import { FILTER, formatSteps, hasStep, parseSteps, requestSteps, type Step } from '../state/steps';
import { go } from '../state/useAddress';
import type { PanelSpec } from '../state/work';
import { useBench } from './bench';
import { useCompacting } from './compacting';
import { TreePass } from './TreePass';
import { useZooming } from './zooming';
import { pathTo, stateOf, upFrom } from './treeStates';
import { treeSettings } from './treeSettings';

const TABLE = 'treetable';
const SIDES = ['A', 'B'];
const SWAPPED = ['B', 'A'];

/** A table's rows are opened one by one, and what is compacted is little, so that only a depth that somebody chose limits it. */
function stepsFor(view: View, steps: readonly Step[]): string {
  return (view.name === TABLE || view.compacts) && !hasStep(steps, 'depth') ? formatSteps(steps) : requestSteps(steps);
}

/** The methods of a name: of a compacted one, all whose names begin so. */
function methodFilter(name: string, compacted: boolean): string {
  if (!compacted) return `Method == ${quoted(name)}`;
  const expression = name.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  return `Method matches ${quoted(`^${expression}${/\w$/.test(name) ? '\\b' : ''}`)}`;
}

export function TreePanel({ panel, view }: { panel: PanelSpec; view: View }) {
  const bench = useBench();
  const { address, dataSet, dark, desk, navigate, shared, onFrontScene } = bench;
  const front = desk.front === panel.id;
  const look = desk.glances[panel.id]?.look;
  const { ref, width, height } = useElementSize();
  const w = Math.floor(width);
  const h = Math.floor(height);
  const [shownWidth, setShownWidth] = useState<number>();
  const { zoom, zoomBy, room, dragging } = useZooming(view.compacts, front, w, h, shownWidth);
  const steps = stepsFor(view, front ? address.steps : parseSteps(look?.steps ?? ''));
  const [first, setFirst] = useState(0);
  const { metric, params } = useMemo(
    () => (front ? treeSettings(view, dataSet, address.metric, address.params) : treeSettings(view, dataSet, look?.metric ?? '', { ...panel.params, ...look?.params })),
    [front, view, dataSet, address.metric, address.params, look, panel.params],
  );
  const metricName = metric?.name ?? '';
  const drawable = dataSet.contexts > 0n && dataSet.metrics.some((m) => m.total > 0n);
  const request = useMemo<SceneRequest | undefined>(
    () => (drawable && w > 40 && h > 40 ? { dataSet: dataSet.id, steps, metric: metricName, view: view.name, params, width: Math.round(w * zoom), height: view.name === TABLE ? 2 * h : Math.round(h * zoom), dark, highlight: address.q, shared, first } : undefined),
    [drawable, w, h, zoom, dataSet.id, steps, metricName, view.name, params, dark, address.q, shared, first],
  );
  const shown = useScene(request);
  const { scene } = shown;
  useEffect(() => {
    if (front) onFrontScene(shown);
    // oxlint-disable-next-line react/exhaustive-deps
  }, [front, onFrontScene, shown.scene, shown.error, shown.loading, shown.request]);

  useEffect(() => setShownWidth(scene?.source.width), [scene]);
  const { act, blocked, forget } = useCompacting(request, front);

  const { select } = bench;
  const compacts = hasStep(parseSteps(scene?.source.steps ?? ''), 'compact');
  const onSelect = useCallback((id: number, what: 'context' | 'method', how: How, name: string) => select(what === 'context' ? `Context == ${id}` : methodFilter(name, compacts), how), [select, compacts]);

  // The calls of what is selected are marked in both traces; a chart of them is opened if there is none.
  const { addChart, catalog, viewOf } = bench;
  const panels = desk.history.now.panels;
  const onTimelines = useCallback(
    (id: number) => {
      select(`Context == ${id}`, 'replace');
      const pair = catalog.views.find((v) => v.pair);
      if (pair && !panels.some((p) => viewOf(p)?.pair)) addChart(pair);
    },
    [select, catalog, panels, viewOf, addChart],
  );

  const timelines = dataSet.compares.length > 0 && dataSet.traces ? onTimelines : undefined;

  // What is shown goes before what is asked for: a click is on what is seen.
  const state = stateOf(view, params);
  const set = useCallback((name: string, value: string, how?: 'replace') => go((now) => ({ params: { ...now.params, [name]: value } }), how), []);
  const onFocus = useCallback(
    (id: number, index?: number) => {
      if (state === '' || index === undefined || !scene) {
        navigate.focus(id);
      } else if (state === 'zoom') {
        const path = pathTo(scene, index);
        set(state, path === params[state] ? upFrom(path) : path);
      } else {
        set(state, String(id));
      }
    },
    [navigate, params, scene, set, state],
  );
  const onUp = useCallback(() => {
    const at = state === 'zoom' ? (params[state] ?? '') : '';
    if (at === '') navigate.up();
    else set(state, upFrom(at));
  }, [navigate, params, set, state]);
  const onOpen = useCallback((open: string) => set('open', open, 'replace'), [set]);
  const onSort = useCallback((sort: string) => set('sort', sort, 'replace'), [set]);
  const filtered = hasStep(parseSteps(steps), FILTER) || (shared.filter ?? '') !== '';
  const { change } = bench;
  const unfilter = useCallback(() => {
    go((now) => ({ steps: now.steps.filter((s) => s.op !== FILTER) }));
    if (desk.history.now.filters.length > 0) change('remove all filters', (work) => ({ ...work, filters: [] }));
  }, [change, desk]);
  const of = useMemo(() => keyOf({ ...shown.request, first: 0 }), [shown.request]);

  function body() {
    if (!drawable) return <NoSamples dataSet={dataSet} />;
    if (shown.error !== '') return <SceneFailed error={shown.error} onRetry={shown.retry} onWhole={() => go({ steps: [], pin: undefined, q: '' })} />;
    if (!scene) return shown.stopped ? null : <Busy words="Drawing …" />;
    const { table } = scene.source;
    // Changes of what is compared can sum up to nothing.
    if (dataSet.compares.length === 0 && (table?.tree ? Number(table.total) === 0 : scene.sectors.rootTotal === 0 && scene.sectors.size <= 1)) {
      return <NothingLeft metric={metricName} filtered={filtered} onUnfilter={unfilter} />;
    }
    if (table?.tree) {
      return (
        <TreeTable
          table={table}
          of={of}
          width={w}
          height={h}
          title={`${bench.titleOf(panel)} of ${dataSet.name}`}
          testId={front ? 'tree-table' : `tree-table-${panel.id}`}
          pin={address.pin}
          open={params['open'] ?? ''}
          onOpen={onOpen}
          onSort={onSort}
          onFirst={setFirst}
          onFocus={navigate.focus}
          onPin={navigate.pin}
          onAct={act}
          onSelect={onSelect}
          onTimelines={timelines}
        />
      );
    }
    return (
      <Chart
        scene={scene}
        width={scene.source.width || w}
        height={scene.source.height || h}
        title={`${bench.titleOf(panel)} of ${dataSet.name}`}
        unit={metric?.unit ?? ''}
        pin={address.pin}
        dark={dark}
        forceCanvas={bench.forceCanvas}
        testId={front ? 'chart' : `tree-${panel.id}`}
        onFocus={onFocus}
        onUp={onUp}
        onPin={navigate.pin}
        onDepth={view.compacts ? zoomBy : navigate.depth}
        onPainter={bench.onPainter}
        compacts={view.compacts}
        onAct={act}
        onSelect={onSelect}
        letters={desk.history.now.pairing.swapped ? SWAPPED : SIDES}
        onTimelines={timelines}
      />
    );
  }
  return (
    <div className="panel-body" data-testid={`panel-${panel.id}`} onFocusCapture={() => bench.activate(panel.id)} onWheelCapture={() => bench.activate(panel.id)}>
      {drawable && <div className="crumb-room">{scene && <Crumbs crumbs={scene.source.crumbs} rootTitle={scene.source.rootTitle} onFocus={navigate.focusCrumb} testIds={front} />}</div>}
      <div className="chart-room" ref={ref}>
        {view.compacts ? (
          <div className="zoomed" ref={room} {...dragging}>
            {body()}
          </div>
        ) : (
          body()
        )}
        <TreePass shown={shown} />
        {blocked !== '' && (
          <div className="blocked" role="status" data-testid="blocked">
            <span>{blocked}</span>
            <CloseButton size="xs" aria-label="Close" onClick={forget} />
          </div>
        )}
      </div>
    </div>
  );
}

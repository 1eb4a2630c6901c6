// The workbench: the address, the server's answers, and the panels that show them.
import { Button } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from '../api/context';
import { wordsOf } from '../api/errors';
import { useServer } from '../api/useDataSets';
import type { SceneState } from '../api/useScene';
import { useStepNames } from '../api/useStepNames';
import { useSearch } from '../api/useSearch';
import { DataSet_State, Metric_Part, type Crumb, type Metric } from '../gen/cambium/v1/workbench_pb';
import { BenchContext } from '../panels/bench';
import { compacting } from '../panels/compacting';
import { zooming } from '../panels/zooming';
import { CompareBar } from '../panels/CompareBar';
import { DetailsPanel } from '../panels/DetailsPanel';
import { Dock } from '../panels/Dock';
import { LeftPanel } from '../panels/LeftPanel';
import { LinkBar } from '../panels/LinkBar';
import { PairBar } from '../panels/PairBar';
import { Busy, Empty, Failed, NoSamples, Reading } from '../panels/States';
import { treeSettings } from '../panels/treeSettings';
import { FILTER, focusOf, formatSteps, removeStep, withDepth, type Depth, type Step } from '../state/steps';
import { deskOf, doWork } from '../state/desks';
import { setLevels } from '../state/levels';
import { catalogFor, chosen, isCompared, isNormalised, normalising, partOf } from '../state/compared';
import { isZoomed } from '../state/glance';
import { hovered, pointed } from '../state/hover';
import { prefer, usePreferences } from '../state/preferences';
import { addressNow, go, useAddress } from '../state/useAddress';
import { changeFilter, withFilter } from '../state/work';
import { actions } from './actions';
import { Banners } from './Banners';
import { Controls } from './Controls';
import { Help } from './Help';
import { Palette } from './Palette';
import { EventCounts, PassBar, PassWords } from './PassProgress';
import { StatusLine } from './StatusLine';
import { StepsBar } from './StepsBar';
import { publish, publishPictures } from './testHook';
import { TopBar } from './TopBar';
import { whyNotCompare } from './CompareMenu';
import { useBench } from './useBench';
import { useDeskOf } from './useDeskOf';
import { colourParameter, useNavigation, type Situation } from './useDoings';
import { useKeys } from './useKeys';
import { useLinked } from './useLinked';
import { useOpening } from './useOpening';
import { useSettings } from './useSettings';
import { useWorkspaceFile } from './useWorkspaceFile';
import { WorkspaceReport } from './WorkspaceReport';

const forceCanvas = new URLSearchParams(location.search).get('painter') === 'canvas';

const NO_FILTERS: readonly string[] = [];
const NO_CRUMBS: readonly Crumb[] = [];
const NO_METRICS: readonly Metric[] = [];
const SIDES = ['A', 'B'];
const SWAPPED = ['B', 'A'];
const NO_SCENE: SceneState = { scene: undefined, request: undefined, error: '', loading: false, pass: undefined, stopped: false, stop: () => undefined, retry: () => undefined };

export function Workbench({ scheme }: { scheme: 'light' | 'dark' }) {
  const client = useClient();
  const address = useAddress();
  const server = useServer();
  const { dataSet, missing, drawable } = useSettings(address, server.catalog, server.dataSets);
  const searchInput = useRef<HTMLInputElement>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const workspaceInput = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<'' | 'palette' | 'help'>('');
  const [adding, setAdding] = useState(false);
  const [comparing, setComparing] = useState(false);
  const { foldLeft, foldRight } = usePreferences();
  const [copied, setCopied] = useState('');
  const [painter, setPainter] = useState('');
  const [trouble, setTrouble] = useState('');
  const [front, setFrontScene] = useState<SceneState>(NO_SCENE);

  // A data set that was just opened may be in the address before the server tells of it.
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!missing) return undefined;
    const timer = setTimeout(() => setLate(true), 1500);
    return () => clearTimeout(timer);
  }, [missing, address.ds]);
  // From when it can be drawn, the address names what it shows. What is still read may fail.
  const ready = dataSet?.state === DataSet_State.READY;
  const readyId = ready ? dataSet.id : '';
  useEffect(() => {
    // The address may have changed since this was drawn.
    if (address.ds === '' && readyId !== '') go((now) => (now.ds === '' ? { ds: readyId } : {}), 'replace');
  }, [address.ds, readyId]);
  // Somebody who opened several files and named none should hear of those that failed.
  const [told, setTold] = useState(address.ds !== '');
  const failed = useMemo(() => (told ? [] : (server.dataSets ?? []).filter((d) => d.state === DataSet_State.FAILED && d.id !== dataSet?.id)), [told, server.dataSets, dataSet?.id]);

  const dark = scheme === 'dark';
  const compared = isCompared(dataSet);
  const catalog = useMemo(() => catalogFor(server.catalog, compared), [server.catalog, compared]);
  const { desk, nothing, lost } = useDeskOf(dataSet, ready, drawable, catalog, address);
  const panels = desk?.history.now.panels;
  const frontPanel = panels?.find((p) => p.id === desk?.front);
  const view = catalog?.views.find((v) => v.tree && v.name === frontPanel?.view);
  const { metric, params } = useMemo(() => treeSettings(view, dataSet, address.metric, address.params), [view, dataSet, address.metric, address.params]);
  const metricName = metric?.name ?? '';
  const hasTree = view !== undefined && drawable;
  const shown = hasTree ? front : NO_SCENE;
  const { scene } = shown;
  const crumbs = scene?.source.crumbs ?? NO_CRUMBS;
  const dataSetId = dataSet?.id ?? '';
  const stepNames = useStepNames(dataSetId, address.steps, crumbs);
  const found = useSearch(hasTree ? shown.request : undefined, address.q);
  useEffect(() => publish(scene), [scene]);
  useEffect(() => {
    document.title = dataSet ? `${dataSet.name} – cambium` : 'cambium';
  }, [dataSet]);

  const situation = useRef<Situation>(undefined as unknown as Situation);
  situation.current = { crumbs, layers: scene?.source.layers ?? 0, maxLayers: scene?.source.maxLayers ?? 0, found: found.answer, dataSet, view, metric: metricName, params };
  const navigate = useNavigation(situation);
  const bench = useBench({ dataSet: ready ? dataSet : undefined, catalog: catalog, desk, dark, address, forceCanvas, navigate, onFrontScene: setFrontScene, onPainter: setPainter, onTrouble: setTrouble });
  useEffect(() => (bench ? publishPictures(bench.visualizer) : undefined), [bench]);
  const files = useWorkspaceFile(dataSet, catalog, bench?.visualizer, setTrouble);
  const openWorkspace = useCallback(
    (name: string, content: Uint8Array<ArrayBuffer>) => {
      if (desk) void files.open(name, content);
      else setTrouble(`${name} is a saved workspace: open the data set first that it should be applied to.`);
    },
    [desk, files],
  );
  const opening = useOpening(navigate.dataSet, openWorkspace);
  const linked = useLinked(dataSetId, desk);

  const setSteps = useCallback((what: string, next: Step[]) => setLevels(dataSetId, what, formatSteps(next)), [dataSetId]);
  const setFilter = useCallback((at: number, text: string) => doWork(dataSetId, text === '' ? 'remove a filter' : 'change a filter', (work) => changeFilter(work, at, text)), [dataSetId]);
  const filterHere = useCallback(
    (at: number) => {
      const text = deskOf(dataSetId)?.history.now.filters[at] ?? '';
      setLevels(dataSetId, 'filter this chart', formatSteps([{ op: FILTER, arg: text }, ...addressNow().steps]));
      doWork(dataSetId, 'remove a filter', (work) => changeFilter(work, at, ''));
    },
    [dataSetId],
  );
  const filterEverywhere = useCallback(
    (step: number) => {
      const { steps } = addressNow();
      const text = steps[step]?.arg ?? '';
      setLevels(dataSetId, 'remove a filter', formatSteps(removeStep(steps, step)));
      doWork(dataSetId, 'filter all charts', (work) => withFilter(work, text));
    },
    [dataSetId],
  );
  const setDepth = useCallback((depth: Depth) => go((now) => ({ steps: withDepth(now.steps, depth) }), 'replace'), []);
  const setMetric = useCallback((name: string) => go({ metric: chosen(dataSet?.metrics ?? [], metric, name) }), [dataSet, metric]);
  const swapped = desk?.history.now.pairing.swapped ?? false;
  const letters = swapped ? SWAPPED : SIDES;
  const pair = bench?.pair;
  const swap = useCallback(() => pair?.('swap the sides', (now) => ({ ...now, swapped: !now.swapped })), [pair]);
  const normalise = useCallback(() => go({ metric: normalising(dataSet?.metrics ?? [], metric) || (metric?.name ?? '') }), [dataSet, metric]);
  const setParam = useCallback((name: string, value: string) => go((now) => ({ params: { ...now.params, [name]: value } })), []);
  const toggleTheme = useCallback(() => {
    const theme = dark ? 'light' : 'dark';
    prefer(() => ({ theme }));
    go({ theme }, 'replace');
  }, [dark]);
  const toggleLeft = useCallback(() => prefer((now) => ({ foldLeft: !now.foldLeft })), []);
  const toggleRight = useCallback(() => prefer((now) => ({ foldRight: !now.foldRight })), []);
  const chooseFile = useCallback(() => fileInput.current?.click(), []);
  const chooseWorkspace = useCallback(() => workspaceInput.current?.click(), []);
  const selectContext = useCallback((id: number) => bench?.select(`Context == ${id}`, 'replace'), [bench]);

  async function share() {
    if (address.work.startsWith('@')) {
      setTrouble('What is on this desk is too large for an address: save the workspace instead (Save, or Ctrl-S).');
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      setCopied('yes');
      setTimeout(() => setCopied(''), 1600);
    } catch {
      setTrouble('The browser does not let the page copy. The address of this picture is in the address bar.');
    }
  }
  async function compare(sets: string[]) {
    try {
      navigate.dataSet((await client.compare({ dataSets: sets })).dataSet);
    } catch (error) {
      setTrouble(wordsOf(error));
    }
  }
  async function openSample(name: string) {
    try {
      navigate.dataSet((await client.openSample({ name })).dataSet);
    } catch (error) {
      setTrouble(`${name}: ${wordsOf(error)}`);
    }
  }

  const active = panels?.find((p) => p.id === desk?.active);
  const activeTree = active && catalog?.views.find((v) => v.name === active.view)?.tree === true;
  const noScene = !hasTree ? 'there is no chart of calling contexts' : scene ? '' : 'there is no picture yet';
  const noPanel = active ? '' : 'no chart is open';
  const noSelected = linked.selection === '' ? 'nothing is selected' : '';
  const zoomed = desk !== undefined && active !== undefined && isZoomed(desk.glances[active.id]);
  const showAll = () => active && bench?.glance(active.id, { rows: undefined, columns: undefined, period: undefined });
  const colourIt = () => {
    linked.colour();
    if (foldLeft) toggleLeft();
  };
  const list = actions(
    {
      find: () => {
        searchInput.current?.focus();
        searchInput.current?.select();
      },
      next: navigate.next,
      makeRoot: navigate.makeRoot,
      up: navigate.up,
      whole: navigate.whole,
      depth: (by) => (view?.compacts ? zooming.get()?.(by) : navigate.depth(by)),
      allLayers: navigate.allLayers,
      nextMetric: navigate.nextMetric,
      nextColour: navigate.nextColour,
      recursion: navigate.recursion,
      perMethod: navigate.perMethod,
      act: (deed) => {
        const id = hovered.get() ?? pointed.get() ?? address.pin;
        if ((deed === 'expand' || deed === 'compact') && id === undefined) return;
        compacting.get()?.(deed, id, 40);
      },
      pin: navigate.pinHovered,
      clear: () => void (navigate.clear() || linked.clear()),
      theme: toggleTheme,
      palette: () => setDialog('palette'),
      help: () => setDialog('help'),
      open: chooseFile,
      share: () => void share(),
      save: (format) => active && bench?.save(active.id, format),
      leftPanel: toggleLeft,
      rightPanel: toggleRight,
      addChart: () => {
        if (foldLeft) toggleLeft();
        setAdding(true);
      },
      compare: () => setComparing(true),
      swap,
      normalise,
      configure: () => active && bench?.configure(active.id),
      maximise: () => document.querySelector<HTMLElement>(`[data-testid="maximise-${active?.id ?? ''}"]`)?.click(),
      closeChart: () => active && bench?.close(active.id),
      showAll,
      filterTo: linked.filterTo,
      exclude: linked.exclude,
      colour: colourIt,
      clearSelection: linked.clear,
      undo: linked.undo,
      redo: linked.redo,
      saveWorkspace: () => void files.save(),
      openWorkspace: chooseWorkspace,
    },
    {
      noScene,
      noHits: found.answer && found.answer.hits.length > 0 ? '' : 'nothing is found: search first',
      noSelection: noScene,
      atWhole: noScene || (focusOf(address.steps) === undefined ? 'this is the whole tree' : ''),
      oneMetric: noScene || ((dataSet?.metrics.length ?? 0) > 1 ? '' : 'there is only one metric'),
      noColours: colourParameter(view) ? '' : 'this chart has no colours to choose',
      noTree: noScene,
      noDesk: desk ? '' : 'no data set is open',
      noSelected,
      noUndo: linked.undoable === '' ? 'there is nothing to undo' : '',
      noRedo: linked.redoable === '' ? 'there is nothing to redo' : '',
      noPanel,
      noOther: whyNotCompare(server.dataSets ?? [], dataSet),
      noCompared: compared ? '' : 'these are not two profiles that are compared',
      noShares: normalising(dataSet?.metrics ?? [], metric) === '' ? 'only one side has this metric' : '',
      noForm: noPanel || (activeTree ? 'the settings of this chart are in the bar above' : ''),
      noZoom: zoomed ? '' : 'all of it is shown',
    },
  );
  useKeys(list, dialog !== '' || bench?.configuring !== '');

  function centre() {
    if (server.dataSets === undefined) return server.lost ? null : <Busy words="Connecting …" />;
    if (missing && !late) return <Busy words="Waiting for the data set …" />;
    if (!dataSet) {
      return <Empty formats={catalog?.formats ?? []} samples={catalog?.samples ?? []} onOpen={chooseFile} onSample={(name) => void openSample(name)} />;
    }
    if (dataSet.state === DataSet_State.FAILED) return <Failed dataSet={dataSet} formats={catalog?.formats ?? []} onOpen={chooseFile} />;
    if (!ready) return <Reading dataSet={dataSet} onCancel={() => void client.cancelRead({ dataSet: dataSet.id }).catch((e: unknown) => setTrouble(wordsOf(e)))} />;
    if (nothing) return <NoSamples dataSet={dataSet} />;
    if (!bench) return <Busy words="Laying out …" />;
    return (
      <BenchContext.Provider value={bench}>
        <PassBar visualizer={bench.visualizer} />
        <Dock key={dataSetId} />
      </BenchContext.Provider>
    );
  }

  const eventView = catalog?.views.find((v) => !v.tree && !v.pair)?.name;
  return (
    <div className="page">
      <TopBar
        dataSets={server.dataSets ?? []}
        dataSet={dataSet}
        onDataSet={navigate.dataSet}
        onOpen={chooseFile}
        comparing={comparing}
        onComparing={setComparing}
        onCompare={(sets) => void compare(sets)}
        query={address.q}
        onQuery={navigate.query}
        onNext={navigate.next}
        searchRef={searchInput}
        searchable={hasTree}
        chart={active && bench ? bench.titleOf(active) : ''}
        onSave={(format) => active && bench?.save(active.id, format)}
        undo={linked.undoable}
        redo={linked.redoable}
        onUndo={linked.undo}
        onRedo={linked.redo}
        workspace={bench !== undefined}
        onSaveWorkspace={() => void files.save()}
        onOpenWorkspace={chooseWorkspace}
        onApplyTo={(id) => void files.applyTo(id, navigate.dataSet)}
        onShare={() => void share()}
        shared={copied !== ''}
        scheme={scheme}
        onTheme={toggleTheme}
        onHelp={() => setDialog('help')}
      />
      <div className="banners">
        <Banners server={server} opening={opening} missing={missing && late ? address.ds : ''} trouble={trouble} onTrouble={() => setTrouble('')} warnings={dataSet?.warnings ?? []} failed={failed} onTold={() => setTold(true)} onShow={navigate.dataSet} lost={lost} key={dataSetId} />
        <input
          ref={fileInput}
          type="file"
          multiple
          hidden
          data-testid="open-file-input"
          aria-label="File to open"
          onChange={(event) => {
            opening.open(event.currentTarget.files ?? []);
            event.currentTarget.value = '';
          }}
        />
        <input
          ref={workspaceInput}
          type="file"
          accept=".json,application/json"
          hidden
          data-testid="open-workspace-input"
          aria-label="Workspace to open"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file) void file.arrayBuffer().then((content) => openWorkspace(file.name, new Uint8Array(content)));
            event.currentTarget.value = '';
          }}
        />
      </div>
      <div className="bars">
        {hasTree && (
          <StepsBar dataSet={dataSetId} steps={address.steps} filters={desk?.history.now.filters ?? NO_FILTERS} scene={scene?.source} names={stepNames} layers={scene?.source.layers ?? 0} maxLayers={scene?.source.maxLayers ?? 0} compacts={view.compacts} onSteps={setSteps} onFilter={setFilter} onFilterHere={filterHere} onFilterEverywhere={filterEverywhere} onDepth={setDepth}>
            {metric && <Controls parameters={view.parameters} metrics={dataSet?.metrics ?? []} metric={isNormalised(metric) ? (partOf(dataSet?.metrics ?? [], metric, Metric_Part.BOTH)?.name ?? metricName) : metricName} values={params} onMetric={setMetric} onValue={setParam} />}
          </StepsBar>
        )}
        {bench && compared && dataSet && hasTree && <CompareBar dataSet={dataSet} dataSets={server.dataSets ?? []} metric={metric} swapped={swapped} onSwap={swap} onNormalise={normalise} />}
        {bench && (
          <BenchContext.Provider value={bench}>
            {bench.dataSet.compares.length > 0 && bench.dataSet.traces && <PairBar />}
            <LinkBar onFilterTo={linked.filterTo} onExclude={linked.exclude} onColour={colourIt} onClear={linked.clear} />
          </BenchContext.Provider>
        )}
      </div>
      <div className="middle">
        <LeftPanel
          folded={foldLeft}
          onFold={toggleLeft}
          bench={bench}
          adding={adding}
          onAdding={setAdding}
          freshGroup={linked.fresh}
          onNamed={linked.onNamed}
          legend={scene?.source.legend}
          results={address.q.trim() === '' || !hasTree || !shown.request ? undefined : { query: address.q, ...found, unit: metric?.unit ?? '', wholeTotal: Number(metric?.total ?? 0), pin: address.pin, onChoose: navigate.pin }}
        />
        <main className="centre">{centre()}</main>
        {(hasTree || !bench) && <DetailsPanel metrics={dataSet?.metrics ?? NO_METRICS} letters={letters} folded={foldRight} onFold={toggleRight} request={scene ? shown.request : undefined} root={scene?.source.root} rootTitle={scene?.source.rootTitle ?? ''} pin={address.pin} unit={metric?.unit ?? ''} onPin={navigate.pin} onFocus={navigate.focus} onSelect={selectContext} />}
      </div>
      <StatusLine dataSet={dataSet} scene={scene} metric={metric} loading={shown.loading} painter={painter} counts={bench && eventView !== undefined && <EventCounts dataSet={dataSetId} view={eventView} />} events={bench && <PassWords visualizer={bench.visualizer} />} />
      {opening.dragging && <div className="drop">Drop to open</div>}
      <Palette list={list} opened={dialog === 'palette'} onClose={() => setDialog('')} />
      <Help list={list} opened={dialog === 'help'} onClose={() => setDialog('')} />
      <WorkspaceReport report={files.report} onClose={files.forget} />
      {server.lost !== '' && server.dataSets === undefined && (
        <div className="state" role="alert" data-testid="lost-state">
          <h2>No answer from cambium</h2>
          <p>{server.lost}</p>
          <Button onClick={server.retry}>Retry</Button>
        </div>
      )}
    </div>
  );
}

// The workbench: the address, the server's answers, and the panels that show them.
import { Button } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from '../api/context';
import { wordsOf } from '../api/errors';
import { exportUrl } from '../api/exports';
import { useServer } from '../api/useDataSets';
import { useScene, type SceneRequest } from '../api/useScene';
import { useStepNames } from '../api/useStepNames';
import { useSearch } from '../api/useSearch';
import { DataSet_State, type Crumb } from '../gen/cambium/v1/workbench_pb';
import { Chart } from '../panels/Chart';
import { Crumbs } from '../panels/Crumbs';
import { DetailsPanel } from '../panels/DetailsPanel';
import { LeftPanel } from '../panels/LeftPanel';
import { Busy, Empty, Failed, NoSamples, Reading, SceneFailed } from '../panels/States';
import { focusOf, requestSteps, withDepth, type Depth, type Step } from '../state/steps';
import { prefer, usePreferences } from '../state/preferences';
import { go, useAddress } from '../state/useAddress';
import { actions } from './actions';
import { Banners } from './Banners';
import { Controls } from './Controls';
import { Help } from './Help';
import { Palette } from './Palette';
import { StatusLine } from './StatusLine';
import { StepsBar } from './StepsBar';
import { publish } from './testHook';
import { TopBar } from './TopBar';
import { colourParameter, useNavigation, type Situation } from './useDoings';
import { useKeys } from './useKeys';
import { useOpening } from './useOpening';
import { useSettings } from './useSettings';

const forceCanvas = new URLSearchParams(location.search).get('painter') === 'canvas';

const NO_CRUMBS: readonly Crumb[] = [];

export function Workbench({ scheme }: { scheme: 'light' | 'dark' }) {
  const client = useClient();
  const address = useAddress();
  const server = useServer();
  const { dataSet, missing, view, metric, params, drawable } = useSettings(address, server.catalog, server.dataSets);
  const { ref: room, width, height } = useElementSize();
  const searchInput = useRef<HTMLInputElement>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<'' | 'palette' | 'help'>('');
  const { foldLeft, foldRight } = usePreferences();
  const [shared, setShared] = useState('');
  const [painter, setPainter] = useState('');
  const [trouble, setTrouble] = useState('');

  // A data set that was just opened may be in the address before the server tells of it.
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!missing) return undefined;
    const timer = setTimeout(() => setLate(true), 1500);
    return () => clearTimeout(timer);
  }, [missing, address.ds]);
  // From when it can be drawn, the address names what it shows. What is still read may fail.
  const readyId = dataSet?.state === DataSet_State.READY ? dataSet.id : '';
  useEffect(() => {
    if (address.ds === '' && readyId !== '') go({ ds: readyId }, 'replace');
  }, [address.ds, readyId]);
  // Somebody who opened several files and named none should hear of those that failed.
  const [told, setTold] = useState(address.ds !== '');
  const failed = useMemo(() => (told ? [] : (server.dataSets ?? []).filter((d) => d.state === DataSet_State.FAILED && d.id !== dataSet?.id)), [told, server.dataSets, dataSet?.id]);

  const dark = scheme === 'dark';
  const steps = requestSteps(address.steps);
  const w = Math.floor(width);
  const h = Math.floor(height);
  const dataSetId = dataSet?.id ?? '';
  const metricName = metric?.name ?? '';
  const viewName = view?.name ?? '';
  const request = useMemo<SceneRequest | undefined>(
    () =>
      drawable && w > 40 && h > 40 && viewName !== ''
        ? { dataSet: dataSetId, steps, metric: metricName, view: viewName, params, width: w, height: h, dark, highlight: address.q }
        : undefined,
    [drawable, w, h, viewName, dataSetId, steps, metricName, params, dark, address.q],
  );
  const shown = useScene(request);
  const { scene } = shown;
  const crumbs = scene?.source.crumbs ?? NO_CRUMBS;
  const stepNames = useStepNames(dataSetId, address.steps, crumbs);
  const found = useSearch(request, address.q);
  useEffect(() => publish(scene), [scene]);
  useEffect(() => {
    document.title = dataSet ? `${dataSet.name} – cambium` : 'cambium';
  }, [dataSet]);

  const situation = useRef<Situation>(undefined as unknown as Situation);
  situation.current = { crumbs, maxLayers: scene?.source.maxLayers ?? 0, found: found.answer, dataSet, view, metric: metricName, params };
  const navigate = useNavigation(situation);
  const opening = useOpening(navigate.dataSet);

  const setSteps = useCallback((next: Step[]) => go({ steps: next }), []);
  const setDepth = useCallback((depth: Depth) => go((now) => ({ steps: withDepth(now.steps, depth) }), 'replace'), []);
  const setMetric = useCallback((name: string) => go({ metric: name }), []);
  const setParam = useCallback((name: string, value: string) => go((now) => ({ params: { ...now.params, [name]: value } })), []);
  const setView = useCallback((name: string) => go({ view: name }), []);
  const toggleTheme = useCallback(() => {
    const theme = dark ? 'light' : 'dark';
    prefer(() => ({ theme }));
    go({ theme }, 'replace');
  }, [dark]);
  const toggleLeft = useCallback(() => prefer((now) => ({ foldLeft: !now.foldLeft })), []);
  const toggleRight = useCallback(() => prefer((now) => ({ foldRight: !now.foldRight })), []);
  const chooseFile = useCallback(() => fileInput.current?.click(), []);

  async function share() {
    try {
      await navigator.clipboard.writeText(location.href);
      setShared('yes');
      setTimeout(() => setShared(''), 1600);
    } catch {
      setTrouble('The browser does not let the page copy. The address of this picture is in the address bar.');
    }
  }
  function save(format: 'svg' | 'png' | 'csv') {
    if (!request) return;
    const link = document.createElement('a');
    link.href = exportUrl(format, request);
    link.download = '';
    link.click();
  }
  async function openSample(name: string) {
    try {
      navigate.dataSet((await client.openSample({ name })).dataSet);
    } catch (error) {
      setTrouble(`${name}: ${wordsOf(error)}`);
    }
  }

  const noScene = scene ? '' : 'there is no picture yet';
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
      depth: navigate.depth,
      allLayers: navigate.allLayers,
      nextMetric: navigate.nextMetric,
      nextColour: navigate.nextColour,
      recursion: navigate.recursion,
      perMethod: navigate.perMethod,
      pin: navigate.pinHovered,
      clear: navigate.clear,
      theme: toggleTheme,
      palette: () => setDialog('palette'),
      help: () => setDialog('help'),
      open: chooseFile,
      share: () => void share(),
      save,
      leftPanel: toggleLeft,
      rightPanel: toggleRight,
    },
    {
      noScene,
      noHits: found.answer && found.answer.hits.length > 0 ? '' : 'nothing is found: search first',
      noSelection: noScene,
      atWhole: noScene || (focusOf(address.steps) === undefined ? 'this is the whole tree' : ''),
      oneMetric: (dataSet?.metrics.length ?? 0) > 1 ? '' : 'there is only one metric',
      noColours: colourParameter(view) ? '' : 'this chart has no colours to choose',
    },
  );
  useKeys(list, dialog !== '');

  function centre() {
    if (server.dataSets === undefined) return server.lost ? null : <Busy words="Connecting …" />;
    if (missing && !late) return <Busy words="Waiting for the data set …" />;
    if (!dataSet) {
      return <Empty formats={server.catalog?.formats ?? []} samples={server.catalog?.samples ?? []} onOpen={chooseFile} onSample={(name) => void openSample(name)} />;
    }
    if (dataSet.state === DataSet_State.FAILED) return <Failed dataSet={dataSet} formats={server.catalog?.formats ?? []} onOpen={chooseFile} />;
    if (dataSet.state !== DataSet_State.READY) return <Reading dataSet={dataSet} onCancel={() => void client.cancelRead({ dataSet: dataSet.id }).catch((e: unknown) => setTrouble(wordsOf(e)))} />;
    if (!drawable) return <NoSamples dataSet={dataSet} />;
    if (shown.error !== '') return <SceneFailed error={shown.error} onRetry={shown.retry} onWhole={() => go({ steps: [], pin: undefined, q: '' })} />;
    if (!scene) return <Busy words="Drawing …" />;
    return (
      <Chart
        scene={scene}
        width={scene.source.width || w}
        height={scene.source.height || h}
        title={`${view?.title ?? 'Chart'} of ${dataSet.name}`}
        unit={metric?.unit ?? ''}
        pin={address.pin}
        dark={dark}
        forceCanvas={forceCanvas}
        onFocus={navigate.focus}
        onUp={navigate.up}
        onPin={navigate.pin}
        onDepth={navigate.depth}
        onPainter={setPainter}
      />
    );
  }

  return (
    <div className="page">
      <TopBar
        dataSets={server.dataSets ?? []}
        dataSet={dataSet}
        onDataSet={navigate.dataSet}
        onOpen={chooseFile}
        query={address.q}
        onQuery={navigate.query}
        onNext={navigate.next}
        searchRef={searchInput}
        exportRequest={request}
        onShare={() => void share()}
        shared={shared !== ''}
        scheme={scheme}
        onTheme={toggleTheme}
        onHelp={() => setDialog('help')}
      />
      <div className="banners">
        <Banners server={server} opening={opening} missing={missing && late ? address.ds : ''} trouble={trouble} onTrouble={() => setTrouble('')} warnings={dataSet?.warnings ?? []} failed={failed} onTold={() => setTold(true)} onShow={navigate.dataSet} key={dataSetId} />
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
      </div>
      {drawable ? <StepsBar steps={address.steps} names={stepNames} maxLayers={scene?.source.maxLayers ?? 0} onSteps={setSteps} onDepth={setDepth}>
        {metric && <Controls parameters={view?.parameters ?? []} metrics={dataSet?.metrics ?? []} metric={metricName} values={params} onMetric={setMetric} onValue={setParam} />}
      </StepsBar> : <div />}
      <div className="middle">
        <LeftPanel
          folded={foldLeft}
          onFold={toggleLeft}
          views={server.catalog?.views ?? []}
          view={viewName}
          onView={setView}
          legend={scene?.source.legend}
          results={address.q.trim() === '' || !request ? undefined : { query: address.q, ...found, unit: metric?.unit ?? '', wholeTotal: Number(metric?.total ?? 0), pin: address.pin, onChoose: navigate.pin }}
        />
        <main className="centre">
          {drawable && <div className="crumb-room">{scene && <Crumbs crumbs={scene.source.crumbs} rootTitle={scene.source.rootTitle} onFocus={navigate.focusCrumb} />}</div>}
          <div className="chart-room" ref={room}>
            {centre()}
          </div>
        </main>
        <DetailsPanel folded={foldRight} onFold={toggleRight} request={scene ? shown.request : undefined} root={scene?.source.root} rootTitle={scene?.source.rootTitle ?? ''} pin={address.pin} unit={metric?.unit ?? ''} onPin={navigate.pin} onFocus={navigate.focus} />
      </div>
      <StatusLine dataSet={dataSet} scene={scene} metric={metric} loading={shown.loading} painter={painter} />
      {opening.dragging && <div className="drop">Drop to open</div>}
      <Palette list={list} opened={dialog === 'palette'} onClose={() => setDialog('')} />
      <Help list={list} opened={dialog === 'help'} onClose={() => setDialog('')} />
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

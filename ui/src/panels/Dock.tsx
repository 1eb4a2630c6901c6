// The panels, docked. What there is, is the workspace's; the docking library says where it is
// and is told when that changes otherwise: by undoing, or by a saved workspace.
import 'dockview-react/dist/styles/dockview.css';
import './dock.css';
import { DockviewReact, type DockviewApi, type DockviewReadyEvent, type DockviewTheme, type IDockviewPanelProps, type SerializedDockview } from 'dockview-react';
import { memo, useEffect, useRef, useState } from 'react';
import { fitLayout, fromDock, panelsOf, sameLayout, toDock, type DockNode, type Layout, type Orientation } from '../state/layout';
import { useBench, usePanel } from './bench';
import { EventPanel } from './EventPanel';
import { NoPanels } from './NoPanels';
import { PanelActions } from './PanelActions';
import { PanelTab } from './PanelTab';
import { TreePanel } from './TreePanel';

const THEME: DockviewTheme = { name: 'cambium', className: 'dockview-theme-cambium', gap: 0, dndTabIndicator: 'line', tabGroupIndicator: 'none' };

const COMPONENTS = { chart: ChartPanel };

/** Narrower than this, a new chart becomes a tab. */
const NARROW = 360;
const LOW = 220;

function ChartPanel({ api }: IDockviewPanelProps) {
  const bench = useBench();
  const panel = usePanel(api.id);
  if (!panel) return null;
  const view = bench.viewOf(panel);
  if (!view) return <p className="panel-words" role="alert">There is no chart “{panel.view}” in this build of cambium.</p>;
  return view.tree ? <TreePanel panel={panel} view={view} /> : <EventPanel panel={panel} view={view} />;
}

function read(api: DockviewApi): Layout | undefined {
  const { grid } = api.toJSON();
  return fromDock(grid.root as DockNode, grid.orientation as Orientation);
}

function write(api: DockviewApi, layout: Layout, active: string): void {
  const width = api.width || 1000;
  const height = api.height || 700;
  const { root, orientation } = toDock(layout, width, height);
  const ids = panelsOf(layout);
  const panels = Object.fromEntries(ids.map((id) => [id, { id, contentComponent: 'chart', tabComponent: 'props.defaultTabComponent', title: id }]));
  api.fromJSON({ grid: { root, width, height, orientation }, panels } as unknown as SerializedDockview, { reuseExistingPanels: true });
  api.getPanel(active)?.api.setActive();
}

/** Puts a new panel where there is most room for it. */
function place(api: DockviewApi, id: string): void {
  const groups = api.groups.filter((g) => g.api.isVisible);
  const largest = groups.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
  const base = { id, component: 'chart', title: id };
  if (api.hasMaximizedGroup()) api.exitMaximizedGroup();
  if (!largest) {
    api.addPanel(base);
    return;
  }
  const aside = largest.width > largest.height * 1.15;
  const room = aside ? largest.width / 2 >= NARROW : largest.height / 2 >= LOW;
  const direction = !room ? 'within' : aside ? 'right' : 'below';
  api.addPanel({ ...base, position: { referenceGroup: largest, direction } });
}

export const Dock = memo(function Dock() {
  const bench = useBench();
  const { panels, layout } = bench.desk.history.now;
  const { active } = bench.desk;
  const [api, setApi] = useState<DockviewApi>();
  // The layout that the library shows, as it was last read or written.
  const shown = useRef<Layout>(undefined);
  const latest = useRef(bench);
  latest.current = bench;
  const ids = panels.map((p) => p.id);
  const idsKey = ids.join();

  useEffect(() => {
    if (!api) return;
    const there = api.panels.map((p) => p.id);
    const wanted = latest.current.desk.history.now;
    const target = fitLayout(wanted.layout, ids);
    const gone = there.filter((id) => !ids.includes(id));
    const fresh = ids.filter((id) => !there.includes(id));
    if (gone.length + fresh.length === 0 && sameLayout(target, shown.current)) return;
    // Nobody said where a new one belongs: the library finds room beside what there is.
    const moved = wanted.layout !== undefined && !sameLayout(wanted.layout, shown.current);
    if (there.length > 0 && !moved && gone.length + fresh.length > 0 && fresh.length <= 1) {
      for (const id of gone) {
        const panel = api.getPanel(id);
        if (panel) api.removePanel(panel);
      }
      for (const id of fresh) place(api, id);
      return;
    }
    shown.current = target;
    if (target) write(api, target, latest.current.desk.active);
    else api.clear();
    // oxlint-disable-next-line react/exhaustive-deps
  }, [api, idsKey, layout]);

  useEffect(() => {
    if (!api) return undefined;
    const parts = [
      api.onDidLayoutChange(() => {
        if (api.hasMaximizedGroup() || api.width < 50) return;
        const now = read(api);
        if (sameLayout(now, shown.current)) return;
        shown.current = now;
        if (sameLayout(now, fitLayout(latest.current.desk.history.now.layout, now ? panelsOf(now) : []))) return;
        latest.current.amend((work) => ({ ...work, layout: now }));
      }),
      api.onDidActivePanelChange((event) => {
        const id = (event as { panel?: { id: string } } | undefined)?.panel?.id ?? api.activePanel?.id;
        if (id) latest.current.activate(id);
      }),
    ];
    return () => {
      for (const part of parts) part.dispose();
    };
  }, [api]);

  useEffect(() => {
    const panel = api?.getPanel(active);
    if (panel && api?.activePanel !== panel) panel.api.setActive();
  }, [api, active]);

  return (
    <div className="dock" data-testid="dock">
      <DockviewReact
        components={COMPONENTS}
        defaultTabComponent={PanelTab}
        rightHeaderActionsComponent={PanelActions}
        watermarkComponent={NoPanels}
        theme={THEME}
        disableFloatingGroups
        scrollbars="native"
        onReady={(event: DockviewReadyEvent) => setApi(event.api)}
      />
    </div>
  );
});

// What can be done with the chart in front of a stack: configure, sort, save, maximise.
import { Button, Menu, Popover } from '@mantine/core';
import type { IDockviewHeaderActionsProps } from 'dockview-react';
import { useEffect, useState } from 'react';
import type { View } from '../gen/cambium/v1/workbench_pb';
import { isZoomed } from '../state/glance';
import { useStore } from '../state/hover';
import { fitLayout, moveToEdge, resized, stackWith, type Edge, type Layout } from '../state/layout';
import { changePanel, followOrder, type PanelSpec } from '../state/work';
import { panning, togglePanning } from '../charts/tools';
import { useBench } from './bench';
import { ConfigureForm } from './ConfigureForm';
import { useForm } from './useForm';

export function PanelActions({ activePanel, containerApi, group }: IDockviewHeaderActionsProps) {
  const bench = useBench();
  const [large, setLarge] = useState(false);
  useEffect(() => {
    const part = containerApi.onDidMaximizedGroupChange(() => setLarge(group.api.isMaximized()));
    return () => part.dispose();
  }, [containerApi, group]);
  const panel = bench.desk.history.now.panels.find((p) => p.id === activePanel?.id);
  const view = panel && bench.viewOf(panel);
  if (!panel || !view) return null;
  const title = bench.titleOf(panel);
  const open = bench.configuring === panel.id;
  return (
    <div className="panel-actions">
      {!view.tree && (
        <Popover opened={open} onChange={(opened) => !opened && bench.configure('')} position="bottom-end" withinPortal trapFocus closeOnEscape={false} shadow="md" width={316} transitionProps={{ duration: 0 }} offset={4}>
          <Popover.Target>
            <Button size="compact-xs" variant="subtle" color="gray" aria-expanded={open} aria-label={`Configure ${title}`} title="What this chart shows" onClick={() => bench.configure(open ? '' : panel.id)} data-testid={`configure-${panel.id}`}>
              Configure
            </Button>
          </Popover.Target>
          <Popover.Dropdown p={0} className="configure-room">
            <ConfigureForm panel={panel} view={view} onClose={() => bench.configure('')} key={panel.id} />
          </Popover.Dropdown>
        </Popover>
      )}
      <PanelMenu panel={panel} view={view} title={title} />
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        aria-pressed={large}
        aria-label={large ? `Restore ${title}` : `Maximise ${title}`}
        title={large ? 'As it was' : 'As large as can be'}
        onClick={() => (group.api.isMaximized() ? group.api.exitMaximized() : group.api.maximize())}
        data-testid={`maximise-${panel.id}`}
      >
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.4">
          {large ? <path d="M5 1v4H1M7 11V7h4" /> : <path d="M7 1h4v4M5 11H1V7" />}
        </svg>
      </Button>
    </div>
  );
}

function PanelMenu({ panel, view, title }: { panel: PanelSpec; view: View; title: string }) {
  const bench = useBench();
  const [opened, setOpened] = useState(false);
  const pan = useStore(panning)[panel.id] === true;
  return (
    <Menu
      opened={opened}
      onChange={(now) => {
        setOpened(now);
        if (now) bench.activate(panel.id);
      }}
      position="bottom-end" withinPortal transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button size="compact-xs" variant="subtle" color="gray" aria-label={`More about ${title}`} title="Sort, save, duplicate …" data-testid={`menu-${panel.id}`}>
          <svg width="14" height="4" viewBox="0 0 14 4" aria-hidden="true" fill="currentColor">
            <circle cx="2" cy="2" r="1.5" />
            <circle cx="7" cy="2" r="1.5" />
            <circle cx="12" cy="2" r="1.5" />
          </svg>
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label={title} mah="80vh" style={{ overflow: 'auto' }}>
        {!view.tree && <SortItems panel={panel} view={view} />}
        {!view.tree && (
          <>
            <Menu.Item onClick={() => togglePanning(panel.id)} rightSection={<span className="menu-key">{pan ? '✓' : ''}</span>} data-testid={`pan-${panel.id}`}>
              Drag to move instead of selecting
            </Menu.Item>
            <Menu.Item disabled={!isZoomed(bench.desk.glances[panel.id])} onClick={() => bench.glance(panel.id, { rows: undefined, columns: undefined, period: undefined })}>
              Show all of it
            </Menu.Item>
            <Menu.Divider />
          </>
        )}
        <Menu.Item onClick={() => bench.duplicate(panel.id)} data-testid={`duplicate-${panel.id}`}>
          Duplicate
        </Menu.Item>
        <MoveItems panel={panel} />
        <Menu.Divider />
        <Menu.Item onClick={() => bench.save(panel.id, 'svg')}>Save picture, SVG</Menu.Item>
        <Menu.Item onClick={() => bench.save(panel.id, 'png')}>Save picture, PNG</Menu.Item>
        <Menu.Item onClick={() => bench.save(panel.id, 'csv')}>Save table, CSV</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => bench.close(panel.id)}>Close</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const EDGES: readonly Edge[] = ['left', 'right', 'top', 'bottom'];

/** Docking without a pointer. */
function MoveItems({ panel }: { panel: PanelSpec }) {
  const bench = useBench();
  const { panels } = bench.desk.history.now;
  const others = panels.filter((p) => p.id !== panel.id);
  const place = (next: (layout: Layout) => Layout) =>
    bench.amend((work) => {
      const now = fitLayout(work.layout, work.panels.map((p) => p.id));
      return now ? { ...work, layout: next(now) } : work;
    });
  if (others.length === 0) return null;
  return (
    <Menu.Sub position="left-start" transitionProps={{ duration: 0 }}>
      <Menu.Sub.Target>
        <Menu.Sub.Item data-testid={`move-${panel.id}`}>Move and resize</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown aria-label="Move and resize">
        {EDGES.map((edge) => (
          <Menu.Item key={edge} onClick={() => place((layout) => moveToEdge(layout, panel.id, edge))}>
            To the {edge}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {others.slice(0, 8).map((other) => (
          <Menu.Item key={other.id} onClick={() => place((layout) => stackWith(layout, panel.id, other.id))}>
            As a tab of {bench.titleOf(other)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item closeMenuOnClick={false} onClick={() => place((layout) => resized(layout, panel.id, 'row', 5))}>
          Wider
        </Menu.Item>
        <Menu.Item closeMenuOnClick={false} onClick={() => place((layout) => resized(layout, panel.id, 'row', -5))}>
          Narrower
        </Menu.Item>
        <Menu.Item closeMenuOnClick={false} onClick={() => place((layout) => resized(layout, panel.id, 'column', 5))}>
          Higher
        </Menu.Item>
        <Menu.Item closeMenuOnClick={false} onClick={() => place((layout) => resized(layout, panel.id, 'column', -5))}>
          Lower
        </Menu.Item>
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}

/** How the entities of each axis are sorted, and whether other charts follow. */
function SortItems({ panel, view }: { panel: PanelSpec; view: View }) {
  const bench = useBench();
  const picture = useStore(bench.visualizer.picture(panel.id));
  const { answer } = useForm(bench.dataSet.id, panel.view, panel.subject, panel.map);
  const { panels } = bench.desk.history.now;
  if (!answer) return null;
  const sorted = view.dimensions.flatMap((dimension) => {
    const field = answer.dimensions.find((d) => d.name === dimension.name)?.fields.find((f) => f.name === (picture.map[dimension.name] ?? answer.map[dimension.name]));
    return field && field.refers !== '' ? [{ dimension: dimension.name, field: field.name, title: dimension.title }] : [];
  });
  if (sorted.length === 0) return null;
  const others = panels.filter((p) => p.id !== panel.id && bench.viewOf(p)?.tree === false);
  const followed = others.length > 0 && others.every((p) => p.like === panel.id);
  return (
    <>
      {sorted.map(({ dimension, field }) => (
        <Menu.Sub key={dimension} position="left-start" transitionProps={{ duration: 0 }}>
          <Menu.Sub.Target>
            <Menu.Sub.Item data-testid={`sort-${dimension}`}>Sort {field}</Menu.Sub.Item>
          </Menu.Sub.Target>
          <Menu.Sub.Dropdown aria-label={`Sort ${field} by`}>
            {bench.catalog.schemes.map((scheme) => {
              const now = panel.like === '' && (panel.sort[dimension] ?? (view.sort || bench.catalog.schemes[0]?.name)) === scheme.name;
              return (
                <Menu.Item
                  key={scheme.name}
                  title={scheme.description}
                  aria-current={now ? 'true' : undefined}
                  rightSection={now ? <span className="menu-key">✓</span> : undefined}
                  onClick={() => bench.change('sort', (work) => changePanel(work, panel.id, { like: '', sort: { ...panel.sort, [dimension]: scheme.name } }))}
                  data-testid={`sort-${dimension}-${scheme.name}`}
                >
                  by {(scheme.title || scheme.name).toLowerCase()}
                </Menu.Item>
              );
            })}
          </Menu.Sub.Dropdown>
        </Menu.Sub>
      ))}
      {others.length > 0 && (
        <Menu.Item
          onClick={() => bench.change('follow an order', (work) => (followed ? { ...work, panels: work.panels.map((p) => (p.like === panel.id ? { ...p, like: '' } : p)) } : followOrder(work, panel.id, others.map((p) => p.id))))}
          rightSection={<span className="menu-key">{followed ? '✓' : ''}</span>}
          data-testid={`lead-${panel.id}`}
        >
          All charts follow this order
        </Menu.Item>
      )}
      <Menu.Divider />
    </>
  );
}

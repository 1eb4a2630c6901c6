// The menu of charts: one click makes one.
import { Button, Menu } from '@mantine/core';
import { useBench } from './bench';

export function AddChart({ compact = false, opened, onChange }: { compact?: boolean; opened?: boolean; onChange?: (opened: boolean) => void }) {
  const bench = useBench();
  const { catalog, dataSet } = bench;
  const trees = dataSet.contexts > 0n;
  const compared = dataSet.compares.length > 0;
  const fits = (pair: boolean) => (pair ? compared && dataSet.traces : !compared || trees);
  return (
    <Menu opened={opened} onChange={onChange} position="bottom-start" withinPortal transitionProps={{ duration: 0 }} width={320}>
      <Menu.Target>
        <Button size={compact ? 'compact-xs' : 'xs'} variant={compact ? 'default' : 'filled'} data-testid="add-chart" title="Add a chart (a)">
          + Add chart
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Charts">
        {catalog.views.filter((view) => fits(view.pair)).map((view) => (
          <Menu.Item key={view.name} disabled={view.tree && !trees} onClick={() => bench.addChart(view)} data-testid={`add-${view.name}`} title={view.tree && !trees ? 'This data set has no calling contexts' : undefined}>
            <span className="menu-title">{view.title || view.name}</span>
            <span className="menu-words">{view.tree && !trees ? 'needs calling contexts, which this data set has not' : view.description}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

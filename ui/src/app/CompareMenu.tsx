// The menu of data sets that the one which is shown can be compared with.
import { Button, Menu } from '@mantine/core';
import { DataSet_State, type DataSet } from '../gen/cambium/v1/workbench_pb';

/** What a data set can be compared with: ready, and no comparison itself. */
export function others(dataSets: readonly DataSet[], dataSet: DataSet | undefined): DataSet[] {
  if (!dataSet || dataSet.compares.length > 0) return [];
  return dataSets.filter((d) => d.id !== dataSet.id && d.compares.length === 0 && d.state === DataSet_State.READY && ((d.traces && dataSet.traces) || (d.contexts > 0n && dataSet.contexts > 0n)));
}

/** Why there is nothing to compare with; '' if there is something. */
export function whyNotCompare(dataSets: readonly DataSet[], dataSet: DataSet | undefined): string {
  if (!dataSet) return 'no data set is open';
  if (dataSet.compares.length > 0) return 'this is a comparison already';
  if (!dataSet.traces && dataSet.contexts === 0n) return 'this data set has no calling contexts';
  return others(dataSets, dataSet).length === 0 ? 'open another profile or trace first' : '';
}

interface Props {
  dataSets: readonly DataSet[];
  dataSet: DataSet | undefined;
  opened: boolean;
  onChange: (opened: boolean) => void;
  /** The first is what the others are compared with. */
  onCompare: (sets: string[]) => void;
}

export function CompareMenu({ dataSets, dataSet, opened, onChange, onCompare }: Props) {
  const why = whyNotCompare(dataSets, dataSet);
  const rest = others(dataSets, dataSet);
  // Profiles are compared two at a time.
  const runs = dataSet?.traces ? rest.filter((d) => d.traces) : [];
  return (
    <Menu opened={opened && why === ''} onChange={onChange} position="bottom-start" withinPortal transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button size="xs" variant="default" disabled={why !== ''} title={why === '' ? 'Compare this data set with another one' : `Compare: ${why}`} data-testid="compare-menu">
          Compare with …
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Compare with" mah="80vh" style={{ overflow: 'auto' }}>
        <Menu.Label>{`What is different in ${dataSet?.name ?? ''}, compared with`}</Menu.Label>
        {rest.map((set) => (
          <Menu.Item key={set.id} onClick={() => onCompare([set.id, dataSet?.id ?? ''])} title={set.path} data-testid={`compare-${set.id}`}>
            {set.name}
          </Menu.Item>
        ))}
        {runs.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => onCompare([dataSet?.id ?? '', ...runs.map((d) => d.id)])} data-testid="compare-all">
              {`All ${runs.length} other traces with this one`}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

// What two profiles are compared, which way round, and by amounts or by shares.
import { Button, Switch } from '@mantine/core';
import { memo } from 'react';
import type { DataSet, Metric } from '../gen/cambium/v1/workbench_pb';
import { Metric_Part } from '../gen/cambium/v1/workbench_pb';
import { formatExact, formatValue } from '../format/numbers';
import { formatChange, isNormalised, normalising, partOf } from '../state/compared';
import { Name } from './Name';

interface Props {
  dataSet: DataSet;
  dataSets: readonly DataSet[];
  metric: Metric | undefined;
  swapped: boolean;
  onSwap: () => void;
  onNormalise: () => void;
}

export const CompareBar = memo(function CompareBar({ dataSet, dataSets, metric, swapped, onSwap, onNormalise }: Props) {
  const sides = dataSet.compares.map((id, i) => {
    const of = partOf(dataSet.metrics, metric, i === 0 ? Metric_Part.A : Metric_Part.B);
    return { letter: 'AB'[i], name: dataSets.find((d) => d.id === id)?.name ?? '', of };
  });
  if (swapped) sides.reverse();
  const [from, to] = sides.map((s) => s.of && Number(s.of.total));
  const only = dataSet.metrics.filter((m) => m.part === Metric_Part.UNSPECIFIED).map((m) => m.name);
  return (
    <section className="bar compare-bar" aria-label="Comparison" data-testid="compare-bar">
      <span className="bar-label">From</span>
      {sides.map((side, i) => (
        <span className="compare-side" key={side.letter}>
          {i > 0 && <span className="bar-label">to</span>}
          <b>{side.letter}</b>
          <Name name={side.name} />
          {side.of && <span title={formatExact(side.of.total, side.of.unit)}>{formatValue(side.of.total, side.of.unit)}</span>}
        </span>
      ))}
      {from !== undefined && to !== undefined && <b data-testid="compare-change">{formatChange(from, to)}</b>}
      <Button size="compact-xs" variant="default" onClick={onSwap} title="The other way round (s)" data-testid="swap">
        Swap
      </Button>
      <Switch
        size="xs"
        label="Normalised"
        title="Compare shares: each side in parts of its own total (%)"
        checked={isNormalised(metric)}
        disabled={normalising(dataSet.metrics, metric) === ''}
        onChange={onNormalise}
        data-testid="normalise"
      />
      {only.length > 0 && <span className="bar-label">{`not compared: ${only.join(', ')}`}</span>}
    </section>
  );
});

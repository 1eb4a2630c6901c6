// The line at the bottom: what is drawn, what is not, and what it is of.
import { memo, type ReactNode } from 'react';
import type { DataSet, Metric } from '../gen/cambium/v1/workbench_pb';
import { formatCount, formatExact, formatWithUnit } from '../format/numbers';
import type { DecodedScene } from '../scene/decode';

export function layoutInWords(ms: number): string {
  return `layout ${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
}

function totalInWords(metric: Metric): string {
  const value = formatWithUnit(metric.total, metric.unit);
  return metric.name === metric.unit ? value : `${metric.name} ${value}`;
}

export const StatusLine = memo(function StatusLine({ dataSet, scene, metric, loading, painter, events, counts }: { dataSet: DataSet | undefined; scene: DecodedScene | undefined; metric: Metric | undefined; loading: boolean; painter: string; events: ReactNode; counts: ReactNode }) {
  const parts: string[] = [];
  if (dataSet && dataSet.contexts > 0n) parts.push(`${formatCount(dataSet.contexts)} contexts`);
  if (scene) {
    const { drawn, tooSmall, deeper } = scene.source;
    const shown = [`${formatCount(drawn)} drawn`];
    if (tooSmall > 0n) shown.push(`${formatCount(tooSmall)} too small to draw`);
    if (deeper > 0n) shown.push(`${formatCount(deeper)} deeper`);
    parts.push(shown.join(', '));
    if (scene.layoutMs > 0) parts.push(layoutInWords(scene.layoutMs));
  }
  return (
    <footer className="status" data-testid="status-line">
      {parts.length > 0 ? <span>{parts.join(' · ')}</span> : counts}
      {scene && metric && (
        <span title={formatExact(metric.total, metric.unit)}>
          · {totalInWords(metric)}
        </span>
      )}
      {(scene?.source.notes ?? []).map((note) => (
        <span key={note} title={note}>
          · {note}
        </span>
      ))}
      <span className="status-end">{events}{loading ? 'drawing …' : painter === 'canvas' ? 'drawn without WebGL2' : ''}</span>
    </footer>
  );
});

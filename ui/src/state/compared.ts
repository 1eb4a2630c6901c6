// What is different where two profiles are compared: settings, metrics, and what sides are called.
import { Metric_Part, type DataSet, type GetCatalogResponse, type Metric, type Parameter } from '../gen/cambium/v1/workbench_pb';

/** Whether a data set is the tree of two profiles. */
export function isCompared(dataSet: DataSet | undefined): boolean {
  return dataSet !== undefined && dataSet.compares.length > 0 && dataSet.contexts > 0n;
}

function fitting(parameters: readonly Parameter[], compared: boolean): Parameter[] {
  return parameters
    .filter((p) => compared || !p.onlyCompared)
    .map((p) => ({ ...p, defaultValue: compared && p.compared !== '' ? p.compared : p.defaultValue, choices: p.choices.filter((c) => compared || !c.onlyCompared) }));
}

/** The catalog with the settings and defaults that charts have for a data set. */
export function catalogFor(catalog: GetCatalogResponse | undefined, compared: boolean): GetCatalogResponse | undefined {
  return catalog && { ...catalog, views: catalog.views.map((v) => ({ ...v, parameters: fitting(v.parameters, compared) })) };
}

/** The metric of the same amounts, as another part of it. */
export function partOf(metrics: readonly Metric[], metric: Metric | undefined, part: Metric_Part): Metric | undefined {
  return metric && metric.of !== '' ? metrics.find((m) => m.of === metric.of && m.part === part) : undefined;
}

export function isNormalised(metric: Metric | undefined): boolean {
  return metric?.part === Metric_Part.NORMALISED;
}

/** Metrics to choose from: whether they are normalised is a setting of its own. */
export function choosable(metrics: readonly Metric[]): Metric[] {
  return metrics.filter((m) => !isNormalised(m));
}

/** The metric that is meant if one is chosen while another is shown: normalised metrics stay normalised. */
export function chosen(metrics: readonly Metric[], now: Metric | undefined, name: string): string {
  const wanted = metrics.find((m) => m.name === name);
  return (isNormalised(now) && wanted?.part === Metric_Part.BOTH && partOf(metrics, wanted, Metric_Part.NORMALISED)?.name) || name;
}

/** The same amounts normalised, or no longer; '' if they cannot be. */
export function normalising(metrics: readonly Metric[], now: Metric | undefined): string {
  return partOf(metrics, now, isNormalised(now) ? Metric_Part.BOTH : Metric_Part.NORMALISED)?.name ?? '';
}

/** A change as a part of what was, in a few letters. */
export function formatChange(from: number, to: number): string {
  if (from === to) return 'the same';
  if (from === 0) return 'new';
  if (to === 0) return 'gone';
  if (from < 0) return '';
  const percent = (100 * (to - from)) / from;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0)}\u00a0%`;
}

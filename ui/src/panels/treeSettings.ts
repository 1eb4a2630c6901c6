// What a chart of calling contexts is drawn with, its defaults filled in.
import type { DataSet, Metric, View } from '../gen/cambium/v1/workbench_pb';

export interface TreeSettings {
  metric: Metric | undefined;
  params: Record<string, string>;
}

/** The chart of calling contexts to begin with. */
export function firstTree(views: readonly View[] | undefined): View | undefined {
  return views?.find((v) => v.tree && v.name === 'ring') ?? views?.find((v) => v.tree);
}

export function treeSettings(view: View | undefined, dataSet: DataSet | undefined, metricName: string, given: Readonly<Record<string, string>>): TreeSettings {
  const metric =
    dataSet?.metrics.find((m) => m.name === metricName) ??
    dataSet?.metrics.find((m) => m.name === dataSet.preferredMetric) ??
    dataSet?.metrics[0];
  const params: Record<string, string> = {};
  for (const parameter of view?.parameters ?? []) {
    const value = given[parameter.name] ?? parameter.defaultValue;
    if (value !== '') params[parameter.name] = value;
  }
  return { metric, params };
}

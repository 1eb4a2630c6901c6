// What the address means with this server's catalog and data sets: defaults filled in.
import { useMemo } from 'react';
import { DataSet_State, type DataSet, type GetCatalogResponse, type Metric, type View } from '../gen/cambium/v1/workbench_pb';
import type { Address } from '../state/address';

export interface Settings {
  dataSet: DataSet | undefined;
  /** The address names a data set that is not there. */
  missing: boolean;
  view: View | undefined;
  metric: Metric | undefined;
  /** The view's parameters with their defaults. */
  params: Record<string, string>;
  drawable: boolean;
}

function isDrawable(dataSet: DataSet): boolean {
  return dataSet.state === DataSet_State.READY && dataSet.contexts > 0n && dataSet.metrics.some((m) => m.total > 0n);
}

/** What to show when the address names nothing: the newest that shows or will show something, if there is one. */
function newest(dataSets: readonly DataSet[] | undefined): DataSet | undefined {
  return (
    dataSets?.findLast((d) => isDrawable(d) || d.state === DataSet_State.READING) ??
    dataSets?.findLast((d) => d.state === DataSet_State.READY) ??
    dataSets?.at(-1)
  );
}

export function settingsOf(address: Address, catalog: GetCatalogResponse | undefined, dataSets: readonly DataSet[] | undefined): Settings {
  const dataSet = address.ds === '' ? newest(dataSets) : dataSets?.find((d) => d.id === address.ds);
  const view = catalog?.views.find((v) => v.name === address.view) ?? catalog?.views[0];
  const metric =
    dataSet?.metrics.find((m) => m.name === address.metric) ??
    dataSet?.metrics.find((m) => m.name === dataSet.preferredMetric) ??
    dataSet?.metrics[0];
  const params: Record<string, string> = {};
  for (const parameter of view?.parameters ?? []) {
    const value = address.params[parameter.name] ?? parameter.defaultValue;
    if (value !== '') params[parameter.name] = value;
  }
  return {
    dataSet,
    missing: address.ds !== '' && dataSets !== undefined && !dataSet,
    view,
    metric,
    params,
    drawable: dataSet !== undefined && isDrawable(dataSet),
  };
}

export function useSettings(address: Address, catalog: GetCatalogResponse | undefined, dataSets: readonly DataSet[] | undefined): Settings {
  return useMemo(() => settingsOf(address, catalog, dataSets), [address, catalog, dataSets]);
}

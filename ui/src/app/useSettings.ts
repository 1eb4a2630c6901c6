// What the address means with this server's catalog and data sets: defaults filled in.
import { useMemo } from 'react';
import { DataSet_State, type DataSet, type GetCatalogResponse, type Metric, type View } from '../gen/cambium/v1/workbench_pb';
import { firstTree, treeSettings } from '../panels/treeSettings';
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
    dataSets?.findLast((d) => isDrawable(d) || d.compares.length > 0 || d.state === DataSet_State.READING) ??
    dataSets?.findLast((d) => d.state === DataSet_State.READY) ??
    dataSets?.at(-1)
  );
}

/** viewName is the view of the panel whose steps the address has; '' is the first one of trees. */
export function settingsOf(address: Address, catalog: GetCatalogResponse | undefined, dataSets: readonly DataSet[] | undefined, viewName = ''): Settings {
  const dataSet = address.ds === '' ? newest(dataSets) : dataSets?.find((d) => d.id === address.ds);
  const view = catalog?.views.find((v) => v.tree && v.name === viewName) ?? firstTree(catalog?.views);
  return {
    dataSet,
    missing: address.ds !== '' && dataSets !== undefined && !dataSet,
    view,
    ...treeSettings(view, dataSet, address.metric, address.params),
    drawable: dataSet !== undefined && isDrawable(dataSet),
  };
}

export function useSettings(address: Address, catalog: GetCatalogResponse | undefined, dataSets: readonly DataSet[] | undefined, viewName = ''): Settings {
  return useMemo(() => settingsOf(address, catalog, dataSets, viewName), [address, catalog, dataSets, viewName]);
}

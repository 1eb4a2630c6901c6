// What the page has, as the server is asked it.
import type { Glance, Span } from '../state/glance';
import { allOf } from '../state/filters';
import { NO_PAIRING, type Pairing } from '../state/pairing';
import type { PanelSpec, Work } from '../state/work';
import type { PanelInit, SharedInit } from './visualizer';

export function sharedInit(work: Work): SharedInit {
  return {
    filter: work.filters.length === 0 ? '' : allOf(work.filters),
    groups: work.groups.map((g) => ({ name: g.name, color: g.colour, filter: g.filter, hidden: g.hidden })),
    selection: work.selection,
    pairing: work.pairing === NO_PAIRING ? undefined : pairingInit(work.pairing),
  };
}

function period(span: Span | undefined) {
  return span && { from: BigInt(span.from), to: BigInt(span.to) };
}

function pairingInit({ run, tau, names, focus, threads, swapped }: Pairing): NonNullable<SharedInit['pairing']> {
  return { run, tau, names, focusA: period(focus[0]), focusB: period(focus[1]), threadA: threads[0], threadB: threads[1], swapped };
}

export interface Viewport {
  width: number;
  height: number;
  first: number;
}

export function panelInit(panel: PanelSpec, glance: Glance, { width, height, first }: Viewport): PanelInit {
  const { id, title, view, subject, map, params, sort, like } = panel;
  return {
    id, title, view, subject, like, width, height,
    map: { ...map },
    params: { ...params },
    sort: { ...sort },
    first: BigInt(first),
    rows: glance.rows && { from: glance.rows.from, to: glance.rows.to },
    columns: glance.columns && { from: glance.columns.from, to: glance.columns.to },
    period: glance.period && { from: BigInt(Math.floor(glance.period.from)), to: BigInt(Math.ceil(glance.period.to)) },
  };
}

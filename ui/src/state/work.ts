// What a person arranged on the page: the panels and what all of them have in common. It is
// a value that is never changed, only followed by another, so that undoing is going back.
import type { Layout } from './layout';
import { NO_PAIRING, type Pairing } from './pairing';

export interface PanelSpec {
  id: string;
  view: string;
  /** '' is a title made from what the chart shows. */
  title: string;
  subject: string;
  /** Dimension to field; what is not in it has its default. */
  map: Readonly<Record<string, string>>;
  params: Readonly<Record<string, string>>;
  /** Dimension to sorting scheme. */
  sort: Readonly<Record<string, string>>;
  /** The panel whose order of entities it follows, '' for its own. */
  like: string;
}

export interface ColourGroup {
  name: string;
  /** 0xRRGGBBAA */
  colour: number;
  filter: string;
  hidden: boolean;
}

export interface Work {
  panels: readonly PanelSpec[];
  /** All of them must hold. */
  filters: readonly string[];
  groups: readonly ColourGroup[];
  selection: string;
  /** Of a comparison alone. */
  pairing: Pairing;
  /** undefined: as the panels come. */
  layout: Layout | undefined;
}

export const NO_WORK: Work = { panels: [], filters: [], groups: [], selection: '', pairing: NO_PAIRING, layout: undefined };

export function makePanel(id: string, view: string, rest: Partial<PanelSpec> = {}): PanelSpec {
  return { id, view, title: '', subject: '', map: {}, params: {}, sort: {}, like: '', ...rest };
}

/** An id that no panel has. Ids are never given twice while a panel with them can come back by undoing. */
export function freeId(...works: readonly Work[]): string {
  let most = 0;
  for (const work of works) for (const { id } of work.panels) most = Math.max(most, Number.parseInt(id, 10) || 0);
  return String(most + 1);
}

export function withPanel(work: Work, panel: PanelSpec): Work {
  return { ...work, panels: [...work.panels, panel] };
}

export function withoutPanel(work: Work, id: string): Work {
  return { ...work, panels: work.panels.filter((p) => p.id !== id).map((p) => (p.like === id ? { ...p, like: '' } : p)) };
}

export function changePanel(work: Work, id: string, change: Partial<PanelSpec>): Work {
  return { ...work, panels: work.panels.map((p) => (p.id === id ? { ...p, ...change } : p)) };
}

/** Adds a condition that must hold too. */
export function withFilter(work: Work, filter: string): Work {
  const text = filter.trim();
  return text === '' || work.filters.includes(text) ? work : { ...work, filters: [...work.filters, text] };
}

export function changeFilter(work: Work, at: number, filter: string): Work {
  const text = filter.trim();
  const rest = text === '' ? work.filters.filter((_, i) => i !== at) : work.filters.map((f, i) => (i === at ? text : f));
  return { ...work, filters: rest };
}

export function withGroup(work: Work, group: ColourGroup): Work {
  return { ...work, groups: [...work.groups, group] };
}

export function changeGroup(work: Work, at: number, change: Partial<ColourGroup>): Work {
  return { ...work, groups: work.groups.map((g, i) => (i === at ? { ...g, ...change } : g)) };
}

export function withoutGroup(work: Work, at: number): Work {
  return { ...work, groups: work.groups.filter((_, i) => i !== at) };
}

/** Moves a group up (by −1) or down (by 1): where several hold, the first one has the say. */
export function moveGroup(work: Work, at: number, by: number): Work {
  const to = at + by;
  if (to < 0 || to >= work.groups.length) return work;
  const groups = [...work.groups];
  [groups[at], groups[to]] = [groups[to], groups[at]];
  return { ...work, groups };
}

/** Makes the panels follow the order of another one, or all of them their own order again. */
export function followOrder(work: Work, leader: string, followers: readonly string[]): Work {
  return { ...work, panels: work.panels.map((p) => (p.id === leader ? { ...p, like: '' } : followers.includes(p.id) ? { ...p, like: leader } : p)) };
}

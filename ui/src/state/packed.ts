// A workspace as the address holds it: short and readable JSON of what is not the default.
import { isLayout } from './layout';
import { makePanel, type ColourGroup, type PanelSpec, type Work } from './work';
import { cleanGlance, type Glance } from './glance';
import { packPairing, unpackPairing } from './pairing';

interface Packed {
  p?: unknown;
  f?: unknown;
  g?: unknown;
  s?: unknown;
  c?: unknown;
  l?: unknown;
  z?: unknown;
}

function record(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter((e): e is [string, string] => typeof e[1] === 'string'));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function packPanel(p: PanelSpec): Record<string, unknown> {
  const out: Record<string, unknown> = { i: p.id, v: p.view };
  if (p.title) out.t = p.title;
  if (p.subject) out.e = p.subject;
  if (Object.keys(p.map).length > 0) out.m = p.map;
  if (Object.keys(p.params).length > 0) out.p = p.params;
  if (Object.keys(p.sort).length > 0) out.o = p.sort;
  if (p.like) out.k = p.like;
  return out;
}

function unpackPanel(value: unknown): PanelSpec[] {
  if (typeof value !== 'object' || value === null) return [];
  const v = value as Record<string, unknown>;
  const id = text(v.i);
  const view = text(v.v);
  if (id === '' || view === '') return [];
  return [makePanel(id, view, { title: text(v.t), subject: text(v.e), map: record(v.m), params: record(v.p), sort: record(v.o), like: text(v.k) })];
}

function unpackGroup(value: unknown): ColourGroup[] {
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !/^[0-9a-f]{6}$/i.test(text(value[1]))) return [];
  return [{ name: value[0], colour: (Number.parseInt(text(value[1]), 16) * 256 + 255) >>> 0, filter: text(value[2]), hidden: value[3] === 1 }];
}

export function pack(work: Work, glances: Readonly<Record<string, Glance>>): string {
  const out: Packed = { p: work.panels.map(packPanel) };
  if (work.filters.length > 0) out.f = work.filters;
  if (work.groups.length > 0) out.g = work.groups.map((g) => [g.name, (g.colour >>> 8).toString(16).padStart(6, '0'), g.filter, ...(g.hidden ? [1] : [])]);
  if (work.selection !== '') out.s = work.selection;
  const pairing = packPairing(work.pairing);
  if (pairing) out.c = pairing;
  if (work.layout) out.l = work.layout;
  const kept = Object.fromEntries(Object.entries(glances).filter(([id, g]) => Object.keys(g).length > 0 && work.panels.some((p) => p.id === id)));
  if (Object.keys(kept).length > 0) out.z = kept;
  return JSON.stringify(out);
}

/** undefined if it is not what pack wrote; parts that are not understood are left out. */
export function unpack(content: string): { work: Work; glances: Record<string, Glance> } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { p, f, g, s, c, l, z } = value as Packed;
  const panels = Array.isArray(p) ? p.flatMap(unpackPanel) : [];
  const work: Work = {
    panels: panels.filter((a, i) => panels.findIndex((b) => b.id === a.id) === i),
    filters: Array.isArray(f) ? f.filter((x): x is string => typeof x === 'string') : [],
    groups: Array.isArray(g) ? g.flatMap(unpackGroup) : [],
    selection: text(s),
    pairing: unpackPairing(c),
    layout: isLayout(l) ? l : undefined,
  };
  const glances: Record<string, Glance> = {};
  if (typeof z === 'object' && z !== null) for (const [id, glance] of Object.entries(z)) glances[id] = cleanGlance(glance);
  return { work, glances };
}

/** Quotation marks would be three characters each in an address; this sign is hardly ever meant. */
const SWAP: Record<string, string> = { '"': '~', '~': '"' };

export function toAddress(content: string): string {
  const swapped = content.replaceAll(/["~]/g, (c) => SWAP[c]);
  return encodeURIComponent(swapped).replaceAll(/%(7B|7D|5B|5D|3A|2C|2F|40|24)/g, (c) => decodeURIComponent(c));
}

export function fromAddress(value: string): string {
  return value.replaceAll(/["~]/g, (c) => SWAP[c]);
}

// How a panel is looked at: its part of the axes, and for trees the steps. It is kept with the
// panel, but it is no step of undoing: looking changes nothing.

export interface Span {
  from: number;
  to: number;
}

/** What a tree is looked at with; the front one's is the address's own. */
export interface TreeLook {
  steps: string;
  metric: string;
  params: Record<string, string>;
}

export interface Glance {
  /** Positions of the entities that are shown. */
  rows?: Span;
  columns?: Span;
  /** The part of a coordinate that is shown, both ends included. */
  period?: Span;
  look?: TreeLook;
}

export type Axis = 'rows' | 'columns' | 'period';

function span(value: unknown): Span | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { from, to } = value as Partial<Span>;
  return typeof from === 'number' && typeof to === 'number' && Number.isFinite(from) && Number.isFinite(to) && to >= from ? { from, to } : undefined;
}

/** A glance from an address or a file. */
export function cleanGlance(value: unknown): Glance {
  if (typeof value !== 'object' || value === null) return {};
  const v = value as Record<string, unknown>;
  const glance: Glance = {};
  for (const axis of ['rows', 'columns', 'period'] as const) {
    const found = span(v[axis]);
    if (found) glance[axis] = found;
  }
  const look = v.look as Partial<TreeLook> | undefined;
  if (look && typeof look.steps === 'string' && typeof look.metric === 'string' && typeof look.params === 'object') {
    glance.look = { steps: look.steps, metric: look.metric, params: { ...look.params } };
  }
  return glance;
}

export function isZoomed(glance: Glance | undefined): boolean {
  return glance !== undefined && (glance.rows ?? glance.columns ?? glance.period) !== undefined;
}

/** An axis as far as zooming needs it. */
export interface AxisSpan {
  from: number;
  to: number;
  min: number;
  max: number;
}

/** The least that is shown: two entities, or two units of a coordinate. */
const LEAST = 2;

/** Zooms around a value: a factor under 1 shows less. undefined is everything. */
export function zoomed(axis: AxisSpan, around: number, factor: number): Span | undefined {
  const all = axis.max - axis.min;
  const least = Math.min(LEAST, all);
  const width = Math.max(least, (axis.to - axis.from) * factor);
  if (width >= all * 0.999) return undefined;
  const part = axis.to > axis.from ? (around - axis.from) / (axis.to - axis.from) : 0.5;
  return within(axis, around - part * width, width);
}

/** Moves what is shown by a part of it. undefined is everything. */
export function panned(axis: AxisSpan, by: number): Span | undefined {
  const width = axis.to - axis.from;
  if (width >= (axis.max - axis.min) * 0.999) return undefined;
  return within(axis, axis.from + by, width);
}

function within(axis: AxisSpan, from: number, width: number): Span {
  const start = Math.min(Math.max(from, axis.min), axis.max - width);
  return { from: start, to: start + width };
}

/** What a new chart begins with: of bars, those that can be read. */
const FIRST: Readonly<Record<string, Glance>> = { bar: { rows: { from: 0, to: 40 } } };

export function firstGlance(view: string): Glance {
  return FIRST[view] ?? {};
}

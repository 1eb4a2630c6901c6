// How the two sides of a comparison are looked at: the same for all of its charts.
import type { Span } from './glance';

export interface Pairing {
  /** Which of the data sets after the first is compared with it, from 0. */
  run: number;
  /** undefined is the server's default. */
  tau: number | undefined;
  /** How names of methods are compared: exact, stable or short; '' is exact. */
  names: string;
  /** The part of each trace that is looked at closely, in nanoseconds from its start. */
  focus: readonly [Span | undefined, Span | undefined];
  /** 0 is the thread with the most calls, n the nth from 1, −1 all. */
  threads: readonly [number, number];
  /** The tree of two profiles is looked at from the second to the first. */
  swapped: boolean;
}

export const NO_PAIRING: Pairing = { run: 0, tau: undefined, names: '', focus: [undefined, undefined], threads: [0, 0], swapped: false };

/** The focus of one side, counted from 0, moved. */
export function withFocus(pairing: Pairing, side: number, focus: Span | undefined): Pairing {
  const own = focus && { from: Math.max(0, Math.floor(focus.from)), to: Math.max(0, Math.ceil(focus.to)) };
  return { ...pairing, focus: side === 0 ? [own, pairing.focus[1]] : [pairing.focus[0], own] };
}

/** What of a pairing is not the default, for an address; undefined if nothing is. */
export function packPairing(p: Pairing): Record<string, unknown> | undefined {
  const out: Record<string, unknown> = {};
  if (p.run !== 0) out.r = p.run;
  if (p.tau !== undefined) out.t = p.tau;
  if (p.names !== '') out.n = p.names;
  const [a, b] = p.focus;
  if (a) out.a = [a.from, a.to];
  if (b) out.b = [b.from, b.to];
  if (p.threads[0] !== 0 || p.threads[1] !== 0) out.h = p.threads;
  if (p.swapped) out.s = 1;
  return Object.keys(out).length > 0 ? out : undefined;
}

function whole(value: unknown, least: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= least ? value : undefined;
}

function span(value: unknown): Span | undefined {
  if (!Array.isArray(value)) return undefined;
  const [from, to] = [whole(value[0], 0), whole(value[1], 0)];
  return from !== undefined && to !== undefined && to >= from ? { from, to } : undefined;
}

export function unpackPairing(value: unknown): Pairing {
  if (typeof value !== 'object' || value === null) return NO_PAIRING;
  const v = value as Record<string, unknown>;
  const threads = Array.isArray(v.h) ? v.h : [];
  return {
    run: whole(v.r, 0) ?? 0,
    tau: typeof v.t === 'number' && Number.isFinite(v.t) ? v.t : undefined,
    names: v.n === 'stable' || v.n === 'short' ? v.n : '',
    focus: [span(v.a), span(v.b)],
    threads: [whole(threads[0], -1) ?? 0, whole(threads[1], -1) ?? 0],
    swapped: v.s === 1,
  };
}

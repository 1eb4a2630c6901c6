// Undoing what was done to the steps: expanding and compacting, filters, what was moved and removed.
// That is in the address, not in what the workbench keeps; so both are undone in the order in which
// they were done. Going to another root is not among it: there is a way back for that.
import { deskOf } from './desks';
import { makeStore } from './hover';
import { formatSteps, parseSteps, type Step } from './steps';
import { addressNow, go } from './useAddress';

interface Deed {
  dataSet: string;
  what: string;
  before: string;
  after: string;
  /** How much the workbench had to undo at that time. */
  works: number;
}

export interface Deeds {
  past: readonly Deed[];
  future: readonly Deed[];
}

const KEPT = 200;

export const deeds = makeStore<Deeds>({ past: [], future: [] });

/** The steps without the depth, which is no part of it. */
function bare(steps: readonly Step[]): string {
  return formatSteps(steps.filter((s) => s.op !== 'depth'));
}

function worksOf(dataSet: string): number {
  return deskOf(dataSet)?.history.past.length ?? 0;
}

/** The steps in the address become others; their depth stays as it is. */
function setSteps(text: string): void {
  go((now) => ({ steps: parseSteps([formatSteps(parseSteps(text).filter((s) => s.op !== 'depth')), formatSteps(now.steps.filter((s) => s.op === 'depth'))].filter(Boolean).join(',')) }));
}

/** Changes the steps, in a way that can be undone. */
export function setLevels(dataSet: string, what: string, steps: string): void {
  const before = bare(addressNow().steps);
  setSteps(steps);
  const after = bare(addressNow().steps);
  if (after === before) return;
  deeds.set({ past: [...deeds.get().past.slice(1 - KEPT), { dataSet, what, before, after, works: worksOf(dataSet) }], future: [] });
}

/** What was done to the steps last, if nothing was done since. */
export function lastDeed({ past }: Deeds, dataSet: string, steps: readonly Step[], works: number): Deed | undefined {
  const deed = past.at(-1);
  return deed?.dataSet === dataSet && deed.after === bare(steps) && works <= deed.works ? deed : undefined;
}

export function nextDeed({ future }: Deeds, dataSet: string, steps: readonly Step[]): Deed | undefined {
  const deed = future.at(-1);
  return deed?.dataSet === dataSet && deed.before === bare(steps) ? deed : undefined;
}

/** False if the steps are not what was changed last. */
export function undoLevels(dataSet: string): boolean {
  const now = deeds.get();
  const deed = lastDeed(now, dataSet, addressNow().steps, worksOf(dataSet));
  if (!deed) return false;
  setSteps(deed.before);
  deeds.set({ past: now.past.slice(0, -1), future: [...now.future, deed] });
  return true;
}

export function redoLevels(dataSet: string): boolean {
  const now = deeds.get();
  const deed = nextDeed(now, dataSet, addressNow().steps);
  if (!deed) return false;
  setSteps(deed.after);
  deeds.set({ past: [...now.past, deed], future: now.future.slice(0, -1) });
  return true;
}

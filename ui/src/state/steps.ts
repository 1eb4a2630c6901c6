// The pipeline of tree operations, as the server writes it: "focus:12,norec,depth:9".

export interface Step {
  op: string;
  arg: string;
}

/** 'auto' is a dozen layers below where the tree first forks: the server knows where that is. */
export type Depth = number | 'all' | 'auto';

export function parseSteps(text: string): Step[] {
  const steps: Step[] = [];
  for (const part of text.split(',')) {
    const trimmed = part.trim();
    if (trimmed === '') continue;
    const colon = trimmed.indexOf(':');
    const op = colon < 0 ? trimmed : trimmed.slice(0, colon);
    const arg = colon < 0 ? '' : trimmed.slice(colon + 1);
    steps.push({ op, arg: op === FILTER ? unescapeFilter(arg).trim() : arg });
  }
  return tidy(steps);
}

export function formatSteps(steps: readonly Step[]): string {
  return steps.map((s) => (s.arg === '' ? s.op : `${s.op}:${s.op === FILTER ? escapeFilter(s.arg) : s.arg}`)).join(',');
}

/** The step whose argument is the text of a filter. */
export const FILTER = 'filter';

/** A comma would end the step. */
function escapeFilter(text: string): string {
  return text.replaceAll('%', '%25').replaceAll(',', '%2C');
}

function unescapeFilter(text: string): string {
  return text.replaceAll(/%25|%2C/gi, (sign) => (sign === '%25' ? '%' : ','));
}

/** Keeps only what the events reached for which a filter holds. */
export function withFilterStep(steps: readonly Step[], text: string): Step[] {
  const arg = text.trim();
  if (arg === '' || steps.some((s) => s.op === FILTER && s.arg === arg)) return [...steps];
  return tidy([...steps, { op: FILTER, arg }]);
}

/** Another filter in the place of one; none if it is empty. */
export function changeFilterStep(steps: readonly Step[], index: number, text: string): Step[] {
  const arg = text.trim();
  if (arg === '') return removeStep(steps, index);
  return steps.map((s, i) => (i === index ? { op: FILTER, arg } : s));
}

/** Depth last and once; of two neighbouring focus steps the later says all. */
function tidy(steps: readonly Step[]): Step[] {
  const rest: Step[] = [];
  let depth: Step | undefined;
  for (const step of steps) {
    if (step.op === 'depth') {
      depth = step;
      continue;
    }
    if (step.op === 'focus' && rest.at(-1)?.op === 'focus') rest.pop();
    rest.push(step);
  }
  return depth ? [...rest, depth] : rest;
}

/** Makes a context the root. */
export function focusOn(steps: readonly Step[], id: number): Step[] {
  const depth = steps.filter((s) => s.op === 'depth');
  const rest = steps.filter((s) => s.op !== 'depth');
  return tidy([...rest, { op: 'focus', arg: String(id) }, ...depth]);
}

/** The whole tree again. */
export function withoutFocus(steps: readonly Step[]): Step[] {
  return tidy(steps.filter((s) => s.op !== 'focus'));
}

/** Adds a step that has no argument, or removes it. */
export function toggleStep(steps: readonly Step[], op: string): Step[] {
  if (hasStep(steps, op)) return tidy(steps.filter((s) => s.op !== op));
  return tidy([...steps, { op, arg: '' }]);
}

/** Merges contexts into packages. */
export function withCompaction(steps: readonly Step[]): Step[] {
  return tidy([...steps, { op: 'compact', arg: '1' }]);
}

/** What a compaction shows, in a few words: how it began, and how much was changed. */
export function compactionInWords(arg: string): string {
  const [first = '', ...changes] = arg.split(';');
  const [kind, rest = ''] = first.split(':');
  let words = kind === '1' || kind === '' ? 'first elements' : `${kind} elements`;
  if (kind === 'explain') words = `${rest.split('=')[0]} nodes`;
  else if (Number(kind) > 1000) words = 'whole names';
  if (changes.length > 0) words += `, ${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`;
  return words;
}

/** Whether a step can change places with the one before it, so that something else may be shown. */
export function canMove(steps: readonly Step[], index: number): boolean {
  const [before, step] = [steps[index - 1], steps[index]];
  if (before === undefined || step === undefined || step.op === 'depth' || before.op === 'depth') return false;
  return before.op !== step.op || step.op === FILTER || step.op === 'compact';
}

/** Puts a step where another one is, which makes room for it. */
export function moveStep(steps: readonly Step[], from: number, to = from - 1): Step[] {
  const rest = [...steps];
  const [step] = rest.splice(from, 1);
  if (!step || step.op === 'depth') return [...steps];
  rest.splice(to, 0, step);
  return tidy(rest);
}

export function removeStep(steps: readonly Step[], index: number): Step[] {
  return tidy(steps.filter((_, i) => i !== index));
}

export function hasStep(steps: readonly Step[], op: string): boolean {
  return steps.some((s) => s.op === op);
}

export function depthOf(steps: readonly Step[]): Depth {
  const step = steps.find((s) => s.op === 'depth');
  if (step?.arg === 'all') return 'all';
  const n = Number.parseInt(step?.arg ?? '', 10);
  return Number.isFinite(n) && n >= 1 ? n : 'auto';
}

export function withDepth(steps: readonly Step[], depth: Depth): Step[] {
  const rest = steps.filter((s) => s.op !== 'depth');
  return depth === 'auto' ? rest : [...rest, { op: 'depth', arg: String(depth) }];
}

/** What the server is asked: the default depth written out, and no depth step for 'all'. */
export function requestSteps(steps: readonly Step[]): string {
  const depth = depthOf(steps);
  const rest = steps.filter((s) => s.op !== 'depth');
  return formatSteps(depth === 'all' ? rest : [...rest, { op: 'depth', arg: String(depth) }]);
}

/** The id of the focused context if the last step before the depth is a focus. */
export function focusOf(steps: readonly Step[]): number | undefined {
  const last = steps.findLast((s) => s.op === 'focus');
  return last ? Number(last.arg) : undefined;
}

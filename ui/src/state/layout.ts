// Where the panels are: rows and columns of stacks of tabs, with shares instead of pixels, so
// that it fits another window, is short in an address, and reads well in a saved file.

export interface Stack {
  tabs: readonly string[];
  /** The panel in front, if it is not the first. */
  front?: string;
}

export interface Split {
  split: 'row' | 'column';
  /** Shares of the parts in percent, and the parts. */
  parts: readonly (readonly [number, Layout])[];
}

export type Layout = Stack | Split;

/** A node of the docking library's own form, as far as it is of use here. */
export interface DockNode {
  type: 'leaf' | 'branch';
  size?: number;
  data: unknown;
}

interface DockLeaf {
  views: string[];
  activeView?: string;
  id: string;
}

export type Orientation = 'HORIZONTAL' | 'VERTICAL';

function isStack(layout: Layout): layout is Stack {
  return 'tabs' in layout;
}

/** All panels of a layout, in reading order. */
export function panelsOf(layout: Layout): string[] {
  return isStack(layout) ? [...layout.tabs] : layout.parts.flatMap(([, part]) => panelsOf(part));
}

/** Reads the docking library's form; undefined if nothing is left. */
export function fromDock(node: DockNode, orientation: Orientation): Layout | undefined {
  if (node.type === 'leaf') {
    const { views, activeView } = node.data as DockLeaf;
    if (views.length === 0) return undefined;
    return activeView !== undefined && activeView !== views[0] ? { tabs: views, front: activeView } : { tabs: views };
  }
  const children = node.data as DockNode[];
  const across = orientation === 'HORIZONTAL' ? 'VERTICAL' : 'HORIZONTAL';
  const parts: [number, Layout][] = [];
  for (const child of children) {
    const layout = fromDock(child, across);
    if (layout) parts.push([child.size ?? 1, layout]);
  }
  if (parts.length <= 1) return parts[0]?.[1];
  const sum = parts.reduce((total, [size]) => total + size, 0) || 1;
  return { split: orientation === 'HORIZONTAL' ? 'row' : 'column', parts: parts.map(([size, part]) => [Math.max(1, Math.round((size / sum) * 100)), part]) };
}

/** Writes the docking library's form for a room of a size. */
export function toDock(layout: Layout, width: number, height: number): { root: DockNode; orientation: Orientation } {
  const orientation: Orientation = isStack(layout) || layout.split === 'row' ? 'HORIZONTAL' : 'VERTICAL';
  let groups = 0;
  const node = (part: Layout, size: number, w: number, h: number, way: Orientation): DockNode => {
    if (isStack(part)) {
      return { type: 'leaf', size, data: { views: [...part.tabs], activeView: part.front ?? part.tabs[0], id: String(++groups) } };
    }
    const own = part.split === 'row' ? 'HORIZONTAL' : 'VERTICAL';
    // Branches alternate: a split in the same direction as the one around it goes one deeper.
    if (own !== way) return { type: 'branch', size, data: [node(part, way === 'HORIZONTAL' ? w : h, w, h, own)] };
    const sum = part.parts.reduce((total, [share]) => total + share, 0) || 1;
    const across = own === 'HORIZONTAL' ? 'VERTICAL' : 'HORIZONTAL';
    return {
      type: 'branch',
      size,
      data: part.parts.map(([share, child]) => {
        const cw = own === 'HORIZONTAL' ? (w * share) / sum : w;
        const ch = own === 'VERTICAL' ? (h * share) / sum : h;
        return node(child, own === 'HORIZONTAL' ? cw : ch, cw, ch, across);
      }),
    };
  };
  const whole: Split = isStack(layout) ? { split: 'row', parts: [[100, layout]] } : layout;
  return { root: node(whole, orientation === 'HORIZONTAL' ? height : width, width, height, orientation), orientation };
}

/** The layout with exactly these panels: what is gone is taken out, what is new stands in a column at the right. */
export function fitLayout(layout: Layout | undefined, ids: readonly string[]): Layout | undefined {
  const kept = layout && prune(layout, new Set(ids));
  const there = new Set(kept ? panelsOf(kept) : []);
  const missing = ids.filter((id) => !there.has(id));
  if (missing.length === 0) return kept;
  const more: Layout = arrange(missing);
  if (!kept) return more;
  return { split: 'row', parts: [[60, kept], [40, more]] };
}

function prune(layout: Layout, ids: ReadonlySet<string>): Layout | undefined {
  if (isStack(layout)) {
    const tabs = layout.tabs.filter((id) => ids.has(id));
    if (tabs.length === 0) return undefined;
    return layout.front !== undefined && tabs.includes(layout.front) && layout.front !== tabs[0] ? { tabs, front: layout.front } : { tabs };
  }
  const parts = layout.parts.flatMap(([share, part]): [number, Layout][] => {
    const left = prune(part, ids);
    return left ? [[share, left]] : [];
  });
  if (parts.length <= 1) return parts[0]?.[1];
  return { split: layout.split, parts };
}

/** Panels for which nobody said where: two side by side, more in a grid. */
export function arrange(ids: readonly string[]): Layout {
  const stacks = ids.map((id): Layout => ({ tabs: [id] }));
  if (stacks.length <= 1) return stacks[0] ?? { tabs: [] };
  if (stacks.length <= 2) return { split: 'row', parts: stacks.map((s) => [50, s] as const) };
  const columns = Math.ceil(Math.sqrt(stacks.length));
  const rows = Math.ceil(stacks.length / columns);
  const lines: Layout[] = [];
  for (let r = 0; r < rows; r++) {
    const line = stacks.slice(r * columns, (r + 1) * columns);
    lines.push(line.length === 1 ? line[0] : { split: 'row', parts: line.map((s) => [Math.round(100 / line.length), s] as const) });
  }
  return { split: 'column', parts: lines.map((l) => [Math.round(100 / rows), l] as const) };
}

/** Whether a value, from an address or a file, is a layout. */
export function isLayout(value: unknown, depth = 0): value is Layout {
  if (typeof value !== 'object' || value === null || depth > 12) return false;
  if ('tabs' in value) return Array.isArray(value.tabs) && value.tabs.length > 0 && value.tabs.every((t) => typeof t === 'string');
  if (!('split' in value) || !('parts' in value) || (value.split !== 'row' && value.split !== 'column') || !Array.isArray(value.parts) || value.parts.length === 0) return false;
  return value.parts.every((p) => Array.isArray(p) && p.length === 2 && typeof p[0] === 'number' && p[0] > 0 && isLayout(p[1], depth + 1));
}

/** Whether two layouts are the same but for rounding. */
export function sameLayout(a: Layout | undefined, b: Layout | undefined): boolean {
  if (!a || !b) return a === b;
  if (isStack(a) || isStack(b)) return JSON.stringify(a) === JSON.stringify(b);
  return a.split === b.split && a.parts.length === b.parts.length && a.parts.every(([share, part], i) => Math.abs(share - b.parts[i][0]) <= 1 && sameLayout(part, b.parts[i][1]));
}

export type Edge = 'left' | 'right' | 'top' | 'bottom';

/** The share that a panel gets which is moved to an edge, in percent. */
const AT_EDGE = 35;

/** Moves a panel to an edge of the whole. */
export function moveToEdge(layout: Layout, id: string, edge: Edge): Layout {
  const rest = prune(layout, new Set(panelsOf(layout).filter((p) => p !== id)));
  const own: Layout = { tabs: [id] };
  if (!rest) return own;
  const way = edge === 'left' || edge === 'right' ? 'row' : 'column';
  const first = edge === 'left' || edge === 'top';
  const others: (readonly [number, Layout])[] = !isStack(rest) && rest.split === way ? rest.parts.map(([share, part]) => [Math.max(1, Math.round((share * (100 - AT_EDGE)) / 100)), part]) : [[100 - AT_EDGE, rest]];
  return { split: way, parts: first ? [[AT_EDGE, own], ...others] : [...others, [AT_EDGE, own]] };
}

/** Puts a panel into the stack of another one, in front. */
export function stackWith(layout: Layout, id: string, other: string): Layout {
  const rest = prune(layout, new Set(panelsOf(layout).filter((p) => p !== id)));
  const put = (part: Layout): Layout => {
    if (!isStack(part)) return { split: part.split, parts: part.parts.map(([share, child]) => [share, put(child)] as const) };
    return part.tabs.includes(other) ? { tabs: [...part.tabs, id], front: id } : part;
  };
  return rest ? put(rest) : layout;
}

/** Makes the stack of a panel wider or higher, by percent of what it stands in. */
export function resized(layout: Layout, id: string, way: Split['split'], by: number): Layout {
  if (isStack(layout)) return layout;
  const at = layout.parts.findIndex(([, part]) => panelsOf(part).includes(id));
  if (at < 0) return layout;
  const parts = layout.parts.map(([share, part], i) => [share, i === at ? resized(part, id, way, by) : part] as const);
  if (layout.split !== way || parts.length < 2) return { split: layout.split, parts };
  const sum = parts.reduce((total, [share]) => total + share, 0);
  const wanted = Math.min(0.85, Math.max(0.1, parts[at][0] / sum + by / 100));
  const others = sum - parts[at][0];
  return { split: layout.split, parts: parts.map(([share, part], i) => [Math.max(1, Math.round(i === at ? wanted * 100 : ((1 - wanted) * 100 * share) / others)), part] as const) };
}

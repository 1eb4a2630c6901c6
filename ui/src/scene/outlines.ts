// Outlines of what is hovered, pinned or under the keyboard's cursor: weight, not only colour.
import { shapePath } from './canvas';
import { NO_METHOD, type DecodedScene } from './decode';

export interface Marked {
  /** Index of the sector under the pointer, or -1. */
  hover: number;
  /** Id of the pinned context. */
  pin: number | undefined;
  /** Index of the keyboard's cursor, or -1. */
  cursor: number;
  /** Id of a context that a list points at. */
  pointed: number | undefined;
}

export interface Inks {
  line: string;
  under: string;
  accent: string;
}

function stroke(context: CanvasRenderingContext2D, scene: DecodedScene, indices: number[], width: number, inks: Inks, colour: string, dash?: number[]): void {
  if (indices.length === 0) return;
  const { sectors } = scene;
  const g = sectors.geometry;
  const path = new Path2D();
  for (const i of indices) {
    if (g[i * 4] <= 0 && g[i * 4 + 1] <= 0) continue;
    shapePath(path, sectors, g.subarray(i * 4, i * 4 + 4));
  }
  context.lineJoin = 'round';
  context.setLineDash([]);
  context.lineWidth = width + 2;
  context.strokeStyle = inks.under;
  context.stroke(path);
  context.lineWidth = width;
  context.strokeStyle = colour;
  if (dash) context.setLineDash(dash);
  context.stroke(path);
  context.setLineDash([]);
}

export function drawOutlines(context: CanvasRenderingContext2D, scene: DecodedScene, marked: Marked, inks: Inks): void {
  const { sectors, indexOf } = scene;
  const pinned = marked.pin === undefined ? undefined : indexOf.get(marked.pin);
  if (pinned !== undefined) {
    const method = sectors.method[pinned];
    const same: number[] = [];
    if (method !== NO_METHOD) {
      for (let i = 0; i < sectors.size; i++) {
        if (i !== pinned && sectors.kind[i] === 0 && sectors.method[i] === method) same.push(i);
      }
    }
    stroke(context, scene, same, 1.25, inks, inks.line);
    stroke(context, scene, [pinned], 3, inks, inks.accent);
  }
  const pointed = marked.pointed === undefined ? undefined : indexOf.get(marked.pointed);
  if (pointed !== undefined && pointed !== marked.hover) stroke(context, scene, [pointed], 2, inks, inks.line);
  if (marked.hover >= 0 && marked.hover < sectors.size) stroke(context, scene, [marked.hover], 1.5, inks, inks.line);
  if (marked.cursor >= 0 && marked.cursor < sectors.size) stroke(context, scene, [marked.cursor], 2.5, inks, inks.line, [5, 3]);
}

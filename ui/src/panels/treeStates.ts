// The states that charts of trees keep in parameters: which rows of a table are opened, and what
// an icicle of callers is zoomed into. Both are ids with dots between them.
import type { View } from '../gen/cambium/v1/workbench_pb';
import { Parameter_Type } from '../gen/cambium/v1/workbench_pb';
import type { DecodedScene } from '../scene/decode';
import { PickIndex } from '../scene/pick';
import { isOffered } from './offered';

function idsOf(text: string): string[] {
  return text === '' ? [] : text.split('.');
}

/** The list with an id, if it was without, or without it. */
export function toggled(text: string, id: number): string {
  const ids = idsOf(text);
  const name = String(id);
  return (ids.includes(name) ? ids.filter((i) => i !== name) : [...ids, name]).join('.');
}

/** The ids of the boxes from the first layer on that a box stands on, itself last; a mark stands for its parent. */
export function pathTo(scene: DecodedScene, index: number): string {
  const { sectors } = scene;
  const g = sectors.geometry;
  const picks = new PickIndex(sectors);
  const ids: number[] = [];
  const middle = (g[index * 4 + 2] + g[index * 4 + 3]) / 2;
  const own = g[index * 4];
  const height = g[index * 4 + 1] - own;
  if (!(height > 0)) return '';
  for (let r = height * 1.5; r < own; r += height) {
    const at = picks.atPolar(r, middle);
    if (at >= 0 && sectors.kind[at] === 0) ids.push(sectors.id[at]);
  }
  if (own > 0.5 * height && sectors.kind[index] === 0) ids.push(sectors.id[index]);
  return ids.join('.');
}

/** The path without its last box. */
export function upFrom(path: string): string {
  return idsOf(path).slice(0, -1).join('.');
}

/** The parameter that a click sets in place of the root, if there is one: a chart whose boxes stand for many contexts has no root to choose. */
export function stateOf(view: View, params: Readonly<Record<string, string>>): string {
  const found = view.parameters.find((p) => p.type === Parameter_Type.TEXT && p.with !== '' && isOffered(p, params));
  return found?.name ?? '';
}

// Bars of the made-up profile's methods, as the server would send them.
import { create } from '@bufbuild/protobuf';
import { RectsSchema, SceneSchema, Text_Anchor, type Panel, type Scene } from '../gen/cambium/v1/workbench_pb';
import { short } from './scene';
import type { Node } from './tree';

export const BARS = {
  name: 'bar', title: 'Bar chart', description: 'How much each method has', sort: 'amount',
  dimensions: [{ name: 'x', title: 'X axis' }, { name: 'y', title: 'Y axis' }],
};

const LABELS = 150;
const EDGE = 30;

export function makeBars(nodes: readonly Node[], { width, height, rows }: Panel, dark: boolean): Scene {
  const sums = new Map<string, number>();
  for (const n of nodes) sums.set(n.name, (sums.get(n.name) ?? 0) + n.self);
  const all = [...sums].filter(([name]) => name !== '').sort((a, b) => b[1] - a[1]);
  const from = rows?.from ?? 0;
  const to = rows && rows.to > rows.from ? Math.min(rows.to, all.length) : all.length;
  const plot = { x: LABELS, y: EDGE, w: width - LABELS - 20, h: height - 2 * EDGE };
  const one = plot.h / (to - from);
  const shown = all.slice(Math.floor(from), Math.ceil(to));
  const column = (make: (i: number) => number) => new Uint8Array(Float32Array.from(shown, (_, i) => make(i)).buffer);
  const ink = dark ? 0xa6a6a6ff : 0x595959ff;
  return create(SceneSchema, {
    width, height,
    background: dark ? 0x151515ff : 0xffffffff,
    rects: create(RectsSchema, {
      x: column(() => plot.x),
      y: column((i) => plot.y + (i + Math.floor(from) - from) * one),
      w: column((i) => (shown[i][1] / all[0][1]) * plot.w),
      h: column(() => Math.max(1, one - 1)),
      fill: new Uint8Array(Uint32Array.from(shown, () => (dark ? 0x5fa8e8ff : 0x1f72c0ff)).buffer),
      id: new Uint8Array(Uint32Array.from(shown, (_, i) => i).buffer),
    }),
    texts: one < 12 ? [] : shown.map(([name], i) => ({ x: plot.x - 6, y: plot.y + (i + 0.5) * one + 4, text: short(name), color: ink, anchor: Text_Anchor.END, size: 11, maxWidth: LABELS - 14 })),
    plots: [{ ...plot, across: { name: 'bytecodes', dimension: 'x', to: all[0][1], max: all[0][1] }, up: { name: 'Method', dimension: 'y', entities: true, from, to, max: all.length } }],
    drawn: BigInt(shown.length),
  });
}

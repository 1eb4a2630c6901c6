// A ring chart of the made-up profile, as the server would send it.
import { create } from '@bufbuild/protobuf';
import { SceneSchema, SectorsSchema, LegendSchema, Text_Anchor, type GetSceneRequest, type Scene } from '../gen/cambium/v1/workbench_pb';
import { parseSteps } from '../state/steps';
import type { Node } from './tree';

export function short(name: string): string {
  return name.split('.').slice(-2).join('.');
}

function bytesOf(column: ArrayLike<number> & { buffer: ArrayBufferLike; byteOffset: number; byteLength: number }): Uint8Array<ArrayBuffer> {
  return new Uint8Array(column.buffer.slice(column.byteOffset, column.byteOffset + column.byteLength) as ArrayBuffer);
}

const HUES_LIGHT = [0x7fb2d9ff, 0xe3a869ff, 0x8cc18dff, 0xc79ad1ff, 0xd98b8bff, 0xb5b36aff];
const HUES_DARK = [0x3d6f96ff, 0x95682fff, 0x4b804dff, 0x80568bff, 0x95504fff, 0x706f30ff];

export function makeScene(nodes: readonly Node[], request: GetSceneRequest): Scene {
  const steps = parseSteps(request.look?.steps ?? '');
  const focus = steps.find((s) => s.op === 'focus');
  const depth = Number(steps.find((s) => s.op === 'depth' && s.arg !== 'auto')?.arg ?? 12);
  const root = nodes[Number(focus?.arg ?? 0)] ?? nodes[0];
  const { width, height, dark, highlight } = request;
  const cx = width / 2;
  const cy = height / 2;
  let most = 0;
  const count = (n: Node): void => {
    most = Math.max(most, n.depth - root.depth);
    n.children.forEach(count);
  };
  count(root);
  const layers = Math.min(depth, most);
  const outer = Math.min(width, height) / 2 - 8;
  const ring = outer / (layers + 1.6);
  const centre = ring * 1.6;
  const names = [...new Set(nodes.map((n) => n.name))];
  const packs = [...new Set(names.map((n) => n.split('.').slice(0, -2).join('.')))];
  const hues = dark ? HUES_DARK : HUES_LIGHT;
  const rows: number[][] = [];
  let small = 0;
  let deeper = 0;
  const place = (n: Node, a0: number, a1: number, layer: number) => {
    const r0 = layer === 0 ? 0 : centre + (layer - 1) * ring;
    const r1 = centre + layer * ring;
    const hit = highlight && n.name.toLowerCase().includes(highlight.toLowerCase()) ? 1 : 0;
    const fill = layer === 0 ? (dark ? 0x2a2a2aff : 0xefefefff) : hues[Math.max(0, packs.indexOf(n.name.split('.').slice(0, -2).join('.'))) % hues.length];
    rows.push([0, n.id, r0, r1, a0, a1, fill, dark ? 0xffffffff : 0x1b1b1bff, names.indexOf(n.name), n.self, n.total, 1, layer > 0 && (a1 - a0) * (r0 + r1) > 60 && ring > 12 ? 1 : 0, hit]);
    if (layer >= layers) {
      deeper += n.children.length;
      return;
    }
    let a = a0;
    let hidden = 0;
    let hiddenTotal = 0;
    for (const child of n.children.toSorted((x, y) => y.total - x.total)) {
      const span = ((a1 - a0) * child.total) / n.total;
      if (span * (r1 + ring) < 1) {
        hidden++;
        hiddenTotal += child.total;
        continue;
      }
      place(child, a, a + span, layer + 1);
      a += span;
    }
    small += hidden;
    const span = ((a1 - a0) * hiddenTotal) / n.total;
    if (hidden > 0 && span * (r1 + ring) > 1) {
      rows.push([1, n.id, r1, r1 + ring, a, a + span, dark ? 0x808080ff : 0x9a9a9aff, 0xff, 0xffffffff, 0, hiddenTotal, hidden, 0, 0]);
    }
  };
  place(root, 0, 2 * Math.PI, 0);
  const column = (i: number) => rows.map((r) => r[i]);
  const crumbs: Node[] = [];
  for (let n: Node | undefined = root; n; n = n.parent) crumbs.unshift(n);
  const text = (t: string, y: number, size: number, bold: boolean, color: number) => ({ x: cx, y, text: t, color, anchor: Text_Anchor.MIDDLE, size, maxWidth: centre * 1.7, bold });
  return create(SceneSchema, {
    width, height,
    background: dark ? 0x151515ff : 0xffffffff,
    sectors: create(SectorsSchema, {
      cx, cy,
      kind: bytesOf(Uint8Array.from(column(0))),
      id: bytesOf(Uint32Array.from(column(1))),
      r0: bytesOf(Float32Array.from(column(2))),
      r1: bytesOf(Float32Array.from(column(3))),
      a0: bytesOf(Float32Array.from(column(4))),
      a1: bytesOf(Float32Array.from(column(5))),
      fill: bytesOf(Uint32Array.from(column(6))),
      ink: bytesOf(Uint32Array.from(column(7))),
      method: bytesOf(Uint32Array.from(column(8))),
      self: bytesOf(Float64Array.from(column(9))),
      total: bytesOf(Float64Array.from(column(10))),
      count: bytesOf(Uint32Array.from(column(11))),
      label: bytesOf(Uint8Array.from(column(12))),
      match: highlight ? bytesOf(Uint8Array.from(column(13))) : new Uint8Array(),
      names,
      shortNames: names.map(short),
      metricTotal: nodes[0].total,
      rootTotal: root.total,
    }),
    texts: [
      text(short(root.name) || 'xalan.cct', cy - 3, 13, true, dark ? 0xe6e6e6ff : 0x1b1b1bff),
      text('125 M bytecodes', cy + 13, 12, false, dark ? 0xa6a6a6ff : 0x595959ff),
    ],
    legend: create(LegendSchema, { title: 'Packages', entries: packs.slice(1).map((p, i) => ({ label: p, color: hues[(i + 1) % hues.length], share: 0.3 / (i + 1) })) }),
    drawn: BigInt(rows.length),
    tooSmall: BigInt(small),
    deeper: BigInt(deeper),
    root: root.id,
    layers,
    maxLayers: most,
    crumbs: crumbs.map((n) => ({ id: n.id, name: n.name, shortName: short(n.name) })),
    rootTitle: 'xalan.cct',
  });
}

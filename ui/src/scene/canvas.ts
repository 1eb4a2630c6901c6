// The Canvas2D painter of the same primitives: where there is no WebGL2, and to compare with.
import { blend, css } from './colour';
import { discOf } from './discs';
import { topOf, type DecodedScene, type SectorTable } from './decode';
import { DIM, MARK, dimmed, type Painter } from './painter';
import { mix } from './transition';

const QUARTER = Math.PI / 2;
const TURN = 2 * Math.PI;

/** Adds a sector to the path, its edges drawn in by an inset; angles are from twelve o'clock. */
export function sectorPath(
  path: CanvasRenderingContext2D | Path2D,
  cx: number,
  cy: number,
  r0: number,
  r1: number,
  a0: number,
  a1: number,
  inset = 0,
): void {
  const span = a1 - a0;
  const whole = span >= TURN - 1e-4;
  const outer = r1 - inset;
  const inner = r0 <= 0 ? 0 : r0 + inset;
  if (outer <= inner) return;
  if (whole) {
    path.moveTo(cx + outer, cy);
    path.arc(cx, cy, outer, 0, TURN);
    if (inner > 0) {
      path.moveTo(cx + inner, cy);
      path.arc(cx, cy, inner, 0, TURN, true);
    }
    path.closePath();
    return;
  }
  const trim = (r: number) => (r <= 0 ? 0 : Math.min(inset / r, span * 0.3));
  const start = a0 - QUARTER;
  const end = a1 - QUARTER;
  path.moveTo(cx + Math.cos(start + trim(outer)) * outer, cy + Math.sin(start + trim(outer)) * outer);
  path.arc(cx, cy, outer, start + trim(outer), end - trim(outer));
  if (inner > 0) path.arc(cx, cy, inner, end - trim(inner), start + trim(inner), true);
  else path.lineTo(cx, cy);
  path.closePath();
}

/** Adds the outline of a sector, or of a box, with this geometry to the path. */
export function shapePath(path: CanvasRenderingContext2D | Path2D, table: SectorTable, [r0, r1, a0, a1]: ArrayLike<number> & Iterable<number>, inset = 0): void {
  if (table.shape === 'ring') {
    sectorPath(path, table.cx, table.cy, r0, r1, a0, a1, inset);
    return;
  }
  if (table.shape === 'discs') {
    const { x: at, y, r } = discOf(table, [r0, r1, a0, a1]);
    const radius = Math.max(0.1, r - inset);
    path.moveTo(at + radius, y);
    path.arc(at, y, radius, 0, TURN);
    return;
  }
  const x = Math.min(inset, (a1 - a0) / 4);
  path.rect(a0 + x, topOf(table, r0, r1) + inset, a1 - a0 - 2 * x, r1 - r0 - 2 * inset);
}

export class CanvasPainter implements Painter {
  readonly name = 'canvas';
  private readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private scene: DecodedScene | undefined;
  private start: Float32Array | undefined;
  private dim: Uint8Array = new Uint8Array();
  private ratio = 1;

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('no Canvas2D');
    this.canvas = canvas;
    this.context = context;
  }

  setScene(scene: DecodedScene, start: Float32Array | undefined): void {
    this.scene = scene;
    this.start = start;
    this.dim = dimmed(scene);
  }

  resize(width: number, height: number, ratio: number): void {
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.ratio = ratio;
  }

  draw(t: number): void {
    const { context, scene, canvas } = this;
    if (!scene) return;
    const { sectors, source } = scene;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = css(source.background);
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const g = this.start && t < 1 ? mix(this.start, sectors.geometry, t) : sectors.geometry;
    for (let i = 0; i < sectors.size; i++) {
      const place = g.subarray(i * 4, i * 4 + 4);
      if (place[3] <= place[2]) continue;
      const quiet = this.dim[i] ? DIM : sectors.kind[i] === 0 ? 0 : MARK + 0.14;
      context.fillStyle = css(quiet === 0 ? sectors.fill[i] : blend(sectors.fill[i], source.background, quiet));
      context.beginPath();
      shapePath(context, sectors, place, place[1] - place[0] > 3 ? 0.25 : 0);
      context.fill('evenodd');
    }
  }

  dispose(): void {
    this.scene = undefined;
  }
}

// Labels along the arcs and the scene's texts, on a Canvas2D of their own.
import { shortenToFit } from '../format/names';
import { Text_Anchor } from '../gen/cambium/v1/workbench_pb';
import { blend, css } from './colour';
import { nameOf, shortNameOf, type DecodedScene } from './decode';
import { DIM, dimmed } from './painter';

const TURN = 2 * Math.PI;
export const CODE_FONT = "'JetBrains Mono Variable', monospace";
export const TEXT_FONT = "'Inter Variable', sans-serif";

/** Widths of single glyphs, by font. */
const widths = new Map<string, Map<string, number>>();

export function forgetWidths(): void {
  widths.clear();
}

function glyphWidth(context: CanvasRenderingContext2D, glyph: string): number {
  let byGlyph = widths.get(context.font);
  if (!byGlyph) widths.set(context.font, (byGlyph = new Map()));
  let width = byGlyph.get(glyph);
  if (width === undefined) byGlyph.set(glyph, (width = context.measureText(glyph).width));
  return width;
}

function textWidth(context: CanvasRenderingContext2D, text: string): number {
  let sum = 0;
  for (const glyph of text) sum += glyphWidth(context, glyph);
  return sum;
}

/** Whether text around an angle (clockwise from twelve) must be turned to stand upright. */
export function isFlipped(angle: number): boolean {
  const a = ((angle % TURN) + TURN) % TURN;
  return a > Math.PI / 2 && a < (3 * Math.PI) / 2;
}

/** The size of a label in a ring of a thickness; 0 if none is readable. */
export function labelSize(thickness: number): number {
  const most = Math.min(20, Math.max(13, thickness * 0.22)); // larger on a very large screen
  const size = Math.min(most, thickness * 0.62);
  return size < 8 ? 0 : size;
}

/** The font of a label: sizes in halves of a pixel, so that widths can be kept. */
function labelFont(size: number): string {
  return `500 ${Math.floor(size * 2) / 2}px ${CODE_FONT}`;
}

function drawAlongArc(context: CanvasRenderingContext2D, cx: number, cy: number, radius: number, angle: number, text: string, ratio: number): void {
  const width = textWidth(context, text);
  const flip = isFlipped(angle);
  const way = flip ? -1 : 1;
  let at = angle - (way * width) / 2 / radius;
  for (const glyph of text) {
    const half = (glyphWidth(context, glyph) / 2 / radius) * way;
    at += half;
    const sin = Math.sin(at);
    const cos = Math.cos(at);
    const x = cx + sin * radius;
    const y = cy - cos * radius;
    // Turned by the angle, and once more by half a turn on the lower half.
    context.setTransform(way * cos * ratio, way * sin * ratio, -way * sin * ratio, way * cos * ratio, x * ratio, y * ratio);
    context.fillText(glyph, 0, 0);
    at += half;
  }
}

export function drawLabels(context: CanvasRenderingContext2D, scene: DecodedScene, ratio: number): void {
  const { sectors, source } = scene;
  const g = sectors.geometry;
  const dim = dimmed(scene);
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  for (let i = 0; i < sectors.size; i++) {
    if (sectors.label[i] !== 1 || g[i * 4] <= 0) continue;
    const thickness = g[i * 4 + 1] - g[i * 4];
    const size = labelSize(thickness);
    if (size === 0) continue;
    const radius = (g[i * 4] + g[i * 4 + 1]) / 2;
    const span = g[i * 4 + 3] - g[i * 4 + 2];
    const room = Math.min(span, 4.5) * radius - 6;
    context.font = labelFont(size);
    const short = shortNameOf(sectors, i) || nameOf(sectors, i);
    const text = shortenToFit(short, short, (t) => textWidth(context, t) <= room);
    // A rest of a few letters says nothing.
    if (text === '' || (text !== short && Array.from(text).length < 6)) continue;
    context.fillStyle = css(dim[i] ? blend(sectors.ink[i], source.background, DIM * 0.7) : sectors.ink[i]);
    const middle = span >= TURN - 1e-3 ? 0 : (g[i * 4 + 2] + g[i * 4 + 3]) / 2;
    drawAlongArc(context, sectors.cx, sectors.cy, radius, middle, text, ratio);
  }
}

export function drawTexts(context: CanvasRenderingContext2D, scene: DecodedScene, ratio: number): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.textBaseline = 'middle';
  for (const text of scene.source.texts) {
    context.font = `${text.bold ? 600 : 400} ${text.size || 13}px ${TEXT_FONT}`;
    context.textAlign =
      text.anchor === Text_Anchor.MIDDLE ? 'center' : text.anchor === Text_Anchor.END ? 'right' : 'left';
    context.fillStyle = css(text.color);
    const room = text.maxWidth > 0 ? text.maxWidth : Infinity;
    const shown = shortenToFit(text.text, text.text, (t) => context.measureText(t).width <= room);
    context.fillText(shown, text.x, text.y);
  }
}

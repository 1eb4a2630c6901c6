// Labels along arcs or radii and the scene's texts, on a Canvas2D of their own.
import { shortenToFit } from '../format/names';
import { Text_Anchor } from '../gen/cambium/v1/workbench_pb';
import { blend, css, quietInk } from './colour';
import { nameOf, shortNameOf, topOf, type DecodedScene } from './decode';
import { DIM, dimmed } from './painter';
import { decodeLines } from './picture';

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

/** The largest size of a label: more on a very large screen. */
function largest(size: number): number {
  return Math.min(20, Math.max(13, size));
}

/** The size of a label in a ring of a thickness; 0 if none is readable. */
export function labelSize(thickness: number, rim = Infinity): number {
  const most = largest(Math.min(thickness * 0.22, rim * 0.026));
  // Thin rings give more of themselves to small letters.
  const size = Math.min(most, Math.max(thickness * 0.62, Math.min(8.5, thickness * 0.7)));
  return size < 8 ? 0 : size;
}

/** Where a name stands: along the arc around its middle, or along the radius inwards from the rim. */
export interface Place {
  text: string;
  size: number;
  /** Of the middle of the letters; of a radial label: where it ends at the rim. */
  radius: number;
  /** Clockwise from twelve o'clock. */
  angle: number;
  radial: boolean;
}

/** What a radial label needs across, of its size. */
const LINE = 1.15;
/** A rest of a few letters says nothing, and less if the head must be turned to read it. */
const LETTERS = 6;
const RADIAL_LETTERS = 8;

function enough(text: string, name: string, least: number): boolean {
  return text !== '' && (text === name || Array.from(text).length >= least);
}

/** Places a name in a sector: along the arc if it fits there, and else wherever more of it does. */
export function placeOf(r0: number, r1: number, a0: number, a1: number, name: string, widthOf: (text: string, size: number) => number): Place | undefined {
  const span = a1 - a0;
  const whole = span >= TURN - 1e-3;
  const angle = whole ? 0 : (a0 + a1) / 2;
  const fit = (size: number, room: number) => shortenToFit(name, name, (t) => widthOf(t, size) <= room);
  let found: Place | undefined;
  const size = labelSize(r1 - r0, r1);
  const radius = (r0 + r1) / 2;
  if (size > 0) {
    const text = fit(size, Math.min(span, 4.5) * radius - 6);
    if (enough(text, name, LETTERS)) found = { text, size, radius, angle, radial: false };
  }
  const least = Math.min(12, Math.max(9, r1 * 0.012));
  if (found?.text === name || span * r1 < least * LINE || whole) return found;
  let turned = Math.max(least, Math.min(largest(r1 * 0.026), span * r1 * 0.6));
  const rim = r1 - 4;
  // Smaller letters reach further in.
  const room = () => rim - 3 - Math.max(r0, (turned * LINE) / span);
  while (turned > least && widthOf(name, turned) > room()) turned = Math.max(least, turned - 1);
  const text = fit(turned, room());
  if (!enough(text, name, RADIAL_LETTERS) || Array.from(text).length <= Array.from(found?.text ?? '').length) return found;
  return { text, size: turned, radius: rim, angle, radial: true };
}

/** The font of a label: sizes in halves of a pixel, so that widths can be kept. */
function labelFont(size: number): string {
  return `500 ${Math.floor(size * 2) / 2}px ${CODE_FONT}`;
}

function drawAlongArc(context: CanvasRenderingContext2D, cx: number, cy: number, place: Place, ratio: number): void {
  const { radius, angle, text } = place;
  const width = textWidth(context, text);
  const flip = isFlipped(angle);
  const way = flip ? -1 : 1;
  let at = angle - (way * width) / 2 / radius;
  context.textAlign = 'center';
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

function drawAlongRadius(context: CanvasRenderingContext2D, cx: number, cy: number, { radius, angle, text }: Place, ratio: number): void {
  const sin = Math.sin(angle);
  const cos = Math.cos(angle);
  // On the left half text begins at the rim, so that it is upright.
  const way = sin < 0 ? -1 : 1;
  context.textAlign = way < 0 ? 'left' : 'right';
  context.setTransform(way * sin * ratio, way * -cos * ratio, way * cos * ratio, way * sin * ratio, (cx + sin * radius) * ratio, (cy - cos * radius) * ratio);
  context.fillText(text, 0, 0);
}

export function drawLabels(context: CanvasRenderingContext2D, scene: DecodedScene, ratio: number): void {
  const { sectors, source } = scene;
  const g = sectors.geometry;
  const dim = dimmed(scene);
  const widthOf = (text: string, size: number) => {
    context.font = labelFont(size);
    return textWidth(context, text);
  };
  context.textBaseline = 'middle';
  for (let i = 0; i < sectors.size; i++) {
    if (sectors.label[i] !== 1) continue;
    const name = shortNameOf(sectors, i) || nameOf(sectors, i);
    if (sectors.shape !== 'ring') {
      const [r0, r1, a0, a1] = g.subarray(i * 4, i * 4 + 4);
      const size = Math.min(13, Math.max(8, (r1 - r0) * 0.6));
      const text = shortenToFit(name, name, (t) => widthOf(t, size) <= a1 - a0 - 8);
      if (!enough(text, name, LETTERS)) continue;
      context.font = labelFont(size);
      context.fillStyle = css(dim[i] ? quietInk(blend(sectors.fill[i], source.background, DIM)) : sectors.ink[i]);
      context.textAlign = 'left';
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillText(text, a0 + 4, topOf(sectors, r0, r1) + (r1 - r0) / 2 + 0.5);
      continue;
    }
    if (g[i * 4] <= 0) continue;
    const place = placeOf(g[i * 4], g[i * 4 + 1], g[i * 4 + 2], g[i * 4 + 3], name, widthOf);
    if (!place) continue;
    context.font = labelFont(place.size);
    context.fillStyle = css(dim[i] ? quietInk(blend(sectors.fill[i], source.background, DIM)) : sectors.ink[i]);
    (place.radial ? drawAlongRadius : drawAlongArc)(context, sectors.cx, sectors.cy, place, ratio);
  }
}

/** The scene's lines: what joins its shapes. */
export function drawEdges(context: CanvasRenderingContext2D, { source }: Pick<DecodedScene, 'source'>, ratio: number): void {
  const lines = decodeLines(source);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  for (let i = 0; i < lines.size; i++) {
    context.lineWidth = lines.width[i];
    context.strokeStyle = css(lines.color[i]);
    context.beginPath();
    context.moveTo(lines.x0[i], lines.y0[i]);
    context.lineTo(lines.x1[i], lines.y1[i]);
    context.stroke();
  }
}

export function drawTexts(context: CanvasRenderingContext2D, scene: Pick<DecodedScene, 'source'>, ratio: number): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.textBaseline = 'alphabetic';
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

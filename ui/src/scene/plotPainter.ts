// Paints a chart of events with Canvas2D: rasters, rectangles, sectors, lines, texts. There are
// at most some thousands of each, because what is thinner than a pixel has been merged.
import { sectorPath } from './canvas';
import { blend, css } from './colour';
import { cushionFill } from './cushions';
import { drawTexts } from './labels';
import { DIM } from './painter';
import type { Plot } from '../gen/cambium/v1/workbench_pb';
import type { DecodedPicture } from './picture';

/** Where what a plot shows goes while a picture of another part of its axes is on its way. */
export interface Shift {
  plot: Plot;
  /** New x = x * sx + dx, for what is between the axes. */
  sx: number;
  dx: number;
  sy: number;
  dy: number;
}

/** How far what is not selected recedes. */
const BACK = DIM * 0.85;

/** Colours are few: a string for each is made once. */
function memo(make: (colour: number) => string): (colour: number) => string {
  const known = new Map<number, string>();
  return (colour) => {
    let text = known.get(colour);
    if (text === undefined) known.set(colour, (text = make(colour)));
    return text;
  };
}

/** Paints a picture; over is on what is there already, such as tubes. */
export function paintPicture(context: CanvasRenderingContext2D, picture: DecodedPicture, ratio: number, shift: Shift | undefined, over = false): void {
  const { canvas } = context;
  const { source } = picture;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = css(source.background);
  if (over) context.clearRect(0, 0, canvas.width, canvas.height);
  else context.fillRect(0, 0, canvas.width, canvas.height);
  context.save();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (shift) {
    const { plot, sx, dx, sy, dy } = shift;
    context.beginPath();
    context.rect(plot.x, plot.y, plot.w, plot.h);
    context.clip();
    context.transform(sx, 0, 0, sy, dx, dy);
  }
  paintRasters(context, picture);
  paintRects(context, picture, ratio);
  context.restore();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paintSectors(context, picture);
  paintLines(context, picture, ratio);
  drawTexts(context, picture, ratio);
}

function paintRasters(context: CanvasRenderingContext2D, { rasters }: DecodedPicture): void {
  context.imageSmoothingEnabled = false;
  for (const { x, y, w, h, image } of rasters) context.drawImage(image, x, y, w, h);
}

/** On a whole pixel of the screen: edges stay crisp. */
function snap(v: number, ratio: number): number {
  return Math.round(v * ratio) / ratio;
}

function paintRects(context: CanvasRenderingContext2D, { rects, source }: DecodedPicture, ratio: number): void {
  const full = memo(css);
  const back = memo((c) => css(blend(c, source.background, BACK)));
  const selecting = rects.match.length > 0;
  const cushioned = rects.slope.length > 0;
  for (let i = 0; i < rects.size; i++) {
    const x0 = snap(rects.x[i], ratio);
    const y0 = snap(rects.y[i], ratio);
    const x1 = Math.max(snap(rects.x[i] + rects.w[i], ratio), x0 + 1 / ratio);
    const y1 = Math.max(snap(rects.y[i] + rects.h[i], ratio), y0 + 1 / ratio);
    const quiet = selecting && rects.match[i] === 0;
    context.fillStyle = quiet ? back(rects.fill[i]) : full(rects.fill[i]);
    if (cushioned && !quiet) context.fillStyle = cushionFill(context, rects.fill[i], x0, x1, rects.slope[2 * i], rects.slope[2 * i + 1]);
    context.fillRect(x0, y0, x1 - x0, y1 - y0);
  }
}

function paintSectors(context: CanvasRenderingContext2D, { sectors }: DecodedPicture): void {
  const g = sectors.geometry;
  for (let i = 0; i < sectors.size; i++) {
    context.fillStyle = css(sectors.fill[i]);
    context.beginPath();
    sectorPath(context, sectors.cx, sectors.cy, g[i * 4], g[i * 4 + 1], g[i * 4 + 2], g[i * 4 + 3], 0.25);
    context.fill('evenodd');
  }
}

function paintLines(context: CanvasRenderingContext2D, { lines }: DecodedPicture, ratio: number): void {
  context.lineCap = 'butt';
  for (let i = 0; i < lines.size; i++) {
    const width = Math.max(1, Math.round(lines.width[i] * ratio));
    // A line of an odd number of pixels is crisp in the middle of one.
    const half = (width % 2) / 2;
    const at = (v: number) => (Math.round(v * ratio) + half) / ratio;
    context.strokeStyle = css(lines.color[i]);
    context.lineWidth = width / ratio;
    context.beginPath();
    context.moveTo(at(lines.x0[i]), at(lines.y0[i]));
    context.lineTo(at(lines.x1[i]), at(lines.y1[i]));
    context.stroke();
  }
}

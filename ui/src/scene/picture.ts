// Turns the primitives of charts of events into what the painter draws.
import type { Picture, Plot, Scene } from '../gen/cambium/v1/workbench_pb';
import { decodeScene, f32, u32, type DecodedScene } from './decode';
import { decodeTubes, type TubeTable } from './tubes';

export interface RasterImage {
  x: number;
  y: number;
  w: number;
  h: number;
  image: HTMLCanvasElement;
}

export interface RectTable {
  size: number;
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  h: Float32Array;
  fill: Uint32Array;
  id: Uint32Array;
  /** Empty without a selection. */
  match: Uint8Array;
  /** The first id that is not below id; empty if ids are not in pre-order. */
  end: Uint32Array;
  /** Of cushions: the slopes at the left and the right edge, in turn; empty if they are flat. */
  slope: Float32Array;
}

export interface LineTable {
  size: number;
  x0: Float32Array;
  y0: Float32Array;
  x1: Float32Array;
  y1: Float32Array;
  width: Float32Array;
  color: Uint32Array;
}

export interface DecodedPicture extends DecodedScene {
  readonly rasters: readonly RasterImage[];
  readonly tubes: TubeTable;
  readonly rects: RectTable;
  readonly lines: LineTable;
  readonly plots: readonly Plot[];
}

export const NO_ENTITY = 0xffffffff;

const EMPTY = new Uint8Array();

/** Pixels 0xRRGGBBAA, little-endian, in the order that a canvas wants them. */
export function canvasPixels(bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> {
  const out = new Uint8ClampedArray(new ArrayBuffer(bytes.length));
  for (let i = 0; i + 3 < bytes.length; i += 4) {
    out[i] = bytes[i + 3];
    out[i + 1] = bytes[i + 2];
    out[i + 2] = bytes[i + 1];
    out[i + 3] = bytes[i];
  }
  return out;
}

function imageOf(columns: number, rows: number, pixels: Uint8Array): HTMLCanvasElement {
  const image = document.createElement('canvas');
  image.width = Math.max(1, columns);
  image.height = Math.max(1, rows);
  if (columns > 0 && rows > 0 && pixels.length === columns * rows * 4) {
    image.getContext('2d')?.putImageData(new ImageData(canvasPixels(pixels), columns, rows), 0, 0);
  }
  return image;
}

export function decodeRects(scene: Scene): RectTable {
  const r = scene.rects;
  const x = f32(r?.x ?? EMPTY);
  const y = f32(r?.y ?? EMPTY);
  const w = f32(r?.w ?? EMPTY);
  const h = f32(r?.h ?? EMPTY);
  const fill = u32(r?.fill ?? EMPTY);
  const size = Math.min(x.length, y.length, w.length, h.length, fill.length);
  const id = u32(r?.id ?? EMPTY);
  const match = r?.match ?? EMPTY;
  const end = u32(r?.end ?? EMPTY);
  const slope = f32(r?.slope ?? EMPTY);
  return { size, end: end.length >= size ? end : new Uint32Array(), slope: slope.length >= 2 * size ? slope : new Float32Array(), x, y, w, h, fill, id: id.length >= size ? id : new Uint32Array(size).fill(NO_ENTITY), match: match.length >= size ? match : EMPTY };
}

export function decodeLines(scene: Scene): LineTable {
  const l = scene.lines;
  const x0 = f32(l?.x0 ?? EMPTY);
  const y0 = f32(l?.y0 ?? EMPTY);
  const x1 = f32(l?.x1 ?? EMPTY);
  const y1 = f32(l?.y1 ?? EMPTY);
  const width = f32(l?.width ?? EMPTY);
  const color = u32(l?.color ?? EMPTY);
  const size = Math.min(x0.length, y0.length, x1.length, y1.length, width.length, color.length);
  return { size, x0, y0, x1, y1, width, color };
}

export function decodePicture(scene: Scene): DecodedPicture {
  return {
    ...decodeScene(scene, 0),
    rasters: scene.rasters.map(({ x, y, w, h, columns, rows, pixels }) => ({ x, y, w, h, image: imageOf(columns, rows, pixels) })),
    tubes: decodeTubes(scene.tubes),
    rects: decodeRects(scene),
    lines: decodeLines(scene),
    plots: scene.plots,
  };
}

/** A picture of a panel as the page keeps it. */
export interface PanelPicture {
  scene: DecodedPicture | undefined;
  error: string;
  final: boolean;
  /** A newer one is on its way. */
  waiting: boolean;
  subject: string;
  map: Readonly<Record<string, string>>;
  params: Readonly<Record<string, string>>;
  selectable: boolean;
  pointed: boolean;
}

export const NO_PICTURE: PanelPicture = { scene: undefined, error: '', final: false, waiting: true, subject: '', map: {}, params: {}, selectable: false, pointed: false };

export function keepPicture(picture: Picture, before: PanelPicture): PanelPicture {
  const { error, final, subject, map, params, selectable, pointed } = picture;
  if (error !== '') return { ...before, scene: undefined, error, final: true, waiting: false };
  // A pass that has not come to anything yet leaves the picture before.
  const scene = picture.scene ? decodePicture(picture.scene) : before.scene;
  return { scene, error: '', final, waiting: !final, subject, map, params, selectable, pointed };
}

// What lies over a picture: the row or column under the pointer, the rectangle that is drawn,
// and the keyboard's cursor.
import type { Mark } from '../gen/cambium/v1/comparison_pb';
import { css } from '../scene/colour';
import type { DecodedPicture } from '../scene/picture';
import { placeAt, type Box } from '../scene/plots';

/** A thinner band would only hide what is in it. */
const THIN = 3;

/** The place of the entity under a point, along the axis that has entities; undefined if that is too thin to show. */
export function bandAt(scene: DecodedPicture, { x, y }: { x: number; y: number }): Box | undefined {
  const place = placeAt(scene.plots, x, y);
  if (!place) return undefined;
  const { plot, where } = place;
  const { across, up } = plot;
  const band = { x0: plot.x, y0: plot.y, x1: plot.x + plot.w, y1: plot.y + plot.h };
  let found = false;
  if (up?.entities && where !== 'across') {
    const one = plot.h / (up.to - up.from);
    const row = Math.floor(up.from + (y - plot.y) / one);
    if (one >= THIN && row < up.max) {
      band.y0 = Math.max(plot.y, plot.y + (row - up.from) * one);
      band.y1 = Math.min(plot.y + plot.h, plot.y + (row + 1 - up.from) * one);
      found = true;
    }
  }
  if (across?.entities && where !== 'up') {
    const one = plot.w / (across.to - across.from);
    const column = Math.floor(across.from + (x - plot.x) / one);
    if (one >= THIN && column < across.max) {
      band.x0 = Math.max(plot.x, plot.x + (column - across.from) * one);
      band.x1 = Math.min(plot.x + plot.w, plot.x + (column + 1 - across.from) * one);
      found = true;
    }
  }
  return found ? band : undefined;
}

function style({ x0, y0, x1, y1 }: Box) {
  return { left: x0, top: y0, width: Math.max(1, x1 - x0), height: Math.max(1, y1 - y0) };
}

const NO_MARKS: readonly Mark[] = [];

export function Overlay({ scene, hover, drag, cursor, marks = NO_MARKS }: { scene: DecodedPicture; hover: { x: number; y: number } | undefined; drag: Box | undefined; cursor: Box | undefined; marks?: readonly Mark[] }) {
  const band = hover && bandAt(scene, hover);
  return (
    <div className="overlay" aria-hidden="true">
      {marks.map((m) => (
        <div key={`${m.x} ${m.y}`} className="overlay-mark" style={{ left: m.x, top: m.y, width: m.w, height: m.h, background: css(m.color) }} />
      ))}
      {band && <div className="overlay-band" style={style(band)} />}
      {drag && <div className="overlay-drag" style={style(drag)} />}
      {cursor && <div className="overlay-cursor" style={style(cursor)} />}
    </div>
  );
}

// Which sector is at a point: a binary search by angle in each ring that holds its radius.
import { discAt } from './discs';
import { placeIn, type SectorTable } from './decode';

interface Ring {
  r0: number;
  r1: number;
  /** Indices of sectors by growing start angle. */
  order: Uint32Array;
}

export class PickIndex {
  private readonly rings: Ring[];
  private readonly table: SectorTable;

  constructor(table: SectorTable) {
    this.table = table;
    const groups = new Map<string, number[]>();
    const g = table.geometry;
    for (let i = 0; i < table.size; i++) {
      const key = `${g[i * 4]} ${g[i * 4 + 1]}`;
      const group = groups.get(key);
      if (group) group.push(i);
      else groups.set(key, [i]);
    }
    this.rings = [...groups.values()].map((group) => ({
      r0: g[group[0] * 4],
      r1: g[group[0] * 4 + 1],
      // Of those that start together the widest is last: marks can be so narrow
      // that in 32 bits they have no width and start where the next segment does.
      order: Uint32Array.from(group.sort((a, b) => g[a * 4 + 2] - g[b * 4 + 2] || g[a * 4 + 3] - g[b * 4 + 3])),
    }));
    this.rings.sort((a, b) => a.r0 - b.r0);
  }

  /** The sector at a point in the scene's pixels, or -1. */
  at(x: number, y: number): number {
    if (this.table.shape === 'discs') return discAt(this.table, x, y);
    const { r, a } = placeIn(this.table, x, y);
    return this.atPolar(r, a);
  }

  /** The sector at a radius and an angle clockwise from twelve o'clock; the last drawn wins. */
  atPolar(radius: number, angle: number): number {
    let best = -1;
    for (const ring of this.rings) {
      if (ring.r0 > radius) break;
      if (radius >= ring.r1) continue;
      const hit = this.inRing(ring.order, angle);
      if (hit > best) best = hit;
    }
    return best;
  }

  private inRing(order: Uint32Array, angle: number): number {
    const g = this.table.geometry;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (g[order[middle] * 4 + 2] <= angle) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return -1;
    const index = order[low - 1];
    return angle < g[index * 4 + 3] ? index : -1;
  }

  /** The other sectors of a sector's ring, by angle. */
  ringOf(index: number): Uint32Array {
    const g = this.table.geometry;
    const r0 = g[index * 4];
    return this.rings.find((ring) => ring.r0 === r0 && ring.r1 === g[index * 4 + 1])?.order ?? new Uint32Array();
  }
}

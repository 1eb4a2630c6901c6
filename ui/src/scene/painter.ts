// What both painters of sectors have in common.
import type { DecodedScene } from './decode';

/** How far what a search does not find recedes into the background. */
export const DIM = 0.78;

/** How far a mark (a run of siblings under a pixel) recedes. */
export const MARK = 0.45;

export interface Painter {
  readonly name: 'webgl' | 'canvas';
  /** A new scene, and where its sectors start from if they move. */
  setScene(scene: DecodedScene, start: Float32Array | undefined): void;
  resize(width: number, height: number, ratio: number): void;
  /** Draws the sectors at t of their way (1: where they belong). */
  draw(t: number): void;
  dispose(): void;
}

/** Per sector: 1 if a highlight is on and does not find it. */
export function dimmed(scene: DecodedScene): Uint8Array {
  const { match, size } = scene.sectors;
  const result = new Uint8Array(size);
  if (match.length === size) for (let i = 0; i < size; i++) result[i] = match[i] === 0 ? 1 : 0;
  return result;
}

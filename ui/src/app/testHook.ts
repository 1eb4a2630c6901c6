// For end-to-end tests only, and only to read: the sectors of the present scene.
import type { DecodedScene } from '../scene/decode';

declare global {
  interface Window {
    __cambium?: { readonly sectors: DecodedScene['sectors']; readonly layout: object } | undefined;
  }
}

/** Puts the decoded sectors and the layout of the scene on window.__cambium. */
export function publish(scene: DecodedScene | undefined): void {
  window.__cambium = scene && {
    sectors: scene.sectors,
    layout: {
      root: scene.source.root,
      layers: scene.source.layers,
      maxLayers: scene.source.maxLayers,
      width: scene.source.width,
      height: scene.source.height,
      drawn: Number(scene.source.drawn),
    },
  };
}

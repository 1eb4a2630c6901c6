// For end-to-end tests only, and only to read: the sectors of the present scene.
import type { Visualizer } from '../api/visualizer';
import type { DecodedScene } from '../scene/decode';
import type { PanelPicture } from '../scene/picture';

declare global {
  interface Window {
    __cambiumPictures?: ((panel: string) => PanelPicture) | undefined;
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

/** Lets tests look at what a panel shows. */
export function publishPictures(visualizer: Visualizer): void {
  window.__cambiumPictures = (panel) => visualizer.picture(panel).get();
}

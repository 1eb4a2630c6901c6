// What dragging does in a chart: select, or move what is shown. It lasts as long as the page.
import { makeStore } from '../state/hover';

export const panning = makeStore<Readonly<Record<string, boolean>>>({});

export function togglePanning(panel: string): void {
  panning.set({ ...panning.get(), [panel]: !panning.get()[panel] });
}

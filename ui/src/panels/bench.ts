// What every panel needs of the workbench around it.
import { createContext, useContext } from 'react';
import type { SceneState } from '../api/useScene';
import type { PanelInit, SharedInit, Visualizer } from '../api/visualizer';
import type { DataSet, GetCatalogResponse, View } from '../gen/cambium/v1/workbench_pb';
import type { Address } from '../state/address';
import type { Desk } from '../state/desks';
import type { How } from '../state/filters';
import type { Glance } from '../state/glance';
import type { Pairing } from '../state/pairing';
import type { PanelSpec, Work } from '../state/work';
import type { ExportFormat } from '../api/exports';

/** The room a chart of events has, and the first row of a table that is asked for. */
export interface Room {
  width: number;
  height: number;
  first: number;
}

export interface Bench {
  dataSet: DataSet;
  catalog: GetCatalogResponse;
  desk: Desk;
  dark: boolean;
  address: Address;
  shared: SharedInit;
  forceCanvas: boolean;
  visualizer: Visualizer;
  viewOf: (panel: PanelSpec) => View | undefined;
  /** What a panel is asked for with; undefined while it has no room. */
  requestOf: (panel: string) => PanelInit | undefined;
  /** The panel, and what it is sorted like: what questions about it need. */
  requestsOf: (panel: string) => PanelInit[];
  titleOf: (panel: PanelSpec) => string;
  setRoom: (panel: string, room: Room | undefined) => void;

  /** A change that can be undone. */
  change: (what: string, next: (work: Work) => Work) => void;
  amend: (next: (work: Work) => Work) => void;
  glance: (panel: string, change: Partial<Glance>) => void;
  activate: (panel: string) => void;
  select: (filter: string, how: How) => void;
  /** Changes how a comparison is looked at: a step of undoing. */
  pair: (what: string, next: (pairing: Pairing) => Pairing) => void;
  addChart: (view: View) => void;
  duplicate: (panel: string) => void;
  close: (panel: string) => void;
  save: (panel: string, format: ExportFormat) => void;

  /** The panel whose form is open. */
  configuring: string;
  configure: (panel: string) => void;

  navigate: {
    focus: (id: number) => void;
    focusCrumb: (id: number, outermost: boolean) => void;
    up: () => void;
    pin: (id: number | undefined) => void;
    dataSet: (id: string) => void;
    depth: (by: number) => void;
  };
  onFrontScene: (shown: SceneState) => void;
  onPainter: (name: string) => void;
  say: (trouble: string) => void;
}

export const BenchContext = createContext<Bench | undefined>(undefined);

export function useBench(): Bench {
  const bench = useContext(BenchContext);
  if (!bench) throw new Error('no workbench');
  return bench;
}

export function usePanel(id: string): PanelSpec | undefined {
  return useBench().desk.history.now.panels.find((p) => p.id === id);
}

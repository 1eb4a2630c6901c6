// Every action of the page, with its key: for the keyboard, the palette and the help sheet.

export interface Action {
  id: string;
  title: string;
  /** KeyboardEvent.key, or several of the same meaning. */
  keys: readonly string[];
  /** How the key is shown. */
  shown: string;
  run: () => void;
  /** Why it cannot be done now; '' if it can. */
  why: string;
}

export interface Doings {
  find: () => void;
  next: (by: number) => void;
  makeRoot: () => void;
  up: () => void;
  whole: () => void;
  depth: (by: number) => void;
  allLayers: () => void;
  nextMetric: () => void;
  nextColour: () => void;
  recursion: () => void;
  perMethod: () => void;
  act: (deed: 'expand' | 'compact' | 'expand-all' | 'compact-all' | 'reset' | 'explain') => void;
  pin: () => void;
  clear: () => void;
  theme: () => void;
  palette: () => void;
  help: () => void;
  open: () => void;
  share: () => void;
  save: (format: 'svg' | 'png' | 'csv') => void;
  leftPanel: () => void;
  rightPanel: () => void;
  addChart: () => void;
  compare: () => void;
  swap: () => void;
  normalise: () => void;
  configure: () => void;
  maximise: () => void;
  closeChart: () => void;
  showAll: () => void;
  filterTo: () => void;
  exclude: () => void;
  colour: () => void;
  clearSelection: () => void;
  undo: () => void;
  redo: () => void;
  saveWorkspace: () => void;
  openWorkspace: () => void;
}

export interface Reasons {
  noScene: string;
  noHits: string;
  noSelection: string;
  atWhole: string;
  oneMetric: string;
  noColours: string;
  noTree: string;
  noDesk: string;
  noSelected: string;
  noUndo: string;
  noRedo: string;
  noPanel: string;
  noForm: string;
  noOther: string;
  noCompared: string;
  noShares: string;
  noZoom: string;
}

export function actions(does: Doings, not: Reasons): Action[] {
  const make = (id: string, title: string, keys: string[], shown: string, run: () => void, why = ''): Action => ({ id, title, keys, shown, run, why });
  return [
    make('find', 'Find in the profile', ['/'], '/', does.find, not.noScene),
    make('next', 'Next match', ['n'], 'n', () => does.next(1), not.noHits),
    make('previous', 'Previous match', ['N'], 'N', () => does.next(-1), not.noHits),
    make('root', 'Make the pinned context the root', ['Enter'], 'Enter', does.makeRoot, not.noSelection),
    make('pin', 'Pin the context under the pointer', ['p'], 'p', does.pin, not.noScene),
    make('up', 'Back to the root before', ['Backspace'], 'Backspace', does.up, not.atWhole),
    make('whole', 'The whole tree', ['0'], '0', does.whole, not.atWhole),
    make('deeper', 'One layer more', ['+', '='], '+', () => does.depth(1), not.noScene),
    make('shallower', 'One layer less', ['-', '−'], '−', () => does.depth(-1), not.noScene),
    make('all-layers', 'All layers', [], '', does.allLayers, not.noScene),
    make('metric', 'Next metric', ['m'], 'm', does.nextMetric, not.oneMetric),
    make('colour', 'Next colouring', ['c'], 'c', does.nextColour, not.noColours),
    make('recursion', 'Recursion on or off', ['r'], 'r', does.recursion, not.noScene),
    make('per-method', 'One node per method, on or off', [], '', does.perMethod, not.noScene),
    make('expand', 'Expand the node under the pointer', ['e'], 'e', () => does.act('expand'), not.noScene),
    make('compact', 'Compact the node under the pointer', ['k'], 'k', () => does.act('compact'), not.noScene),
    make('expand-all', 'Expand everything by one element', ['E', 'Shift+ArrowDown'], 'E, ⇧↓', () => does.act('expand-all'), not.noScene),
    make('compact-all', 'Compact everything by one element', ['K', 'Shift+ArrowUp'], 'K, ⇧↑', () => does.act('compact-all'), not.noScene),
    make('compact-fully', 'Compact fully', [], '', () => does.act('reset'), not.noScene),
    make('explain', 'Compact to the 40 nodes that tell most', [], '', () => does.act('explain'), not.noScene),
    make('clear', 'Clear the pin, then the search, then the selection', ['Escape'], 'Esc', does.clear),
    make('add-chart', 'Add a chart', ['a'], 'a', does.addChart, not.noDesk),
    make('compare', 'Compare with another data set', [], '', does.compare, not.noOther),
    make('swap', 'Swap the sides of the comparison', ['s'], 's', does.swap, not.noCompared),
    make('normalise', 'Compare shares, or amounts', ['%'], '%', does.normalise, not.noCompared || not.noShares),
    make('configure', 'Configure the chart', [','], ',', does.configure, not.noForm),
    make('maximise', 'Maximise the chart, or as it was', ['M'], 'M', does.maximise, not.noPanel),
    make('close-chart', 'Close the chart', [], '', does.closeChart, not.noPanel),
    make('show-all', 'Show all of the chart', [], '', does.showAll, not.noZoom),
    make('filter-to', 'Filter to the selection', ['f'], 'f', does.filterTo, not.noSelected),
    make('exclude', 'Exclude the selection', ['x'], 'x', does.exclude, not.noSelected),
    make('colour-group', 'Make the selection a colour group', ['g'], 'g', does.colour, not.noSelected),
    make('clear-selection', 'Select nothing', [], '', does.clearSelection, not.noSelected),
    make('undo', 'Undo', ['u', 'Ctrl+z'], 'u', does.undo, not.noUndo),
    make('redo', 'Redo', ['U', 'Ctrl+Z', 'Ctrl+y'], 'U', does.redo, not.noRedo),
    make('save-workspace', 'Save the workspace', ['Ctrl+s'], 'Ctrl-S', does.saveWorkspace, not.noDesk),
    make('open-workspace', 'Open a workspace', [], '', does.openWorkspace, not.noDesk),
    make('open', 'Open a file', ['o'], 'o', does.open),
    make('share', 'Copy the address of this picture', [], '', does.share),
    make('save-svg', 'Save as SVG', [], '', () => does.save('svg'), not.noPanel),
    make('save-png', 'Save as PNG', [], '', () => does.save('png'), not.noPanel),
    make('save-csv', 'Save as CSV', [], '', () => does.save('csv'), not.noPanel),
    make('left', 'Fold the left panel', [], '', does.leftPanel),
    make('right', 'Fold the details', [], '', does.rightPanel),
    make('theme', 'Light or dark', ['t'], 't', does.theme),
    make('palette', 'Commands', [], 'Ctrl-K', does.palette),
    make('help', 'Help', ['?'], '?', does.help),
  ];
}

/** Whether a key pressed on an element belongs to the element and not to the page. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['button', 'checkbox', 'file'].includes(target.type);
}

/** Whether Enter on an element presses it. */
export function isPressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, a, input, [role=option], [role=menuitem]') !== null;
}

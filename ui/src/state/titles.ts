// What a panel is called when nobody gave it a name.
import type { View } from '../gen/cambium/v1/workbench_pb';
import type { PanelSpec } from './work';

/** "Hot spots: Bytecode × Location": the chart and the fields that it shows. */
export function titleOf(panel: PanelSpec, view: View | undefined, map: Readonly<Record<string, string>>): string {
  if (panel.title !== '') return panel.title;
  if (!view) return panel.view;
  const name = view.title || view.name;
  if (view.tree) return name;
  const fields = view.dimensions.map((d) => map[d.name] ?? panel.map[d.name] ?? '').filter((f) => f !== '');
  const shown = fields.filter((f, i) => fields.indexOf(f) === i).slice(0, 2);
  return shown.length === 0 ? name : `${name}: ${shown.join(' × ')}`;
}

/** Titles that differ: those that several panels would have are numbered. */
export function distinct(titles: readonly string[]): string[] {
  return titles.map((title, i) => {
    const before = titles.slice(0, i).filter((t) => t === title).length;
    return before === 0 ? title : `${title} (${before + 1})`;
  });
}

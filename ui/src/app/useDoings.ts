// What the actions do to the address.
import { useMemo } from 'react';
import type { SearchResponse } from '../gen/cambium/v1/details_pb';
import { Metric_Part, type Crumb, type DataSet, type View } from '../gen/cambium/v1/workbench_pb';
import { choosable, chosen, partOf } from '../state/compared';
import { changeDepth } from '../state/depth';
import { hovered, pointed } from '../state/hover';
import { depthOf, focusOf, focusOn, hasStep, toggleStep, withDepth, withoutFocus } from '../state/steps';
import { addressNow, backToRootBefore, go } from '../state/useAddress';

export interface Situation {
  crumbs: readonly Crumb[];
  layers: number;
  maxLayers: number;
  found: SearchResponse | undefined;
  dataSet: DataSet | undefined;
  view: View | undefined;
  metric: string;
  params: Readonly<Record<string, string>>;
}

/** What the pointer or the keyboard is at, in a list or in the chart. */
function atHand(): number | undefined {
  return pointed.get() ?? hovered.get();
}

/** The name of the view's parameter for colours; '' if it has none. */
export function colourParameter(view: View | undefined): string {
  return view?.parameters.find((p) => /colou?r/i.test(p.name) && p.choices.length > 1)?.name ?? '';
}

function following(list: readonly string[], now: string): string {
  return list[(list.indexOf(now) + 1) % list.length] ?? now;
}

/** Makes the context before in the calling context the root, or goes back to it. */
function up(crumbs: readonly Crumb[]): void {
  go((now) => {
    if (focusOf(now.steps) === undefined) return {};
    const parent = crumbs.at(-2);
    return { steps: parent && crumbs.length > 2 ? focusOn(now.steps, parent.id) : withoutFocus(now.steps) };
  });
}

export function useNavigation(latest: { readonly current: Situation }) {
  return useMemo(
    () => ({
      focus: (id: number) => go((now) => ({ steps: focusOn(now.steps, id) })),
      focusCrumb: (id: number, outermost: boolean) => go((now) => ({ steps: outermost ? withoutFocus(now.steps) : focusOn(now.steps, id) })),
      up: () => {
        if (!backToRootBefore()) up(latest.current.crumbs);
      },
      whole: () => go((now) => ({ steps: withoutFocus(now.steps) })),
      depth: (by: number) =>
        go((now) => {
          const depth = latest.current.view?.compacts && !hasStep(now.steps, 'depth') ? 'all' : depthOf(now.steps);
          const next = changeDepth(depth, by, latest.current.layers, latest.current.maxLayers);
          return next === depth ? {} : { steps: withDepth(now.steps, next) };
        }, 'replace'),
      allLayers: () => go((now) => ({ steps: withDepth(now.steps, 'all') }), 'replace'),
      pin: (id: number | undefined) => go({ pin: id }, 'replace'),
      makeRoot: () =>
        go((now) => {
          const id = now.pin ?? atHand();
          return id === undefined ? {} : { steps: focusOn(now.steps, id) };
        }),
      pinHovered: () =>
        go((now) => {
          const id = atHand();
          if (id === undefined) return { pin: undefined };
          return { pin: now.pin === id ? undefined : id };
        }, 'replace'),
      /** False if there was nothing to clear. */
      clear: (): boolean => {
        const { pin, q } = addressNow();
        go(pin !== undefined ? { pin: undefined } : { q: '' }, 'replace');
        return pin !== undefined || q !== '';
      },
      next: (by: number) =>
        go((now) => {
          const hits = latest.current.found?.hits ?? [];
          if (hits.length === 0) return {};
          const at = hits.findIndex((h) => h.id === now.pin);
          const start = at < 0 && by < 0 ? 0 : at;
          return { pin: hits[(start + by + hits.length) % hits.length].id };
        }, 'replace'),
      nextMetric: () => {
        const { dataSet, metric } = latest.current;
        const all = dataSet?.metrics ?? [];
        const now = all.find((m) => m.name === metric);
        go({ metric: chosen(all, now, following(choosable(all).map((m) => m.name), partOf(all, now, Metric_Part.BOTH)?.name ?? metric)) });
      },
      nextColour: () => {
        const { view, params } = latest.current;
        const name = colourParameter(view);
        const choices = view?.parameters.find((p) => p.name === name)?.choices.map((c) => c.value) ?? [];
        go((now) => ({ params: { ...now.params, [name]: following(choices, params[name] ?? '') } }));
      },
      recursion: () => go((now) => ({ steps: toggleStep(now.steps, 'norec') })),
      perMethod: () => go((now) => ({ steps: toggleStep(now.steps, 'bymethod') })),
      query: (q: string) => go({ q }, 'replace'),
      // Ids mean something else in another data set.
      dataSet: (ds: string) => go((now) => (now.ds === ds ? {} : { ds, steps: withoutFocus(now.steps), pin: undefined, metric: '', q: '', view: '', work: '' })),
    }),
    [latest],
  );
}

// The names of contexts that steps focus on: the picture names only the callers of its root,
// and where later steps discard calling contexts, not even those.
import { useEffect, useMemo, useState } from 'react';
import type { Crumb } from '../gen/cambium/v1/workbench_pb';
import type { Step } from '../state/steps';
import { useClient } from './context';

export interface StepName {
  short: string;
  full: string;
}

/** By id. What is not known yet is not in it. */
export function useStepNames(dataSet: string, steps: readonly Step[], crumbs: readonly Crumb[]): ReadonlyMap<string, StepName> {
  const client = useClient();
  const [asked, setAsked] = useState<{ dataSet: string; names: ReadonlyMap<string, StepName> }>({ dataSet: '', names: new Map() });
  const known = useMemo(() => {
    const names = new Map(asked.dataSet === dataSet ? asked.names : []);
    for (const crumb of crumbs) names.set(String(crumb.id), { short: crumb.shortName || crumb.name, full: crumb.name });
    return names;
  }, [asked, dataSet, crumbs]);
  const missing = crumbs.length === 0 ? '' : (steps.find((s) => s.op === 'focus' && !known.has(s.arg))?.arg ?? '');

  useEffect(() => {
    if (dataSet === '' || !/^\d{1,10}$/.test(missing)) return undefined;
    const abort = new AbortController();
    const remember = (name: StepName) =>
      !abort.signal.aborted && setAsked((now) => ({ dataSet, names: new Map([...(now.dataSet === dataSet ? now.names : []), [missing, name]]) }));
    client
      .getContext({ look: { dataSet, steps: '', metric: '' }, id: Number(missing) }, { signal: abort.signal })
      .then(({ name, className, methodName }) => remember({ short: [className, methodName].filter(Boolean).join('.') || name, full: name }))
      // The picture says what is wrong; the step keeps its number.
      .catch(() => remember({ short: `#${missing}`, full: `context ${missing}` }));
    return () => abort.abort();
  }, [client, dataSet, missing]);
  return known;
}

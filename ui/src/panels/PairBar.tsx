// How a comparison is looked at: which run, what counts as a match, which threads, and the
// focus of each side. All of its charts follow.
import { Button, NumberInput, Select, Slider, UnstyledButton } from '@mantine/core';
import { memo, useEffect, useState } from 'react';
import { useAnswer } from '../api/useAnswer';
import type { Run } from '../gen/cambium/v1/comparison_pb';
import { formatCount, formatShare, formatWithUnit } from '../format/numbers';
import { withFocus, type Pairing } from '../state/pairing';
import { useBench } from './bench';

/** What the server takes if nobody says another. */
const TAU = 0.2;

const NAMES = [
  { value: '', label: 'whole names' },
  { value: 'stable', label: 'without generated parts' },
  { value: 'short', label: 'without package and version' },
];

export const PairBar = memo(function PairBar() {
  const bench = useBench();
  const { pairing } = bench.desk.history.now;
  const { answer } = useAnswer(`${bench.dataSet.id} ${pairing.names}`, (client, signal) => client.getRuns({ dataSet: bench.dataSet.id, names: pairing.names }, { signal }));
  const runs = answer?.runs ?? [];
  const change = (what: string, part: Partial<Pairing>) => bench.pair(what, (now) => ({ ...now, ...part }));
  const sides = [runs[0], runs[1 + pairing.run]];
  return (
    <section className="pairbar" aria-label="Comparison">
      {runs.length > 2 && <Runs runs={runs} pairing={pairing} onRun={(run) => change('choose a run', { run, focus: [pairing.focus[0], undefined], threads: [pairing.threads[0], 0] })} />}
      <Tau value={pairing.tau ?? TAU} onChange={(tau) => change('change τ', { tau: tau === TAU ? undefined : tau })} />
      <span className="control" title="When methods of the two runs are the same">
        <span className="bar-label">Names</span>
        <Select size="xs" w={190} allowDeselect={false} aria-label="How names of methods are compared" data={NAMES} value={pairing.names} onChange={(names) => change('compare names otherwise', { names: names ?? '' })} data-testid="pair-names" />
      </span>
      {sides.map((run, side) => run && run.threads.length > 1 && <Threads key={run.title} run={run} side={side} pairing={pairing} onThreads={(threads) => change('choose threads', { threads })} />)}
      {[0, 1].map((side) => {
        const focus = pairing.focus[side];
        const name = 'AB'[side];
        return (
          focus && (
            <span className="control" key={side} data-testid={`focus-${side}`}>
              <span className="bar-label">{`Focus ${name}`}</span>
              <span className="pair-focus">{`${formatWithUnit(focus.from, 'nanoseconds')} – ${formatWithUnit(focus.to, 'nanoseconds')}`}</span>
              <Button size="compact-xs" variant="default" title={`Look at all of ${name} (double-click in it)`} onClick={() => bench.pair('look at all of a trace', (now) => withFocus(now, side, undefined))} data-testid={`unfocus-${side}`}>
                {`All of ${name}`}
              </Button>
            </span>
          )
        );
      })}
    </section>
  );
});

function Tau({ value, onChange }: { value: number; onChange: (tau: number) => void }) {
  const [now, setNow] = useState(value);
  useEffect(() => setNow(value), [value]);
  return (
    <span className="control" title="Two calls match if the methods that both call, of all that either calls, are more than this">
      <span className="bar-label">Similarity above</span>
      <Slider size="xs" w={110} min={0} max={1} step={0.05} label={null} value={Math.min(1, Math.max(0, now))} onChange={setNow} onChangeEnd={onChange} thumbLabel="Similarity above which calls match" data-testid="tau-slider" />
      <NumberInput size="xs" w={64} step={0.05} decimalScale={4} value={now} aria-label="Similarity above which calls match, τ" onChange={(v) => v !== '' && Number.isFinite(Number(v)) && onChange(Number(v))} data-testid="tau" />
    </span>
  );
}

function Threads({ run, side, pairing, onThreads }: { run: Run; side: number; pairing: Pairing; onThreads: (threads: Pairing['threads']) => void }) {
  const data = [
    { value: '0', label: 'the one with most calls' },
    ...run.threads.map((t, i) => ({ value: String(i + 1), label: `${i + 1}: ${t.name} (${formatCount(t.calls)} calls)` })),
    { value: '-1', label: `all ${run.threads.length}` },
  ];
  return (
    <span className="control">
      <span className="bar-label">{`Thread of ${'AB'[side]}`}</span>
      <Select size="xs" w={190} allowDeselect={false} searchable={run.threads.length > 8} aria-label={`Thread of ${'AB'[side]}`} data={data} value={String(pairing.threads[side])} onChange={(v) => onThreads(side === 0 ? [Number(v ?? 0), pairing.threads[1]] : [pairing.threads[0], Number(v ?? 0)])} data-testid={`thread-${side}`} />
    </span>
  );
}

/** The runs side by side, each with how long it took and how similar it is to the first. */
function Runs({ runs, pairing, onRun }: { runs: readonly Run[]; pairing: Pairing; onRun: (run: number) => void }) {
  const longest = Math.max(1, ...runs.map((r) => Number(r.length)));
  return (
    <div className="pair-runs" role="radiogroup" aria-label={`Run to compare with ${runs[0].title}`} data-testid="runs">
      {runs.map((run, i) => {
        const took = formatWithUnit(Number(run.length), 'nanoseconds');
        const words = i === 0 ? `A: ${run.title}, ${took}` : `${run.title}: ${took}, ${formatShare(run.similarity)} of the methods are the same`;
        const bars = (
          <>
            <span className="pair-run-name">{i === 0 ? `A  ${run.title}` : run.title}</span>
            <span className="pair-run-bar" style={{ width: `${(Number(run.length) / longest) * 100}%` }} />
            <span className="pair-run-bar pair-run-alike" style={{ width: `${run.similarity * 100}%` }} />
          </>
        );
        if (i === 0) {
          return (
            <span key="first" className="pair-run" title={words}>
              {bars}
            </span>
          );
        }
        return (
          <UnstyledButton key={`${i} ${run.title}`} role="radio" aria-checked={pairing.run === i - 1} className="pair-run" title={words} aria-label={words} onClick={() => onRun(i - 1)} data-testid={`run-${i - 1}`}>
            {bars}
          </UnstyledButton>
        );
      })}
    </div>
  );
}

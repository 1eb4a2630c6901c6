// The left panel: the charts, what a search found, and what the colours mean.
import { UnstyledButton } from '@mantine/core';
import { memo } from 'react';
import type { Legend } from '../gen/cambium/v1/workbench_pb';
import { css } from '../scene/colour';
import { formatShare } from '../format/numbers';
import type { ColourGroup } from '../state/work';
import { AddChart } from './AddChart';
import { BenchContext, type Bench } from './bench';
import { ColourGroups } from './ColourGroups';
import { SearchResults, type ResultsProps } from './SearchResults';
import { Side } from './Side';

interface Props {
  folded: boolean;
  onFold: () => void;
  /** undefined while nothing is open. */
  bench: Bench | undefined;
  adding: boolean;
  onAdding: (adding: boolean) => void;
  freshGroup: number | undefined;
  onNamed: () => void;
  legend: Legend | undefined;
  results: ResultsProps | undefined;
}

export const LeftPanel = memo(function LeftPanel({ folded, onFold, bench, adding, onAdding, freshGroup, onNamed, legend, results }: Props) {
  return (
    <Side name="Charts" folded={folded} onFold={onFold} side="left">
      {bench && (
        <BenchContext.Provider value={bench}>
          <ul className="plain" data-testid="charts">
            {bench.desk.history.now.panels.map((panel) => (
              <li key={panel.id}>
                <UnstyledButton className="row" aria-current={panel.id === bench.desk.active ? 'true' : undefined} title={bench.viewOf(panel)?.description} onClick={() => bench.activate(panel.id)}>
                  <span className="row-name">{bench.titleOf(panel)}</span>
                </UnstyledButton>
              </li>
            ))}
          </ul>
          <div className="side-add">
            <AddChart compact opened={adding} onChange={onAdding} />
          </div>
        </BenchContext.Provider>
      )}
      {results && <SearchResults {...results} />}
      {bench && (
        <BenchContext.Provider value={bench}>
          <ColourGroups fresh={freshGroup} onNamed={onNamed} />
        </BenchContext.Provider>
      )}
      {legend && <LegendList legend={legend} groups={bench?.desk.history.now.groups ?? []} />}
    </Side>
  );
});

function LegendList({ legend, groups }: { legend: Legend; groups: readonly ColourGroup[] }) {
  // The groups stand above, where they can be changed.
  const entries = legend.entries.filter((e) => !groups.some((g) => g.name === e.label && g.colour === e.color));
  const title = legend.title.replace(/^Groups(\. |$)/, '');
  const shares = entries.some((e) => e.share > 0);
  if (entries.length === 0 && legend.ramp.length === 0) return null;
  return (
    <section aria-label="Legend" data-testid="legend">
      <h2 title={shares ? 'Shares are of the root’s total' : undefined}>{title || 'Colours'}</h2>
      {legend.ramp.length > 0 && (
        <div className="ramp">
          <div className="ramp-scale" style={{ background: `linear-gradient(to right, ${legend.ramp.map(css).join(', ')})` }} />
          <div className="ramp-ends">
            {legend.rampHigh === legend.rampLow ? <span>{legend.rampLow === '' ? 'nothing to compare' : `${legend.rampLow} everywhere`}</span> : <span>{legend.rampLow}</span>}
            {legend.rampHigh !== legend.rampLow && <span>{legend.rampHigh}</span>}
          </div>
        </div>
      )}
      <ul className="plain">
        {entries.map((entry) => (
          <li key={entry.label} className="legend-row" title={entry.label}>
            <span className="swatch" style={{ background: css(entry.color) }} />
            <span className="legend-name">{entry.label}</span>
            {entry.share > 0 && <span className="number quiet">{formatShare(entry.share)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

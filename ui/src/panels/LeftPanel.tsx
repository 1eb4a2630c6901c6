// The left panel: the charts, what a search found, and what the colours mean.
import { UnstyledButton } from '@mantine/core';
import { memo } from 'react';
import type { Legend, View } from '../gen/cambium/v1/workbench_pb';
import { css } from '../scene/colour';
import { formatShare } from '../format/numbers';
import { SearchResults, type ResultsProps } from './SearchResults';
import { Side } from './Side';

interface Props {
  folded: boolean;
  onFold: () => void;
  views: readonly View[];
  view: string;
  onView: (name: string) => void;
  legend: Legend | undefined;
  results: ResultsProps | undefined;
}

export const LeftPanel = memo(function LeftPanel({ folded, onFold, views, view, onView, legend, results }: Props) {
  return (
    <Side name="Charts" folded={folded} onFold={onFold} side="left">
      <ul className="plain">
        {views.map((v) => (
          <li key={v.name}>
            <UnstyledButton className="row" aria-current={v.name === view ? 'true' : undefined} title={v.description} onClick={() => onView(v.name)}>
              {v.title || v.name}
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {results && <SearchResults {...results} />}
      {legend && (legend.entries.length > 0 || legend.ramp.length > 0) && <LegendList legend={legend} />}
    </Side>
  );
});

function LegendList({ legend }: { legend: Legend }) {
  const shares = legend.entries.some((e) => e.share > 0);
  return (
    <section aria-label="Legend" data-testid="legend">
      <h2 title={shares ? 'Shares are of the root’s total' : undefined}>{legend.title || 'Colours'}</h2>
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
        {legend.entries.map((entry) => (
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

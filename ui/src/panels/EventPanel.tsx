// A panel with a chart of events: the picture, or why there is none, and a line about it.
import { Button } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo, useState } from 'react';
import { MatchChart } from '../charts/MatchChart';
import { PlotChart } from '../charts/PlotChart';
import { TableChart } from '../charts/TableChart';
import { useScale } from '../charts/useScale';
import type { Axis, View } from '../gen/cambium/v1/workbench_pb';
import { css } from '../scene/colour';
import type { DecodedPicture } from '../scene/picture';
import { formatCount } from '../format/numbers';
import { isZoomed } from '../state/glance';
import { useStore } from '../state/hover';
import { usePreferences } from '../state/preferences';
import type { PanelSpec } from '../state/work';
import { useBench } from './bench';
import { Sliders } from './Sliders';
import { Busy } from './States';

/** How long a panel waits for its size to come to rest, in ms. */
const REST = 70;

export function EventPanel({ panel, view }: { panel: PanelSpec; view: View }) {
  const bench = useBench();
  const { setRoom, visualizer } = bench;
  const { ref, width, height } = useElementSize();
  const [first, setFirst] = useState(0);
  const picture = useStore(visualizer.picture(panel.id));
  const scale = useScale();
  const w = Math.floor(width);
  const h = Math.floor(height);

  const isTable = picture.scene?.source.table !== undefined;
  useEffect(() => {
    // Rows beyond what is seen are there when somebody scrolls.
    const room = w > 40 && h > 40 ? { width: Math.floor(w / scale), height: isTable ? h * 2 : Math.floor(h / scale), first: isTable ? first : 0 } : undefined;
    const timer = setTimeout(() => setRoom(panel.id, room), room && !isTable ? REST : 0);
    return () => clearTimeout(timer);
  }, [setRoom, panel.id, w, h, scale, isTable, first]);
  useEffect(() => () => setRoom(panel.id, undefined), [setRoom, panel.id]);
  const glance = useMemo(() => bench.desk.glances[panel.id] ?? {}, [bench.desk.glances, panel.id]);

  function body() {
    if (picture.error !== '') {
      return (
        <div className="state" role="alert" data-testid={`error-${panel.id}`}>
          <h2>This chart cannot be drawn</h2>
          <p className="reason">{picture.error}</p>
          <div className="buttons">
            <Button size="xs" onClick={() => bench.configure(panel.id)}>
              Configure
            </Button>
            <Button size="xs" variant="default" onClick={() => visualizer.again(panel.id)}>
              Retry
            </Button>
          </div>
        </div>
      );
    }
    if (!picture.scene) return picture.waiting ? <Busy words="Drawing …" /> : <div className="state quiet">Stopped before there was anything to draw.</div>;
    if (picture.scene.source.table) return <TableChart panel={panel} picture={picture} table={picture.scene.source.table} width={w} height={h} onFirst={setFirst} />;
    if (windows) return <MatchChart panel={panel} view={view} picture={picture} scene={picture.scene} width={w / scale} height={h / scale} scale={scale} />;
    return <PlotChart panel={panel} view={view} picture={picture} scene={picture.scene} glance={glance} width={w / scale} height={h / scale} scale={scale} />;
  }
  // A chart that shows the focus of a comparison and nothing else.
  const windows = picture.scene?.plots.some((plot) => plot.window) ?? false;
  const { foldLeft } = usePreferences();
  const table = picture.scene?.source.table;
  // The groups stand in the left panel, and are not said by every chart once more.
  const legend = picture.scene?.source.legend;
  const entries = (legend?.entries ?? []).filter((e) => foldLeft || !bench.desk.history.now.groups.some((g) => g.name === e.label && g.colour === e.color));
  return (
    <div className="panel-body" data-testid={`panel-${panel.id}`} data-final={picture.final && !picture.waiting ? 'yes' : undefined}>
      <div className="chart-room" ref={ref}>
        {body()}
        {isZoomed(glance) && picture.error === '' && isPart(picture.scene) && (
          <Button className="zoom-reset" size="compact-xs" variant="default" data-testid={`reset-${panel.id}`} title="Show all of it (double-click, or 0)" onClick={() => bench.glance(panel.id, { rows: undefined, columns: undefined, period: undefined })}>
            Show all
          </Button>
        )}
      </div>
      {windows && <Sliders panel={panel} view={view} />}
      <div className="panel-foot" data-testid={`foot-${panel.id}`}>
        <span className="foot-words" title={picture.scene?.source.notes.join('\n')}>
          {!picture.final && picture.scene ? (picture.waiting ? 'what there is so far' : 'not all events: the pass was stopped') : (picture.scene?.source.notes ?? []).join(' · ') || (table ? `${formatCount(table.total)} rows` : drawnInWords(picture.scene?.source.drawn))}
        </span>
        {picture.waiting && picture.scene && (
          <span className="foot-waiting" role="status">
            drawing …
          </span>
        )}
        {legend && (legend.ramp.length > 0 || entries.length > 0) && (
          <span className="foot-legend" aria-label="Legend">
            {legend.title !== '' && <span className="quiet">{legend.title}</span>}
            {legend.ramp.length > 0 && (
              <>
                <span>{legend.rampLow}</span>
                <span className="foot-ramp" style={{ background: `linear-gradient(to right, ${legend.ramp.map(css).join(', ')})` }} />
                <span>{legend.rampHigh}</span>
              </>
            )}
            {entries.map((entry) => (
              <span key={entry.label} className="foot-entry">
                <span className="swatch" style={{ background: css(entry.color) }} />
                {entry.label}
              </span>
            ))}
          </span>
        )}
      </div>
    </div>
  );
}

/** Whether an axis shows a part of what there is. */
function isPart(scene: DecodedPicture | undefined): boolean {
  const part = (axis: Axis | undefined) => axis !== undefined && axis.to - axis.from < (axis.max - axis.min) * 0.999;
  return scene?.plots.some((plot) => part(plot.across) || part(plot.up)) ?? false;
}

function drawnInWords(drawn: bigint | undefined): string {
  return drawn === undefined || drawn === 0n ? '' : `${formatCount(drawn)} shown`;
}

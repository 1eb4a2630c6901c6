// How far the pass over the events is, and how to stop it.
import { Button, Progress } from '@mantine/core';
import type { Visualizer } from '../api/visualizer';
import { formatCount, formatShare } from '../format/numbers';
import { useForm } from '../panels/useForm';
import { plural } from '../state/filters';
import { useStore } from '../state/hover';

/** Above the panels: it takes no room, so that nothing moves. */
export function PassBar({ visualizer }: { visualizer: Visualizer }) {
  const { running, done, total } = useStore(visualizer.progress);
  if (!running || total === 0) return null;
  return <Progress className="pass-bar" size={3} radius={0} value={(done / total) * 100} aria-label="Reading the events" color="var(--accent)" transitionDuration={0} />;
}

export function PassWords({ visualizer }: { visualizer: Visualizer }) {
  const { running, done, total, stopped, events, ms } = useStore(visualizer.progress);
  if (stopped) {
    return (
      <span data-testid="pass-stopped">
        stopped: pictures may lack events{' '}
        <Button size="compact-xs" variant="default" onClick={() => visualizer.again()}>
          Go on
        </Button>
      </span>
    );
  }
  if (!running) return events === 0 ? null : <span>{`${formatCount(events)} events in one pass, ${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`} </span>;
  if (total === 0) return <span className="foot-waiting">drawing …</span>;
  return (
    <span role="status" data-testid="pass">
      {formatShare(done / total)} of {formatCount(total)} events{' '}
      <Button size="compact-xs" variant="default" onClick={() => visualizer.stop()} data-testid="cancel-pass">
        Cancel
      </Button>
    </span>
  );
}

/** How many events of which types there are. view is any chart of events. */
export function EventCounts({ dataSet, view }: { dataSet: string; view: string }) {
  const { answer } = useForm(dataSet, view, '', {});
  if (!answer || answer.subjects.length === 0) return null;
  return <span data-testid="event-counts">{answer.subjects.map((s) => `${formatCount(s.rows)} ${plural(s.name)}`).join(' · ')}</span>;
}

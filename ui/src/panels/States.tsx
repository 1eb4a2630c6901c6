// What stands in place of a chart: nothing opened, reading, failed, nothing to draw.
import { Button, Progress } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import type { DataSet, Format, Sample } from '../gen/cambium/v1/workbench_pb';
import { formatShare, formatValue } from '../format/numbers';

function State({ testId, title, children, role }: { testId: string; title: string; children: ReactNode; role?: string }) {
  return (
    <div className="state" data-testid={testId} role={role}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Empty({ formats, samples, onOpen, onSample }: { formats: readonly Format[]; samples: readonly Sample[]; onOpen: () => void; onSample: (name: string) => void }) {
  return (
    <State testId="empty-state" title="Open a profile">
      <div className="drop-zone">
        <p>Drop a file here, or choose one.</p>
        <Button onClick={onOpen}>+ Open a file</Button>
      </div>
      {samples.length > 0 && (
        <>
          <h3>Or look at a sample</h3>
          <ul className="plain samples">
            {samples.map((sample) => (
              <li key={sample.name}>
                <Button variant="default" size="xs" onClick={() => onSample(sample.name)} data-testid={`sample-${sample.name}`}>
                  {sample.name}
                </Button>
                <span className="quiet">{sample.description}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {formats.length > 0 && (
        <>
          <h3>What can be opened</h3>
          <ul className="formats">
            {formats.map((format) => (
              <li key={format.name}>{format.title || format.name}</li>
            ))}
          </ul>
        </>
      )}
    </State>
  );
}

export function Reading({ dataSet, onCancel }: { dataSet: DataSet; onCancel: () => void }) {
  const known = dataSet.bytesTotal > 0n;
  const share = known ? Math.min(1, Number(dataSet.bytesRead) / Number(dataSet.bytesTotal)) : 0;
  return (
    <State testId="reading-state" title={`Reading ${dataSet.name}`}>
      <Progress value={known ? share * 100 : 100} animated={!known} striped={!known} aria-label={`Reading ${dataSet.name}`} color="var(--accent)" transitionDuration={0} w="100%" />
      <p className="quiet tabular">
        {formatValue(dataSet.bytesRead, 'bytes')}
        {known && ` of ${formatValue(dataSet.bytesTotal, 'bytes')} · ${formatShare(share)}`}
      </p>
      <Button variant="default" size="xs" onClick={onCancel} data-testid="cancel-read">
        Cancel
      </Button>
    </State>
  );
}

export function Failed({ dataSet, formats, onOpen }: { dataSet: DataSet; formats: readonly Format[]; onOpen: () => void }) {
  return (
    <State testId="error-state" title={`${dataSet.name} could not be read`} role="alert">
      <p className="reason">{dataSet.error || 'The reader gave no reason.'}</p>
      {dataSet.format !== '' && <p className="quiet">It was read as: {dataSet.format}</p>}
      <h3>What to try</h3>
      <ul>
        <li>Is the file complete? A copy or a download that was cut short often ends in the middle.</li>
        {!formats.every((f) => dataSet.error.includes(f.title || f.name)) && <li>Is it of a kind that can be opened? {formats.map((f) => f.title || f.name).join(', ')}</li>}
        <li>Write it again with the tool it came from, and open it once more.</li>
      </ul>
      <Button onClick={onOpen} size="xs">
        + Open another file
      </Button>
    </State>
  );
}

export function NoSamples({ dataSet }: { dataSet: DataSet }) {
  return (
    <State testId="no-samples-state" title={`${dataSet.name} has nothing to draw`}>
      <p>The file was read, but no context in it has a value: the profile has no samples. Was the program busy while it was profiled, and long enough?</p>
      {dataSet.warnings.length > 0 && (
        <ul>
          {dataSet.warnings.map((w) => (
            <li key={w}>{w}</li>
          ))}
        </ul>
      )}
    </State>
  );
}

/** What remains when filters, or a part of the tree, have nothing of the metric. */
export function NothingLeft({ metric, filtered, onUnfilter }: { metric: string; filtered: boolean; onUnfilter: () => void }) {
  return (
    <State testId="nothing-left" title="Nothing is left to draw" role="status">
      <p>{filtered ? `No event that the filters keep reached a context here with any ${metric}.` : `Nothing here has any ${metric}: choose another metric, or go further out.`}</p>
      {filtered && (
        <Button size="xs" variant="default" onClick={onUnfilter}>
          Remove all filters
        </Button>
      )}
    </State>
  );
}

export function SceneFailed({ error, onRetry, onWhole }: { error: string; onRetry: () => void; onWhole: () => void }) {
  return (
    <State testId="scene-error" title="This picture could not be made" role="alert">
      <p className="reason">{error}</p>
      <div className="buttons">
        <Button size="xs" onClick={onRetry}>
          Retry
        </Button>
        <Button size="xs" variant="default" onClick={onWhole}>
          The whole tree without steps
        </Button>
      </div>
    </State>
  );
}

export function Busy({ words }: { words: string }) {
  const element = useRef<HTMLDivElement>(null);
  // Only what takes longer than a moment is worth a word.
  useEffect(() => {
    const timer = setTimeout(() => element.current?.removeAttribute('hidden'), 250);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="state quiet" ref={element} hidden role="status">
      {words}
    </div>
  );
}

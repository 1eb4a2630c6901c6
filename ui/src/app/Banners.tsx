// What a person should know now, above everything else: a lost server, a file on its way.
import { Button, Progress } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ServerState } from '../api/useDataSets';
import { formatShare, formatValue } from '../format/numbers';
import type { DataSet } from '../gen/cambium/v1/workbench_pb';
import type { Opening } from './useOpening';

interface Props {
  server: ServerState;
  opening: Opening;
  missing: string;
  /** The address names a desk that another tab kept. */
  lost: boolean;
  trouble: string;
  onTrouble: () => void;
  warnings: readonly string[];
  /** What could not be read and is not shown. */
  failed: readonly DataSet[];
  onTold: () => void;
  onShow: (dataSet: string) => void;
}

function Banner({ children, button, onButton, calm = false, testId, also }: { children: ReactNode; button: string; onButton: () => void; calm?: boolean; testId: string; also?: ReactNode }) {
  return (
    <div className={`banner ${calm ? 'banner-calm' : ''}`} role={calm ? 'status' : 'alert'} data-testid={testId}>
      <span>{children}</span>
      {also}
      <Button size="compact-xs" variant="default" onClick={onButton}>
        {button}
      </Button>
    </div>
  );
}

export function Banners({ server, opening, missing, trouble, onTrouble, warnings, failed, onTold, onShow, lost }: Props) {
  const [seen, setSeen] = useState(false);
  const [seenLost, setSeenLost] = useState(false);
  const { sending } = opening;
  return (
    <>
      {server.lost !== '' && server.dataSets !== undefined && (
        <Banner button="Retry" onButton={server.retry} testId="lost-banner">
          The connection to cambium is lost ({server.lost}). Is it still running? What is on the page stays; it tries again by itself.
        </Banner>
      )}
      {sending && (
        <Banner button="Cancel" onButton={opening.cancel} calm testId="sending-banner" also={<Progress value={sending.share * 100} aria-label={`Sending ${sending.name}`} color="var(--accent)" transitionDuration={0} />}>
          Sending {sending.name}
          {sending.of > 1 && ` (${sending.at} of ${sending.of})`} …{' '}
          <span className="tabular">
            {formatShare(sending.share)} of {formatValue(sending.size, 'bytes')}
          </span>
        </Banner>
      )}
      {failed.length > 0 && (
        <Banner
          button="Close"
          onButton={onTold}
          testId="failed-banner"
          also={
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                onTold();
                onShow(failed[failed.length - 1].id);
              }}
            >
              Show why
            </Button>
          }
        >
          {failed.length === 1 ? `${failed[0].name} could not be read.` : `${failed.length} files could not be read: ${failed.map((f) => f.name).join(', ')}.`}
        </Banner>
      )}
      {opening.error !== '' && (
        <Banner button="Close" onButton={opening.forgetError} testId="upload-error">
          Could not open {opening.error}
        </Banner>
      )}
      {missing !== '' && (
        <Banner button="Show what is open" onButton={() => location.assign(location.pathname)} testId="missing-banner">
          The data set “{missing}” of this address is not open in this run of cambium.
        </Banner>
      )}
      {lost && !seenLost && (
        <Banner button="Close" onButton={() => setSeenLost(true)} calm testId="lost-desk-banner">
          The charts of this address were too many for it and are known to another tab only. Save the workspace there, and open it here.
        </Banner>
      )}
      {trouble !== '' && (
        <Banner button="Close" onButton={onTrouble} testId="trouble-banner">
          {trouble}
        </Banner>
      )}
      {warnings.length > 0 && !seen && (
        <Banner button="Close" onButton={() => setSeen(true)} calm testId="warnings-banner">
          {warnings[0]}
          {warnings.length > 1 && <span title={warnings.slice(1).join('\n')}> (and {warnings.length - 1} more)</span>}
        </Banner>
      )}
    </>
  );
}

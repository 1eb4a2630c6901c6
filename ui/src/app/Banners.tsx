// What a person should know now, above everything else: a lost server, a file on its way.
import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ServerState } from '../api/useDataSets';
import type { Opening } from './useOpening';

interface Props {
  server: ServerState;
  opening: Opening;
  missing: string;
  trouble: string;
  onTrouble: () => void;
  warnings: readonly string[];
}

function Banner({ children, button, onButton, calm = false, testId }: { children: ReactNode; button: string; onButton: () => void; calm?: boolean; testId: string }) {
  return (
    <div className={`banner ${calm ? 'banner-calm' : ''}`} role={calm ? 'status' : 'alert'} data-testid={testId}>
      <span>{children}</span>
      <Button size="compact-xs" variant="default" onClick={onButton}>
        {button}
      </Button>
    </div>
  );
}

export function Banners({ server, opening, missing, trouble, onTrouble, warnings }: Props) {
  const [seen, setSeen] = useState(false);
  return (
    <>
      {server.lost !== '' && server.dataSets !== undefined && (
        <Banner button="Retry" onButton={server.retry} testId="lost-banner">
          The connection to cambium is lost ({server.lost}). Is it still running? What is on the page stays; it tries again by itself.
        </Banner>
      )}
      {opening.sending !== '' && (
        <Banner button="Cancel" onButton={opening.cancel} calm testId="sending-banner">
          Opening {opening.sending} …
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

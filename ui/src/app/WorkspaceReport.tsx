// What did not fit of a workspace that was opened, or why it could not be.
import { Button } from '@mantine/core';
import { Dialog } from './Dialog';
import type { Report } from './useWorkspaceFile';

export function WorkspaceReport({ report, onClose }: { report: Report | undefined; onClose: () => void }) {
  const failed = report?.error !== undefined && report.error !== '';
  return (
    <Dialog title={failed ? 'The workspace could not be opened' : 'Not all of the workspace fits'} opened={report !== undefined} onClose={onClose}>
      {report && (
        <div data-testid="workspace-report">
          {failed ? (
            <p className="reason">
              {report.file}: {report.error}
            </p>
          ) : (
            <>
              <p>{report.file} was made for another data set. It is applied, but for this:</p>
              <ul className="problems">
                {report.problems.map((problem) => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
            </>
          )}
          <div className="buttons">
            <Button size="xs" onClick={onClose} data-autofocus>
              Close
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

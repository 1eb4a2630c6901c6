// How far the tree of a filter is, over the chart that waits for it, and how to stop that.
import { Button } from '@mantine/core';
import type { SceneState } from '../api/useScene';
import { formatCount, formatShare } from '../format/numbers';

export function TreePass({ shown }: { shown: SceneState }) {
  const { pass, loading, stopped, scene } = shown;
  if (stopped) {
    return (
      <div className="blocked" role="status" data-testid="tree-stopped">
        <span>{scene ? 'Stopped: this is what was shown before.' : 'Stopped before there was anything to draw.'}</span>
        <Button size="compact-xs" variant="default" onClick={shown.retry}>
          Go on
        </Button>
      </div>
    );
  }
  if (!loading || !pass) return null;
  return (
    <div className="blocked" role="status" data-testid="tree-pass">
      <span>{`Filtering: ${formatShare(pass.done / pass.total)} of ${formatCount(pass.total)} events`}</span>
      <Button size="compact-xs" variant="default" onClick={shown.stop} data-testid="cancel-tree">
        Cancel
      </Button>
    </div>
  );
}

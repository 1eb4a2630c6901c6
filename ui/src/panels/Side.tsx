// A panel at a side that folds away.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

export function Side({ name, side, folded, onFold, children }: { name: string; side: 'left' | 'right'; folded: boolean; onFold: () => void; children: ReactNode }) {
  const className = `side side-${side} ${folded ? 'side-folded' : ''}`;
  if (folded) {
    return (
      <aside className={className} aria-label={name}>
        <Button size="compact-xs" variant="subtle" color="gray" className="fold" h="auto" px={4} py={8} aria-expanded={false} onClick={onFold} title={`Show ${name.toLowerCase()}`}>
          <span className="fold-word">{name}</span>
        </Button>
      </aside>
    );
  }
  return (
    <aside className={className} aria-label={name}>
      <div className="side-head">
        <h2>{name}</h2>
        <Button size="compact-xs" variant="subtle" color="gray" className="fold" aria-expanded onClick={onFold} title={`Fold ${name.toLowerCase()} away`}>
          Fold
        </Button>
      </div>
      {children}
    </aside>
  );
}

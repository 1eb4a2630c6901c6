// The root's calling context: each caller can be made the root; a long one shows its ends.
import { Menu, UnstyledButton } from '@mantine/core';
import { memo } from 'react';
import type { Crumb } from '../gen/cambium/v1/workbench_pb';
import { shorten } from '../format/names';

const HEAD = 2;
const TAIL = 2;

function text(crumb: Crumb, rootTitle: string): string {
  const short = crumb.shortName || crumb.name || rootTitle || 'whole';
  return shorten(short, short, 34);
}

export const Crumbs = memo(function Crumbs({ crumbs, rootTitle, onFocus, testIds = true }: { crumbs: readonly Crumb[]; rootTitle: string; onFocus: (id: number, outermost: boolean) => void; testIds?: boolean }) {
  const callers = crumbs.slice(0, -1);
  const root = crumbs.at(-1);
  const long = callers.length > HEAD + TAIL + 1;
  const shown = long ? [...callers.slice(0, HEAD), ...callers.slice(-TAIL)] : callers;
  const hidden = long ? callers.slice(HEAD, -TAIL) : [];
  return (
    <nav className="crumbs" aria-label="Calling context of the root">
      <ol>
        {shown.map((crumb, i) => (
          <li key={crumb.id}>
            {hidden.length > 0 && i === HEAD && (
              <>
                <Menu withinPortal transitionProps={{ duration: 0 }}>
                  <Menu.Target>
                    <UnstyledButton className="crumb crumb-more" aria-label={`${hidden.length} more callers`} title={`${hidden.length} more callers`}>
                      … {hidden.length} more …
                    </UnstyledButton>
                  </Menu.Target>
                  <Menu.Dropdown mah={320} style={{ overflow: 'auto' }} aria-label="Callers in between">
                    {hidden.map((between) => (
                      <Menu.Item key={between.id} onClick={() => onFocus(between.id, false)} title={between.name}>
                        <span className="code">{text(between, rootTitle)}</span>
                      </Menu.Item>
                    ))}
                  </Menu.Dropdown>
                </Menu>
                <span aria-hidden="true">›</span>
              </>
            )}
            <UnstyledButton className="crumb code" data-testid="crumb" title={crumb.name} onClick={() => onFocus(crumb.id, crumb === crumbs[0])}>
              {text(crumb, rootTitle)}
            </UnstyledButton>
            <span aria-hidden="true">›</span>
          </li>
        ))}
        <li aria-current="true">
          <strong className="crumb code" data-testid={testIds ? 'root-title' : undefined} title={root?.name}>
            {root ? text(root, rootTitle) : rootTitle}
          </strong>
        </li>
      </ol>
    </nav>
  );
});

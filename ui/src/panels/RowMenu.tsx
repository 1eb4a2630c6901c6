// What can be done with a row of a tree: the menu of the right button.
import { Menu } from '@mantine/core';
import { shorten } from '../format/names';
import { CompactMenu } from './CompactMenu';
import type { Act } from './compacting';
import { TimelinesItem } from './TimelinesItem';

export interface RowAt {
  id: number;
  name: string;
  x: number;
  y: number;
}

interface Props {
  at: RowAt;
  onClose: () => void;
  onFocus: (id: number) => void;
  onAct: Act;
  onTimelines?: ((id: number) => void) | undefined;
}

export function RowMenu({ at, onClose, onFocus, onAct, onTimelines }: Props) {
  return (
    <Menu opened onChange={(opened) => !opened && onClose()} position="bottom-start" withinPortal transitionProps={{ duration: 0 }} offset={2}>
      <Menu.Target>
        <button type="button" className="menu-at" tabIndex={-1} aria-label={`What to do with ${at.name}`} style={{ left: at.x, top: at.y }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={`What to do with ${at.name}`} data-testid="row-menu">
        <Menu.Label>
          <span className="code">{shorten(at.name, at.name, 48)}</span>
        </Menu.Label>
        <Menu.Item onClick={() => onFocus(at.id)}>Make it the root</Menu.Item>
        <CompactMenu id={at.id} node onAct={onAct} />
        {onTimelines && (
          <>
            <Menu.Divider />
            <TimelinesItem id={at.id} onTimelines={onTimelines} />
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

// What can be done with a segment: the menu of the right button.
import { Menu } from '@mantine/core';
import { CompactMenu } from './CompactMenu';
import { TimelinesItem } from './TimelinesItem';
import type { Act } from './compacting';
import { nameOf, shortNameOf, type DecodedScene } from '../scene/decode';
import type { How } from '../state/filters';
import { shorten } from '../format/names';

export interface SegmentAt {
  index: number;
  x: number;
  y: number;
}

interface Props {
  scene: DecodedScene;
  at: SegmentAt;
  pin: number | undefined;
  onClose: () => void;
  onFocus: (id: number) => void;
  onPin: (id: number | undefined) => void;
  onAct?: Act | undefined;
  onSelect: (id: number, what: 'context' | 'method', how: How, name: string) => void;
  onTimelines?: ((id: number) => void) | undefined;
}

export function SegmentMenu({ scene, at, pin, onClose, onFocus, onPin, onAct, onSelect, onTimelines }: Props) {
  const { sectors } = scene;
  const id = sectors.id[at.index];
  const mark = sectors.kind[at.index] !== 0;
  const full = mark ? '' : nameOf(sectors, at.index);
  const short = shortNameOf(sectors, at.index) || full || scene.source.rootTitle;
  return (
    <Menu opened onChange={(opened) => !opened && onClose()} position="bottom-start" withinPortal transitionProps={{ duration: 0 }} offset={2}>
      <Menu.Target>
        <button type="button" className="menu-at" tabIndex={-1} aria-label={`What to do with ${short}`} style={{ left: at.x, top: at.y }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={`What to do with ${short}`} data-testid="segment-menu">
        <Menu.Label>
          <span className="code">{mark ? 'contexts under a pixel' : shorten(short, short, 48)}</span>
        </Menu.Label>
        <Menu.Item onClick={() => onFocus(id)}>{mark ? 'Make their caller the root' : 'Make it the root'}</Menu.Item>
        <Menu.Item onClick={() => onPin(id === pin ? undefined : id)}>{id === pin ? 'Unpin' : 'Pin its details'}</Menu.Item>
        {onAct && <CompactMenu id={id} node={!mark && full !== ''} onAct={onAct} />}
        {!mark && (
          <>
            <Menu.Divider />
            {onTimelines && <TimelinesItem id={id} onTimelines={onTimelines} />}
            <Menu.Item onClick={() => onSelect(id, 'context', 'replace', full)} data-testid="select-context">
              Select it and what it calls
            </Menu.Item>
            {full !== '' && (
              <Menu.Item onClick={() => onSelect(id, 'method', 'replace', full)} data-testid="select-method">
                Select its method everywhere
              </Menu.Item>
            )}
            <Menu.Item onClick={() => onSelect(id, 'context', 'add', full)}>Add it to the selection</Menu.Item>
            <Menu.Item onClick={() => onSelect(id, 'context', 'remove', full)}>Take it out of the selection</Menu.Item>
            <Menu.Item onClick={() => onSelect(id, 'context', 'intersect', full)}>Select only what is in both</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

// What can be done with the level of a node: part of the menu of the right button.
import { Menu } from '@mantine/core';
import type { Act } from './compacting';

const LEVELS = [1, 2, 3, 4, 5];

export function CompactMenu({ id, node, onAct }: { id: number; node: boolean; onAct: Act }) {
  return (
    <>
      <Menu.Divider />
      {node && (
        <>
          <Menu.Item onClick={() => onAct('expand', id)} rightSection={<span className="menu-key">e</span>} data-testid="act-expand">
            Expand
          </Menu.Item>
          <Menu.Item onClick={() => onAct('compact', id)} rightSection={<span className="menu-key">k</span>} data-testid="act-compact">
            Compact
          </Menu.Item>
        </>
      )}
      <Menu.Sub>
        <Menu.Sub.Target>
          <Menu.Sub.Item data-testid="act-more">More levels</Menu.Sub.Item>
        </Menu.Sub.Target>
        <Menu.Sub.Dropdown aria-label="More about levels">
          {node && (
            <>
              <Menu.Item onClick={() => onAct('expand-package', id)} data-testid="act-expand-package">Expand its package everywhere</Menu.Item>
              <Menu.Item onClick={() => onAct('compact-package', id)} data-testid="act-compact-package">Compact its package everywhere</Menu.Item>
              <Menu.Item onClick={() => onAct('expand-here', id)} data-testid="act-expand-here">Expand its package here and below</Menu.Item>
              <Menu.Item onClick={() => onAct('compact-here', id)} data-testid="act-compact-here">Compact its package here and below</Menu.Item>
              <Menu.Sub>
                <Menu.Sub.Target>
                  <Menu.Sub.Item data-testid="act-name">Show of its name …</Menu.Sub.Item>
                </Menu.Sub.Target>
                <Menu.Sub.Dropdown aria-label="Elements of the name to show">
                  {LEVELS.map((n) => (
                    <Menu.Item key={n} onClick={() => onAct('level', id, n)} data-testid={`act-level-${n}`}>{n === 1 ? 'the first element' : `${n} elements`}</Menu.Item>
                  ))}
                  <Menu.Item onClick={() => onAct('level', id, 0)}>nothing: as part of its caller</Menu.Item>
                </Menu.Sub.Dropdown>
              </Menu.Sub>
              <Menu.Divider />
            </>
          )}
          <Menu.Item onClick={() => onAct('expand-all')} rightSection={<span className="menu-key">E ⇧↓</span>} data-testid="act-expand-all">Expand everything by one</Menu.Item>
          <Menu.Item onClick={() => onAct('compact-all')} rightSection={<span className="menu-key">K ⇧↑</span>} data-testid="act-compact-all">Compact everything by one</Menu.Item>
          <Menu.Item onClick={() => onAct('reset')} data-testid="act-reset">Compact fully</Menu.Item>
          <Menu.Item onClick={() => onAct('explain', 0, 40)} data-testid="act-explain">The 40 nodes that tell most</Menu.Item>
        </Menu.Sub.Dropdown>
      </Menu.Sub>
    </>
  );
}

// Of a comparison of two traces: what the menu of a context has for its calls.
import { Menu } from '@mantine/core';

export function TimelinesItem({ id, onTimelines }: { id: number; onTimelines: (id: number) => void }) {
  return (
    <Menu.Item onClick={() => onTimelines(id)} data-testid="show-timelines">
      Show its calls in both timelines
    </Menu.Item>
  );
}

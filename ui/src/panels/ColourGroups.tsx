// The colour groups: the legend of all charts, in which they are named, hidden and ordered.
import { ActionIcon, Checkbox, ColorPicker, Menu, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { memo, useEffect, useRef, useState } from 'react';
import { css } from '../scene/colour';
import { fromHex, PALETTE, toHex } from '../state/palette';
import { changeGroup, moveGroup, withFilter, withoutGroup, type ColourGroup } from '../state/work';
import { useBench } from './bench';

interface Props {
  /** The group that was just made: its name is there to be changed. */
  fresh: number | undefined;
  onNamed: () => void;
}

export const ColourGroups = memo(function ColourGroups({ fresh, onNamed }: Props) {
  const bench = useBench();
  const { groups } = bench.desk.history.now;
  return (
    <section aria-label="Colour groups" data-testid="groups">
      <h2>Colour groups</h2>
      {groups.length === 0 ? (
        <p className="note">Select something, then “Colour it”: it has that colour in every chart.</p>
      ) : (
        <ul className="plain">
          {groups.map((group, i) => (
            // Groups may have the same name and be moved.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={i}>
              <Row group={group} at={i} last={i === groups.length - 1} fresh={fresh === i} onNamed={onNamed} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
});

function Row({ group, at, last, fresh, onNamed }: { group: ColourGroup; at: number; last: boolean; fresh: boolean; onNamed: () => void }) {
  const bench = useBench();
  const [naming, setNaming] = useState(fresh);
  const [picking, setPicking] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (fresh) setNaming(true);
  }, [fresh]);
  useEffect(() => {
    if (!naming) return;
    input.current?.focus();
    input.current?.select();
  }, [naming]);
  const rename = (text: string) => {
    setNaming(false);
    onNamed();
    const name = text.trim();
    if (name !== '' && name !== group.name) bench.change('rename a colour group', (work) => changeGroup(work, at, { name }));
  };
  const recolour = (colour: number) => bench.change('recolour a group', (work) => changeGroup(work, at, { colour }));
  return (
    <div className="group-row" data-hidden={group.hidden || undefined} data-testid="group">
      <Popover opened={picking} onChange={setPicking} position="right-start" withinPortal trapFocus shadow="md" transitionProps={{ duration: 0 }}>
        <Popover.Target>
          <UnstyledButton className="swatch-button" aria-label={`Colour of ${group.name}`} title="Choose another colour" onClick={() => setPicking(!picking)}>
            <span className="swatch swatch-large" style={{ background: group.hidden ? 'transparent' : css(group.colour) }} />
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown p={10}>
          <Colours group={group} onColour={recolour} onDone={() => setPicking(false)} />
        </Popover.Dropdown>
      </Popover>
      {naming ? (
        <TextInput
          size="xs"
          ref={input}
          className="group-input"
          aria-label="Name of the colour group"
          defaultValue={group.name}
          onBlur={(event) => rename(event.currentTarget.value)}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Enter') event.currentTarget.blur();
            if (event.key === 'Escape') {
              setNaming(false);
              onNamed();
            }
          }}
          data-testid="group-name-input"
        />
      ) : (
        <UnstyledButton className="group-name" title={`${group.name}\n${group.filter}\n(double-click to rename)`} onDoubleClick={() => setNaming(true)} onClick={() => bench.select(group.filter, 'replace')} aria-label={`Select ${group.name}`}>
          {group.name}
        </UnstyledButton>
      )}
      <Checkbox size="xs" checked={!group.hidden} onChange={() => bench.change(group.hidden ? 'show a colour group' : 'hide a colour group', (work) => changeGroup(work, at, { hidden: !group.hidden }))} aria-label={`Show ${group.name}`} title={group.hidden ? 'Show its colour' : 'Hide its colour'} data-testid="group-toggle" />
      <Menu position="bottom-end" withinPortal transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={`More about ${group.name}`} data-testid="group-menu">
            <svg width="4" height="14" viewBox="0 0 4 14" aria-hidden="true" fill="currentColor">
              <circle cx="2" cy="2" r="1.4" />
              <circle cx="2" cy="7" r="1.4" />
              <circle cx="2" cy="12" r="1.4" />
            </svg>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown aria-label={group.name}>
          <Menu.Item onClick={() => setNaming(true)}>Rename</Menu.Item>
          <Menu.Item onClick={() => bench.select(group.filter, 'replace')}>Select what is in it</Menu.Item>
          <Menu.Item onClick={() => bench.change('filter', (work) => withFilter(work, group.filter))}>Filter to it</Menu.Item>
          <Menu.Divider />
          <Menu.Item disabled={at === 0} onClick={() => bench.change('order the colour groups', (work) => moveGroup(work, at, -1))}>
            Move up: before the one above
          </Menu.Item>
          <Menu.Item disabled={last} onClick={() => bench.change('order the colour groups', (work) => moveGroup(work, at, 1))}>
            Move down
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => bench.change('delete a colour group', (work) => withoutGroup(work, at))} data-testid="group-delete">
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

function Colours({ group, onColour, onDone }: { group: ColourGroup; onColour: (colour: number) => void; onDone: () => void }) {
  const [own, setOwn] = useState(toHex(group.colour));
  return (
    <div className="colours">
      <div className="colours-row" role="group" aria-label="Colours that every eye can tell apart">
        {PALETTE.map(({ name, colour }) => (
          <UnstyledButton
            key={name}
            className="swatch-button"
            aria-label={name}
            aria-pressed={colour === group.colour}
            title={name}
            onClick={() => {
              onColour(colour);
              onDone();
            }}
          >
            <span className="swatch swatch-large" style={{ background: css(colour) }} />
          </UnstyledButton>
        ))}
      </div>
      <ColorPicker size="xs" format="hex" value={own} onChange={setOwn} onChangeEnd={(hex) => onColour(fromHex(hex) ?? group.colour)} saturationLabel="Saturation" hueLabel="Hue" fullWidth />
      <TextInput
        size="xs"
        aria-label="Another colour, as #rrggbb"
        value={own}
        onChange={(event) => setOwn(event.currentTarget.value)}
        error={fromHex(own) === undefined ? 'as #rrggbb' : undefined}
        onKeyDown={(event) => {
          const colour = fromHex(own);
          if (event.key !== 'Enter' || colour === undefined) return;
          onColour(colour);
          onDone();
        }}
      />
    </div>
  );
}

// One step of the pipeline: what it does, what of that it does not, and how it is moved and removed.
import { CloseButton, Popover, UnstyledButton } from '@mantine/core';
import { useState, type DragEvent, type KeyboardEvent, type ReactNode } from 'react';
import type { StepNote } from '../gen/cambium/v1/steps_pb';

interface Props {
  op: string;
  word: string;
  name: string;
  full: string;
  note?: StepNote;
  /** What is shown to change it, if it can be changed; it is told how to end. */
  editor?: (close: () => void) => ReactNode;
  onRemove: () => void;
  /** By how many places it can be moved to the front and to the end, and how. */
  room?: { before: boolean; after: boolean };
  onMove?: (by: -1 | 1) => void;
  /** Where it is in the pipeline, to be dragged; nothing for a step that stays where it is. */
  place?: number;
  onDrop?: (from: number, to: number) => void;
}

const DRAGGED = 'application/x-cambium-step';

export function StepChip({ op, word, name, full, note, editor, onRemove, room, onMove, place, onDrop }: Props) {
  const [editing, setEditing] = useState(false);
  const [over, setOver] = useState(false);
  const called = `${word} ${name}`.trimEnd();
  const words = (
    <>
      {word} {name !== '' && <span className="code">{name}</span>}
    </>
  );
  const dragging =
    place === undefined
      ? {}
      : {
          draggable: true,
          onDragStart: (event: DragEvent) => {
            event.dataTransfer.setData(DRAGGED, String(place));
            event.dataTransfer.effectAllowed = 'move';
          },
          onDragOver: (event: DragEvent) => {
            if (!event.dataTransfer.types.includes(DRAGGED)) return;
            event.preventDefault();
            setOver(true);
          },
          onDragLeave: () => setOver(false),
          onDrop: (event: DragEvent) => {
            event.preventDefault();
            event.stopPropagation();
            setOver(false);
            const from = Number.parseInt(event.dataTransfer.getData(DRAGGED), 10);
            if (Number.isFinite(from) && from !== place) onDrop?.(from, place);
          },
        };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (!event.altKey || by === 0 || editing) return;
    event.preventDefault();
    event.stopPropagation();
    if (by < 0 ? room?.before : room?.after) onMove?.(by as -1 | 1);
  };
  const body = editor ? (
    <Popover opened={editing} onChange={(now) => !now && setEditing(false)} position="bottom-start" withinPortal trapFocus shadow="md" width={380} transitionProps={{ duration: 0 }} offset={4}>
      <Popover.Target>
        <UnstyledButton className="chip-name" title={`${full}\n(click to change it)`} onClick={() => setEditing(true)} data-testid={`edit-${op}`}>
          {words}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={12}>{editor(() => setEditing(false))}</Popover.Dropdown>
    </Popover>
  ) : (
    <span className="chip-name">{words}</span>
  );
  return (
    <span className="chip" role="group" aria-label={`The step ${called}`} title={full} data-step={op} data-over={over || undefined} onKeyDown={onKeyDown} {...dragging}>
      {room?.before && (
        <button type="button" className="chip-move" aria-label={`Move the step ${called} before the one before it`} title="Before the step before it (Alt-←, or drag it)" onClick={() => onMove?.(-1)} data-testid={`move-${op}`}>
          ‹
        </button>
      )}
      {body}
      {note && <Doubt note={note} step={called} />}
      {room?.after && (
        <button type="button" className="chip-move" aria-label={`Move the step ${called} after the one after it`} title="After the step after it (Alt-→, or drag it)" onClick={() => onMove?.(1)} data-testid={`move-${op}-after`}>
          ›
        </button>
      )}
      <CloseButton size="xs" radius="xl" aria-label={`Remove the step ${called}`} onClick={onRemove} />
    </span>
  );
}

/** What a step does not do, with the reasons at a click. */
function Doubt({ note, step }: { note: StepNote; step: string }) {
  return (
    <Popover position="bottom-start" withinPortal shadow="md" width={420} transitionProps={{ duration: 0 }} offset={4}>
      <Popover.Target>
        <UnstyledButton className="chip-doubt" title={note.details.join('\n')} aria-label={`${step}: ${note.text}. Why?`} data-testid="step-note">
          {note.text}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={12}>
        <p className="doubt-head">{`Of the step ${step}, ${note.text}:`}</p>
        <ul className="doubt-list" data-testid="step-note-details">
          {note.details.map((detail, i) => (
            // oxlint-disable-next-line react/no-array-index-key
            <li key={i}>{detail}</li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}

// What a data set opens with, by what there is in it.
import type { EventCount } from '../gen/cambium/v1/details_pb';

/** Whether there are calls of a trace: then a timeline shows something. */
export function hasCalls(events: readonly Pick<EventCount, 'rows' | 'calls'>[]): boolean {
  return events.some((e) => e.calls && e.rows > 0n);
}

/** The type of event that there is most of; the server's first choice is '' where that is the same. */
export function mostOf(subjects: readonly { name: string; rows: bigint }[], first: string): string {
  let most = subjects.find((s) => s.name === first);
  for (const s of subjects) if (s.rows > (most?.rows ?? 0n)) most = s;
  return most === undefined || most.name === first ? '' : most.name;
}

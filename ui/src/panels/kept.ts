// How much a filter keeps, in words.
import { useAnswer, type Answer } from '../api/useAnswer';
import { keyOf } from '../api/visualizer';
import { formatCount, formatShare } from '../format/numbers';
import { plural } from '../state/filters';
import type { CheckFilterResponse, Kept } from '../gen/cambium/v1/filter_pb';

export function useKept(dataSet: string, filter: string, delay = 0): Answer<CheckFilterResponse> {
  const question = { dataSet, filter };
  return useAnswer(dataSet === '' || filter.trim() === '' ? '' : keyOf(question), (client, signal) => client.checkFilter(question, { signal }), delay);
}

function one(kept: Kept): string {
  const types = plural(kept.type);
  return kept.unknown ? `some of ${formatCount(kept.rows)} ${types}` : `${formatCount(kept.kept)} of ${formatCount(kept.rows)} ${types}`;
}

/** "1,204 of 5,678 Invocations (21 %)": the events, or else the entities that are fewest. */
export function keptInWords(answer: CheckFilterResponse | undefined): string {
  if (!answer || answer.error !== '') return '';
  const says = answer.kept.filter((k) => k.applies && k.rows > 0n);
  const events = says.filter((k) => k.event);
  if (events.length > 0) return events.slice(0, 2).map((k) => (k.unknown ? one(k) : `${one(k)} (${formatShare(Number(k.kept) / Number(k.rows))})`)).join(' · ');
  return says.sort((a, b) => Number(a.kept - b.kept)).slice(0, 2).map(one).join(' · ');
}

/** Everything, a line each: for a title. */
export function allKept(answer: CheckFilterResponse | undefined): string {
  if (!answer || answer.error !== '') return '';
  return answer.kept
    .filter((k) => k.applies && k.rows > 0n)
    .map(one)
    .join('\n');
}

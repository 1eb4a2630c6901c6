// Switching between the values of a thread, a process or a label, which is a filter like any other:
// "Thread" in ["main", "worker"].
import { quoted } from './filters';

/** What keeps the events of some values; '' keeps all. */
export function facetFilter(field: string, mentions: readonly string[]): string {
  return mentions.length === 0 ? '' : `${quoted(field)} in [${mentions.join(', ')}]`;
}

/** Which of the filters is about nothing but some values of a field, and these; at is -1 if there is none. */
export function facetIn(filters: readonly string[], field: string): { at: number; mentions: string[] } {
  const start = `${quoted(field)} in [`;
  for (const [at, filter] of filters.entries()) {
    if (!filter.startsWith(start)) continue;
    const list = /^(?:"(?:\\.|[^"\\])*"|\d+)(?:, (?:"(?:\\.|[^"\\])*"|\d+))*\]$/.exec(filter.slice(start.length));
    if (list) return { at, mentions: list[0].match(/"(?:\\.|[^"\\])*"|\d+/g) ?? [] };
  }
  return { at: -1, mentions: [] };
}

/** The filters with other values of a field: '' or another list in the place of the one there was. */
export function withFacet(filters: readonly string[], field: string, mentions: readonly string[]): string[] {
  const { at } = facetIn(filters, field);
  const text = facetFilter(field, mentions);
  const changed = at < 0 ? [...filters, text] : filters.with(at, text);
  return changed.filter((f) => f !== '');
}

export function toggled(mentions: readonly string[], one: string): string[] {
  return mentions.includes(one) ? mentions.filter((m) => m !== one) : [...mentions, one];
}

// Texts of filters: put together, taken apart, and said in words. The server alone
// understands them; what is not recognised here is shown as it is written.
import { packageAndRest } from '../format/names';

/** How a new selection goes together with the one there is. */
export type How = 'replace' | 'add' | 'remove' | 'intersect';

export function combine(before: string, text: string, how: How): string {
  const old = before.trim();
  const fresh = text.trim();
  if (how === 'replace') return fresh;
  if (fresh === '') return old;
  if (old === '') return how === 'remove' ? `not (${fresh})` : fresh;
  switch (how) {
    case 'add':
      return old === fresh ? old : `${paren(old, 'or')} or ${paren(fresh, 'or')}`;
    case 'remove':
      return `${paren(old, 'and')} and not (${fresh})`;
    case 'intersect':
      return old === fresh ? old : `${paren(old, 'and')} and ${paren(fresh, 'and')}`;
  }
  return fresh;
}

/** In parentheses, unless it is a list of the same kind whose parts have theirs. */
function paren(text: string, within: 'and' | 'or'): string {
  const parts = splitTop(text, within);
  return parts.length > 1 && parts.every((p) => /^(not )?\(/.test(p) && closes(p)) ? text : `(${text})`;
}

/** Whether the parenthesis that a text begins with ends where the text does. */
function closes(text: string): boolean {
  const open = text.indexOf('(');
  let depth = 0;
  for (const { from, to, token } of tokens(text)) {
    if (from < open) continue;
    if (token === '(') depth++;
    else if (token === ')' && --depth === 0) return to === text.length;
  }
  return false;
}

export function exclusion(text: string): string {
  const inner = text.startsWith('not (') && closes(text) ? text.slice(5, -1) : '';
  return inner !== '' ? inner : `not (${text})`;
}

/** What must hold when all of several filters must. */
export function allOf(filters: readonly string[]): string {
  if (filters.length === 1) return filters[0];
  return filters.map((f) => (/^(not )?\(/.test(f) && closes(f) ? f : `(${f})`)).join(' and ');
}

/** The parts of what allOf put together; a text of another kind is one part. */
export function partsOf(text: string): string[] {
  if (text.trim() === '') return [];
  const parts = splitTop(text.trim(), 'and');
  if (parts.length < 2 || !parts.every((p) => /^(not )?\(/.test(p) && closes(p))) return [text.trim()];
  return parts.map((p) => (p.startsWith('(') ? p.slice(1, -1) : p));
}

interface Token {
  token: string;
  from: number;
  to: number;
}

/** Strings, words, numbers, and signs; blanks are left out. */
function tokens(text: string): Token[] {
  const found: Token[] = [];
  const pattern = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|-?\d+|[\p{L}_][\p{L}\p{N}_]*|\.\.|[=!<>]=|\S/gu;
  for (let m = pattern.exec(text); m; m = pattern.exec(text)) found.push({ token: m[0], from: m.index, to: m.index + m[0].length });
  return found;
}

/** Splits at a word that stands in no parentheses. */
function splitTop(text: string, word: 'and' | 'or'): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const t of tokens(text)) {
    if ('([{'.includes(t.token)) depth++;
    else if (')]}'.includes(t.token)) depth--;
    else if (depth === 0 && t.token === word) {
      parts.push(text.slice(from, t.from).trim());
      from = t.to;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}

/** A filter in words, for a chip: lists of many are counted. names gives what a number stands for. */
export function inWords(text: string, names: (field: string, id: string) => string = () => ''): string {
  const list = tokens(text.trim());
  const out: string[] = [];
  for (let i = 0; i < list.length; i++) {
    const t = list[i].token;
    const next = list[i + 1]?.token;
    if (next === 'in' && list[i + 2]?.token === '[') {
      const end = list.findIndex((x, j) => j > i + 2 && x.token === ']');
      if (end > 0) {
        const items = list.slice(i + 3, end).filter((x) => x.token !== ',');
        const field = bare(t);
        out.push(items.length > 2 ? `${items.length.toLocaleString('en')} ${plural(field)}` : `${field} ${items.map((x) => names(field, x.token) || short(x.token)).join(' or ')}`);
        i = end;
        continue;
      }
    }
    if (next === 'in' && list[i + 2]?.token === 'packed') {
      // packed(300000, "…"): how many, and which ones for the server alone.
      out.push(`${grouped(list[i + 4]?.token ?? '')} ${plural(bare(t))}`);
      const end = list.findIndex((x, j) => j > i + 2 && x.token === ')');
      i = end > 0 ? end : list.length;
      continue;
    }
    if (next === 'in' && list[i + 3]?.token === '..') {
      out.push(`${bare(t)} ${grouped(list[i + 2].token)} to ${grouped(list[i + 4]?.token ?? '')}`);
      i += 4;
      continue;
    }
    if (next === '==' && list[i + 2]) {
      const value = list[i + 2].token;
      out.push(`${bare(t)} ${names(bare(t), value) || short(value)}`);
      i += 2;
      continue;
    }
    out.push(bare(t));
  }
  return out
    .join(' ')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
    .replace(/^\(([^()]*)\)$/, '$1');
}

/** More than one of what a type or a field is called. */
export function plural(name: string): string {
  if (/[^aeiou]y$/i.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
}

function bare(token: string): string {
  if (!/^["'`]/.test(token)) return token;
  return token.slice(1, -1).replaceAll(/\\(.)/g, '$1');
}

/** A method without its package; anything else as it is. */
function short(token: string): string {
  const name = bare(token);
  return /[(#]/.test(name) ? packageAndRest(name)[1] : name;
}

function grouped(token: string): string {
  return /^-?\d+$/.test(token) && token.length < 16 ? Number(token).toLocaleString('en') : token;
}

/** A text as a filter writes it. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The longest text that is shown as it is, or becomes a step in the address. */
export const LONGEST = 1500;

/** A filter for a title: what is packed is no use to anybody who reads it. */
export function inTitle(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}

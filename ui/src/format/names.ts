// Names of code: shortened in the middle, the package first.

const DOTS = '…';

/** Parts a full name at its short name: the package (with its last separator) and the rest. */
export function splitPackage(name: string, short: string): [string, string] {
  if (short !== '' && short !== name && name.endsWith(short)) {
    return [name.slice(0, name.length - short.length), short];
  }
  return ['', name];
}

/** Cuts characters out of the middle until at most max are left. */
export function cutMiddle(text: string, max: number): string {
  const glyphs = Array.from(text);
  if (glyphs.length <= max) return text;
  if (max <= 1) return DOTS;
  const tail = Math.floor((max - 1) / 2);
  const head = max - 1 - tail;
  return glyphs.slice(0, head).join('') + DOTS + glyphs.slice(glyphs.length - tail).join('');
}

/**
 * The longest form of a name that fits: whole, with a shorter package, without one,
 * without the class, and last cut in the middle. '' if not even three characters fit.
 */
export function shortenToFit(name: string, short: string, fits: (text: string) => boolean): string {
  if (fits(name)) return name;
  const [pack, rest] = splitPackage(name, short);
  if (pack.length > 3) {
    const found = longest(3, pack.length - 1, (n) => cutMiddle(pack, n) + rest, fits);
    if (found !== '') return found;
  }
  if (fits(rest)) return rest;
  return longest(3, Array.from(rest).length - 1, (n) => cutMiddle(rest, n), fits);
}

/** Binary search for the longest text that fits. */
function longest(low: number, high: number, make: (n: number) => string, fits: (text: string) => boolean): string {
  let found = '';
  while (low <= high) {
    const middle = (low + high) >> 1;
    const text = make(middle);
    if (fits(text)) {
      found = text;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return found;
}

/** A name in at most max characters. */
export function shorten(name: string, short: string, max: number): string {
  return shortenToFit(name, short, (text) => Array.from(text).length <= max);
}

/** Parts a text so that a style sheet can cut its middle: the head may shrink, the tail stays. */
export function headAndTail(text: string, tail = 10): [string, string] {
  const glyphs = Array.from(text);
  if (glyphs.length <= tail + 4) return [text, ''];
  return [glyphs.slice(0, glyphs.length - tail).join(''), glyphs.slice(glyphs.length - tail).join('')];
}

/** Parts a full name before its class and method, or its last folder: the package may be cut, the rest is what matters. */
export function packageAndRest(name: string): [string, string] {
  const end = name.search(/[(<[\s#]/);
  const plain = end <= 0 ? name : name.slice(0, end);
  const slash = plain.lastIndexOf('/') + 1;
  const elements = plain.slice(slash).split('.');
  const dots = slash > 0 ? 0 : elements.slice(0, -2).reduce((sum, e) => sum + e.length + 1, 0);
  const at = slash + dots;
  return [name.slice(0, at), name.slice(at)];
}

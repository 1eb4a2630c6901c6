// The state of the page as its address tells it.
import { fromAddress, toAddress } from './packed';
import { formatSteps, parseSteps, withoutFocus, type Step } from './steps';

export type Theme = '' | 'light' | 'dark';

export interface Address {
  ds: string;
  view: string;
  steps: Step[];
  metric: string;
  params: Record<string, string>;
  q: string;
  pin: number | undefined;
  theme: Theme;
  /** The panels and what they have in common, as desks.ts writes it; '' is what every page begins with. */
  work: string;
}

/** Keys of the address that are not state but must survive. */
const KEPT = ['painter', 'mock'];

export function parseAddress(search: string): Address {
  const query = new URLSearchParams(search);
  const params: Record<string, string> = {};
  for (const [key, value] of query) {
    if (key.startsWith('p.') && key.length > 2) params[key.slice(2)] = value;
  }
  const pin = query.get('pin') ?? '';
  const theme = query.get('theme');
  return {
    ds: query.get('ds') ?? '',
    view: query.get('view') ?? '',
    steps: parseSteps(query.get('steps') ?? ''),
    metric: query.get('metric') ?? '',
    params,
    q: query.get('q') ?? '',
    pin: /^\d{1,10}$/.test(pin) ? Number(pin) : undefined,
    theme: theme === 'light' || theme === 'dark' ? theme : '',
    work: fromAddress(query.get('w') ?? ''),
  };
}

/** The query string ('' or '?…') for a state; kept takes over keys that are not state. */
export function formatAddress(address: Address, kept = ''): string {
  const query = new URLSearchParams();
  const set = (key: string, value: string) => value !== '' && query.set(key, value);
  set('ds', address.ds);
  set('view', address.view);
  set('steps', formatSteps(address.steps));
  set('metric', address.metric);
  for (const key of Object.keys(address.params).sort()) set(`p.${key}`, address.params[key]);
  set('q', address.q);
  set('pin', address.pin === undefined ? '' : String(address.pin));
  set('theme', address.theme);
  const before = new URLSearchParams(kept);
  for (const key of KEPT) {
    const value = before.get(key);
    if (value !== null) query.set(key, value);
  }
  let text = query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  if (address.work !== '') text += `${text === '' ? '' : '&'}w=${toAddress(address.work)}`;
  return text === '' ? '' : `?${text}`;
}

/** Whether two states differ at most in what is the root. */
export function sameButFocus(a: Address, b: Address): boolean {
  const bare = (x: Address) => formatAddress({ ...x, steps: withoutFocus(x.steps), work: '' });
  return bare(a) === bare(b);
}

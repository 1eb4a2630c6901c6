// Numbers for people: three significant digits and a prefix or a unit of time.

const SI = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const NBSP = '\u00a0';

/** How many nanoseconds one of a unit is; undefined if it is not a unit of time. */
const TIME: Record<string, number> = {
  ns: 1, nanosecond: 1, nanoseconds: 1,
  us: 1e3, 'µs': 1e3, microsecond: 1e3, microseconds: 1e3,
  ms: 1e6, millisecond: 1e6, milliseconds: 1e6,
  s: 1e9, sec: 1e9, second: 1e9, seconds: 1e9,
};
const BYTES: Record<string, number> = {
  b: 1, byte: 1, bytes: 1,
  kb: 1024, kib: 1024, kilobytes: 1024,
  mb: 1024 ** 2, mib: 1024 ** 2, megabytes: 1024 ** 2,
};

/** Parts per billion: shares of a whole. */
const SHARES = 'ppb';

/** Three significant digits, never an exponent. */
export function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}

function scaled(value: number, step: number, names: readonly string[]): string {
  let rest = value;
  let i = 0;
  while (Math.abs(rest) >= 999.5 && i < names.length - 1) {
    rest /= step;
    i++;
  }
  const exact = i === 0 && Number.isInteger(rest);
  const digits = exact ? String(rest) : threeDigits(rest);
  return names[i] === '' ? digits : digits + NBSP + names[i];
}

function time(ns: number): string {
  const size = Math.abs(ns);
  if (size === 0) return `0${NBSP}s`;
  if (size < 999.5) return `${Number.isInteger(ns) ? ns : threeDigits(ns)}${NBSP}ns`;
  if (size < 999.5e3) return `${threeDigits(ns / 1e3)}${NBSP}µs`;
  if (size < 999.5e6) return `${threeDigits(ns / 1e6)}${NBSP}ms`;
  if (size < 100e9) return `${threeDigits(ns / 1e9)}${NBSP}s`;
  if (size < 5995e9) return `${threeDigits(ns / 60e9)}${NBSP}min`;
  return `${threeDigits(ns / 3600e9)}${NBSP}h`;
}

/** A value of a metric, e.g. 1.53 s, 82.1 MiB, 14.8 M. */
export function formatValue(value: number | bigint, unit: string): string {
  const number = Number(value);
  const key = unit.toLowerCase();
  if (key in TIME) return time(number * TIME[key]);
  if (key in BYTES) return scaled(number * BYTES[key], 1024, BINARY);
  if (key === SHARES) return formatShare(number / 1e9);
  return scaled(number, 1000, SI);
}

/** The same, with the name of the unit where the value does not show it. */
export function formatWithUnit(value: number | bigint, unit: string): string {
  const key = unit.toLowerCase();
  const text = formatValue(value, unit);
  if (unit === '' || key in TIME || key in BYTES || key === SHARES) return text;
  return `${text} ${unit === 'count' ? '' : unit}`.trimEnd();
}

/** The exact value, digits grouped, for titles. */
export function formatExact(value: number | bigint, unit = ''): string {
  const text = value.toLocaleString('en');
  return unit === '' ? text : `${text} ${unit}`;
}

/** 1,234 for counts that are exact on the page. */
export function formatCount(value: number | bigint): string {
  return value.toLocaleString('en');
}

/** A share between 0 and 1 as a percentage. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share) || share === 0) return `0${NBSP}%`;
  const percent = share * 100;
  if (percent < 0.01) return `<${NBSP}0.01${NBSP}%`;
  if (percent >= 99.95) return percent >= 99.9995 ? `100${NBSP}%` : `>${NBSP}99.9${NBSP}%`;
  return `${percent >= 0.995 ? percent.toFixed(1) : percent.toFixed(2)}${NBSP}%`;
}

import { expect, test } from 'vitest';
import { parsePreferences } from './preferences';

test('what was kept is taken over, and nothing else', () => {
  const none = { foldLeft: false, foldRight: false, theme: '' };
  expect(parsePreferences(null)).toEqual(none);
  for (const text of ['', '{', 'null', '7', '[]', '{"foldLeft":"yes","theme":"pink"}']) expect(parsePreferences(text)).toEqual(none);
  expect(parsePreferences('{"foldRight":true,"theme":"dark","other":1}')).toEqual({ foldLeft: false, foldRight: true, theme: 'dark' });
});

import { expect, test } from 'vitest';
import { cutMiddle, headAndTail, packageAndRest, shorten, splitPackage } from './names';

const NAME = 'org.apache.xml.serializer.ToStream.characters';
const SHORT = 'ToStream.characters';

test('parts the package from the rest', () => {
  expect(splitPackage(NAME, SHORT)).toEqual(['org.apache.xml.serializer.', SHORT]);
  expect(splitPackage('main', 'main')).toEqual(['', 'main']);
  expect(splitPackage('other', 'x.y')).toEqual(['', 'other']);
});

test('a name that fits stays whole', () => {
  expect(shorten(NAME, SHORT, 60)).toBe(NAME);
});

test('the package is shortened first, in its middle', () => {
  const text = shorten(NAME, SHORT, 30);
  expect(text).toMatch(/^org.*….*ToStream\.characters$/);
  expect(Array.from(text).length).toBeLessThanOrEqual(30);
});

test('then the package goes, then the middle of the rest', () => {
  expect(shorten(NAME, SHORT, 19)).toBe(SHORT);
  const text = shorten(NAME, SHORT, 9);
  expect(Array.from(text).length).toBe(9);
  expect(text).toMatch(/^ToSt….*ters$/);
});

test('nothing is drawn where not even three glyphs fit', () => {
  expect(shorten(NAME, SHORT, 2)).toBe('');
});

test('glyphs beyond the basic plane are never cut in half', () => {
  expect(cutMiddle('𝒂𝒃𝒄𝒅𝒆', 3)).toBe('𝒂…𝒆');
});

test('head and tail make the whole', () => {
  const [head, tail] = headAndTail(NAME);
  expect(head + tail).toBe(NAME);
  expect(headAndTail('short')).toEqual(['short', '']);
});

test('the package of a full name', () => {
  expect(packageAndRest('org.apache.xml.DTMDefaultBase._exptype(I)I#37')).toEqual(['org.apache.xml.', 'DTMDefaultBase._exptype(I)I#37']);
  expect(packageAndRest('github.com/google/pprof/profile.(*Profile).Merge')).toEqual(['github.com/google/pprof/', 'profile.(*Profile).Merge']);
  expect(packageAndRest('sqlite3VdbeExec')).toEqual(['', 'sqlite3VdbeExec']);
  expect(packageAndRest('byte[]')).toEqual(['', 'byte[]']);
  expect(packageAndRest('java.lang.String')).toEqual(['java.', 'lang.String']);
});

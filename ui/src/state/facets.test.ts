import { expect, test } from 'vitest';
import { facetFilter, facetIn, toggled, withFacet } from './facets';

test('values of a facet are a filter, and found again in it', () => {
  const text = facetFilter('Thread', ['"main"', '"a \\"b\\", c"', '12']);
  expect(text).toBe('"Thread" in ["main", "a \\"b\\", c", 12]');
  expect(facetIn(['Method == "f"', text], 'Thread')).toEqual({ at: 1, mentions: ['"main"', '"a \\"b\\", c"', '12'] });
});

test('a filter that says more than values is left alone', () => {
  for (const filter of ['"Thread" in ["main"] or Method == "f"', '"Thread" in ["main"] and "Thread" in ["b"]', 'not ("Thread" in ["main"])']) {
    expect(facetIn([filter], 'Thread').at).toBe(-1);
    expect(withFacet([filter], 'Thread', ['"b"'])).toEqual([filter, '"Thread" in ["b"]']);
  }
});

test('other values take the place of those before, none is no filter', () => {
  const filters = ['a == 1', '"Thread" in ["main"]', 'b == 2'];
  expect(withFacet(filters, 'Thread', ['"x"', '"y"'])).toEqual(['a == 1', '"Thread" in ["x", "y"]', 'b == 2']);
  expect(withFacet(filters, 'Thread', [])).toEqual(['a == 1', 'b == 2']);
  expect(withFacet([], 'Thread', [])).toEqual([]);
});

test('a value comes and goes', () => {
  expect(toggled(['"a"'], '"b"')).toEqual(['"a"', '"b"']);
  expect(toggled(['"a"', '"b"'], '"a"')).toEqual(['"b"']);
});

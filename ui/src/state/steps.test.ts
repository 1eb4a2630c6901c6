import { describe, expect, test } from 'vitest';
import { canMove, compactionInWords, depthOf, focusOf, focusOn, formatSteps, moveStep, parseSteps, removeStep, requestSteps, toggleStep, withCompaction, withDepth, withoutFocus } from './steps';

const after = (text: string, change: (steps: ReturnType<typeof parseSteps>) => ReturnType<typeof parseSteps>) => formatSteps(change(parseSteps(text)));

describe('focus', () => {
  test.each([
    ['', 'focus:5'],
    ['depth:9', 'focus:5,depth:9'],
    ['focus:1', 'focus:5'],
    ['focus:1,depth:9', 'focus:5,depth:9'],
    ['focus:1,norec', 'focus:1,norec,focus:5'],
    ['focus:1,norec,focus:2,depth:all', 'focus:1,norec,focus:5,depth:all'],
  ])('%s becomes %s', (before, expected) => {
    expect(after(before, (s) => focusOn(s, 5))).toBe(expected);
  });

  test('the whole again', () => {
    expect(after('focus:1,norec,focus:2,depth:4', withoutFocus)).toBe('norec,depth:4');
    expect(focusOf(parseSteps('focus:1,norec,focus:2'))).toBe(2);
    expect(focusOf(parseSteps('norec'))).toBeUndefined();
  });
});

describe('steps', () => {
  test('toggling keeps the depth last', () => {
    expect(after('focus:1,depth:9', (s) => toggleStep(s, 'norec'))).toBe('focus:1,norec,depth:9');
    expect(after('focus:1,norec,depth:9', (s) => toggleStep(s, 'norec'))).toBe('focus:1,depth:9');
  });

  test('taking away a step between two focuses leaves the later', () => {
    expect(after('focus:1,norec,focus:2', (s) => removeStep(s, 1))).toBe('focus:2');
  });

  test('depth is moved to the end and stands once', () => {
    expect(formatSteps(parseSteps('depth:3,norec,depth:4'))).toBe('norec,depth:4');
    expect(after('norec,depth:3', (s) => withDepth(s, 'all'))).toBe('norec,depth:all');
  });
});

describe('compaction', () => {
  test('is a step like others, and can be moved', () => {
    expect(after('depth:5', withCompaction)).toBe('compact:1,depth:5');
    expect(after('norec,compact:1;expand:3,depth:5', (s) => moveStep(s, 1))).toBe('compact:1;expand:3,norec,depth:5');
    expect(canMove(parseSteps('norec,focus:3,norec,depth:5'), 0)).toBe(false);
    expect(canMove(parseSteps('norec,depth:5'), 1)).toBe(false);
    expect(after('focus:1,norec,focus:2', (s) => moveStep(s, 1))).toBe('norec,focus:2');
  });

  test.each([
    ['1', 'first elements'],
    ['2;expand:3', '2 elements, 1 change'],
    ['65535;compact:3;compact:4', 'whole names, 2 changes'],
    ['explain:40=cpu', '40 nodes'],
  ])('%s is %s', (arg, words) => {
    expect(compactionInWords(arg)).toBe(words);
  });
});

describe('depth', () => {
  test('as asked and as the server reads it', () => {
    expect(depthOf(parseSteps(''))).toBe('auto');
    expect(depthOf(parseSteps('depth:all'))).toBe('all');
    expect(depthOf(parseSteps('depth:-3'))).toBe('auto');
    expect(requestSteps(parseSteps('norec'))).toBe('norec,depth:auto');
    expect(withDepth(parseSteps('norec,depth:7'), 'auto')).toEqual(parseSteps('norec'));
    expect(requestSteps(parseSteps('norec,depth:all'))).toBe('norec');
    expect(requestSteps(parseSteps('depth:7'))).toBe('depth:7');
  });
});

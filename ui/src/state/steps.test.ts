import { describe, expect, test } from 'vitest';
import { canMove, changeFilterStep, compactionInWords, depthOf, focusOf, focusOn, formatSteps, moveStep, parseSteps, removeStep, requestSteps, toggleStep, withCompaction, withDepth, withFilterStep, withoutFocus } from './steps';

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
    expect(canMove(parseSteps('compact:1,compact:2'), 1)).toBe(true);
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

describe('filter', () => {
  const text = 'Method in ["a, b", "100%"] and cost > 3';

  test('is a step with any text', () => {
    const steps = withFilterStep(parseSteps('norec,depth:5'), ` ${text} `);
    expect(steps).toEqual([{ op: 'norec', arg: '' }, { op: 'filter', arg: text }, { op: 'depth', arg: '5' }]);
    expect(formatSteps(steps)).toBe('norec,filter:Method in ["a%2C b"%2C "100%25"] and cost > 3,depth:5');
    expect(parseSteps(formatSteps(steps))).toEqual(steps);
    for (const odd of ['%2C', '%252C,%', ',,', '%25%2c']) expect(parseSteps(formatSteps([{ op: 'filter', arg: odd }]))).toEqual([{ op: 'filter', arg: odd }]);
  });

  test('is added once, changed and removed', () => {
    const steps = withFilterStep(parseSteps('norec'), 'a == 1');
    expect(withFilterStep(steps, 'a == 1')).toEqual(steps);
    expect(formatSteps(changeFilterStep(steps, 1, 'b == 2'))).toBe('norec,filter:b == 2');
    expect(formatSteps(changeFilterStep(steps, 1, ' '))).toBe('norec');
  });

  test('moves to any place', () => {
    const steps = parseSteps('norec,compact:1,filter:a,filter:b,depth:5');
    expect(formatSteps(moveStep(steps, 3, 0))).toBe('filter:b,norec,compact:1,filter:a,depth:5');
    expect(formatSteps(moveStep(steps, 0, 3))).toBe('compact:1,filter:a,filter:b,norec,depth:5');
    expect(formatSteps(moveStep(steps, 0, 9))).toBe('compact:1,filter:a,filter:b,norec,depth:5');
    expect(moveStep(steps, 4, 0)).toEqual(steps);
    expect(canMove(steps, 3)).toBe(true);
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

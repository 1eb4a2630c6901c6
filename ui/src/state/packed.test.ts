import { expect, test } from 'vitest';
import { fromAddress, pack, toAddress, unpack } from './packed';
import { NO_PAIRING } from './pairing';
import { makePanel, type Work } from './work';

const WORK: Work = {
  panels: [makePanel('1', 'bar'), makePanel('2', 'hotspot', { title: 'Who, “when” & why ~ #1', subject: 'Invocation', map: { x: 'Bytecode', y: 'Method' }, params: { scale: 'linear' }, sort: { y: 'lexical' }, like: '1' })],
  filters: ['"Location" in ["a", "b"]', 'not (Method == "c~d")'],
  groups: [{ name: 'hot', colour: 0xc96a00ff, filter: 'Method == "x"', hidden: false }, { name: 'cold', colour: 0x00a0ffff, filter: 'Method == "y"', hidden: true }],
  selection: 'Bytecode in 1..5',
  pairing: { run: 2, tau: 0.35, names: 'stable', focus: [{ from: 10, to: 20 }, undefined], threads: [-1, 2], swapped: true },
  layout: { split: 'row', parts: [[40, { tabs: ['1'] }], [60, { tabs: ['2'] }]] },
};
const GLANCES = { '1': { rows: { from: 0, to: 40.5 } }, '2': { period: { from: 10, to: 20 }, look: { steps: 'norec', metric: 'time', params: { color: 'package' } } } };

test('a workspace survives the address', () => {
  const text = pack(WORK, GLANCES);
  expect(unpack(text)).toEqual({ work: WORK, glances: GLANCES });
  const value = toAddress(text);
  const query = new URLSearchParams(`?w=${value}&x=1`);
  expect(query.get('x')).toBe('1');
  expect(fromAddress(query.get('w') ?? '')).toBe(text);
  expect(new URL(`http://a/?w=${value}`).search).toBe(`?w=${value}`);
});

test('glances of panels that are gone are left out', () => {
  expect(pack(WORK, { ...GLANCES, '9': { rows: { from: 1, to: 2 } } })).toBe(pack(WORK, GLANCES));
});

test('nonsense is left out', () => {
  expect(unpack('{')).toBeUndefined();
  expect(unpack('3')).toBeUndefined();
  expect(unpack('{"p":[{"i":"1","v":"bar","m":{"x":3,"y":"a"}},{"v":"no id"},7],"f":"a","g":[["n"],["n","zz"],["n","00ff00","f"]],"s":4,"c":{"r":-1,"t":"x","a":[5,1],"b":[1],"h":[-2,1.5]},"l":{"tabs":[]},"z":{"1":{"rows":{"from":5,"to":1}}}}')).toEqual({
    work: { panels: [makePanel('1', 'bar', { map: { y: 'a' } })], filters: [], groups: [{ name: 'n', colour: 0x00ff00ff, filter: 'f', hidden: false }], selection: '', pairing: NO_PAIRING, layout: undefined },
    glances: { '1': {} },
  });
});

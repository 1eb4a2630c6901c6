import { expect, test } from 'vitest';
import { amendWork, addressOf, deskOf, doWork, forget, glanceAt, layOut, layOutFrom, newId, redoWork, undoWork } from './desks';
import { pack } from './packed';
import { changeFilter, followOrder, freeId, makePanel, moveGroup, NO_WORK, withFilter, withoutPanel, withPanel, type Work } from './work';

const TWO: Work = { ...NO_WORK, panels: [makePanel('1', 'bar'), makePanel('2', 'hotspot', { like: '1' })] };

test('panels come and go', () => {
  expect(freeId(TWO, { ...NO_WORK, panels: [makePanel('7', 'x')] })).toBe('8');
  expect(withoutPanel(TWO, '1').panels).toEqual([makePanel('2', 'hotspot')]);
  expect(followOrder(withPanel(TWO, makePanel('3', 'table')), '2', ['1', '3']).panels.map((p) => p.like)).toEqual(['2', '', '2']);
});

test('filters are added once, changed, and taken away when empty', () => {
  const one = withFilter(TWO, ' a == 1 ');
  expect(one.filters).toEqual(['a == 1']);
  expect(withFilter(one, 'a == 1')).toBe(one);
  expect(changeFilter(one, 0, 'b == 2').filters).toEqual(['b == 2']);
  expect(changeFilter(one, 0, ' ').filters).toEqual([]);
});

test('groups change places', () => {
  const group = (name: string) => ({ name, colour: 1, filter: name, hidden: false });
  const work = { ...NO_WORK, groups: [group('a'), group('b'), group('c')] };
  const names = (w: Work) => w.groups.map((g) => g.name).join('');
  expect(names(moveGroup(work, 2, -1))).toBe('acb');
  expect(moveGroup(work, 0, -1)).toBe(work);
  expect(moveGroup(work, 2, 1)).toBe(work);
});

test('a desk: undoing keeps where panels are, and ids are not given twice', () => {
  layOut('d', TWO, {}, '', pack(TWO, {}));
  expect(addressOf(deskOf('d')!)).toBe('');
  doWork('d', 'filter', (w) => withFilter(w, 'a == 1'));
  amendWork('d', (w) => ({ ...w, layout: { tabs: ['1', '2'] } }));
  undoWork('d');
  expect(deskOf('d')?.history.now).toMatchObject({ filters: [], layout: { tabs: ['1', '2'] } });
  redoWork('d');
  expect(deskOf('d')?.history.now.filters).toEqual(['a == 1']);
  doWork('d', 'add', (w) => withPanel(w, makePanel(newId(deskOf('d')!), 'table')));
  undoWork('d');
  expect(newId(deskOf('d')!)).toBe('4');
  glanceAt('d', '1', { rows: { from: 0, to: 5 } });
  const address = addressOf(deskOf('d')!);
  expect(address).not.toBe('');
  forget('d');
  expect(layOutFrom('d', address, '')).toBe(true);
  expect(deskOf('d')).toMatchObject({ history: { now: { filters: ['a == 1'] } }, glances: { '1': { rows: { from: 0, to: 5 } } } });
  expect(layOutFrom('d', 'nonsense', '')).toBe(false);
  expect(layOutFrom('d', '@unknown', '')).toBe(false);
  forget('d');
});

import { expect, test } from 'vitest';
import { create } from '@bufbuild/protobuf';
import { Parameter_Type, SceneSchema, Sectors_Shape, ViewSchema } from '../gen/cambium/v1/workbench_pb';
import { decodeScene, placeIn, topOf } from '../scene/decode';
import { sceneOf, type Row } from '../scene/fixtures';
import { PickIndex } from '../scene/pick';
import { startGeometry } from '../scene/transition';
import { pathTo, stateOf, toggled, upFrom } from './treeStates';

const rows: Row[] = [
  { id: 0, r0: 0, r1: 20, a0: 0, a1: 800 },
  { id: 5, r0: 20, r1: 40, a0: 0, a1: 600 },
  { id: 7, r0: 20, r1: 40, a0: 600, a1: 790 },
  { id: 0, r0: 20, r1: 40, a0: 790, a1: 800, kind: 1 },
  { id: 9, r0: 40, r1: 60, a0: 0, a1: 300 },
  { id: 5, r0: 40, r1: 60, a0: 300, a1: 310, kind: 1 },
];

function boxes(shape: Sectors_Shape, of = rows) {
  const { source } = sceneOf(of);
  if (source.sectors) {
    source.sectors.shape = shape;
    source.sectors.cy = shape === Sectors_Shape.UP ? 600 : 0;
  }
  return decodeScene(create(SceneSchema, source), 1);
}

test('an id is put into a list, and taken out', () => {
  expect(toggled('', 5)).toBe('5');
  expect(toggled('5', 12)).toBe('5.12');
  expect(toggled('5.12.1', 12)).toBe('5.1');
  expect(upFrom('5.12')).toBe('5');
  expect(upFrom('5')).toBe('');
  expect(upFrom('')).toBe('');
});

test.each([Sectors_Shape.DOWN, Sectors_Shape.UP])('boxes are picked, and have a path, shape %i', (shape) => {
  const scene = boxes(shape);
  const picks = new PickIndex(scene.sectors);
  const y = (layer: number) => (shape === Sectors_Shape.UP ? 600 - layer * 20 - 10 : layer * 20 + 10);
  expect(picks.at(10, y(0))).toBe(0);
  expect(picks.at(599, y(1))).toBe(1);
  expect(picks.at(601, y(1))).toBe(2);
  expect(picks.at(299, y(2))).toBe(4);
  expect(picks.at(500, y(2))).toBe(-1);
  expect(picks.at(10, y(3))).toBe(-1);
  expect(placeIn(scene.sectors, 12, y(1))).toEqual({ r: 30, a: 12 });
  expect(topOf(scene.sectors, 20, 40)).toBe(shape === Sectors_Shape.UP ? 560 : 20);
  expect([0, 1, 2, 3, 4, 5].map((i) => pathTo(scene, i))).toEqual(['', '5', '7', '', '5.9', '5']);
});

test('boxes move only where each context has one', () => {
  const before = boxes(Sectors_Shape.DOWN);
  expect(startGeometry(before, boxes(Sectors_Shape.DOWN), before.sectors.geometry)).toBeDefined();
  expect(startGeometry(before, boxes(Sectors_Shape.UP), before.sectors.geometry)).toBeUndefined();
  const twice = boxes(Sectors_Shape.DOWN, [...rows, { id: 9, r0: 40, r1: 60, a0: 600, a1: 700 }]);
  expect(startGeometry(before, twice, before.sectors.geometry)).toBeUndefined();
});

test('a click sets the state that is of use', () => {
  const text = (name: string, on: string) => ({ name, type: Parameter_Type.TEXT, with: on });
  const view = create(ViewSchema, { parameters: [{ name: 'mode', type: Parameter_Type.CHOICE }, text('around', 'mode=around'), text('zoom', 'mode=callers'), text('open', '')] });
  expect(stateOf(view, { mode: 'callees' })).toBe('');
  expect(stateOf(view, { mode: 'callers' })).toBe('zoom');
  expect(stateOf(view, { mode: 'around' })).toBe('around');
});

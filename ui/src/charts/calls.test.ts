import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { RectsSchema, SceneSchema } from '../gen/cambium/v1/workbench_pb';
import { decodePicture } from '../scene/picture';
import { brushOf, nextRect, rectAt, rectOf, sideOf } from './calls';

const f = (...v: number[]) => new Uint8Array(new Float32Array(v).buffer);
const u = (...v: number[]) => new Uint8Array(new Uint32Array(v).buffer);

// m            0
//  f    g      1 2
// ------------ the middle, at 50
//  f    g      4 5
// m            3
const scene = decodePicture(
  create(SceneSchema, {
    width: 100,
    height: 100,
    rects: create(RectsSchema, {
      x: f(0, 10, 60, 0, 10, 60),
      y: f(0, 10, 10, 90, 80, 80),
      w: f(100, 30, 30, 100, 30, 30),
      h: f(10, 10, 10, 10, 10, 10),
      fill: u(1, 1, 1, 1, 1, 1),
      id: u(0, 1, 2, 0, 1, 2),
      end: u(3, 2, 3, 3, 2, 3),
    }),
  }),
);

test('a rectangle belongs to the trace whose half it is in', () => {
  expect([0, 1, 2, 3, 4, 5].map((i) => sideOf(scene, i))).toEqual([0, 0, 0, 1, 1, 1]);
  expect(rectAt(scene, 15, 15)).toBe(1);
  expect(rectAt(scene, 50, 50)).toBe(-1);
  expect(rectOf(scene, 1, 2)).toBe(5);
  expect(brushOf(scene, 3)).toEqual({ side: 1, from: 0, end: 3 });
});

test('arrow keys go to callers, callees and neighbours, and over the middle', () => {
  const go = (from: number, ...way: string[]) => way.reduce((at, key) => nextRect(scene, at, { l: -1, r: 1 }[key] ?? 0, { u: -1, d: 1 }[key] ?? 0), from);
  expect(go(1, 'u')).toBe(0);
  expect(go(1, 'r')).toBe(2);
  expect(go(2, 'l')).toBe(1);
  expect(go(2, 'd')).toBe(5);
  expect(go(5, 'd')).toBe(3);
  expect(go(3, 'd')).toBe(-1);
  expect(go(1, 'l')).toBe(-1);
});

import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { PlotSchema } from '../gen/cambium/v1/workbench_pb';
import { focusPressed } from './focus';

// A trace of 1000 ns.
const plot = create(PlotSchema, { x: 10, y: 0, w: 500, h: 100, side: 1, across: { name: 'Time', from: 0, to: 1000, min: 0, max: 1000 } });
const at = { from: 400, to: 600 };
const press = (key: string, shift = false, focus: typeof at | undefined = at) => focusPressed(plot, focus, key, shift);

describe('a key on the focus', () => {
  test('draws one where there is none, in the middle', () => {
    for (const key of ['Enter', 'ArrowLeft', 'ArrowRight']) expect(focusPressed(plot, undefined, key, false)).toEqual({ from: 450, to: 550 });
    for (const key of ['Escape', 'Home', '+', 'x', 'Tab']) expect(focusPressed(plot, undefined, key, false)).toBeUndefined();
  });

  test('moves it, and not beyond the trace', () => {
    expect(press('ArrowRight')).toEqual({ from: 420, to: 620 });
    expect(press('ArrowLeft')).toEqual({ from: 380, to: 580 });
    expect(press('PageDown')).toEqual({ from: 600, to: 800 });
    expect(press('PageUp')).toEqual({ from: 200, to: 400 });
    expect(press('Home')).toEqual({ from: 0, to: 200 });
    expect(press('End')).toEqual({ from: 800, to: 1000 });
    expect(press('ArrowRight', false, { from: 795, to: 995 })).toEqual({ from: 800, to: 1000 });
    expect(press('Home', false, { from: 0, to: 200 })).toEqual({ from: 0, to: 200 });
  });

  test('moves its end, down to something and not beyond the trace', () => {
    expect(press('ArrowRight', true)).toEqual({ from: 400, to: 620 });
    expect(press('ArrowLeft', true)).toEqual({ from: 400, to: 580 });
    expect(press('ArrowRight', true, { from: 400, to: 990 })).toEqual({ from: 400, to: 1000 });
    expect(press('ArrowLeft', true, { from: 400, to: 401 })).toEqual({ from: 400, to: 401 });
    expect(press('ArrowRight', true, { from: 400, to: 400 })).toEqual({ from: 400, to: 401 });
  });

  test('makes it smaller and larger around its middle, at last all of the trace', () => {
    expect(press('+')).toEqual({ from: 430, to: 570 });
    const larger = press('-');
    expect(larger).toMatchObject({ from: expect.closeTo(357.14, 2) as number, to: expect.closeTo(642.86, 2) as number });
    expect(press('-', false, { from: 100, to: 900 })).toBe('all');
  });

  test('takes it away, or is about something else', () => {
    for (const key of ['Escape', '0', 'Delete']) expect(press(key)).toBe('all');
    for (const key of ['Tab', 'ArrowUp', 'x', ' ']) expect(press(key)).toBeUndefined();
  });

  test('does nothing in a trace of no length', () => {
    expect(focusPressed(create(PlotSchema, { side: 1, across: { min: 0, max: 0 } }), undefined, 'Enter', false)).toBeUndefined();
  });
});

import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { DataSetSchema, GetCatalogResponseSchema, Metric_Part } from '../gen/cambium/v1/workbench_pb';
import { catalogFor, choosable, chosen, formatChange, normalising } from './compared';

const { metrics } = create(DataSetSchema, {
  metrics: [
    { name: 'cpu', of: 'cpu', part: Metric_Part.BOTH },
    { name: 'cpu, normalised', of: 'cpu', part: Metric_Part.NORMALISED },
    { name: 'cpu in A', of: 'cpu', part: Metric_Part.A },
    { name: 'calls', of: 'calls', part: Metric_Part.BOTH },
    { name: 'calls, normalised', of: 'calls', part: Metric_Part.NORMALISED },
    { name: 'alone' },
  ],
});
const find = (name: string) => metrics.find((m) => m.name === name);

describe('metrics of a comparison', () => {
  it('are normalised or not, and stay so', () => {
    expect(normalising(metrics, find('cpu'))).toBe('cpu, normalised');
    expect(normalising(metrics, find('cpu in A'))).toBe('cpu, normalised');
    expect(normalising(metrics, find('cpu, normalised'))).toBe('cpu');
    expect(normalising(metrics, find('alone'))).toBe('');
    expect(chosen(metrics, find('cpu, normalised'), 'calls')).toBe('calls, normalised');
    expect(chosen(metrics, find('cpu, normalised'), 'alone')).toBe('alone');
    expect(chosen(metrics, find('cpu'), 'calls')).toBe('calls');
    expect(choosable(metrics).map((m) => m.name)).toEqual(['cpu', 'cpu in A', 'calls', 'alone']);
  });
});

describe('the catalog', () => {
  const catalog = create(GetCatalogResponseSchema, {
    views: [{ name: 'ring', parameters: [{ name: 'color', defaultValue: 'package', compared: 'change', choices: [{ value: 'change', onlyCompared: true }, { value: 'package' }] }, { name: 'least', onlyCompared: true }] }],
  });
  const words = (compared: boolean) => catalogFor(catalog, compared)?.views[0].parameters.map((p) => `${p.name}=${p.defaultValue} of ${p.choices.map((c) => c.value).join()}`);
  it('has what is of comparisons only there', () => {
    expect(words(false)).toEqual(['color=package of package']);
    expect(words(true)).toEqual(['color=change of change,package', 'least= of ']);
  });
});

describe('a change', () => {
  it.each([
    [0, 0, 'the same'], [0, 3, 'new'], [3, 0, 'gone'], [2, 3, '+50\u00a0%'], [100, 99, '-1.0\u00a0%'],
  ])('from %d to %d is %s', (from, to, words) => expect(formatChange(from, to)).toBe(words));
});

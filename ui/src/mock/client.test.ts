// The made-up server, through the generated client: what the page asks is answered.
import { expect, test } from 'vitest';
import { exportQuery } from '../api/exports';
import { decodeScene } from '../scene/decode';
import { mockClient } from './client';

test('a scene comes through the transport and decodes', async () => {
  const client = mockClient('');
  const answer = await client.getScene({ look: { dataSet: 'a1', steps: 'depth:5', metric: '' }, view: 'ring', width: 800, height: 700, highlight: 'write' });
  if (!answer.scene) throw new Error('no scene');
  const { sectors, indexOf, source } = decodeScene(answer.scene, answer.layoutMs);
  expect(sectors.size).toBeGreaterThan(50);
  expect(sectors.match.length).toBe(sectors.size);
  expect(indexOf.get(source.root)).toBe(0);
  expect(source.layers).toBe(5);
});

test('an error of a query comes in words', async () => {
  expect((await mockClient('').search({ query: 'self<5' })).error).toContain('self>5%');
});

test('the query of an export', () => {
  const query = new URLSearchParams(exportQuery({ dataSet: 'a1', steps: 'focus:3,depth:12', metric: 'time', view: 'ring', params: { colour: 'package' }, width: 800, height: 600, dark: true, highlight: 'a b' }));
  expect(Object.fromEntries(query)).toEqual({ data_set: 'a1', view: 'ring', steps: 'focus:3,depth:12', metric: 'time', width: '800', height: '600', dark: '1', highlight: 'a b', 'p.colour': 'package' });
});

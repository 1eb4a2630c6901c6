// The made-up server, through the generated client: what the page asks is answered.
import { expect, test } from 'vitest';
import { exportBody, fileName } from '../api/exports';
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

test('the question of an export is the one that shows the panel', () => {
  const body = JSON.parse(exportBody({ dataSet: 'a1', shared: { filter: 'Method == "a"' }, panels: [{ id: '3', view: 'bar', width: 800, period: { from: 5n, to: 9n } }], dark: true })) as Record<string, unknown>;
  expect(body).toEqual({ dataSet: 'a1', shared: { filter: 'Method == "a"' }, panels: [{ id: '3', view: 'bar', width: 800, period: { from: '5', to: '9' } }], dark: true });
});

test('the name of a file', () => {
  expect(fileName('attachment; filename="a b.svg"', 'x')).toBe('a b.svg');
  expect(fileName("attachment; filename*=utf-8''%C3%A4.svg", 'x')).toBe('ä.svg');
  expect(fileName(null, 'chart.svg')).toBe('chart.svg');
});

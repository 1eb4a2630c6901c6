// Against a server made up here, through the generated client.
import { createRouterTransport } from '@connectrpc/connect';
import { beforeEach, expect, test, vi } from 'vitest';
import { Workbench, type VisualizeRequest } from '../gen/cambium/v1/workbench_pb';
import { over } from './client';
import { Latest } from './asking';
import { Visualizer, type Wanted } from './visualizer';

beforeEach(() => vi.stubGlobal('window', globalThis));

const asked: VisualizeRequest[] = [];
let hold: Promise<void> | undefined;

function visualizer(): Visualizer {
  asked.length = 0;
  hold = undefined;
  return new Visualizer(
    over(
      createRouterTransport(({ service }) => {
        service(Workbench, {
          visualize: async function* (request, context) {
            asked.push(request);
            const axis = (p: VisualizeRequest['panels'][number]) => ({ name: 'x', dimension: 'x', from: Number(p.period?.from ?? 0n), to: Number(p.period?.to ?? 100n), min: Number(p.period?.from ?? 0n), max: Number(p.period?.to ?? 100n) });
            const pictures = (final: boolean) => request.panels.map((p) => ({ panel: p.id, final, map: { y: 'Method' }, error: p.view === 'wrong' ? 'No such chart.' : '', scene: { drawn: 1n, plots: [{ w: 1, h: 1, across: axis(p) }] } }));
            yield { done: 1n, total: 2n, pictures: pictures(false) };
            await hold;
            if (context.signal.aborted) return;
            yield { done: 2n, total: 2n, pictures: pictures(true), complete: true };
          },
        });
      }),
    ),
  );
}

function want(...panels: Wanted['panels'][number][]): Wanted {
  return { dataSet: 'd', shared: { filter: '' }, panels, dark: false };
}

test('all panels come from one request, and what is there is not asked again', async () => {
  const v = visualizer();
  v.want(want({ id: '1', view: 'bar' }, { id: '2', view: 'wrong' }));
  await vi.waitFor(() => expect(v.picture('1').get()).toMatchObject({ final: true, waiting: false, map: { y: 'Method' } }));
  expect(v.picture('2').get()).toMatchObject({ error: 'No such chart.', waiting: false });
  expect(asked.map((r) => r.panels.map((p) => p.id))).toEqual([['1', '2']]);
  v.want(want({ id: '1', view: 'bar' }, { id: '2', view: 'table', like: '1' }));
  await vi.waitFor(() => expect(v.picture('2').get()).toMatchObject({ final: true, error: '', waiting: false }));
  // The one that is followed comes along.
  expect(asked[1].panels.map((p) => p.id)).toEqual(['2', '1']);
  expect(v.progress.get()).toMatchObject({ running: false, events: 2 });
  v.dispose();
});

test('a newer request ends the one before, and has what that had not finished', async () => {
  const v = visualizer();
  let release = () => undefined as void;
  hold = new Promise((resolve) => (release = resolve));
  v.want(want({ id: '1', view: 'bar' }));
  await vi.waitFor(() => expect(v.picture('1').get().scene).toBeDefined());
  expect(v.picture('1').get()).toMatchObject({ final: false, waiting: true });
  v.want(want({ id: '1', view: 'bar' }, { id: '2', view: 'bar' }));
  await vi.waitFor(() => expect(asked.length).toBe(2));
  expect(asked[1].panels.map((p) => p.id)).toEqual(['1', '2']);
  release();
  await vi.waitFor(() => expect(v.picture('2').get().final).toBe(true));
  v.dispose();
});

test('a pass can be stopped, and gone on with', async () => {
  const v = visualizer();
  hold = new Promise(() => undefined);
  v.want(want({ id: '1', view: 'bar' }));
  await vi.waitFor(() => expect(v.picture('1').get().scene).toBeDefined());
  v.stop();
  expect(v.progress.get()).toMatchObject({ running: false, stopped: true });
  expect(v.picture('1').get()).toMatchObject({ final: false, waiting: false });
  hold = undefined;
  v.again();
  await vi.waitFor(() => expect(v.picture('1').get().final).toBe(true));
  v.dispose();
});

test('a part of a coordinate knows the whole', async () => {
  const v = visualizer();
  v.want(want({ id: '1', view: 'hotspot', period: { from: 10n, to: 20n } }));
  await vi.waitFor(() => expect(v.picture('1').get().scene?.plots[0].across).toMatchObject({ from: 10, to: 20, min: 0, max: 100 }));
  expect(asked[0].panels.map((p) => p.id)).toEqual(['1', '1 whole']);
  v.want(want({ id: '1', view: 'hotspot', period: { from: 12n, to: 20n } }));
  await vi.waitFor(() => expect(v.picture('1').get().scene?.plots[0].across).toMatchObject({ from: 12, max: 100 }));
  expect(asked[1].panels.map((p) => p.id)).toEqual(['1']);
  v.dispose();
});

test('of questions only the newest waits', async () => {
  const answers: number[] = [];
  const questions: number[] = [];
  const latest = new Latest<number, number>(
    async (q) => {
      questions.push(q);
      await Promise.resolve();
      return q;
    },
    (a) => answers.push(a),
  );
  for (let i = 1; i <= 9; i++) latest.put(i);
  await vi.waitFor(() => expect(answers).toEqual([1, 9]));
  expect(questions).toEqual([1, 9]);
});

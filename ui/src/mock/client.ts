// A server made up in the page, for development and tests; never in what is shipped.
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { over, type WorkbenchClient } from '../api/client';
import { DataSet_State, Parameter_Type, Workbench } from '../gen/cambium/v1/workbench_pb';
import { BARS, makeBars } from './bars';
import { makeScene, short } from './scene';
import { makeTree, type Node } from './tree';

const PARAMETERS = [
  { name: 'size', title: 'Size', type: Parameter_Type.CHOICE, defaultValue: 'total', choices: [{ value: 'total', title: 'total' }, { value: 'self', title: 'self' }, { value: 'equal', title: 'equal' }] },
  { name: 'colour', title: 'Colour', type: Parameter_Type.CHOICE, defaultValue: 'package', choices: [{ value: 'package', title: 'by package' }, { value: 'method', title: 'by method' }, { value: 'self', title: 'by self' }] },
];

/** kind: '' a good profile, 'empty', 'reading', 'failed', 'nosamples'. */
export function mockClient(kind: string): WorkbenchClient {
  const nodes = makeTree();
  const metrics = [
    { name: 'bytecodes', unit: 'bytecodes', total: BigInt(nodes[0].total) },
    { name: 'time', unit: 'nanoseconds', total: 1_530_000_000n },
  ];
  const state = kind === 'reading' ? DataSet_State.READING : kind === 'failed' ? DataSet_State.FAILED : DataSet_State.READY;
  const dataSet = {
    id: 'a1', name: 'xalan.cct', path: '/data/xalan.cct', format: 'cct', state, bytesRead: 41_000_000n, bytesTotal: 98_000_000n,
    error: kind === 'failed' ? 'record 17 at byte 40,961: expected a node, found the end of the file' : '',
    metrics: kind === 'nosamples' ? [] : metrics, preferredMetric: 'bytecodes', methods: 300n,
    contexts: kind === 'nosamples' ? 0n : BigInt(nodes.length), maxDepth: 24n,
  };
  const frame = (n: Node) => ({ id: n.id, name: n.name, shortName: short(n.name), file: 'ToStream.java', line: 1512n, self: BigInt(n.self), total: BigInt(n.total) });
  return over(
    createRouterTransport(({ service }) => {
      service(Workbench, {
        getCatalog: () => ({
          version: 'mock',
          views: [{ name: 'ring', title: 'Ring chart', description: 'Calling contexts as rings', tree: true, parameters: PARAMETERS }, BARS],
          schemes: [{ name: 'amount', title: 'Amount' }, { name: 'lexical', title: 'Name' }],
          formats: [{ name: 'pprof', title: 'pprof' }, { name: 'folded', title: 'Folded stacks' }, { name: 'cct', title: 'Calling context tree' }],
          samples: [{ name: 'xalan', description: 'An XSLT processor, bytecodes per method' }, { name: 'go-build', description: 'The Go compiler building itself' }],
        }),
        watchDataSets: async function* (_, context) {
          yield { dataSets: kind === 'empty' ? [] : [dataSet] };
          await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        },
        cancelRead: () => ({}),
        openSample: () => ({ dataSet: 'a1' }),
        getScene: (request) => ({ scene: makeScene(nodes, request), layoutMs: 0.62 }),
        getContext: (request) => {
          const n = nodes[request.id];
          if (!n) throw new ConnectError('no such context', Code.NotFound);
          const parts = n.name.split('.');
          const stack: Node[] = [];
          for (let m: Node | undefined = n; m?.parent; m = m.parent) stack.push(m);
          return {
            id: n.id, name: n.name, packages: parts.slice(0, -2), className: parts.at(-2) ?? '', methodName: parts.at(-1) ?? '',
            file: n.parent ? 'ToStream.java' : '', line: 1512n, contexts: 41n, depth: BigInt(n.depth), stack: stack.map(frame),
            metrics: metrics.map((m) => ({ name: m.name, unit: m.unit, self: BigInt(n.self), total: BigInt(n.total), totalOfRoot: n.total / nodes[0].total, selfOfRoot: n.self / nodes[0].total, totalOfParent: n.parent ? n.total / n.parent.total : 1, totalOfView: n.total / nodes[0].total })),
            callees: n.children.toSorted((a, b) => b.total - a.total).slice(0, 12).map(frame), calleesTotal: BigInt(n.children.length), methodContexts: 12n, merged: 1n,
          };
        },
        getForm: (request) => ({
          subjects: [{ name: 'Sample', rows: 6000n }],
          subject: 'Sample',
          dimensions: [{ name: 'x', fields: [{ name: 'bytecodes' }] }, { name: 'y', fields: [{ name: 'Method', refers: 'Method' }] }],
          map: { x: 'bytecodes', y: 'Method', ...request.map },
        }),
        visualize: async function* (request) {
          await Promise.resolve();
          yield { complete: true, done: 6000n, total: 6000n, pictures: request.panels.map((p) => ({ panel: p.id, final: true, subject: 'Sample', map: { x: 'bytecodes', y: 'Method' }, pointed: false, selectable: true, scene: makeBars(nodes, p, request.dark) })) };
        },
        point: () => ({ found: false }),
        select: () => ({ filter: '"Method" in ["a", "b"]' }),
        checkFilter: () => ({ kept: [{ type: 'Sample', event: true, rows: 6000n, kept: 1200n, applies: true }] }),
        search: (request) => {
          if (request.query.startsWith('self<')) return { error: 'self< is not a term: only > and >= can be asked, for example self>5%' };
          const hits = nodes.filter((n) => n.name.toLowerCase().includes(request.query.toLowerCase())).sort((a, b) => b.total - a.total);
          return { count: BigInt(hits.length), total: BigInt(hits.reduce((s, n) => s + n.self, 0)), share: 0.118, hits: hits.slice(0, 200).map(frame), methods: [...new Set(hits.map((n) => n.name))].slice(0, 100), methodCount: BigInt(new Set(hits.map((n) => n.name)).size) };
        },
      });
    }),
  );
}

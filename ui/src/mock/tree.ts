// A made-up profile for development: always the same.

export interface Node {
  id: number;
  name: string;
  parent: Node | undefined;
  children: Node[];
  self: number;
  total: number;
  depth: number;
}

const PACKAGES = ['org.apache.xml.serializer', 'org.apache.xpath.axes', 'java.io', 'java.util', 'org.apache.xalan.transformer', 'org.dacapo.harness'];
const CLASSES = ['ToStream', 'NodeSequence', 'BufferedWriter', 'HashMap', 'TransformerImpl', 'Callback', 'DTMDefaultBaseIterators'];
const METHODS = ['characters', 'nextNode', 'write', 'get', 'executeChildTemplates', 'run', 'getExpandedTypeIDWithNamespace', 'flush'];

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function makeName(next: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(next() * list.length)];
  return `${pick(PACKAGES)}.${pick(CLASSES)}.${pick(METHODS)}`;
}

export function makeTree(seed = 7, limit = 6000): Node[] {
  const next = random(seed);
  const nodes: Node[] = [];
  const add = (parent: Node | undefined, total: number) => {
    const node: Node = { id: nodes.length, name: parent ? makeName(next) : '', parent, children: [], self: 0, total, depth: parent ? parent.depth + 1 : 0 };
    nodes.push(node);
    parent?.children.push(node);
    return node;
  };
  const queue = [add(undefined, 125_400_000)];
  for (let at = 0; at < queue.length && nodes.length < limit; at++) {
    const node = queue[at];
    if (node.depth > 22 || node.total < 3000) {
      node.self = node.total;
      continue;
    }
    let rest = node.total * (node.depth < 2 ? 0.98 : 0.6 + next() * 0.38);
    node.self = Math.round(node.total - rest);
    const fan = node.depth === 0 ? 3 : 1 + Math.floor(next() * 5);
    for (let i = 0; i < fan && rest > 500; i++) {
      const part = i === fan - 1 ? rest : rest * (0.25 + next() * 0.6);
      queue.push(add(node, Math.round(part)));
      rest -= part;
    }
  }
  return nodes;
}

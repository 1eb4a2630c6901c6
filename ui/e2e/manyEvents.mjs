// A program that writes a data set: a few calling contexts with as many samples as its first argument says, and as many
// items as its second one, each touched once.
const wanted = Number(process.argv[2]);
const items = Number(process.argv[3]);
const CHUNK = 5000;
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

const lines = [
  { data_set: { name: 'many', format: 'test' } },
  { entity_type: 'Method' },
  { entity_type: 'Context', fields: [{ name: 'Caller', refers: 'Context', properties: ['hierarchy'] }, { name: 'Method', refers: 'Method' }] },
  { event_type: 'Sample', fields: [{ name: 'Context', refers: 'Context' }, { name: 'Time', unit: 'nanoseconds', properties: ['coordinate'] }, { name: 'cost', unit: 'count', properties: ['amount'] }] },
  { entity_type: 'Item' },
  { event_type: 'Touch', fields: [{ name: 'Item', refers: 'Item' }] },
  { entity: 'Method', rows: names.map((name) => [name, name]) },
  { entity: 'Context', rows: names.map((name, i) => [i, '', i === 0 ? null : Math.floor(i / 2), name]) },
];
process.stdout.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
const rows = Array.from({ length: CHUNK }, (_, i) => [i % 8, i, 1 + (i % 5)]);
const chunk = `${JSON.stringify({ event: 'Sample', rows })}\n`;
function itemRows(from) {
  const ids = Array.from({ length: Math.min(CHUNK, items - from) }, (_, i) => from + i);
  return `${JSON.stringify({ entity: 'Item', rows: ids.map((i) => [i, `i${i}`]) })}\n${JSON.stringify({ event: 'Touch', rows: ids.map((i) => [i]) })}\n`;
}
let written = 0;
let touched = 0;
function write() {
  while (touched < items) {
    const text = itemRows(touched);
    touched += CHUNK;
    if (!process.stdout.write(text)) {
      process.stdout.once('drain', write);
      return;
    }
  }
  while (written < wanted) {
    written += CHUNK;
    if (!process.stdout.write(chunk)) {
      process.stdout.once('drain', write);
      return;
    }
  }
}
write();

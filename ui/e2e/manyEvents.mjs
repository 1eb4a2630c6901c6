// A program that writes a data set: a few calling contexts, and as many samples as its argument says.
const wanted = Number(process.argv[2]);
const CHUNK = 5000;

const lines = [
  { data_set: { name: 'many', format: 'test' } },
  { entity_type: 'Method' },
  { entity_type: 'Context', fields: [{ name: 'Caller', refers: 'Context', properties: ['hierarchy'] }, { name: 'Method', refers: 'Method' }] },
  { event_type: 'Sample', fields: [{ name: 'Context', refers: 'Context' }, { name: 'Time', unit: 'nanoseconds', properties: ['coordinate'] }, { name: 'cost', unit: 'count', properties: ['amount'] }] },
  { entity: 'Method', rows: [...'abcdefgh'].map((name) => [name, name]) },
  { entity: 'Context', rows: [...'abcdefgh'].map((name, i) => [i, '', i === 0 ? null : Math.floor(i / 2), name]) },
];
process.stdout.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
const rows = Array.from({ length: CHUNK }, (_, i) => [i % 8, i, 1 + (i % 5)]);
const chunk = `${JSON.stringify({ event: 'Sample', rows })}\n`;
let written = 0;
function write() {
  while (written < wanted) {
    written += CHUNK;
    if (!process.stdout.write(chunk)) {
      process.stdout.once('drain', write);
      return;
    }
  }
}
write();

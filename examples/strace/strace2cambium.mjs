#!/usr/bin/env node
// What system calls cost: reads what `strace -f -ttt -T` writes, and writes a
// data set as a stream (see docs/stream.md).
//
//	strace -f -ttt -T -o run.strace PROGRAM
//	cambium open --exec './strace2cambium.mjs run.strace'
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const put = (line) => process.stdout.write(JSON.stringify(line) + '\n');

put({ data_set: { name: process.argv[2], format: 'strace' } });
put({ entity_type: 'Process' });
put({ entity_type: 'Result', description: '"ok", or the error' });
put({ entity_type: 'System call' });
put({
  event_type: 'Call', description: 'a system call, from its start to its return', fields: [
    { name: 'Time', unit: 'nanoseconds', description: 'since the first call', properties: ['coordinate'] },
    { name: 'Duration', unit: 'nanoseconds', properties: ['amount'] },
    { name: 'Process', refers: 'Process' },
    { name: 'System call', refers: 'System call' },
    { name: 'Result', refers: 'Result' }],
});

const seen = new Set();
function entity(type, name) { // before its first use is early enough
  if (!seen.has(type + name)) {
    seen.add(type + name);
    put({ entity: type, name });
  }
  return name; // without an "id" the name is the id
}

// 32647 1795279367.319692 openat(AT_FDCWD, "…", O_RDONLY) = 3 <0.000005>
// A call that others interrupt is written in two lines; the second has its
// duration, and the first its start.
const whole = /^(\d+) +(\d+)\.(\d{6}) (\w+)\(.*\) += (?:(-1) (\w+)|\S+).* <(\d+)\.(\d{6})>$/;
const begun = /^(\d+) +(\d+)\.(\d{6}) (\w+)\(.*<unfinished \.\.\.>$/;
const ended = /^(\d+) +\d+\.\d{6} <\.\.\. (\w+) resumed>.*\) += (?:(-1) (\w+)|\S+).* <(\d+)\.(\d{6})>$/;
const nanoseconds = (seconds, micros) => BigInt(seconds) * 1_000_000_000n + BigInt(micros) * 1000n;

let first;
let calls = [];
const open = new Map(); // process -> start of the call it is in
function call(start, process, name, error, duration) {
  first ??= start;
  calls.push([start, Number(duration), entity('Process', process), entity('System call', name), entity('Result', error ?? 'ok')]);
}
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  let m;
  if ((m = whole.exec(line))) call(nanoseconds(m[2], m[3]), m[1], m[4], m[6], nanoseconds(m[7], m[8]));
  else if ((m = begun.exec(line))) open.set(m[1], nanoseconds(m[2], m[3]));
  else if ((m = ended.exec(line)) && open.has(m[1])) call(open.get(m[1]), m[1], m[2], m[4], nanoseconds(m[5], m[6]));
}
// Events are in the order of time, and calls are written when they return.
calls.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
const rows = calls.map(([start, ...rest]) => [Number(start - first), ...rest]);
for (let i = 0; i < rows.length; i += 1000) put({ event: 'Call', rows: rows.slice(i, i + 1000) });

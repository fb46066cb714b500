// Processor time and memory of the runs of the page, under Node, beside the tool with one thread.
//     node web/measure.mjs GRAPH           after scripts/web and scripts/build, in the root of the repository
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commands, usualColumns } from './job.js';

const { run } = await import(path.resolve('build/web/package/cafe.mjs'));
const folder = mkdtempSync(path.join(tmpdir(), 'cafe-'));
const inputs = { graph: { name: 'graph' } };
const options = { resolution: '1', effort: 'normal', columns: '128', residual: '0', seed: '1', directed: 'no', header: 'auto' };
const made = { graph: readFileSync(process.argv[2]) };
copyFileSync(process.argv[2], path.join(folder, 'graph'));

// CPU seconds of the tool; 0: it failed.
function native(words) {
  const line = 'TIMEFORMAT="%U %S"; tool=$1; shift; time "$tool" "$@" >/dev/null 2>&1';
  const done = spawnSync('bash', ['-c', line, 'time', path.resolve('build/cafe'), ...words, '-t', '1', '-f'], { cwd: folder, encoding: 'utf8' });
  return done.stderr.trim().split(' ').reduce((sum, part) => sum + Number(part), 0);
}

async function measure(name, { words, files, outputs }) {
  const given = Object.fromEntries(files.filter((file) => made[file]).map((file) => [file, made[file]]));
  const before = process.cpuUsage();
  const done = await run(words, given, { outputs });
  const { user, system } = process.cpuUsage(before);
  if (done.code !== 0) throw new Error(done.messages);
  Object.assign(made, done.files);
  const [mine, theirs] = [(user + system) / 1e6, native(words)];
  const cells = [mine.toFixed(2).padStart(7), theirs.toFixed(2).padStart(12), (mine / theirs).toFixed(1).padStart(7),
    (done.heap / 2 ** 20).toFixed(0).padStart(9)];
  console.log([name.padEnd(12), ...cells].join(' '));
  return mine;
}

console.log('step           CPU s  of the tool   ratio  heap MiB');
await measure('read', commands(inputs, options).read);
const { nodes } = JSON.parse(new TextDecoder().decode(made['read.json'])).graph;
const job = commands(inputs, { ...options, columns: usualColumns(nodes) }, nodes);
let sum = 0;
for (const step of ['cluster', 'embed', 'map', 'page']) sum += await measure(step, job[step]);
console.log(`sum without reading: ${sum.toFixed(1)} s`);
rmSync(folder, { recursive: true });

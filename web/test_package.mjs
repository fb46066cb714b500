// The package under Node beside build/cafe.   node test_package.mjs PACKAGE TOOL FOLDER
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const [, , place, tool, folder] = process.argv;
delete globalThis.crypto; // Node 18 has none
const { run, cluster, embed } = await import(`${place}/cafe.mjs`);

// ---- the bits of the tool
const commands = [['cluster', 'out.tsv'], ['embed', 'out.npy', '-k', '16']];
const graphs = readdirSync(folder).filter((name) => /^p?\d+\.txt$/.test(name));
assert.equal(graphs.length, 20);
for (const graph of graphs) {
  for (const [command, output, ...more] of commands) {
    const words = [command, graph, '-o', output, ...more];
    execFileSync(tool, [...words, '-f', '-q'], { cwd: folder });
    const done = await run(words, { [graph]: readFileSync(`${folder}/${graph}`) }, { outputs: [output] });
    assert.equal(done.code, 0, done.messages);
    assert.ok(readFileSync(`${folder}/${output}`).equals(done.files[output]), `${graph}: ${command} differs`);
  }
}

// ---- communities
const two = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [2, 3]];
const found = await cluster(two, { seed: 3 });
assert.deepEqual(found.nodes, ['0', '1', '2', '3', '4', '5']);
assert.deepEqual([...found.communities], [0, 0, 0, 1, 1, 1]);
assert.equal(found.count, 2);
assert.ok(Math.abs(found.modularity - (6 / 7 - 0.5)) < 1e-12);
assert.equal((await cluster(two, { resolution: 1e6 })).count, 6);
assert.equal((await cluster([['a', 'b', 0], ['b', 'c', 2]], {})).report.graph.zero_weights, 1);

// ---- names that the reader of edge lists could take for something else
const names = ['a b', '#no comment', '"', 'x,y', 'x;y', '1', '', ' ', 'source', '+', '\u00e9'].filter((name) => name);
const circle = names.map((name, i) => [name, names[(i + 1) % names.length]]);
assert.deepEqual(new Set((await cluster(circle)).nodes), new Set(names));
assert.deepEqual(new Set((await embed(circle, { columns: 2 })).nodes), new Set(names));

// ---- vectors
const vectors = await embed(two, { columns: 2, outputForm: 'walk' });
assert.equal(vectors.vectors.length, 6 * vectors.columns);
assert.deepEqual(vectors.nodes, found.nodes);
assert.ok(vectors.ritzValues.length > 0 && vectors.residuals.length === vectors.ritzValues.length);
assert.ok(vectors.vectors.every(Number.isFinite));

// ---- what is refused, and progress
await assert.rejects(cluster(two, { nonsense: 1 }), /nonsense/);
await assert.rejects(cluster([['a', 'b', -1]]), /edges.tsv:2:/);
const phases = [];
await run(['embed', 'e', '-o', 'v.npy'], { e: '0 1\n1 2\n' }, { progress: (phase) => phases.push(phase) });
assert.ok(phases.includes('sweep') || phases.length > 2, phases.join());
console.log(`${graphs.length} graphs under Node: communities and vectors have the bits of the tool`);

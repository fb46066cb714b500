// The tool as WebAssembly, for Node: each run has files of its own in memory.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const here = name => new URL(name, import.meta.url);
const load = createRequire(import.meta.url)('./cafe.cjs');
const wasmBinary = readFileSync(here('cafe.wasm'));

// Runs `cafe` with these arguments. files: { name: text or bytes } that it reads. Returns its exit
// code, what it printed, and read(name), the bytes of a file that it wrote.
export async function run(words, files = {}) {
    const lines = [];
    const print = line => lines.push(line);
    const quit = (code, reason) => { throw reason; };
    const tool = await load({ wasmBinary, print, printErr: print, quit });
    tool.FS.mkdir('/files');
    tool.FS.chdir('/files');
    for (const [name, content] of Object.entries(files)) tool.FS.writeFile(name, content);
    const code = tool.callMain(words.map(String));
    return { code, text: lines.join('\n'), read: name => tool.FS.readFile(name) };
}

const words = options => Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
const lines = edges => edges.map(edge => edge.join('\t')).join('\n') + '\n';

async function finished(command, edges, output, options) {
    const done = await run([command, 'edges.tsv', '-o', output, ...words(options)], { 'edges.tsv': lines(edges) });
    if (done.code !== 0) throw new Error(done.text);
    return done;
}

// edges: [[a, b], [a, b, weight], ...]; options: those of `cafe cluster` by their names, as
// { seed: 2, resolution: 1.5 }. Returns a map from node to community.
export async function cluster(edges, options = {}) {
    const done = await finished('cluster', edges, 'out.tsv', options);
    const text = new TextDecoder().decode(done.read('out.tsv'));
    return new Map(text.trimEnd().split('\n').slice(1).map(line => line.split('\t')).map(([node, label]) => [node, Number(label)]));
}

// The bytes of a .npy file with one vector a node.
export async function embed(edges, options = {}) {
    return (await finished('embed', edges, 'out.npy', options)).read('out.npy');
}

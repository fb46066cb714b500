// Graphs into communities and vectors, by the tool as WebAssembly. For Node and for browsers.
import load from './tool.mjs';
import { runTool } from './run.mjs';
import { edgeList, optionWords, readCommunities, readNames, readVectors } from './edges.mjs';

const inNode = typeof process === 'object' && Boolean(process.versions?.node);
let compiled;

async function readWasm() {
  const place = new URL('./cafe.wasm', import.meta.url);
  if (!inNode) return WebAssembly.compileStreaming(fetch(place));
  const { readFile } = await import('node:fs/promises');
  return WebAssembly.compile(await readFile(place));
}

// Node 18 has random numbers, but not under the name that the module looks for.
async function randomDevice() {
  if (!inNode || globalThis.crypto) return {};
  const { webcrypto } = await import('node:crypto');
  const byte = () => webcrypto.getRandomValues(new Uint8Array(1))[0];
  return { preRun: [(tool) => { tool.FS.unlink('/dev/urandom'); tool.FS.createDevice('/dev', 'urandom', byte); }] };
}

export async function run(words, files = {}, { outputs = [], progress } = {}) {
  compiled ??= readWasm();
  return runTool(load, await compiled, words, { files, outputs, progress, more: await randomDevice() });
}

async function compute(command, edges, options, outputs) {
  const words = [command, 'edges.tsv', '--header', 'no', '-q', '--json', 'report.json', '-o', outputs[0], ...optionWords(options)];
  const done = await run(words, { 'edges.tsv': edgeList(edges) }, { outputs: [...outputs, 'report.json'] });
  if (done.code !== 0) throw new Error(done.messages.replace(/^cafe: /, ''));
  return { files: done.files, report: JSON.parse(new TextDecoder().decode(done.files['report.json'])) };
}

export async function cluster(edges, options = {}) {
  const { files, report } = await compute('cluster', edges, options, ['communities.tsv']);
  const found = readCommunities(new TextDecoder().decode(files['communities.tsv']));
  return { ...found, count: report.communities, modularity: report.modularity, report };
}

export async function embed(edges, options = {}) {
  const { files, report } = await compute('embed', edges, options, ['vectors.npy', 'vectors.npy.names.txt']);
  const { rows, columns, vectors } = readVectors(files['vectors.npy']);
  return { nodes: readNames(files['vectors.npy.names.txt'], rows), columns, vectors,
    ritzValues: report.ritz_values, residuals: report.residuals, report };
}

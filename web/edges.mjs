// Edges of a program as the tool reads them, and its results as values of a program.

// A field of an edge list: quoted where the tool would else read something different.
const field = (name) => {
  const text = String(name);
  const plain = typeof name !== 'string' || !(/^$|[\s,;|"]|^[#%\uFEFF]|^[+-]?\d*$/.test(text));
  return plain ? text : `"${text.replaceAll('"', '""')}"`;
};

const line = (edge) => [field(edge[0]), field(edge[1]), ...edge.slice(2, 3)].join('\t');

// edges: [[a, b], [a, b, weight], ...], where a and b are numbers or texts
export function edgeList(edges) {
  const lines = ['# cafe: edges'];
  for (const edge of edges) lines.push(line(edge));
  return `${lines.join('\n')}\n`;
}

// { seed: 2, outputForm: 'walk', bound: true } as --seed 2 --output-form walk --bound
export function optionWords(options) {
  const words = [];
  for (const [key, value] of Object.entries(options)) {
    if (value === false || value === undefined || value === null) continue;
    words.push(`--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    if (value !== true) words.push(String(value));
  }
  return words;
}

// Two columns of a table of tabs with a heading. A name may stand in quotes.
export function readCommunities(text) {
  const nodes = [];
  const communities = [];
  for (const row of text.trimEnd().split('\n').slice(1)) {
    const at = row.lastIndexOf('\t');
    const name = row.slice(0, at);
    nodes.push(name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);
    communities.push(Number(row.slice(at + 1)));
  }
  return { nodes, communities: Int32Array.from(communities) };
}

// The numbers of a .npy file of float32.
export function readVectors(bytes) {
  const start = 10 + bytes[8] + 256 * bytes[9];
  const header = new TextDecoder('latin1').decode(bytes.subarray(10, start));
  const [, rows, columns] = /\((\d+), (\d+)\)/.exec(header).map(Number);
  return { rows, columns, vectors: new Float32Array(bytes.slice(start).buffer) };
}

// Names, one a line; without a file they are 0, 1, ...
export function readNames(bytes, rows) {
  if (!bytes) return Array.from({ length: rows }, (_, i) => String(i));
  return new TextDecoder().decode(bytes).replace(/\n$/, '').split('\n')
    .map((name) => (/^".*"$/.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name));
}

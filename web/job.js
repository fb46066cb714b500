// From files and options to commands of the tool, and from their reports to words. Nothing here knows the page.

// A name that a file can have beside the others, and that is no option.
export function safeName(name, taken) {
  let safe = name.replace(/[/\0]/g, '_').replace(/^-/, '_');
  while (taken.includes(safe)) safe = `2-${safe}`;
  return safe;
}

// Splits words as a shell does: blanks separate, quotes join.
export function splitWords(text) {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);
}

// Options of reading the graph.
function readingWords(inputs, options) {
  const words = [];
  const add = (name, value, ordinary = '') => { if (value !== ordinary && value !== undefined) words.push(`--${name}`, value); };
  add('directed', options.directed, 'no');
  if (options.bipartite) words.push('--bipartite', 'yes');
  if (options.signed) words.push('--signed', 'yes');
  if (options.unweighted) words.push('--weights', 'no');
  add('source', options.source);
  add('target', options.target);
  add('weight', options.weight);
  add('header', options.header, 'auto');
  if (inputs.nodes) words.push('--nodes-from', inputs.nodes.name);
  return [...words, ...splitWords(options.more ?? '')];
}

// Does `cafe plot` find the same communities by itself? Then the page has all their layers.
const foundAgain = (options) => Number(options.resolution) === 1 && options.effort === 'normal' && !options.signed;

// A page and a map take no signs: they are drawn with edges that all weigh 1.
function drawingWords(inputs, options) {
  return readingWords(inputs, options.signed ? { ...options, signed: false, unweighted: true } : options);
}

const manyNodes = 5000;

// Columns that are computed, mapped and searched in seconds. They are what the field has before a person changes it.
export function usualColumns(nodes) {
  return nodes > manyNodes ? '32' : '128';
}

// The commands of a run: { read, cluster, embed, map, page, picture(ending) }, each with words, and names of the files
// that it reads and writes. nodes: of the graph, once it was read.
export function commands(inputs, options, nodes = 0) {
  const graph = inputs.graph.name;
  const reading = readingWords(inputs, options);
  const drawing = drawingWords(inputs, options);
  const given = [inputs.graph, inputs.nodes, inputs.names].filter(Boolean).map((file) => file.name);
  const forces = nodes > manyNodes ? ['--tune', 'forces=graph'] : []; // the search of neighbours would take longer
  const seed = options.seed === '1' ? [] : ['--seed', options.seed];
  const cluster = [...(Number(options.resolution) === 1 ? [] : ['--resolution', options.resolution]),
    ...(options.effort === 'normal' ? [] : ['--effort', options.effort]), ...(options.bound ? ['--bound'] : [])];
  const embed = [...(options.columns === '128' ? [] : ['--columns', options.columns]),
    ...(options.residual === '0' ? [] : ['--residual', options.residual])];
  const labels = inputs.labels ? ['--labels', inputs.labels.name, ...(options.label ? ['--label', options.label] : [])]
    : options.label ? ['--label', options.label] : [];
  const table = inputs.table ? ['--attributes', inputs.table.name] : [];
  const beside = [inputs.labels, inputs.table].filter(Boolean).map((file) => file.name);
  const found = foundAgain(options) ? [] : ['--communities', 'communities.tsv'];
  const drawn = [...given, 'vectors.npy', 'vectors.npy.names.txt', 'map.npy', 'map.npy.names.txt', ...beside, ...found.slice(1)];
  return {
    read: { words: ['info', graph, ...drawing, '--json', 'read.json'], files: given, outputs: ['read.json'] },
    cluster: {
      words: ['cluster', graph, '-o', 'communities.tsv', '--hierarchy', 'layers.tsv', '--json', 'cluster.json', ...reading, ...cluster, ...seed],
      files: given, outputs: ['communities.tsv', 'layers.tsv', 'cluster.json'],
    },
    embed: {
      words: ['embed', graph, '-o', 'vectors.npy', '--json', 'embed.json', ...reading, ...embed, ...seed],
      files: given, outputs: ['vectors.npy', 'vectors.npy.names.txt', 'embed.json'],
    },
    map: {
      words: ['plot', graph, 'vectors.npy', '-o', 'map.npy', ...forces, ...drawing, ...seed],
      files: [...given, 'vectors.npy', 'vectors.npy.names.txt'], outputs: ['map.npy', 'map.npy.names.txt'],
    },
    page: {
      words: ['plot', graph, 'vectors.npy', '-o', 'page.html', '--map', 'map.npy', '--report', 'embed.json', ...drawing, ...found, ...labels, ...table, ...seed],
      files: [...drawn, 'embed.json'], outputs: ['page.html'],
    },
    picture: (ending) => ({
      words: ['plot', graph, 'vectors.npy', '-o', `picture.${ending}`, '--map', 'map.npy', '--title', graph, ...drawing, ...found, ...labels, ...seed],
      files: drawn, outputs: [`picture.${ending}`],
    }),
    exchange: {
      words: ['convert', graph, 'graph.gexf', '--communities', 'communities.tsv', ...drawing],
      files: [...given, 'communities.tsv'], outputs: ['graph.gexf'],
    },
    pageNeedsCommunities: found.length > 0,
  };
}

// As a line for a shell.
export function commandLine(words) {
  const quoted = words.map((word) => (/^[\w./=:,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  return `cafe ${quoted.join(' ')}`;
}

// ---- words about results

const number = (n) => n.toLocaleString('en');
const many = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;

export function summaryOf(read) {
  const { nodes, edges, components } = read.graph;
  return [many(nodes, 'node'), many(edges, 'edge'), many(components, 'component')].join(', ');
}

const inSummary = ['nodes', 'edges', 'components', 'memory'];

// Pairs of a name and a text: what the tool printed about the graph, without its first line and what the summary has.
export function factsOf(text) {
  const facts = [];
  for (const line of text.split('\n').slice(1)) {
    const name = line.slice(0, 12).trim();
    const value = line.slice(12).trim();
    if (name) facts.push([name, value]);
    else if (facts.length) facts.at(-1)[1] += `\n${value}`;
  }
  return facts.filter(([name]) => !inSummary.includes(name));
}

export function resultOf(cluster, embed) {
  const known = cluster.proved ? ' (proved optimal)' : cluster.bound ? ` (at most ${cluster.bound.toPrecision(4)})` : '';
  const communities = cluster.communities === 1 ? '1 community' : `${number(cluster.communities)} communities`;
  return `${communities}, modularity ${cluster.modularity.toFixed(4)}${known}; `
    + `${many(embed.columns, 'column')}, ${number(embed.columns_certified ?? 0)} certified`;
}

// ---- what a file is for

const endings = { graph: /\.(graphml|gexf|gml|net|paj|cafe|mtx|metis|graph|dot|gv|gdf|dl|lgl|json|npz|edges|adjlist|ncol)(\.(gz|zst|xz))?$/i };

// A further file: a graph by its ending, a table by its lines, else labels.
export function roleOf(name, head, hasGraph) {
  if (!hasGraph || endings.graph.test(name)) return 'graph';
  const first = head.split('\n').filter((line) => line && !/^[#%]/.test(line))[0] ?? '';
  return first.split(/[\t,;]/).length > 2 ? 'table' : 'labels';
}

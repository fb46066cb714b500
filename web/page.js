// The page: a file is dropped, read, computed with, shown. The states are those of body[data-state].
import { make } from './bus.js';
import { commandLine, commands, factsOf, resultOf, summaryOf, usualColumns } from './job.js';
import { Cancelled, Tool } from './tool.js';
import { Files } from './files.js';
import { Steps } from './steps.js';

const largeBytes = 64e6; // of a graph's file, above which runs do not share the memory
const $ = (id) => document.getElementById(id);
const form = $('options');
const embedded = (id) => $(id).textContent.trim();

let tool;
let products = {}; // what runs have written: { name: blob }
let read = false; // the graph has been read with these options
let nodes = 0; // that it has then
let lines = []; // the commands of the result
const files = new Files($('files'), (graph) => { if (graph) readGraph(); });
const steps = new Steps($('steps'));

// ---- the tool

async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

const started = unpack(embedded('wasm')).then((wasm) => { tool = new Tool($('worker-source').textContent, wasm); });

const optionsNow = () => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
const jobNow = () => commands(files.of, optionsNow(), nodes);
const textOf = async (name) => products[name].text();
const reportOf = async (name) => JSON.parse(await textOf(name));

// Runs one command; what it writes is then among the products.
async function perform({ words, files: names, outputs }, more) {
  await started;
  const all = { ...files.blobs(), ...products };
  const given = Object.fromEntries(names.filter((name) => all[name]).map((name) => [name, all[name]]));
  for (const name of outputs) delete products[name];
  const done = await tool.run(words, given, outputs, more);
  Object.assign(products, done.files);
  return done;
}

// ---- states

const shownIn = { empty: ['start'], sheet: ['sheet', 'again'], busy: ['progress'], done: ['result', 'save', 'change', 'again'] };

function show(state) {
  document.body.dataset.state = state;
  for (const id of new Set(Object.values(shownIn).flat())) $(id).hidden = !shownIn[state].includes(id);
  $('desk').scrollTop = 0;
}

// Of what the tool printed its errors, which begin with its name.
function showTrouble(message) {
  const errors = message.split('\n').filter((line) => /^cafe[ \w]*: /.test(line)).map((line) => line.replace(/^cafe[ \w]*: /, ''));
  $('trouble').textContent = errors.join('\n') || message;
  $('trouble').hidden = false;
}

let noteClock;
function note(text, time = 0) {
  clearTimeout(noteClock);
  $('note').textContent = text;
  $('note').hidden = !text;
  if (time) noteClock = setTimeout(() => note(''), time);
}

// ---- reading

const labelled = (text) => /^[\w-]+: |^[a-z]+ {2,}/.test(text);

// Warnings are the lines of standard error that are not rows of the log.
function warningsOf(messages) {
  return messages.split('\n').filter((line) => line && (/^(cafe: )?warning/.test(line) || !labelled(line)))
    .map((line) => line.replace(/^cafe: |^warning: |^(cafe: )?warning: /, ''));
}

async function showReading({ text, messages }) {
  const warnings = warningsOf(messages);
  const report = await reportOf('read.json');
  const { columns } = form.elements;
  if (columns.value === usualColumns(nodes)) columns.value = usualColumns(report.graph.nodes);
  nodes = report.graph.nodes;
  $('graph-summary').textContent = summaryOf(report);
  $('warnings').replaceChildren(...warnings.map((line) => make('li', {}, line)));
  $('warnings').hidden = warnings.length === 0;
  $('facts').replaceChildren(...factsOf(text).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  $('facts').hidden = false;
}

function clearSheet() {
  for (const id of ['trouble', 'warnings', 'facts', 'back']) $(id).hidden = true;
  $('graph-name').textContent = files.of.graph.name;
  $('graph-summary').textContent = '';
  $('progress-name').textContent = files.of.graph.name;
  $('progress-summary').textContent = '';
}

async function readGraph() {
  read = false;
  products = {};
  clearSheet();
  steps.begin({ read: 'Reading' });
  show('busy');
  try {
    await showReading(await steps.during('read', (progress) => perform(jobNow().read, { progress })));
    read = true;
  } catch (error) {
    if (error instanceof Cancelled) return beginAnew();
    showTrouble(error.message);
    $('reading').open = true;
  }
  files.broken = !read;
  $('run').textContent = read ? 'Find communities and vectors' : 'Read again';
  show('sheet');
  $('run').focus({ preventScroll: true });
}

async function addFiles(blobs) {
  if (document.body.dataset.state === 'busy' || blobs.length === 0) return;
  if (await files.add(blobs)) {
    form.reset();
    nodes = 0;
    await readGraph();
  } else if (files.of.nodes) await readGraph();
}

// ---- computing

// Communities and vectors at the same time where there is memory for two runs; then map and page.
async function compute() {
  const job = jobNow();
  const small = files.of.graph.blob.size < largeBytes;
  const step = (key, more) => steps.during(key, (progress) => perform(job[key], { ...more, progress }));
  const found = () => step('cluster', { beside: small });
  const beside = small ? found() : undefined;
  if (!small) await found();
  const rest = (async () => {
    await step('embed');
    await step('map');
    if (job.pageNeedsCommunities) await beside;
    await step('page');
  })();
  await Promise.all([rest, beside]);
  lines = ['cluster', 'embed', 'map', 'page'].map((key) => commandLine(job[key].words));
}

async function showResult() {
  const [cluster, embed] = await Promise.all([reportOf('cluster.json'), reportOf('embed.json')]);
  $('summary').textContent = resultOf(cluster, embed);
  $('result').srcdoc = await textOf('page.html');
  $('lines').textContent = lines.join('\n');
  listSaves();
  show('done');
}

async function runJob() {
  for (const id of ['trouble', 'back']) $(id).hidden = true;
  $('progress-summary').textContent = $('graph-summary').textContent;
  steps.begin({ cluster: 'Communities', embed: 'Vectors and their certificate', map: 'Map', page: 'Page' });
  show('busy');
  try {
    await compute();
    await showResult();
  } catch (error) {
    tool.cancel();
    if (!(error instanceof Cancelled)) showTrouble(error.message);
    show('sheet');
  }
}

function beginAnew() {
  files.clear();
  products = {};
  form.reset();
  nodes = 0;
  $('result').removeAttribute('srcdoc');
  $('summary').textContent = 'Communities and certified vectors of a graph';
  show('empty');
}

// ---- saving

function save(name, blob) {
  const link = make('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const stem = () => files.of.graph.name.replace(/(\.[a-z0-9]{1,8}){1,2}$/i, '') || 'graph';

async function saveProduct(name, ending, made) {
  $('save').open = false;
  try {
    if (made && !products[name]) {
      note(`Writing ${stem()}${ending} \u2026`);
      await perform(made);
    }
    save(`${stem()}${ending}`, products[name]);
    note('');
  } catch (error) {
    note(error.message, 8000);
  }
}

function listSaves() {
  const job = jobNow();
  const item = (title, name, ending, made) => make('li', {}, make('button', { type: 'button', 'data-name': name,
    onclick: () => saveProduct(name, ending, made) }, title, make('span', {}, ending.replace(/^-\w+/, ''))));
  const rule = () => make('li', { class: 'rule', role: 'separator' });
  const names = products['vectors.npy.names.txt'] ? [item('Names of the vectors', 'vectors.npy.names.txt', '-vectors.npy.names.txt')] : [];
  $('saves').replaceChildren(
    item('This page', 'page.html', '.html'), rule(),
    item('Communities', 'communities.tsv', '-communities.tsv'), item('Layers of communities', 'layers.tsv', '-layers.tsv'),
    item('Vectors', 'vectors.npy', '-vectors.npy'), ...names, item('Map', 'map.npy', '-map.npy'),
    item('Graph with communities', 'graph.gexf', '.gexf', job.exchange), rule(),
    ...['svg', 'png', 'pdf'].map((ending) => item('Picture', `picture.${ending}`, `.${ending}`, job.picture(ending))), rule(),
    item('Report of the communities', 'cluster.json', '-communities.json'), item('Report of the vectors', 'embed.json', '-vectors.json'),
    make('li', {}, make('button', { type: 'button', id: 'show-commands', onclick: () => { $('save').open = false; $('commands').showModal(); } },
      'The same by the command line')));
}

// ---- what the user does

function listen(id, event, act) { $(id).addEventListener(event, act); }

for (const event of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  window.addEventListener(event, (e) => {
    e.preventDefault();
    document.body.classList.toggle('over', event === 'dragenter' || event === 'dragover');
    if (event === 'drop') addFiles([...e.dataTransfer.files]);
  });
}
for (const id of ['choose', 'more-files']) listen(id, 'click', () => $('file').click());
listen('file', 'change', async ({ target }) => {
  const chosen = [...target.files];
  target.value = '';
  await addFiles(chosen);
});
listen('karate', 'click', () => addFiles([new File([embedded('karate-edges'), '\n'], 'karate.txt'),
  Object.assign(new File([embedded('karate-labels'), '\n'], 'karate.labels.txt'), { role: 'labels' })]));
listen('blocks', 'click', async () => {
  await perform({ words: 'generate sbm --nodes 3000 --edges 30000 --blocks 12 --mixing 0.2 -o groups.txt'.split(' '), files: [], outputs: ['groups.txt'] });
  await addFiles([new File([products['groups.txt']], 'groups.txt')]);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (read) runJob();
  else readGraph();
});
listen('reading', 'change', readGraph);
listen('cancel', 'click', () => tool.cancel());
listen('change', 'click', () => { $('back').hidden = false; show('sheet'); });
listen('back', 'click', () => show('done'));
listen('again', 'click', beginAnew);
document.addEventListener('click', ({ target }) => { if (!$('save').contains(target)) $('save').open = false; });
window.addEventListener('blur', () => { $('save').open = false; }); // a click into the result
started.then(() => { document.documentElement.dataset.ready = ''; });

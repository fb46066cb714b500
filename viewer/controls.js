// The parts of the page around the plot: choices, buttons, tabs, legend, keys that work everywhere.
import { hasCommunities } from './data.js';
import { make, count } from './bus.js';
import { toHex } from './palette.js';

const id = (name) => document.getElementById(name);

function options(select, list) {
  select.replaceChildren(...list.map(([value, text]) => make('option', { value }, text)));
}

export function fillChoices(app) {
  const { meta } = app;
  const columns = Array.from({ length: meta.columnsShown }, (_, j) => [String(j), `column ${j}`]);
  options(id('layout'), [...(meta.before ? [['both', 'Before and now']] : []), ...(meta.pair === 'map' ? [['map', 'Map']] : []), ['columns', 'Columns'], ['table', 'Table']]);
  options(id('axis-x'), columns);
  options(id('axis-y'), columns);
  options(id('colour'), colourChoices(app));
  options(id('size'), [['same', 'the same'], ...(app.facts.hasDegrees ? [['degree', 'by degree']] : []),
    ...(app.store.has('centrality') ? [['centrality', 'by centrality']] : [])]);
  if (meta.table.length > 0) addSizes(app); // which columns are of numbers is known once they are read
  id('layout').addEventListener('change', (e) => app.show(e.target.value));
  id('size').addEventListener('change', (e) => app.setSize(e.target.value));
  for (const what of ['links', 'names']) {
    const box = id(`show-${what}`);
    box.checked = app.shows[what];
    box.closest('label').hidden = what === 'links' && !app.drawable;
    box.addEventListener('change', () => app.setShown(what, box.checked));
  }
  id('axis-x').addEventListener('change', (e) => app.setAxis(0, Number(e.target.value)));
  id('axis-y').addEventListener('change', (e) => app.setAxis(1, Number(e.target.value)));
  id('colour').addEventListener('change', (e) => app.setColour(e.target.value));
}

async function addSizes({ facts }) {
  await facts.load();
  facts.columns.forEach(({ name, numbers }, j) => {
    if (numbers) id('size').append(make('option', { value: `table-${j}` }, `by ${name}`));
  });
}

function colourChoices({ meta, store, facts }) {
  const layers = hasCommunities(store) ? meta.layers.map((layer, l) => [`community-${l}`,
    `${meta.layersFound === 1 ? '' : `Layer ${facts.layerNumber(l)}: `}${count(layer.communities)} communities`])
    .reverse() : [];
  return [...layers,
    ...(store.has('before') ? [['change', 'What changed']] : []),
    ...(store.has('label') ? [['label', 'Label']] : []),
    ...meta.table.map((name, j) => [`table-${j}`, name]),
    ...(store.has('centrality') ? [['centrality', `Centrality (${meta.centrality})`]] : []),
    ...Array.from({ length: meta.columnsShown }, (_, j) => [`column-${j}`, `Column ${j}`]),
    ['plain', 'One colour']];
}

export function showChoices(app) {
  id('layout').value = app.table?.shown ? 'table' : app.layout;
  id('axes').hidden = app.layout !== 'columns';
  id('frame').dataset.panes = app.panes.length;
  id('frame').dataset.axes = app.onMap ? 'map' : app.axisNumbers.join();
  id('axis-x').value = String(app.axisNumbers[0]);
  id('axis-y').value = String(app.axisNumbers[1]);
  id('colour').value = app.colour;
}

// ---- legend

function rampCanvas(colour) {
  const canvas = make('canvas', { class: 'ramp', width: '190', height: '1', 'aria-hidden': 'true' });
  const pen = canvas.getContext('2d');
  for (let x = 0; x < 190; x++) {
    pen.fillStyle = toHex(colour(x / 189));
    pen.fillRect(x, 0, 1, 1);
  }
  return canvas;
}

// Two numbers that select the nodes between them; an empty one is no limit.
function rangeOf(app, { title, valueOf }) {
  const [from, to] = ['From', 'to'].map((name) => make('input', { type: 'number', step: 'any', 'aria-label': `${title}: ${name.toLowerCase()}` }));
  const choose = () => {
    const [low, high] = [from, to].map((input) => (input.value === '' ? NaN : Number(input.value)));
    if (Number.isNaN(low) && Number.isNaN(high)) return app.select(null);
    const text = `${title}${Number.isNaN(low) ? '' : ` from ${low}`}${Number.isNaN(high) ? '' : ` to ${high}`}`;
    return app.select((i) => !(valueOf(i) < low) && !(valueOf(i) > high) && !Number.isNaN(valueOf(i)), text);
  };
  for (const input of [from, to]) input.addEventListener('change', choose);
  return make('div', { class: 'range' }, 'From', from, 'to', to);
}

export function showLegend(app, colours) {
  const parts = [make('summary', {}, colours.title)];
  if (colours.ramp) {
    parts.push(rampCanvas(colours.ramp),
      make('div', { class: 'ends' }, ...colours.ends.map((end) => make('span', {}, end))), rangeOf(app, colours));
  }
  if (colours.entries) {
    parts.push(make('ul', {}, ...colours.entries.map((entry) => {
      const dot = make('span', { class: entry.mark.ring ? 'dot hollow' : 'dot' });
      dot.style[entry.mark.ring ? 'borderColor' : 'background'] = toHex(entry.mark.rgb);
      return make('li', {}, make('button', { type: 'button', title: `Select ${entry.name} ${entry.about()}`.trim(),
        onclick: () => app.select(entry.holds, entry.name) }, dot,
      make('span', { class: 'name', dir: 'auto' }, entry.name), make('span', { class: 'about', dir: 'auto' }, entry.about()),
      make('span', { class: 'count' }, count(entry.count))));
    })));
  }
  id('legend').replaceChildren(...parts);
}

export function showSelection(app) {
  const text = app.selection ? `${count(app.selectedCount)} of ${count(app.n)} selected` : '';
  id('selected').textContent = text + (app.selection && app.selectedWhat ? ` (${app.selectedWhat})` : '');
  id('clear').hidden = !app.selection;
}

// ---- what is not in the page

export function showLeftOut({ meta, store }) {
  const said = [];
  if (meta.columnsShown < meta.columns) said.push(`${meta.columns - meta.columnsShown} of ${meta.columns} columns`);
  if (meta.nearest < meta.nearestFound) {
    said.push(meta.nearest ? `all but ${meta.nearest} of the ${meta.nearestFound} nearest nodes of each` : 'the nearest nodes of each');
  }
  if (!store.has('link-ends') && meta.edges > 0) said.push(`${count(meta.edges)} edges`);
  if (meta.names === 'none') said.push('the names of the nodes');
  if (meta.labelled && !store.has('label')) said.push('the labels');
  if (meta.table.length < meta.tableFound) said.push(`${meta.tableFound - meta.table.length} columns of the table`);
  if (meta.layers.length < meta.layersFound) said.push(`${meta.layersFound - meta.layers.length} finer layers`);
  id('left').textContent = said.length ? `Left out to keep this page small: ${said.join(', ')}.` : '';
  id('left').hidden = !said.length;
}

// ---- tabs

export function showTab(name) {
  for (const tab of document.querySelectorAll('[role="tab"]')) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute('aria-selected', String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    id(tab.getAttribute('aria-controls')).hidden = !chosen;
  }
}

function wireTabs() {
  const tabs = [...document.querySelectorAll('[role="tab"]:not([hidden])')];
  tabs.forEach((tab, i) => {
    tab.addEventListener('click', () => showTab(tab.id.slice(4)));
    tab.addEventListener('keydown', (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      showTab(next.id.slice(4));
      next.focus();
    });
  });
}

// ---- buttons and keys

export function wireButtons(app) {
  const { camera } = app;
  const click = (name, act) => id(name).addEventListener('click', act);
  const zoom = (factor) => app.scatter.zoom(camera.width / 2, camera.height / 2, factor);
  click('zoom-in', () => zoom(1.5));
  click('zoom-out', () => zoom(1 / 1.5));
  click('zoom-fit', () => app.fit());
  click('mode-pan', () => app.scatter.setLasso(false));
  click('mode-lasso', () => app.scatter.setLasso(true));
  click('clear', () => app.select(null));
  click('help-open', () => id('help').showModal());
  click('export-png', () => app.exportPicture());
  click('export-svg', () => app.exportShapes());
  click('export-tsv', () => app.exportTable());
  app.bus.on('mode', (lasso) => {
    id('mode-pan').setAttribute('aria-pressed', String(!lasso));
    id('mode-lasso').setAttribute('aria-pressed', String(lasso));
  });
  wireTabs();
  id('legend').open = !window.matchMedia('(max-width: 560px)').matches; // there the points need the room
  id('legend').addEventListener('toggle', () => app.roomChanged());
  document.addEventListener('keydown', (e) => globalKey(app, e));
}

function globalKey(app, event) {
  const typing = event.target.matches('input, select, textarea');
  if (typing || event.ctrlKey || event.metaKey || event.altKey || id('help').open) return;
  const act = {
    '?': () => id('help').showModal(), '/': () => id('search').focus(), 0: () => app.fit(),
    l: () => app.scatter.setLasso(true), p: () => app.scatter.setLasso(false),
    t: () => app.show(app.table.shown ? app.layout : 'table'),
    Escape: () => (app.selection ? app.select(null) : app.open(-1)),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

export function say(text, bad) {
  const message = id('message');
  message.textContent = text;
  message.hidden = !text;
  message.classList.toggle('bad', Boolean(bad));
}

// The nodes as a table: sorted by any column, filtered by a part of any text, a hundred rows at a time.
import { make, count, figure } from './bus.js';
import { valueAt } from './data.js';

const rows = 100;
const id = (name) => document.getElementById(name);
const natural = new Intl.Collator('en', { numeric: true });

// What is known of the nodes, column by column: { heading, text: (i) => string, number: (i) => number }
export async function columnsOf(app) {
  const { facts, meta } = app;
  const layers = await facts.layers();
  const degrees = facts.hasDegrees ? await facts.loadDegrees() : null;
  const number = (heading, of) => ({ heading, number: of, text: (i) => String(of(i)) });
  return [{ heading: 'node', text: (i) => app.nameOf(i) },
    ...(facts.label ? [{ heading: 'label', text: (i) => facts.labelOf(i) }] : []),
    ...(layers ?? []).map((layer, d) => ({ heading: facts.layerTitle(layers.length - 1 - d).toLowerCase().replace(',', ''),
      text: (i) => facts.communityName(layers.length - 1 - d, layer.of[i]) })),
    ...(app.before?.known ? [{ heading: 'community before', text: (i) => app.before.name(app.before.of[i]) },
      { heading: 'changed', text: (i) => ['no', 'yes', 'new'][app.before.changed[i]] }] : []),
    ...(degrees ? [number('degree', (i) => degrees[i])] : []),
    ...(facts.rank ? [number(meta.centrality, (i) => facts.centralityOf(i))] : []),
    ...facts.columns.map((column) => ({ heading: column.name, text: (i) => column.words[column.of[i]],
      ...(column.numbers ? { number: (i) => column.numbers[column.of[i]] } : {}) })),
    ...app.axes.map((axis, a) => number(app.onMap ? `map ${'xy'[a]}` : `column ${app.axisNumbers[a]}`,
      (i) => valueAt(axis, i)))];
}

export class NodeTable {
  constructor(app) {
    this.app = app;
    this.by = 0; // the column that sorts
    this.falling = false;
    this.page = 0;
    this.shown = false;
    let wait = 0;
    id('table-filter').addEventListener('input', () => {
      clearTimeout(wait);
      wait = setTimeout(() => this.find(), this.app.n > 20000 ? 250 : 0);
    });
    id('table-select').addEventListener('click', () => this.select());
    id('table-back').addEventListener('click', () => this.turn(-1));
    id('table-on').addEventListener('click', () => this.turn(1));
    app.bus.on('select', () => { if (this.shown) this.find(); });
  }

  async show() {
    this.shown = true;
    await this.app.names.load();
    this.columns = await columnsOf(this.app);
    this.by = Math.min(this.by, this.columns.length - 1);
    this.find();
  }

  // The points that are selected and have the text somewhere, in the order of the sorting column.
  find() {
    const wanted = id('table-filter').value.trim().toLowerCase();
    const { selection, n } = this.app;
    const texts = this.columns.filter((column) => !column.number || column.heading === 'degree');
    this.points = [];
    for (let i = 0; i < n; i++) {
      if (selection && !selection[i]) continue;
      if (!wanted || texts.some((column) => column.text(i).toLowerCase().includes(wanted))) this.points.push(i);
    }
    this.sort();
  }

  // The rows that the filter leaves, as a selection of the plot.
  select() {
    const kept = new Set(this.points);
    this.app.select((i) => kept.has(i), id('table-filter').value.trim());
  }

  sort() {
    const { text, number } = this.columns[this.by];
    const sign = this.falling ? -1 : 1;
    const large = this.points.length > 200000;
    const plain = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    const compare = number ? (a, b) => a[0] - b[0] : large ? (a, b) => plain(a[0], b[0]) : (a, b) => natural.compare(a[0], b[0]);
    const empty = (key) => key === '' || Number.isNaN(key); // at the end, whatever the direction
    this.points = this.points.map((i) => [number ? number(i) : text(i), i])
      .sort((a, b) => Number(empty(a[0])) - Number(empty(b[0])) || sign * (empty(a[0]) ? 0 : compare(a, b)) || this.app.node[a[1]] - this.app.node[b[1]])
      .map(([, i]) => i);
    this.page = 0;
    this.draw();
  }

  turn(step) {
    this.page = Math.min(Math.max(this.page + step, 0), Math.max(Math.ceil(this.points.length / rows) - 1, 0));
    this.draw();
    id('table-rows').parentElement.scrollTop = 0;
  }

  heading(column, c) {
    const sorts = c === this.by;
    const th = make('th', { scope: 'col', ...(column.number ? { class: 'number' } : {}),
      'aria-sort': sorts ? (this.falling ? 'descending' : 'ascending') : 'none' });
    th.append(make('button', { type: 'button', onclick: () => {
      this.falling = sorts ? !this.falling : Boolean(column.number);
      this.by = c;
      this.sort();
    } }, column.heading, make('span', { 'aria-hidden': 'true' }, sorts ? (this.falling ? ' \u25be' : ' \u25b4') : '')));
    return th;
  }

  row(i) {
    const { app } = this;
    const [first, ...rest] = this.columns;
    return make('tr', i === app.opened ? { class: 'open' } : {},
      make('th', { scope: 'row' }, make('button', { type: 'button', dir: 'auto', onclick: () => app.openNode(app.node[i]) }, first.text(i))),
      ...rest.map((column) => make('td', column.number ? { class: 'number' } : { dir: 'auto' },
        column.number && column.text(i) !== '' ? figure(column.number(i)) : column.text(i))));
  }

  draw() {
    const from = this.page * rows;
    const part = this.points.slice(from, from + rows);
    id('table-rows').replaceChildren(make('thead', {}, make('tr', {}, ...this.columns.map((column, c) => this.heading(column, c)))),
      make('tbody', {}, ...part.map((i) => this.row(i))));
    id('table-count').textContent = part.length
      ? `${count(from + 1)} to ${count(from + part.length)} of ${count(this.points.length)} nodes` : 'No node';
    id('table-back').disabled = this.page === 0;
    id('table-on').disabled = from + rows >= this.points.length;
  }
}

// The first tab of a report: headings, sentences, tables, commands and bars, as the tool wrote them.
import { make } from './bus.js';
import { barChart } from './charts.js';

// A cell is a text, or an array of nodes: number, name, number, name ...
function nodesOf(app, list) {
  const parts = [];
  for (let i = 0; i < list.length; i += 2) {
    parts.push(make('button', { type: 'button', class: 'link', dir: 'auto', onclick: () => app.openNode(list[i]) }, list[i + 1]));
  }
  return parts;
}

const isNumber = (title) => title.startsWith('#');

function tableOf(app, titles, rows) {
  const cell = (tag, title, ...parts) => make(tag, { class: isNumber(title) ? 'number' : '', dir: 'auto' }, ...parts);
  return make('div', { class: 'summary-table' }, make('table', {},
    make('thead', {}, make('tr', {}, ...titles.map((title) => cell('th', title, isNumber(title) ? title.slice(1) : title)))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map((value, j) => cell('td', titles[j],
      ...(Array.isArray(value) ? nodesOf(app, value) : [value]))))))));
}

const kinds = {
  h: (app, text) => make('h2', {}, text),
  p: (app, text) => make('p', { dir: 'auto' }, text),
  c: (app, command, purpose) => make('p', { class: 'command', dir: 'auto' }, `${purpose}: `, make('code', {}, command)),
  t: tableOf,
  b: (app, title, caption, values, errors) => barChart(title, caption, values, errors),
};

export function showSummary(panel, app) {
  panel.replaceChildren(...app.meta.summary.map(([kind, ...rest]) => kinds[kind](app, ...rest)));
}

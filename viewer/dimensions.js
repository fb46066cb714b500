// One card per column: its value and residual, its share, and the nodes at both ends.
import { make, figure } from './bus.js';

const first = 16;

function pole(title, nodes, app) {
  const chips = make('div', { class: 'chips' });
  for (const [node, value] of nodes) {
    chips.append(make('button', { type: 'button', dir: 'auto', title: figure(value),
      onclick: () => app.openNode(node) }, app.names.of(node)));
  }
  return make('div', {}, make('span', {}, title), chips);
}

function meter(share) {
  const fill = make('i');
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return make('div', { class: 'meter', 'aria-hidden': 'true' }, fill);
}

const groupOf = (meta, j) => meta.groups.find((group) => j >= group.first && j < group.first + group.columns);

function valueOf(meta, j) {
  const group = groupOf(meta, j);
  return group ? group.values[j - group.first] : undefined;
}

function figures(meta, j) {
  const value = valueOf(meta, j);
  if (value === undefined) return 'no certificate in this page';
  const group = groupOf(meta, j);
  return `value ${figure(value)}, residual ${figure(group.residuals[j - group.first])}`;
}

// The community of the coarsest layer that has most of the nodes; -1: the page has none.
function mostOf(app, nodes) {
  const layer = app.facts.tree?.[0];
  const counts = new Map();
  for (const [node] of layer ? nodes : []) {
    const k = layer.of[app.pointOf[node]];
    counts.set(k, (counts.get(k) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? -1;
}

// What the column tells apart, in words.
function meaning(app, { low, high }) {
  const [below, above] = [mostOf(app, low), mostOf(app, high)];
  const l = (app.facts.tree?.length ?? 0) - 1;
  const named = (k) => {
    const about = app.facts.communityAbout(l, k);
    return `community ${app.facts.communityName(l, k)}${about ? ` (${about})` : ''}`;
  };
  if (below < 0) return [];
  return [make('p', { class: 'meaning', dir: 'auto' }, below === above ? `Both ends are in ${named(above)}.`
    : `Low: ${named(below)}. High: ${named(above)}.`)];
}

function card(app, j, reach) {
  const { meta } = app;
  const buttons = j < meta.columnsShown ? [
    make('button', { type: 'button', onclick: () => app.setColour(`column-${j}`) }, 'Colour'),
    make('button', { type: 'button', 'aria-label': `Column ${j} as x`, onclick: () => app.setAxis(0, j) }, 'x'),
    make('button', { type: 'button', 'aria-label': `Column ${j} as y`, onclick: () => app.setAxis(1, j) }, 'y'),
  ] : [];
  const ends = meta.ends[j];
  return make('article', { class: 'card', 'aria-label': `Column ${j}` },
    make('header', {}, make('b', {}, `Column ${j}`), ...buttons),
    meter((valueOf(meta, j) ?? 0) / reach),
    make('p', { class: 'figures' }, figures(meta, j)), ...meaning(app, ends),
    make('div', { class: 'poles' }, pole('low end', ends.low, app), pole('high end', ends.high, app)));
}

export function showDimensions(panel, app) {
  const { meta } = app;
  const reach = Math.max(...meta.groups.flatMap((group) => group.values), 0) || 1;
  const list = make('div');
  const lead = make('p', { class: 'lead' }, meta.columnsShown < meta.columns
    ? `${meta.columns} columns; the first ${meta.columnsShown} can be drawn in this page.`
    : `${meta.columns} columns. The bar is the column's value against the largest: its Rayleigh quotient for ${
      meta.generalised ? 'Q v = \u03c1 D v' : 'Q v = \u03c1 v'}, as cafe explain has it.`);
  const add = (from, to) => {
    for (let j = from; j < to; j++) list.append(card(app, j, reach));
  };
  const total = meta.ends.length;
  add(0, Math.min(first, total));
  panel.replaceChildren(lead, list);
  if (total > first) {
    const more = make('button', { type: 'button', onclick: () => { more.remove(); add(first, total); } },
      `Show all ${total}`);
    panel.append(more);
  }
}

// The card of the open node, and the tooltip.
import { make, count, figure } from './bus.js';
import { valueAt } from './data.js';

function facts(pairs) {
  const list = make('dl', { class: 'facts' });
  for (const [term, value] of pairs) list.append(make('dt', {}, term), make('dd', {}, value));
  return list;
}

// One row of a list with a bar behind the name.
export function row(name, value, share, onclick) {
  const fill = make('span', { class: 'fill', 'aria-hidden': 'true' });
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return make('li', {}, make('button', { type: 'button', class: 'row', onclick }, fill,
    make('span', { class: 'name', dir: 'auto' }, name), make('span', { class: 'value' }, value)));
}

// No node is open: where to begin. central: nodes with their centralities, falling
export function showEmptyCard(panel, { central, kind, nameOf, open }) {
  const parts = [make('p', { class: 'lead' }, 'No node is open. Click a point, or find a node by its name.')];
  if (central.length) {
    parts.push(make('h3', {}, `Most central nodes (${kind})`), make('ul', { class: 'rows' },
      ...central.map(([node, value]) => row(nameOf(node), figure(value), value / (central[0][1] || 1),
        () => open(node)))));
  }
  panel.replaceChildren(...parts);
}

function neighbourList(card, neighbours) {
  const most = 12;
  const top = neighbours[0] ? Math.abs(neighbours[0].pull) || 1 : 1;
  const list = make('ul', { class: 'rows' });
  for (const each of neighbours.slice(0, most)) {
    list.append(row(card.nameOf(each.point), figure(each.pull), each.pull / top, () => card.open(each.point)));
  }
  return list;
}

// nearest: [{ point, cosine }]
export function showNearest(panel, nearest, columns, nameOf, open) {
  if (!nearest.length) return;
  panel.append(make('div', { class: 'nearest' }, make('h3', {}, 'Nearest by cosine'), make('ul', { class: 'rows' },
    ...nearest.map(({ point, cosine }) => row(nameOf(point), figure(cosine), cosine, () => open(point)))),
  make('p', { class: 'figures' }, `Of the vectors, over the ${columns} columns of this page.`)));
}

// card: name, pairs, neighbours (null: the page has no links), note, nameOf, open
export function showCard(panel, card) {
  const parts = [make('h2', { dir: 'auto' }, card.name), facts(card.pairs)];
  if (card.neighbours) {
    parts.push(make('h3', {}, `Strongest pulls of ${count(card.neighbours.length)} neighbours`),
      neighbourList(card, card.neighbours));
  }
  parts.push(make('p', { class: 'figures' }, card.note));
  panel.replaceChildren(...parts);
}

// ---- what is said of a point

// Label, community (of the layer in colour, else the coarsest), the value in colour, the place.
export function tipLines(app, point) {
  const { facts, meta } = app;
  const [kind, number] = app.colour.split('-');
  const communities = facts.communitiesOf(point);
  const layer = kind === 'community' ? communities.length - 1 - Number(number) : 0;
  const [x, y] = app.axes.map((axis) => figure(valueAt(axis, point)));
  return [...(facts.label ? [`label: ${facts.labelOf(point) || 'none'}`] : []),
    ...(communities.length ? [`community: ${communities[layer][1]}`] : []),
    ...(kind === 'centrality' && facts.rank ? [`${meta.centrality}: ${figure(facts.centralityOf(point))}`] : []),
    ...(kind === 'table' && facts.columns[number] ? [`${meta.table[number]}: ${facts.columns[number].words[facts.columns[number].of[point]] || 'none'}`] : []),
    ...(app.layout === 'map' ? [] : [`columns ${app.axisNumbers.join(', ')}: ${x}, ${y}`])];
}

// The lines of its card.
export async function factsOf(app, point, neighbours) {
  const { meta, facts } = app;
  await facts.load();
  const [x, y] = app.axes.map((axis) => figure(valueAt(axis, point)));
  return [['Number', count(app.node[point])], [app.layout === 'map' ? 'Map' : 'Position', `${x}, ${y}`],
    ...facts.communitiesOf(point).map(([title, name, size]) => [title, `${name} (${count(size)} nodes)`]),
    ...(facts.label ? [['Label', facts.labelOf(point) || 'none']] : []),
    ...(facts.rank ? [[`Centrality (${meta.centrality})`, figure(facts.centralityOf(point))]] : []),
    ...facts.columns.map(({ name, of, words }) => [name, words[of[point]] || 'none']),
    ...(neighbours ? [['Neighbours', count(neighbours.length)]] : [])];
}

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

const ways = ['', '\u2192 ', '\u2190 ', '\u2194 ']; // to a neighbour, from it, both

// Neighbours by their pull, or by the weight of the link where the page has no pulls.
function neighbourList(card) {
  const most = 12;
  const valueOf = ({ pull, weight }) => pull ?? weight;
  const top = card.neighbours[0] ? Math.abs(valueOf(card.neighbours[0])) || 1 : 1;
  const title = card.neighbours[0]?.pull === undefined ? 'Heaviest edges of' : 'Strongest pulls of';
  return [make('h3', {}, `${title} ${count(card.neighbours.length)} neighbours`),
    make('ul', { class: 'rows' }, ...card.neighbours.slice(0, most).map((each) => row(`${ways[each.way ?? 0]}${card.nameOf(each.point)}`,
      figure(valueOf(each)), valueOf(each) / top, () => card.open(each.point))))];
}

function nearestList(card) {
  const rows = (card.nearest ?? []).map(({ point, cosine, digits }) => row(card.nameOf(point), cosine.toFixed(digits),
    cosine, () => card.open(point)));
  return make('div', { class: 'nearest' }, make('h3', {}, 'Nearest by cosine'), make('ul', { class: 'rows' }, ...rows),
    make('p', { class: 'figures' }, card.nearestNote));
}

// card: name, reason (a sentence, or ''), pairs, neighbours (null: the page has no links), note, nearest (null: the page has none), nearestNote,
// nameOf, open
export function showCard(panel, card) {
  panel.replaceChildren(make('h2', { dir: 'auto' }, card.name),
    ...(card.reason ? [make('p', { class: 'reason', dir: 'auto' }, card.reason)] : []), facts(card.pairs),
    ...(card.neighbours ? neighbourList(card) : []), make('p', { class: 'figures' }, card.note), nearestList(card));
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
    ...(app.before?.known ? [`before: ${app.before.name(app.before.of[point])}`] : []),
    ...(app.onMap ? [] : [`columns ${app.axisNumbers.join(', ')}: ${x}, ${y}`])];
}

// The lines of its card.
export async function factsOf(app, point, neighbours) {
  const { meta, facts } = app;
  await facts.load();
  const [x, y] = app.axes.map((axis) => figure(valueAt(axis, point)));
  return [['Number', count(app.node[point])], [app.onMap ? 'Map' : 'Position', `${x}, ${y}`],
    ...facts.communitiesOf(point).map(([title, name, size, about]) => [title,
      `${name} (${count(size)} nodes${about ? `; ${about}` : ''})`]),
    ...(app.before?.known ? [['Community before', app.before.name(app.before.of[point])]] : []),
    ...(facts.label ? [['Label', facts.labelOf(point) || 'none']] : []),
    ...(facts.rank ? [[`Centrality (${meta.centrality})`, figure(facts.centralityOf(point))]] : []),
    ...facts.columns.map(({ name, of, words }) => [name, words[of[point]] || 'none']),
    ...(neighbours ? [['Neighbours', count(neighbours.length)]] : [])];
}

// What differs from the run before: how much, from where to where, and which nodes.
import { row } from './card.js';
import { count, make } from './bus.js';

const mostFlows = 30;
const mostNodes = 200;

function select(app, text, holds, what) {
  return make('p', {}, make('button', { type: 'button', onclick: () => app.select(holds, what) }, text));
}

async function nodesThatChanged(app, nameOf) {
  const { before, facts } = app;
  const leading = await facts.leading(app.n);
  const nodes = leading.filter((i) => before.changed[i] === 1);
  if (!nodes.length) return [];
  return [make('h3', {}, nodes.length > mostNodes ? `The ${mostNodes} most central of these nodes` : 'These nodes, the most central first'),
    make('ul', { class: 'rows' }, ...nodes.slice(0, mostNodes).map((i) => row(app.nameOf(i),
      `${before.name(before.of[i])} \u2192 ${nameOf(before.layer.of[i])}`, 0, () => app.openNode(app.node[i]))))];
}

function flowRows(app, nameOf) {
  const { before } = app;
  const flows = before.flows();
  if (!flows.length) return [];
  return [make('h3', {}, flows.length > mostFlows ? `The ${mostFlows} largest of ${count(flows.length)} moves, from before to this run` : 'From where before to where in this run'),
    make('ul', { class: 'rows' }, ...flows.slice(0, mostFlows).map(([from, to, nodes]) => {
      const what = `${before.name(from)} \u2192 ${nameOf(to)}`;
      return row(what, `${count(nodes)} node${nodes === 1 ? '' : 's'}`, nodes / flows[0][2],
        () => app.select((i) => before.of[i] === from && before.layer.of[i] === to, what));
    }))];
}

export async function showChanges(panel, app) {
  const { before, facts } = app;
  const parts = [make('p', { class: 'lead', dir: 'auto' }, `Beside this run: ${before.title}. Both have one view and one selection.`)];
  if (before.axes) parts.push(make('p', {}, 'Its map is turned onto this one; the axes of a map have no meaning.'));
  if (before.known) {
    const [changed, fresh] = [before.count(1), before.count(2)];
    const all = app.n - fresh;
    const nameOf = (k) => facts.communityName(app.meta.layers.length - 1, k);
    const communities = before.now.length - 1;
    const lost = before.now.slice(1).filter((k) => k < 0).length;
    parts.push(make('p', { id: 'changed' }, `${count(changed)} of ${count(all)} nodes (${(100 * changed / (all || 1)).toPrecision(3)} %) changed community${
      fresh ? `; ${count(fresh)} were in none before` : ''}. Adjusted Rand index ${before.adjustedRand().toFixed(3)}.`),
    make('p', {}, `${count(communities)} communities before, ${count(before.layer.communities)} in this run${
      lost ? `; ${count(lost)} of those before ${lost === 1 ? 'has' : 'have'} no counterpart` : ''}. Counterparts share most nodes, one to one.`));
    if (changed) parts.push(select(app, `Select the ${count(changed)} that changed`, (i) => before.changed[i] === 1, 'changed community'));
    parts.push(...flowRows(app, nameOf), ...await nodesThatChanged(app, nameOf));
  }
  panel.replaceChildren(...parts);
}

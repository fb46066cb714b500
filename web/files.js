// The files of a run: the graph, and what lies beside it.
import { make } from './bus.js';
import { roleOf, safeName } from './job.js';

const roles = { graph: 'graph', labels: 'labels of the nodes', table: 'table of the nodes', nodes: 'list of all nodes',
  names: 'names of the nodes' };
const headBytes = 4096; // that decide what a file is for

function sizeText(bytes) {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${(bytes / 1000 ** power).toFixed(power > 0 && bytes < 100 * 1000 ** power ? 1 : 0)} ${units[power]}`;
}

export class Files {
  // changed(true): the graph is another one, or is read in another way. `broken`: the graph could not be read
  constructor(list, changed) {
    this.list = list;
    this.changed = changed;
    this.clear();
  }

  clear() {
    this.of = {};
    this.broken = false;
  }

  // Takes blobs with names; the graph is the one whose name says it, else the largest. Returns whether the graph changed.
  async add(blobs) {
    const sorted = [...blobs].sort((a, b) => b.size - a.size);
    const heads = await Promise.all(sorted.map((blob) => blob.slice(0, headBytes).text()));
    const marked = sorted.findIndex((blob) => roleOf(blob.name, '', true) === 'graph');
    const first = marked >= 0 ? marked : this.of.graph && !this.broken ? -1 : 0;
    if (first >= 0) this.clear();
    if (first >= 0) this.put('graph', sorted[first]);
    const names = `${this.of.graph.name}.names.txt`; // as the tool writes them beside some formats
    sorted.forEach((blob, i) => {
      if (i !== first) this.put(blob.role ?? (blob.name === names ? 'names' : roleOf(blob.name, heads[i], true)), blob);
    });
    this.show();
    return first >= 0 || sorted.some(({ name }) => name === names);
  }

  put(role, blob) {
    const taken = Object.entries(this.of).filter(([other]) => other !== role).map(([, { name }]) => name);
    this.of[role] = { name: safeName(blob.name, taken), blob };
  }

  move(from, to) {
    const { of } = this;
    [of[from], of[to]] = [of[to], of[from]];
    if (!of[from] || to === 'graph') delete of[from];
    this.tell(from, to);
  }

  remove(role) {
    delete this.of[role];
    this.tell(role);
  }

  tell(...touched) {
    this.show();
    this.changed(['graph', 'nodes', 'names'].some((role) => touched.includes(role)));
  }

  // { name: blob }
  blobs() {
    return Object.fromEntries(Object.values(this.of).map(({ name, blob }) => [name, blob]));
  }

  show() {
    this.list.replaceChildren(...Object.keys(roles).filter((role) => this.of[role]).map((role) => this.row(role)));
  }

  row(role) {
    const { name, blob } = this.of[role];
    const parts = [make('span', { class: 'name', title: name }, name), make('span', { class: 'size' }, sizeText(blob.size))];
    if (role === 'graph') return make('li', {}, ...parts, make('span', { class: 'size' }, roles.graph));
    const select = make('select', { 'aria-label': `What ${name} is` },
      ...Object.keys(roles).map((key) => make('option', { value: key }, roles[key])));
    select.value = role;
    select.addEventListener('change', () => this.move(role, select.value));
    return make('li', {}, ...parts, select,
      make('button', { type: 'button', 'aria-label': `Remove ${name}`, onclick: () => this.remove(role) }, '\u00d7'));
  }
}

// Another run of the same nodes, to be shown beside this one: its communities or its layout, and what changed.
import { largestKinds, mixedKinds } from './colours.js';
import { readColumn } from './data.js';

// null: the page has no other run.
export async function readBefore(store, meta, tree) {
  if (!meta.before) return null;
  const axes = store.has('before-y') ? await Promise.all(['before-x', 'before-y'].map((name) => readColumn(store, name))) : null;
  const of = store.has('before') ? await store.numbers('before') : null;
  const names = store.has('before-names') ? await store.texts('before-names') : null;
  return new Before(meta.before, axes, of, names, tree?.[0] ?? null);
}

const pairsOf = (count) => count * (count - 1) / 2;

class Before {
  // of[i]: the community of point i and 1, 0 for none; layer: the communities of this run, the coarsest
  constructor(title, axes, of, names, layer) {
    Object.assign(this, { title, axes, of, names, layer });
    if (this.known) this.match();
  }

  get known() { return this.of !== null && this.layer !== null; }

  name(k) { return k === 0 ? 'in none' : this.names?.[k - 1] ?? String(k - 1); }

  // Each community of the other run is that of this one which shares most nodes with it, one to one: the largest
  // overlaps first. What is in another one has changed.
  match() {
    const { of, layer } = this;
    const size = layer.communities;
    this.size = of.reduce((most, k) => Math.max(most, k), 0) + 1;
    const overlap = new Map();
    for (let i = 0; i < of.length; i++) {
      const key = of[i] * size + layer.of[i];
      overlap.set(key, (overlap.get(key) ?? 0) + 1);
    }
    this.overlaps = [...overlap].map(([key, nodes]) => [Math.floor(key / size), key % size, nodes])
      .sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
    this.now = new Int32Array(this.size).fill(-1);
    const taken = new Set();
    for (const [k, now] of this.overlaps) {
      if (k === 0 || this.now[k] >= 0 || taken.has(now)) continue;
      this.now[k] = now;
      taken.add(now);
    }
    this.changed = Uint8Array.from(of, (k, i) => (k === 0 ? 2 : Number(this.now[k] !== layer.of[i])));
  }

  // [from, to, nodes] of those that changed, the most first
  flows() { return this.overlaps.filter(([k, now]) => k > 0 && this.now[k] !== now); }

  count(state) { return this.changed.reduce((sum, c) => sum + (c === state ? 1 : 0), 0); }

  // 1: the same communities; 0: as alike as by chance. Over the nodes that were in one before.
  adjustedRand() {
    const [rows, columns] = [new Map(), new Map()];
    let [together, nodes] = [0, 0];
    for (const [k, now, count] of this.overlaps) {
      if (k === 0) continue;
      nodes += count;
      together += pairsOf(count);
      rows.set(k, (rows.get(k) ?? 0) + count);
      columns.set(now, (columns.get(now) ?? 0) + count);
    }
    const sum = (map) => [...map.values()].reduce((total, count) => total + pairsOf(count), 0);
    const [a, b, all] = [sum(rows), sum(columns), pairsOf(nodes)];
    const chance = all > 0 ? a * b / all : 0;
    const best = (a + b) / 2;
    return best === chance ? 1 : (together - chance) / (best - chance);
  }

  // Colours of the points in the other run: a community has that of its counterpart; the others have colours that
  // this run does not use. colours: those of this run's communities, which get the entries and indices.
  colour(colours, dark) {
    const { counts, order } = largestKinds(this.of, this.size);
    const slot = new Uint8Array(this.size);
    const lone = order.filter((k) => k > 0 && this.now[k] < 0);
    for (let k = 1; k < this.size; k++) if (this.now[k] >= 0) slot[k] = colours.slot[this.now[k]];
    const entries = mixedKinds(colours.slot, lone, slot, dark).map(([k, mark]) => ({ name: `before: ${this.name(k)}`, about: () => '',
      count: counts[k], mark, holds: (i) => this.of[i] === k }));
    return { ...colours, entries: [...colours.entries, ...entries], before: Uint8Array.from(this.of, (k) => slot[k]) };
  }
}

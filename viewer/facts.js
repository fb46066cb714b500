// What is known of a point, in words: one name for each thing, wherever the page shows it.
import { readTree } from './layers.js';
import { centralityAt } from './colours.js';
import { readLinks } from './links.js';
import { reasonOf } from './about.js';

export class Facts {
  constructor(meta, store) {
    this.meta = meta;
    this.store = store;
    this.columns = []; // of the table: { name, of, words, numbers }
  }

  layers() {
    this.layersRead ??= this.readLayers();
    return this.layersRead;
  }

  async readLayers() {
    if (this.store.has('community-names')) this.given = await this.store.texts('community-names');
    this.tree = await readTree(this);
    return this.tree;
  }

  links() {
    this.linksRead ??= this.store.has('link-ends') ? readLinks(this.store, this.meta) : Promise.resolve(null);
    return this.linksRead;
  }

  // Everything but the links and the columns.
  load() {
    this.loaded ??= this.read();
    return this.loaded;
  }

  async read() {
    const { store, meta } = this;
    await this.layers();
    if (store.has('label')) this.label = await store.numbers('label');
    if (store.has('centrality')) this.rank = await store.numbers('centrality');
    if (store.has('degree')) this.degrees = await store.numbers('degree');
    this.about = await Promise.all(meta.layers.map((_, l) => (store.has(`about-${l}`) ? store.texts(`about-${l}`) : [])));
    for (let j = 0; j < meta.table.length; j++) {
      const words = ['', ...await store.texts(`words-${j}`)];
      const numbers = words.map((w) => (w.trim() === '' ? NaN : Number(w)));
      const numeric = words.length > 1 && numbers.slice(1).every((x) => !Number.isNaN(x));
      this.columns.push({ name: meta.table[j], of: await store.numbers(`table-${j}`), words, numbers: numeric ? numbers : null });
    }
  }

  // ---- communities: the coarsest have their number, as in the files of cafe cluster, finer ones also their layer's
  // before it, which count from the finest, 1; where one was given, its communities have the names that the user gave them

  layerNumber(l) { return this.meta.layersFound - this.meta.layers.length + l + 1; }

  layerTitle(l) { return this.meta.layersFound === 1 ? 'Community' : `Community, layer ${this.layerNumber(l)}`; }

  communityName(l, k) {
    if (this.given && l === 0) return this.given[k] ?? 'in none';
    return l === this.meta.layers.length - 1 ? String(k) : `${this.layerNumber(l)}.${k}`;
  }

  communityAbout(l, k) { return this.about?.[l]?.[k] ?? ''; }

  // Why a point is in its community of the coarsest layer; '' where edges or communities are not in the page.
  async reason(name, i) {
    const links = await this.links();
    const l = (this.tree?.length ?? 0) - 1;
    return links && l >= 0 ? reasonOf(name, links, i, this.tree[0], (k) => this.communityName(l, k)) : '';
  }

  // [[title, name, size, what it is about]], the coarsest first
  communitiesOf(i) {
    return (this.tree ?? []).map((layer, d) => {
      const l = this.tree.length - 1 - d;
      const k = layer.of[i];
      return [this.layerTitle(l), this.communityName(l, k), layer.counts[k], this.communityAbout(l, k)];
    });
  }

  // ---- the rest

  labelOf(i) {
    return this.label && this.label[i] ? this.meta.classes[this.label[i] - 1] : '';
  }

  centralityOf(i) { return centralityAt(this.rank, this.store.info('centrality'), i); }

  get hasDegrees() { return this.store.has('degree') || this.store.has('link-ends'); }

  // At most so many points, the most central first; without centralities those of most links.
  async leading(most) {
    const key = this.store.has('centrality') ? await this.store.numbers('centrality') : await this.loadDegrees();
    if (!key) return Array.from({ length: Math.min(this.meta.nodes, most) }, (_, i) => i);
    const often = new Map();
    for (let i = 0; i < key.length; i++) often.set(key[i], (often.get(key[i]) ?? 0) + 1);
    let [least, seen] = [0, 0];
    for (const [k, times] of [...often].sort((a, b) => b[0] - a[0])) {
      least = k;
      if ((seen += times) >= most) break;
    }
    const list = [];
    for (let i = 0; i < key.length; i++) if (key[i] >= least) list.push(i);
    return list.sort((a, b) => key[b] - key[a] || a - b).slice(0, most);
  }

  async loadDegrees() {
    const links = this.degrees ? null : await this.links();
    if (links) {
      this.degrees = new Uint32Array(links.start.length - 1);
      for (let i = 0; i < this.degrees.length; i++) this.degrees[i] = links.start[i + 1] - links.start[i];
    }
    return this.degrees ?? null;
  }
}

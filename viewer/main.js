// The page: its state, and what happens when a part of it changes.
import { Names, Store, readColumn, readMeta, readPair, valueAt } from './data.js';
import { Bus, count, figure, make } from './bus.js';
import { Camera, findRoom } from './camera.js';
import { Grid } from './grid.js';
import { Points, weightsOf } from './points.js';
import { Density, dense } from './density.js';
import { Overlay } from './overlay.js';
import { strip } from './axes.js';
import { byCentrality, byColumn, byKind, byNumber } from './colours.js';
import { heaviest, pulls } from './links.js';
import { shorten } from './naming.js';
import { Facts } from './facts.js';
import { readBefore } from './before.js';
import { nearestNote, nearestOf } from './nearest.js';
import { factsOf, showCard, showEmptyCard, tipLines } from './card.js';
import { showDimensions } from './dimensions.js';
import { Tree } from './tree.js';
import { showChanges } from './changes.js';
import { showRun } from './charts.js';
import { showSummary } from './summary.js';
import { Search } from './search.js';
import { saveShapes, savePicture, saveTable } from './exporter.js';
import { NodeTable, columnsOf } from './table.js';
import { isDark, readStyle, watchTheme } from './theme.js';
import { Scatter } from './scatter.js';
import { fillChoices, say, showChoices, showLeftOut, showLegend, showSelection, showTab, wireButtons } from './controls.js';

const id = (name) => document.getElementById(name);

const small = 8000; // links up to which they and the names are shown at first sight; points of an SVG
const drawn = 50000; // links up to which they can be shown at all
const candidates = 4000; // nodes that may get a name
const narrow = window.matchMedia('(max-width: 860px)');

class App {
  constructor(meta) {
    this.meta = meta;
    this.n = meta.nodes;
    this.store = new Store(meta);
    this.names = new Names(meta, this.store);
    this.bus = new Bus();
    this.camera = new Camera();
    this.points = new Points(id('points'));
    this.overlay = new Overlay(id('plot'), id('under'));
    this.facts = new Facts(meta, this.store);
    this.scatter = new Scatter(this);
    this.dark = isDark();
    this.style = readStyle();
    this.layout = meta.before ? 'both' : meta.pair === 'map' ? 'map' : 'columns';
    this.before = null; // another run; not there yet
    this.panes = [{ dx: 0, dy: 0 }]; // where this run is drawn: the last; before it the run before
    this.pane = 0; // the one with the pointer
    this.axisNumbers = [0, Math.min(1, meta.columnsShown - 1)];
    this.columns = new Map();
    this.opened = -1; // the open point
    this.over = -1;
    this.selection = null; // a flag per point; null: nothing is selected
    this.selectedCount = 0;
    this.lasso = null;
    this.cross = false;
    this.openLinks = [];
    this.named = [];
    this.drawable = this.store.has('link-ends') && meta.edges <= drawn;
    this.shows = { links: this.drawable && meta.edges <= small, names: meta.edges <= small && this.n <= small };
    this.all = null; // links to be drawn: pairs of points
    this.ranked = []; // points that may get a name, the most central first
    this.wanted = false; // a frame is on its way
  }

  // ---- beginning

  async start() {
    document.title = this.meta.title;
    id('title').textContent = this.meta.title;
    id('summary').textContent = `${count(this.n)} nodes, ${count(this.meta.edges)} edges, ${count(this.meta.columns)} columns`;
    this.watchContext();
    fillChoices(this);
    this.colour = id('colour').value;
    wireButtons(this);
    if (this.meta.summary) {
      id('tab-summary').hidden = false;
      showSummary(id('panel-summary'), this);
      showTab('summary');
    }
    watchTheme(() => this.themeChanged());
    new ResizeObserver(() => this.resize()).observe(id('frame'));
    this.pair = await readPair(this.store);
    if (this.meta.before) {
      this.before = await readBefore(this.store, this.meta, await this.facts.layers());
      id('tab-changes').hidden = false;
      if (!this.meta.summary) showTab('changes');
    }
    const place = await this.store.numbers('order');
    this.node = place; // of each point
    this.resize();
    await this.setLayout(this.layout);
    await this.setColour(this.colour);
    if (this.n <= small && this.facts.hasDegrees) await this.setSize('degree');
    if (this.shows.names) await this.names.load();
    await this.setShown('links', this.shows.links);
    await this.setShown('names', this.shows.names);
    if (this.points.gl) say('');
    else say('This browser has no WebGL2, which the points need. Names, links, cards and charts work.', true);
    this.drawNow();
    document.documentElement.dataset.ready = 'yes';
    performance.mark('first-frame');
  }

  // What can wait until something is seen.
  async finish() {
    this.pointOf = new Uint32Array(this.n);
    for (let i = 0; i < this.n; i++) this.pointOf[this.node[i]] = i;
    await this.names.load();
    await this.facts.load();
    showLegend(this, this.coloursShown);
    new Search(this);
    this.table = new NodeTable(this);
    id('export-svg').hidden = this.n > small;
    this.showNoNode();
    showDimensions(id('panel-dimensions'), this);
    showRun(id('panel-run'), this.meta);
    showLeftOut(this);
    if (this.before) await showChanges(id('panel-changes'), this);
    const layers = await this.facts.layers();
    if (layers) this.tree = new Tree(id('panel-communities'), this, layers);
    else id('panel-communities').textContent = 'This page has no communities.';
    document.documentElement.dataset.complete = 'yes';
  }

  watchContext() {
    const { canvas } = this.points;
    canvas.addEventListener('webglcontextlost', (e) => {
      e.preventDefault();
      say('The graphics were taken away; waiting for them to come back.', true);
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.points.prepare();
      say('');
      this.redraw();
    });
  }

  // ---- drawing

  resize() {
    const { clientWidth: width, clientHeight: height } = id('frame');
    if (!width || !height) return;
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.size = { width, height };
    this.split();
    if (!this.axes) return;
    this.camera.room = this.room(true);
    this.stretch();
    this.drawNow();
  }

  get onMap() { return this.layout === 'map' || (this.layout === 'both' && this.meta.pair === 'map'); }

  // One pane or two, beside or above each other: whatever leaves the points more room.
  split() {
    const { width, height } = this.size;
    const fits = (w, h) => (this.axes && this.shape() ? Math.min(w / this.shape(), h) : Math.min(w, h));
    const two = this.layout === 'both';
    const beside = fits(width / 2, height) >= fits(width, height / 2);
    const dx = two && beside ? Math.round(width / 2) : 0;
    const dy = two && !beside ? Math.round(height / 2) : 0;
    this.panes = two ? [{ dx: 0, dy: 0, before: true }, { dx, dy }] : [{ dx: 0, dy: 0 }];
    this.pane = this.panes.length - 1;
    Object.assign(this.camera, { width: width - dx, height: height - dy });
  }

  // The pane at a pixel of the plot has the pointer.
  enter(x, y) { this.pane = this.panes.findLastIndex((pane) => x >= pane.dx && y >= pane.dy); }

  // The boxes that lie over the plot: [left, top, right, bottom] in pixels of a pane.
  covered() {
    if (this.saving) return [];
    const { dx, dy } = this.panes.at(-1);
    return [id('legend'), document.querySelector('.pad')].filter((e) => e.offsetWidth).map((e) => {
      const left = e.offsetLeft - (e.offsetLeft + e.offsetWidth > dx ? dx : 0);
      const top = e.offsetTop - (e.offsetTop + e.offsetHeight > dy ? dy : 0);
      return [left - 10, top - 10, left + e.offsetWidth + 10, top + e.offsetHeight + 10];
    });
  }

  // What the points leave free at each side: for axes, and for what lies over the plot.
  room(covered) {
    const { width, height } = this.camera;
    const axes = !this.onMap;
    const margin = { left: axes ? strip.left + 14 : 20, right: 20, top: 20, bottom: axes ? strip.bottom + 14 : 20 };
    const shape = this.shape();
    return findRoom(width, height, margin, covered ? this.covered() : [], (w, h) => (shape ? Math.min(w / shape, h) : w * h));
  }

  roomChanged() {
    if (!this.axes || id('frame').hidden) return;
    this.camera.room = this.room(true);
    this.stretch();
    this.redraw();
  }

  // Width over height of a map; 0: two columns, which fill whatever there is.
  shape() {
    const [x, y] = this.plane();
    return this.onMap ? (x.high - x.low || 1) / (y.high - y.low || 1) : 0;
  }

  // The axes of a pane's points.
  axesOf(pane) { return (pane.before && this.before?.axes) || this.axes; }

  // From where to where the points of all panes reach.
  plane() {
    const all = this.panes.map((pane) => this.axesOf(pane));
    return [0, 1].map((k) => ({ low: Math.min(...all.map((axes) => axes[k].low)), high: Math.max(...all.map((axes) => axes[k].high)) }));
  }

  // The plane of a map keeps its shape; two columns have scales of their own and fill the view.
  stretch() {
    const [width, height] = this.camera.free;
    const shape = this.shape() || width / height;
    const spans = shape > 1 ? [1, 1 / shape] : [shape, 1];
    this.camera.reshape(...spans);
    const plane = this.plane();
    for (const pane of this.panes) {
      const axes = this.axesOf(pane);
      const part = (k, value) => (plane[k].high > plane[k].low ? spans[k] * value / (plane[k].high - plane[k].low) : spans[k]);
      pane.unit = axes.map(({ low, high, steps }, k) => part(k, high - low) / steps);
      pane.from = axes.map(({ low }, k) => (plane[k].high > plane[k].low ? part(k, low - plane[k].low) : 0));
    }
  }

  fit() {
    this.camera.moved = false;
    this.roomChanged();
  }

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => { this.wanted = false; this.drawNow(); });
  }

  // What is drawn beside the points.
  scene(pane) {
    const { size } = this.points.look(this.camera, 1);
    const two = this.panes.length > 1;
    const mine = pane === this.panes[this.pane];
    return { app: this, pane, title: two ? (pane.before ? `Before: ${this.before.title}` : 'This run') : '',
      changed: two && this.before.known ? this.changedPoints() : [], place: (i) => this.placeOf(i, pane), nameOf: (i) => this.nameOf(i), style: this.style,
      radius: (i) => size * this.points.factor(i) / 2,
      all: this.all, dim: this.opened >= 0 || this.selection !== null, open: this.opened, links: this.openLinks,
      named: this.named, leading: this.selection ? this.ranked.filter((i) => this.selection[i]) : this.ranked,
      covered: this.covered(), over: this.over, lasso: mine ? this.lasso : null, cross: mine && this.cross, axes: !this.onMap };
  }

  // The pane as a picture of densities; null: its points are drawn one by one.
  densityOf(pane) {
    if (this.n <= dense) return null;
    const [x, y] = this.axesOf(pane).map(({ q }, k) => ({ q, unit: pane.unit[k], from: pane.from[k] }));
    const [, colours, , , , before] = this.points.arrays;
    pane.density ??= new Density();
    if (!colours || !pane.density.place(this.camera, x, y, this.selection)) return null;
    return pane.density.draw(pane.before ? before : colours, this.points.palette, this.selection);
  }

  drawAt(ratio) {
    const { camera } = this;
    const [width, height] = [Math.round(this.size.width * ratio), Math.round(this.size.height * ratio)];
    for (const canvas of [this.points.canvas, this.overlay.canvas, this.overlay.under]) {
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
    }
    const scenes = this.panes.map((pane) => ({ ...this.scene(pane), density: this.densityOf(pane) }));
    this.points.draw(camera, scenes.filter((scene) => !scene.density).map((scene) => scene.pane), ratio);
    this.overlay.canvas.dataset.dense = scenes.filter((scene) => scene.density).length;
    return this.overlay.draw(scenes, ratio);
  }

  drawNow() {
    if (!this.axes) return;
    const { names, ticks } = this.drawAt(this.ratio);
    // what is where, in pixels of the plot: for scripts that drive the page
    const told = this.overlay.canvas.dataset;
    const at = ({ dx, dy }, [x, y]) => [x + dx, y + dy].map(Math.round).join();
    const [first, last] = [this.panes[0], this.panes.at(-1)];
    told.open = this.opened < 0 ? '' : at(last, this.placeOf(this.opened));
    told.before = this.opened < 0 || first === last ? '' : at(first, this.placeOf(this.opened, first));
    told.names = names.length;
    told.links = this.all?.length ?? 0;
    told.ticks = ticks ? JSON.stringify(ticks) : '';
  }

  // The pixel of a point in a pane.
  placeOf(i, pane = this.panes.at(-1)) { return this.camera.toScreen(...this.inPlane(i, pane)); }

  inPlane(i, pane = this.panes.at(-1)) {
    return this.axesOf(pane).map(({ q }, k) => q[i] * pane.unit[k] + pane.from[k]);
  }

  // Those that changed community, while they are few enough to be marked one by one.
  changedPoints() {
    this.changedList ??= this.before.count(1) > 2000 ? [] : Array.from({ length: this.n }, (_, i) => i).filter((i) => this.before.changed[i] === 1);
    return this.changedList;
  }

  nameOf(i) { return this.names.of(this.node[i]); }

  themeChanged() {
    this.dark = isDark();
    this.style = readStyle();
    this.setColour(this.colour, this.colourWithin);
    this.tree?.show();
    this.redraw();
  }

  // ---- what is shown

  async column(j) {
    if (this.meta.pair === 'columns' && j < 2) return this.pair[j];
    if (!this.columns.has(j)) this.columns.set(j, await readColumn(this.store, `column-${j}`));
    return this.columns.get(j);
  }

  async setLayout(layout, numbers = this.axisNumbers) {
    const wanted = { layout, numbers };
    this.wantedLayout = wanted;
    const axes = layout === 'map' || layout === 'both' ? this.pair : await Promise.all(numbers.map((j) => this.column(j)));
    if (wanted !== this.wantedLayout) return; // chosen otherwise meanwhile
    this.layout = layout;
    this.axisNumbers = numbers;
    this.axes = axes;
    this.points.setPositions(axes[0].q, axes[1].q);
    if (layout === 'both' && this.before.axes) this.points.setPositions(...this.before.axes.map(({ q }) => q), true);
    if (layout === 'both' && this.meta.pair !== 'map') this.axisNumbers = [0, Math.min(1, this.meta.columnsShown - 1)];
    if (this.size) this.split();
    showChoices(this); // the legend stands elsewhere where there are axes
    this.camera.moved = false;
    this.camera.room = this.room(true);
    this.stretch();
    this.redraw();
  }

  // The plot in a layout, or the table.
  async show(what) {
    const table = what === 'table';
    if (table && !this.table) return showChoices(this); // not there yet
    id('table').hidden = !table;
    id('frame').hidden = table;
    if (this.table) this.table.shown = table;
    if (table) {
      showChoices(this);
      await this.table.show();
    } else {
      await this.setLayout(what);
      this.resize();
    }
  }

  async setAxis(which, j) {
    const { numbers } = this.wantedLayout;
    if (this.table?.shown) await this.show('columns');
    await this.setLayout('columns', which === 0 ? [j, numbers[1]] : [numbers[0], j]);
  }

  // within: points among which the largest kinds are sought; null: all
  async setColour(colour, within = null) {
    this.colour = colour;
    this.colourWithin = within;
    const colours = await this.colours(colour, within);
    if (colour !== this.colour || within !== this.colourWithin) return;
    this.points.setColours(colours.index, colours.before);
    this.points.setPalette(colours.palette);
    id('colour').value = colour;
    this.coloursShown = colours;
    showLegend(this, colours);
    this.roomChanged();
    this.redraw();
  }

  // Areas in proportion to the values.
  async setSize(size) {
    const { facts } = this;
    this.sized = size;
    id('size').value = size;
    const degrees = size === 'degree' ? await facts.loadDegrees() : null;
    await facts.load();
    if (this.sized !== size) return;
    const column = size.startsWith('table-') ? facts.columns[Number(size.slice(6))] : null;
    const of = column ? (i) => Math.max(column.numbers[column.of[i]], 0) || 0 // none, and below 0: the least
      : size === 'degree' ? (i) => degrees[i] : (i) => facts.centralityOf(i);
    this.points.setWeights(size === 'same' ? null : weightsOf(this.n, of));
    this.redraw();
  }

  // what: 'links' or 'names'
  async setShown(what, shown) {
    this.shows[what] = shown;
    if (what === 'links') this.all = shown ? (await this.facts.links()).pairs() : null;
    else this.ranked = shown ? await this.facts.leading(candidates) : [];
    if (what === 'names' && shown) await this.names.load();
    this.redraw();
  }

  async colours(colour, within) {
    const { meta, store, dark } = this;
    if (colour === 'label') {
      const title = `Label (${meta.classes.length})`;
      return byKind(title, await store.numbers('label'), meta.classes.length + 1,
        (k) => (k ? meta.classes[k - 1] : 'no label'), 0, dark);
    }
    if (colour === 'centrality') {
      return byCentrality(`Centrality (${meta.centrality})`, await store.numbers('centrality'), store.info('centrality'), dark);
    }
    const [kind, number] = colour.split('-');
    if (kind === 'column') return byColumn(`Column ${number}`, await this.column(Number(number)), dark);
    if (kind === 'community') {
      const layers = await this.facts.layers();
      const layer = layers[layers.length - 1 - Number(number)];
      const found = byKind(this.facts.layerTitle(Number(number)), layer.of, layer.communities,
        (k) => this.facts.communityName(Number(number), k), -1, dark,
        { within, alone: true, aboutOf: (k) => this.facts.communityAbout(Number(number), k) });
      return this.before?.known && layer === layers[0] ? this.before.colour(found, dark) : found;
    }
    if (kind === 'change') {
      return byKind('What changed', this.before.changed, 3, (k) => ['the same community', 'another community', 'in none before'][k], 0, dark);
    }
    if (kind === 'table') {
      await this.facts.load();
      const { name, of, words, numbers } = this.facts.columns[Number(number)];
      return numbers ? byNumber(name, (i) => numbers[of[i]], this.n, dark)
        : byKind(name, of, words.length, (k) => (k ? words[k] : 'none'), 0, dark);
    }
    return byKind('Nodes', new Uint8Array(this.n), 1, () => 'all', -1, dark);
  }

  // ---- selection

  // holds: which points; null: none
  select(holds, what = '') {
    let selected = 0;
    const flags = holds ? new Uint8Array(this.n) : null;
    for (let i = 0; holds && i < this.n; i++) if (holds(i)) { flags[i] = 1; selected++; }
    this.selection = flags;
    this.selectedCount = selected;
    this.selectedWhat = what;
    this.points.setFlags(flags);
    showSelection(this);
    this.bus.emit('select');
    this.redraw();
  }

  selectInside(lasso) {
    const [left, top, right, bottom] = lasso.box();
    const inside = new Uint8Array(this.n);
    this.eachNear(left, top, right, bottom, (i) => { if (lasso.holds(...this.placeOf(i, this.panes[this.pane]))) inside[i] = 1; });
    this.select((i) => inside[i], 'lasso');
  }

  // ---- one point

  eachNear(left, top, right, bottom, visit) {
    const pane = this.panes[this.pane];
    const [x, y] = this.axesOf(pane);
    pane.grid ??= new Grid(x.q, y.q, x.steps, y.steps);
    const step = (place) => place.map((v, k) => (v - pane.from[k]) / pane.unit[k]);
    pane.grid.within(...step(this.camera.toPlane(left, bottom)), ...step(this.camera.toPlane(right, top)), visit);
  }

  // The point nearest to a pixel, within so many pixels; selected ones alone while there are any.
  nearest(px, py, reach) {
    let best = -1;
    let least = reach * reach;
    if (!this.axes) return best;
    this.eachNear(px - reach, py - reach, px + reach, py + reach, (i) => {
      if (this.selection && !this.selection[i]) return;
      const [x, y] = this.placeOf(i, this.panes[this.pane]);
      const distance = (x - px) ** 2 + (y - py) ** 2;
      if (distance < least) { least = distance; best = i; }
    });
    return best;
  }

  setOver(point, x, y) {
    const tip = id('tip');
    tip.hidden = point < 0;
    if (point >= 0) {
      tip.replaceChildren(make('b', { dir: 'auto' }, this.nameOf(point)),
        ...tipLines(this, point).map((line) => make('span', { dir: 'auto' }, line)));
      const { width, height } = this.size;
      const { dx, dy } = this.panes[this.pane];
      [x, y] = [x + dx, y + dy];
      tip.style.transform = `translate(${Math.min(x + 14, width - tip.offsetWidth - 6)}px, `
        + `${y + 18 + tip.offsetHeight > height ? y - tip.offsetHeight - 10 : y + 18}px)`;
    }
    if (point !== this.over) {
      this.over = point;
      this.redraw();
    }
  }

  // Nothing lies over this place of the plot.
  inView([x, y]) {
    const axes = !this.onMap;
    return x > (axes ? strip.left : 2) && y > 2 && x < this.camera.width - 2 && y < this.camera.height - (axes ? strip.bottom : 2)
      && !this.covered().some(([left, top, right, bottom]) => x > left + 6 && x < right - 6 && y > top + 6 && y < bottom - 6);
  }

  // A point in view stays where it is.
  openNode(node) {
    const point = this.pointOf[node];
    if (!this.inView(this.placeOf(point))) this.camera.centre(...this.inPlane(point));
    this.open(point);
  }

  async open(point) {
    this.opened = point;
    this.openLinks = [];
    this.named = [];
    this.redraw();
    if (point < 0) return this.showNoNode();
    const neighbours = await this.neighbours(point);
    const nearest = await nearestOf(this, point);
    const pairs = await factsOf(this, point, neighbours);
    const reason = await this.facts.reason(shorten(this.nameOf(point)), point);
    if (this.opened !== point) return;
    this.openLinks = neighbours ?? [];
    this.named = this.openLinks.slice(0, 8).map((link) => link.point);
    showCard(id('panel-node'), { name: this.nameOf(point), reason, pairs, neighbours,
      note: this.linkNote(), nearest, nearestNote: nearestNote(this, nearest),
      nameOf: (i) => this.nameOf(i), open: (i) => this.openNode(this.node[i]) });
    showTab('node');
    this.reveal(point);
    this.redraw();
  }

  linkNote() {
    const { columns, columnsShown } = this.meta;
    if (!this.store.has('link-ends')) return 'The links are not in this page: cafe plot --tune links=all puts them in.';
    if (columnsShown < columns) return `Without pulls, which need all ${columns} columns: this page has ${columnsShown}.`;
    return 'Pull: q(u,w) times the inner product of the vectors.';
  }

  // Where the card stands below the plot it comes into view, and the point, if it can, stays there.
  reveal(point) {
    if (!narrow.matches) return;
    const card = document.querySelector('aside').getBoundingClientRect().top;
    const frame = id('frame').getBoundingClientRect();
    const at = frame.height ? frame.top + this.placeOf(point)[1] + this.panes.at(-1).dy : card;
    const least = card - window.innerHeight + 260; // the name and the first lines
    const wanted = Math.max(Math.min(card - 0.5 * window.innerHeight, at - 50), least);
    if (wanted > 0) window.scrollBy({ top: wanted, behavior: 'instant' });
  }

  showNoNode() {
    showEmptyCard(id('panel-node'), { central: this.meta.central, kind: this.meta.centrality,
      nameOf: (node) => this.names.of(node), open: (node) => this.openNode(node) });
  }

  async neighbours(point) {
    const links = await this.facts.links();
    if (!links) return null;
    if (this.meta.columnsShown < this.meta.columns) return heaviest(links, point);
    const axes = [];
    for (let j = 0; j < this.meta.columns; j++) axes.push(await this.column(j));
    return pulls(links, axes, point);
  }

  // ---- files

  exportPicture() { savePicture(this); }

  exportShapes() { saveShapes(this); }

  async exportTable() {
    await this.facts.load();
    saveTable(this, await columnsOf(this));
  }
}

async function run() {
  try {
    const app = new App(readMeta());
    await app.start();
    await app.finish();
  } catch (error) {
    say(`The page could not be shown: ${error.message}`, true);
    throw error;
  }
}

run();

// The page: its state, and what happens when a part of it changes.
import { Names, Store, readColumn, readMeta, readPair, valueAt } from './data.js';
import { Bus, count, figure } from './bus.js';
import { Camera } from './camera.js';
import { Grid } from './grid.js';
import { Points } from './points.js';
import { Overlay } from './overlay.js';
import { byCentrality, byColumn, byKind, centralityAt } from './colours.js';
import { pulls, readLinks } from './links.js';
import { showCard, showEmptyCard } from './card.js';
import { showDimensions } from './dimensions.js';
import { Tree, readTree } from './tree.js';
import { showRun } from './charts.js';
import { Search } from './search.js';
import { savePicture, saveTable } from './exporter.js';
import { isDark, readStyle, watchTheme } from './theme.js';
import { Scatter } from './scatter.js';
import { fillChoices, say, showChoices, showLeftOut, showLegend, showSelection, showTab, wireButtons } from './controls.js';

const id = (name) => document.getElementById(name);

class App {
  constructor(meta) {
    this.meta = meta;
    this.n = meta.nodes;
    this.store = new Store(meta);
    this.names = new Names(meta, this.store);
    this.bus = new Bus();
    this.camera = new Camera();
    this.points = new Points(id('points'));
    this.overlay = new Overlay(id('plot'));
    this.scatter = new Scatter(this);
    this.dark = isDark();
    this.style = readStyle();
    this.layout = meta.pair === 'map' ? 'map' : 'columns';
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
    this.wanted = false; // a frame is on its way
  }

  // ---- beginning

  async start() {
    document.title = this.meta.title;
    id('title').textContent = this.meta.title;
    id('summary').textContent = `${count(this.n)} nodes, ${count(this.meta.edges)} links, ${count(this.meta.columns)} columns`;
    this.watchContext();
    fillChoices(this);
    this.colour = id('colour').value;
    wireButtons(this);
    watchTheme(() => this.themeChanged());
    new ResizeObserver(() => this.resize()).observe(id('frame'));
    this.pair = await readPair(this.store);
    const place = await this.store.numbers('order');
    this.node = place; // of each point
    this.resize();
    await this.setLayout(this.layout);
    await this.setColour(this.colour);
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
    new Search(this);
    this.showNoNode();
    showDimensions(id('panel-dimensions'), this);
    showRun(id('panel-run'), this.meta);
    showLeftOut(this);
    const layers = await this.layers();
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

  layers() {
    this.layersRead ??= readTree(this);
    return this.layersRead;
  }

  // ---- drawing

  resize() {
    const { clientWidth: width, clientHeight: height } = id('frame');
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (!width || !height) return;
    this.ratio = ratio;
    for (const canvas of [this.points.canvas, this.overlay.canvas]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.camera.resize(width, height);
    if (this.axes) this.stretch();
    if (this.axes) this.drawNow();
  }

  // The plane of a map keeps its shape; two columns have scales of their own and fill the view.
  stretch() {
    const [x, y] = this.axes;
    const shape = this.layout === 'map' ? (x.high - x.low || 1) / (y.high - y.low || 1)
      : this.camera.width / this.camera.height;
    const spans = shape > 1 ? [1, 1 / shape] : [shape, 1];
    const { camera } = this;
    const [relativeX, relativeY, zoom] = [camera.x / camera.spanX, camera.y / camera.spanY, camera.zoom()];
    camera.fit(...spans);
    camera.x = relativeX * spans[0];
    camera.y = relativeY * spans[1];
    camera.scale = camera.home * zoom;
    this.unit = [spans[0] / x.steps, spans[1] / y.steps];
  }

  fit() {
    this.camera.fit(this.camera.spanX, this.camera.spanY);
    this.redraw();
  }

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => { this.wanted = false; this.drawNow(); });
  }

  drawNow() {
    if (!this.axes) return;
    this.points.draw(this.camera, ...this.unit, this.ratio);
    this.overlay.draw({ place: (i) => this.placeOf(i), open: this.opened, links: this.openLinks,
      named: this.named, over: this.over, lasso: this.lasso, cross: this.cross, style: this.style,
      nameOf: (i) => this.nameOf(i) }, this.ratio);
    // where the open node is, in pixels of the plot: for scripts that drive the page
    this.overlay.canvas.dataset.open = this.opened < 0 ? '' : this.placeOf(this.opened).map(Math.round).join();
  }

  placeOf(i) {
    const [x, y] = this.axes;
    return this.camera.toScreen(x.q[i] * this.unit[0], y.q[i] * this.unit[1]);
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
    if (!this.columns.has(j)) this.columns.set(j, await readColumn(this.store, j));
    return this.columns.get(j);
  }

  async setLayout(layout, numbers = this.axisNumbers) {
    const wanted = { layout, numbers };
    this.wantedLayout = wanted;
    const axes = layout === 'map' ? this.pair : await Promise.all(numbers.map((j) => this.column(j)));
    if (wanted !== this.wantedLayout) return; // chosen otherwise meanwhile
    this.layout = layout;
    this.axisNumbers = numbers;
    this.axes = axes;
    this.grid = null;
    this.points.setPositions(axes[0].q, axes[1].q);
    Object.assign(this.camera, { x: this.camera.spanX / 2, y: this.camera.spanY / 2, scale: this.camera.home });
    this.stretch();
    showChoices(this);
    this.redraw();
  }

  async setAxis(which, j) {
    const { numbers } = this.wantedLayout;
    await this.setLayout('columns', which === 0 ? [j, numbers[1]] : [numbers[0], j]);
  }

  // within: points among which the largest kinds are sought; null: all
  async setColour(colour, within = null) {
    this.colour = colour;
    this.colourWithin = within;
    const colours = await this.colours(colour, within);
    if (colour !== this.colour || within !== this.colourWithin) return;
    this.points.setColours(colours.index);
    this.points.setPalette(colours.palette);
    id('colour').value = colour;
    showLegend(this, colours);
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
      const layers = await this.layers();
      const layer = layers[layers.length - 1 - Number(number)];
      return byKind(`Community, layer ${Number(number) + 1}`, layer.of, layer.communities,
        (k) => `${Number(number) + 1}.${k}`, -1, dark, within);
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
    this.redraw();
  }

  selectInside(lasso) {
    const [left, top, right, bottom] = lasso.box();
    const inside = new Uint8Array(this.n);
    this.eachNear(left, top, right, bottom, (i) => { if (lasso.holds(...this.placeOf(i))) inside[i] = 1; });
    this.select((i) => inside[i], 'lasso');
  }

  // ---- one point

  eachNear(left, top, right, bottom, visit) {
    const [x, y] = this.axes;
    this.grid ??= new Grid(x.q, y.q, x.steps, y.steps);
    const low = this.camera.toPlane(left, bottom);
    const high = this.camera.toPlane(right, top);
    const [ux, uy] = this.unit;
    this.grid.within(low[0] / ux, low[1] / uy, high[0] / ux, high[1] / uy, visit);
  }

  // The point nearest to a pixel, within so many pixels; selected ones alone while there are any.
  nearest(px, py, reach) {
    let best = -1;
    let least = reach * reach;
    if (!this.axes) return best;
    this.eachNear(px - reach, py - reach, px + reach, py + reach, (i) => {
      if (this.selection && !this.selection[i]) return;
      const [x, y] = this.placeOf(i);
      const distance = (x - px) ** 2 + (y - py) ** 2;
      if (distance < least) { least = distance; best = i; }
    });
    return best;
  }

  setOver(point, x, y) {
    const tip = id('tip');
    tip.hidden = point < 0;
    if (point >= 0) {
      const name = document.createElement('b');
      name.dir = 'auto';
      name.textContent = this.nameOf(point);
      tip.replaceChildren(name, this.tipText(point));
      const { width, height } = this.camera;
      tip.style.transform = `translate(${Math.min(x + 14, width - tip.offsetWidth - 6)}px, `
        + `${y + 18 + tip.offsetHeight > height ? y - tip.offsetHeight - 10 : y + 18}px)`;
    }
    if (point !== this.over) {
      this.over = point;
      this.redraw();
    }
  }

  tipText(point) {
    const [x, y] = this.axes.map((axis) => figure(valueAt(axis, point)));
    return `${this.layout === 'map' ? 'map' : `columns ${this.axisNumbers.join(', ')}`}: ${x}, ${y}`;
  }

  openNode(node) {
    const point = this.pointOf[node];
    const { width, height } = this.camera;
    const [px, py] = this.placeOf(point);
    const [x, y] = this.axes;
    // a point that is well in view stays where it is
    if (Math.abs(px / width - 0.5) > 0.4 || Math.abs(py / height - 0.5) > 0.4) {
      this.camera.centre(x.q[point] * this.unit[0], y.q[point] * this.unit[1]);
    }
    this.open(point);
  }

  async open(point) {
    this.opened = point;
    this.openLinks = [];
    this.named = [];
    this.redraw();
    if (point < 0) return this.showNoNode();
    const neighbours = await this.neighbours(point);
    const pairs = await this.facts(point, neighbours);
    if (this.opened !== point) return;
    this.openLinks = neighbours ?? [];
    this.named = this.openLinks.slice(0, 8).map((link) => link.point);
    showCard(id('panel-node'), { name: this.nameOf(point), pairs, neighbours,
      note: neighbours ? `q(u,w) times the inner product over the ${this.meta.columnsShown} columns of this page.`
        : 'The links are not in this page: cafe view --links all puts them in.',
      nameOf: (i) => this.nameOf(i), open: (i) => this.openNode(this.node[i]) });
    showTab('node');
    this.redraw();
  }

  showNoNode() {
    showEmptyCard(id('panel-node'), { central: this.meta.central, kind: this.meta.centrality,
      nameOf: (node) => this.names.of(node), open: (node) => this.openNode(node) });
  }

  async neighbours(point) {
    if (!this.store.has('link-ends')) return null;
    this.links ??= await readLinks(this.store, this.meta);
    const axes = [];
    for (let j = 0; j < this.meta.columnsShown; j++) axes.push(await this.column(j));
    return pulls(this.links, axes, point);
  }

  async facts(point, neighbours) {
    const { meta, store } = this;
    const [x, y] = this.axes.map((axis) => figure(valueAt(axis, point)));
    const pairs = [['Number', count(this.node[point])], [this.layout === 'map' ? 'Map' : 'Position', `${x}, ${y}`]];
    const layers = await this.layers();
    layers?.forEach((layer, d) => {
      const l = layers.length - d;
      const k = layer.of[point];
      pairs.push([`Community, layer ${l}`, `${l}.${k} (${count(layer.counts[k])} nodes)`]);
    });
    if (store.has('label')) {
      const label = (await store.numbers('label'))[point];
      pairs.push(['Label', label ? meta.classes[label - 1] : 'none']);
    }
    if (store.has('centrality')) {
      const value = centralityAt(await store.numbers('centrality'), store.info('centrality'), point);
      pairs.push([`Centrality (${meta.centrality})`, figure(value)]);
    }
    if (neighbours) pairs.push(['Neighbours', count(neighbours.length)]);
    return pairs;
  }

  // ---- files

  exportPicture() { savePicture(this); }

  async exportTable() {
    const columns = [['node', (i) => this.nameOf(i)],
      ...(this.layout === 'map' ? ['map x', 'map y'] : this.axisNumbers.map((j) => `column ${j}`))
        .map((heading, a) => [heading, (i) => valueAt(this.axes[a], i)])];
    const layers = await this.layers();
    layers?.forEach((layer, d) => columns.push([`community layer ${layers.length - d}`, (i) => layer.of[i]]));
    if (this.store.has('label')) {
      const label = await this.store.numbers('label');
      columns.push(['label', (i) => (label[i] ? this.meta.classes[label[i] - 1] : '')]);
    }
    saveTable(this, columns);
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

// The hierarchy of communities as a zoomable icicle: one band per layer, coarsest on top, as wide as
// the community has nodes. A click zooms in, selects the points and colours them one layer finer.
import { make, count, figure } from './bus.js';
import { inkOn, mark, marks, other, toHex } from './palette.js';

const band = window.matchMedia('(max-width: 860px), (pointer: coarse)').matches ? 40 : 30;
const most = 6; // bands shown at once

export class Tree {
  constructor(panel, app, layers) {
    this.app = app;
    this.layers = layers;
    this.depth = -1; // of the community in view; -1: all
    this.id = 0;
    this.focus = null; // of the keyboard: { depth, id }
    this.build(panel);
  }

  build(panel) {
    const lines = this.layers.map((layer, d) => `layer ${this.app.facts.layerNumber(this.layers.length - 1 - d)}: `
      + `${count(layer.communities)} communities, modularity ${figure(layer.modularity)}`);
    this.crumbs = make('nav', { class: 'crumbs', 'aria-label': 'Where in the tree' });
    this.canvas = make('canvas', { class: 'tree', tabindex: '0', role: 'application',
      'aria-label': 'Tree of communities. Left and right go to the neighbours, up and down through the layers, Enter opens.' });
    this.say = make('p', { class: 'figures', role: 'status', 'aria-live': 'polite' });
    this.list = make('ul', { class: 'rows' });
    panel.replaceChildren(make('p', { class: 'lead' },
      'Communities layer by layer, coarsest on top. A click zooms in, selects and recolours.'),
    this.crumbs, this.canvas, this.say, make('h3', {}, 'Largest communities here'), this.list,
    make('h3', {}, 'Layers'), ...lines.reverse().map((line) => make('p', { class: 'figures' }, line)),
    ...this.bound());
    this.canvas.addEventListener('click', (e) => this.click(e));
    this.canvas.addEventListener('pointermove', (e) => this.hover(e));
    this.canvas.addEventListener('keydown', (e) => this.key(e));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.show();
  }

  // How far the coarsest layer is from the best partition.
  bound() {
    const { bound, proved } = this.app.meta;
    if (!bound) return [];
    const share = 100 * Math.max(0, 1 - this.layers[0].modularity / bound);
    return [make('p', { class: 'figures' }, proved ? 'proved optimal: no partition has a larger modularity'
      : `at most ${share.toPrecision(2)} % from the best: no partition has more than ${figure(bound)}`)];
  }

  rowsShown() { return Math.min(this.layers.length - Math.max(this.depth, 0), most); }

  childrenAt(depth, id) {
    if (depth + 1 >= this.layers.length) return [];
    return depth < 0 ? this.layers[0].order : this.layers[depth + 1].children[id];
  }

  sizeOf(depth, id) { return depth < 0 ? this.app.n : this.layers[depth].counts[id]; }

  nameOf(depth, id) {
    return depth < 0 ? 'All' : this.app.facts.communityName(this.layers.length - 1 - depth, id);
  }

  aboutOf(depth, id) {
    return depth < 0 ? '' : this.app.facts.communityAbout(this.layers.length - 1 - depth, id);
  }

  // Parts of the community in view have colours of their own, by size as the points have; what lies
  // within a part has its colour.
  partColour(index) {
    return toHex(index < marks ? mark(index, this.app.dark).rgb : other(this.app.dark));
  }

  // Boxes wider than half a pixel, by depth first.
  place(width) {
    const boxes = [];
    const top = Math.max(this.depth, 0);
    const put = (depth, id, x, w, colour) => {
      if (w < 0.5 || depth - top >= most) return;
      if (depth >= 0) boxes.push({ depth, id, x, w, y: (depth - top) * band, colour });
      let at = x;
      this.childrenAt(depth, id).every((child, index) => {
        const part = w * this.sizeOf(depth + 1, child) / this.sizeOf(depth, id);
        put(depth + 1, child, at, part, depth === this.depth ? this.partColour(index) : colour);
        at += part;
        return part >= 0.5; // larger ones come first
      });
    };
    const leaf = this.depth + 1 >= this.layers.length;
    put(this.depth, this.id, 0, width, leaf ? this.partColour(0) : '#5c656d');
    return boxes;
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.rowsShown() * band;
    if (!width) return;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const pen = this.canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.font = '11px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    this.boxes = this.place(width);
    for (const box of this.boxes) this.drawBox(pen, box);
  }

  drawBox(pen, box) {
    const focused = this.focus && this.focus.depth === box.depth && this.focus.id === box.id;
    pen.fillStyle = box.colour;
    pen.fillRect(box.x, box.y, Math.max(box.w - 1, 0.5), band - 1.5);
    if (box.w > 34) {
      pen.fillStyle = inkOn(box.colour);
      pen.save();
      pen.beginPath();
      pen.rect(box.x, box.y, box.w - 4, band);
      pen.clip();
      pen.fillText(this.nameOf(box.depth, box.id), box.x + 6, box.y + band / 2);
      pen.restore();
    }
    if (!focused) return;
    pen.strokeStyle = this.app.style.ink;
    pen.lineWidth = 2.5;
    pen.strokeRect(box.x + 1.5, box.y + 1.5, Math.max(box.w - 4, 1), band - 4.5);
  }

  boxAt(event) {
    if (!this.boxes) this.draw(); // the panel has just opened
    const x = event.offsetX;
    const y = event.offsetY;
    return this.boxes.find((b) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + band);
  }

  describe(depth, id) {
    const kin = this.childrenAt(depth, id).length;
    const about = this.aboutOf(depth, id);
    return `${this.nameOf(depth, id)}: ${count(this.sizeOf(depth, id))} nodes`
      + (kin ? `, ${count(kin)} parts` : '') + (about ? `; ${about}` : '');
  }

  hover(event) {
    const box = this.boxAt(event);
    this.say.textContent = box ? this.describe(box.depth, box.id) : this.describe(this.depth, this.id);
  }

  click(event) {
    const box = this.boxAt(event);
    if (!box) return;
    // a click on the community in view goes back up
    if (box.depth === this.depth && box.id === this.id) this.up();
    else this.open(box.depth, box.id);
  }

  up() {
    if (this.depth < 0) return;
    if (this.depth === 0) this.open(-1, 0);
    else this.open(this.depth - 1, this.layers[this.depth].parent[this.id]);
  }

  open(depth, id) {
    this.depth = depth;
    this.id = id;
    this.focus = depth < 0 ? null : { depth, id };
    this.show();
    const finer = Math.min(depth + 1, this.layers.length - 1);
    if (depth < 0) this.app.select(null);
    else this.app.select((i) => this.layers[depth].of[i] === id, `community ${this.nameOf(depth, id)}`);
    this.app.setColour(`community-${this.layers.length - 1 - finer}`, this.app.selection);
  }

  show() {
    const path = [];
    for (let d = this.depth, id = this.id; d >= 0; id = this.layers[d].parent?.[id], d--) path.unshift([d, id]);
    this.crumbs.replaceChildren(...[[-1, 0], ...path].map(([d, id]) => make('button',
      { type: 'button', onclick: () => this.open(d, id), ...(d === this.depth ? { 'aria-current': 'true' } : {}) },
      this.nameOf(d, id))));
    const children = this.childrenAt(this.depth, this.id).slice(0, 12);
    const total = this.sizeOf(this.depth, this.id);
    this.list.replaceChildren(...children.map((child, index) => {
      const size = this.sizeOf(this.depth + 1, child);
      const item = make('li');
      const dot = make('span', { class: 'dot' });
      dot.style.background = this.partColour(index);
      item.append(make('button', { type: 'button', class: 'row', onclick: () => this.open(this.depth + 1, child) },
        dot, make('span', { class: 'name' }, this.nameOf(this.depth + 1, child)),
        make('span', { class: 'about', dir: 'auto' }, this.aboutOf(this.depth + 1, child)),
        make('span', { class: 'value' }, `${count(size)} nodes, ${(100 * size / total).toFixed(1)} %`)));
      return item;
    }));
    this.say.textContent = this.describe(this.depth, this.id);
    this.draw();
  }

  key(event) {
    const { focus } = this;
    const kin = focus ? this.childrenAt(focus.depth - 1, this.parentOf(focus)) : this.layers[0].order;
    const at = focus ? kin.indexOf(focus.id) : -1;
    const depth = focus ? focus.depth : 0;
    const go = {
      ArrowRight: () => ({ depth, id: kin[Math.min(at + 1, kin.length - 1)] }),
      ArrowLeft: () => ({ depth, id: kin[Math.max(at - 1, 0)] }),
      ArrowUp: () => (depth > 0 ? { depth: depth - 1, id: this.parentOf(focus) } : focus),
      ArrowDown: () => {
        const children = focus ? this.childrenAt(depth, focus.id) : kin;
        return children.length ? { depth: focus ? depth + 1 : 0, id: children[0] } : focus;
      },
    }[event.key];
    if (go) {
      this.focus = go();
      if (this.focus) this.say.textContent = this.describe(this.focus.depth, this.focus.id);
      this.draw();
    } else if (event.key === 'Enter' && focus) this.open(focus.depth, focus.id);
    else if (event.key === 'Backspace') this.up();
    else return;
    event.preventDefault();
  }

  parentOf({ depth, id }) { return depth > 0 ? this.layers[depth].parent[id] : 0; }
}

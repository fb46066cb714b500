// Pointer and keys over the plot: move, zoom, hover, pick, lasso.
import { Lasso } from './lasso.js';

const reach = 12; // pixels between pointer and point
const touchReach = 24; // and finger

export class Scatter {
  constructor(app) {
    this.app = app;
    this.canvas = app.overlay.canvas;
    this.pointers = new Map();
    this.lassoMode = false;
    this.travelled = 0;
    const on = (type, handler, options) => this.canvas.addEventListener(type, handler.bind(this), options);
    on('pointerdown', this.down);
    on('pointermove', this.move);
    on('pointerup', this.up);
    on('pointercancel', this.cancel);
    on('pointerleave', this.leave);
    on('wheel', this.wheel, { passive: false });
    // a tap may scroll to the card: the click that browsers send after it would hit what is there then
    on('touchend', (e) => { if (e.cancelable) e.preventDefault(); }, { passive: false });
    on('dblclick', (e) => this.zoom(...this.at(e), 2));
    on('keydown', this.key);
    on('focus', () => { app.cross = this.canvas.matches(':focus-visible'); app.redraw(); });
    on('blur', () => { app.cross = false; app.redraw(); });
  }

  // The pointer's place in its pane, which is the one where it went down.
  at({ offsetX, offsetY }) {
    const { app } = this;
    if (!this.pointers.size) app.enter(offsetX, offsetY);
    const { dx, dy } = app.panes[app.pane];
    return [offsetX - dx, offsetY - dy];
  }

  setLasso(lasso) {
    this.lassoMode = lasso;
    this.canvas.classList.toggle('lasso', lasso);
    this.app.bus.emit('mode', lasso);
  }

  zoom(x, y, factor) {
    this.app.camera.zoomAt(x, y, factor);
    this.app.redraw();
  }

  down(event) {
    if (event.button > 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    const place = this.at(event);
    this.pointers.set(event.pointerId, place);
    this.travelled = 0;
    if (this.pointers.size === 1 && (this.lassoMode || event.shiftKey)) {
      this.app.lasso = new Lasso(...place);
    } else this.app.lasso = null;
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return this.hover(event);
    const [x, y] = this.at(event);
    const [dx, dy] = [x - last[0], y - last[1]];
    this.travelled += Math.hypot(dx, dy);
    if (this.pointers.size === 2) this.pinch(event.pointerId, x, y);
    else if (this.app.lasso) this.app.lasso.add(x, y);
    else {
      this.app.camera.pan(dx, dy);
      this.canvas.classList.add('moving');
    }
    this.pointers.set(event.pointerId, [x, y]);
    this.app.setOver(-1);
    this.app.redraw();
  }

  pinch(id, x, y) {
    const [[, other]] = [...this.pointers].filter(([key]) => key !== id);
    const [oldX, oldY] = this.pointers.get(id);
    const before = Math.hypot(oldX - other[0], oldY - other[1]);
    const after = Math.hypot(x - other[0], y - other[1]);
    this.app.camera.pan((x - oldX) / 2, (y - oldY) / 2);
    if (before > 5) this.app.camera.zoomAt((x + other[0]) / 2, (y + other[1]) / 2, after / before);
  }

  up(event) {
    const place = this.at(event);
    const held = this.pointers.delete(event.pointerId);
    this.canvas.classList.remove('moving');
    if (!held) return;
    const { lasso } = this.app;
    this.app.lasso = null;
    if (lasso && this.travelled > 8) this.app.selectInside(lasso);
    else if (this.travelled < 4) this.app.open(this.app.nearest(...place,
      event.pointerType === 'touch' ? touchReach : reach));
    this.app.redraw();
  }

  cancel(event) {
    this.pointers.delete(event.pointerId);
    this.app.lasso = null;
    this.canvas.classList.remove('moving');
    this.app.redraw();
  }

  leave() { if (!this.pointers.size) this.app.setOver(-1); }

  hover(event) {
    const place = this.at(event);
    const over = this.app.nearest(...place, reach);
    this.canvas.classList.toggle('over', over >= 0 && !this.lassoMode);
    this.app.setOver(over, ...place);
  }

  wheel(event) {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    this.zoom(...this.at(event), Math.exp(-Math.max(-200, Math.min(200, pixels)) * 0.0022));
  }

  key(event) {
    const { camera } = this.app;
    const step = 60;
    const [x, y] = [camera.width / 2, camera.height / 2];
    const act = {
      ArrowLeft: () => camera.pan(step, 0), ArrowRight: () => camera.pan(-step, 0),
      ArrowUp: () => camera.pan(0, step), ArrowDown: () => camera.pan(0, -step),
      '+': () => camera.zoomAt(x, y, 1.4), '=': () => camera.zoomAt(x, y, 1.4),
      '-': () => camera.zoomAt(x, y, 1 / 1.4),
      Enter: () => this.app.open(this.app.nearest(x, y, 80)),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.app.pane = this.app.panes.length - 1;
    act();
    this.app.cross = true;
    this.app.redraw();
  }
}

// Very many points as densities: the view is a grid of small cells. A cell has the colour of the kind that most of its
// points have, the stronger the more points there are (by the logarithm); so what is dense is seen, and kinds do not mix to grey.
export const dense = 200000; // nodes of a graph from which on it may be drawn so,
const enough = 60000; // while so many of them are in view; fewer are points
const side = 2; // pixels of a cell
const faintest = 0.3;
const faded = 0.12; // of what is not selected

export class Density {
  // Finds the cell of each point; false: so few are in view that they are drawn one by one. x, y: { q, unit, from } of
  // both axes; flags: who is selected, or null
  place(camera, x, y, flags) {
    this.wide = Math.ceil(camera.width / side);
    this.high = Math.ceil(camera.height / side);
    const cells = this.wide * this.high;
    const scale = camera.scale / side;
    const [ax, bx] = [x.unit * scale, (x.from - camera.x) * scale + camera.width / (2 * side)];
    const [ay, by] = [-y.unit * scale, (camera.y - y.from) * scale + camera.height / (2 * side)];
    const n = x.q.length;
    if (this.cell?.length !== n) this.cell = new Int32Array(n);
    this.start = new Uint32Array(cells + 1);
    this.marked = flags ? new Uint8Array(cells) : null;
    let seen = 0;
    for (let i = 0; i < n; i++) {
      const cx = Math.floor(x.q[i] * ax + bx);
      const cy = Math.floor(y.q[i] * ay + by);
      const inside = cx >= 0 && cy >= 0 && cx < this.wide && cy < this.high;
      this.cell[i] = inside ? cy * this.wide + cx : -1;
      if (!inside) continue;
      seen++;
      if (flags && flags[i]) this.marked[this.cell[i]] = 1;
    }
    return seen >= enough;
  }

  // The colours of all points of a cell, one after the other; where some are selected, of these alone.
  gather(colours, flags) {
    const { cell, start, marked } = this;
    const counts = (i) => cell[i] >= 0 && (!flags || flags[i] || !marked[cell[i]]);
    let kept = 0;
    for (let i = 0; i < cell.length; i++) {
      if (!counts(i)) continue;
      start[cell[i] + 1]++;
      kept++;
    }
    for (let c = 0; c + 1 < start.length; c++) start[c + 1] += start[c];
    const next = start.slice(0, -1);
    const kinds = new Uint8Array(kept);
    for (let i = 0; i < cell.length; i++) if (counts(i)) kinds[next[cell[i]]++] = colours[i];
    return kinds;
  }

  // How many points a cell of full strength has: one cell of a thousand has more.
  full() {
    const { start } = this;
    const often = new Uint32Array(1024);
    let some = 0;
    for (let c = 0; c + 1 < start.length; c++) {
      const points = start[c + 1] - start[c];
      if (!points) continue;
      some++;
      often[Math.min(points, 1023)]++;
    }
    let points = 1023;
    for (let above = often[1023]; points > 2 && above < some / 1000; points--) above += often[points - 1];
    return points;
  }

  // A picture of a pixel a cell. colours: of the points, 0 .. 255; rgba: what they are
  draw(colours, rgba, flags) {
    const kinds = this.gather(colours, flags);
    const full = Math.log1p(this.full());
    const image = new ImageData(this.wide, this.high);
    const times = new Uint32Array(256);
    for (let c = 0; c + 1 < this.start.length; c++) {
      const [from, to] = [this.start[c], this.start[c + 1]];
      if (from === to) continue;
      let most = kinds[from];
      for (let at = from; at < to; at++) if (++times[kinds[at]] > times[most]) most = kinds[at];
      for (let at = from; at < to; at++) times[kinds[at]] = 0;
      const strength = faintest + (1 - faintest) * Math.min(Math.log1p(to - from) / full, 1);
      image.data.set(rgba.subarray(4 * most, 4 * most + 3), 4 * c);
      image.data[4 * c + 3] = 255 * strength * (flags && !this.marked[c] ? faded : 1);
    }
    this.canvas ??= document.createElement('canvas');
    Object.assign(this.canvas, { width: this.wide, height: this.high });
    this.canvas.getContext('2d').putImageData(image, 0, 0);
    return this.canvas;
  }
}

// Its cells in the pixels of the plot.
export function drawDensity(context, picture) {
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, 0, 0, picture.width * side, picture.height * side);
}

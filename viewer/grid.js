// The nearest point to a pixel: points sorted into the cells of a grid by counting, so that a look-up
// meets a few of them and building it for a million takes one pass and no objects.

export class Grid {
  // x, y: quantised positions, 0 .. stepsX and 0 .. stepsY
  constructor(x, y, stepsX, stepsY) {
    const n = x.length;
    this.side = Math.max(1, Math.min(1024, Math.floor(Math.sqrt(n / 2))));
    this.cellX = this.side / (stepsX + 1);
    this.cellY = this.side / (stepsY + 1);
    this.start = new Uint32Array(this.side * this.side + 1);
    this.points = new Uint32Array(n);
    for (let i = 0; i < n; i++) this.start[this.cell(x[i], y[i]) + 1]++;
    for (let c = 0; c < this.side * this.side; c++) this.start[c + 1] += this.start[c];
    const next = this.start.slice(0, -1);
    for (let i = 0; i < n; i++) this.points[next[this.cell(x[i], y[i])]++] = i;
  }

  cell(qx, qy) {
    return Math.floor(qy * this.cellY) * this.side + Math.floor(qx * this.cellX);
  }

  // Calls visit(i) for the points of all cells that meet the box (in quantised units).
  within(lowX, lowY, highX, highY, visit) {
    const last = this.side - 1;
    const clamp = (v) => Math.min(Math.max(Math.floor(v), 0), last);
    const x0 = clamp(lowX * this.cellX);
    const x1 = clamp(highX * this.cellX);
    for (let cy = clamp(lowY * this.cellY); cy <= clamp(highY * this.cellY); cy++) {
      const from = this.start[cy * this.side + x0];
      const to = this.start[cy * this.side + x1 + 1];
      for (let at = from; at < to; at++) visit(this.points[at]);
    }
  }
}

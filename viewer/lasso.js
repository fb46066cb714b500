// A line drawn by hand around points.

export class Lasso {
  constructor(x, y) { this.path = [[x, y]]; }

  add(x, y) {
    const [lastX, lastY] = this.path[this.path.length - 1];
    if (Math.hypot(x - lastX, y - lastY) > 2) this.path.push([x, y]);
  }

  box() {
    const xs = this.path.map((p) => p[0]);
    const ys = this.path.map((p) => p[1]);
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }

  // Even-odd rule: a ray to the right crosses the closed line an odd number of times.
  holds(x, y) {
    let inside = false;
    const { path } = this;
    for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
      const [xi, yi] = path[i];
      const [xj, yj] = path[j];
      if ((yi > y) !== (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi) inside = !inside;
    }
    return inside;
  }

  draw(pen, style) {
    pen.beginPath();
    this.path.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.closePath();
    pen.globalAlpha = 0.1;
    pen.fillStyle = style.accent;
    pen.fill();
    pen.globalAlpha = 1;
    pen.setLineDash([5, 4]);
    pen.strokeStyle = style.accent;
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.setLineDash([]);
  }
}

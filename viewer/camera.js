// From the plane of the points to pixels. The plane is as wide and high as 1 at most, y upwards.

export class Camera {
  constructor() {
    this.x = 0.5; // the middle of the view
    this.y = 0.5;
    this.scale = 1; // pixels per unit
    this.width = 1;
    this.height = 1;
    this.home = 1; // the scale at which all points are seen
    this.spanX = 1;
    this.spanY = 1;
  }

  resize(width, height) {
    const zoom = this.scale / this.home;
    this.width = width;
    this.height = height;
    this.home = this.fitting();
    this.scale = this.home * zoom;
  }

  fitting() {
    const margin = Math.min(this.width, this.height) * 0.07;
    return Math.max(Math.min((this.width - 2 * margin) / this.spanX,
      (this.height - 2 * margin) / this.spanY), 1);
  }

  // Columns fill the view, whatever its shape; a map keeps its shape.
  fit(spanX, spanY) {
    this.spanX = spanX;
    this.spanY = spanY;
    this.home = this.fitting();
    this.scale = this.home;
    this.x = spanX / 2;
    this.y = spanY / 2;
  }

  zoom() { return this.scale / this.home; }

  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, this.height / 2 - (y - this.y) * this.scale];
  }

  toPlane(px, py) {
    return [(px - this.width / 2) / this.scale + this.x, (this.height / 2 - py) / this.scale + this.y];
  }

  pan(dx, dy) {
    this.x = Math.min(Math.max(this.x - dx / this.scale, -0.5), this.spanX + 0.5);
    this.y = Math.min(Math.max(this.y + dy / this.scale, -0.5), this.spanY + 0.5);
  }

  // What is under the pixel stays under it.
  zoomAt(px, py, factor) {
    const [x, y] = this.toPlane(px, py);
    this.scale = Math.min(Math.max(this.scale * factor, this.home * 0.5), this.home * 4000);
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y + (py - this.height / 2) / this.scale;
  }

  centre(x, y) {
    this.x = x;
    this.y = y;
  }
}

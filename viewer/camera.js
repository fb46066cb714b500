// From the plane of the points to pixels. The plane is as wide and high as 1 at most, y upwards.

export class Camera {
  constructor() {
    this.x = 0.5; // the middle of the view
    this.y = 0.5;
    this.scale = 1; // pixels per unit
    this.width = 1;
    this.height = 1;
    this.room = { left: 0, right: 0, top: 0, bottom: 0 }; // pixels that the points leave free
    this.home = 1; // the scale at which all points are seen
    this.spanX = 1;
    this.spanY = 1;
    this.moved = false; // by the user, since all points were last fitted in
  }

  // The free pixels that the points may take.
  get free() {
    const { left, right, top, bottom } = this.room;
    return [Math.max(this.width - left - right, 40), Math.max(this.height - top - bottom, 40)];
  }

  fitting() {
    const [width, height] = this.free;
    return Math.max(Math.min(width / this.spanX, height / this.spanY), 1);
  }

  // Columns fill the view, whatever its shape; a map keeps its shape. The middle of the points comes to
  // the middle of what is free.
  fit(spanX, spanY) {
    const { left, right, top, bottom } = this.room;
    this.spanX = spanX;
    this.spanY = spanY;
    this.home = this.fitting();
    this.scale = this.home;
    this.x = spanX / 2 - (left - right) / (2 * this.scale);
    this.y = spanY / 2 + (top - bottom) / (2 * this.scale);
    this.moved = false;
  }

  // The plane or the view has another shape: what was in the middle stays there.
  reshape(spanX, spanY) {
    if (!this.moved) return this.fit(spanX, spanY);
    const [x, y, zoom] = [this.x / this.spanX, this.y / this.spanY, this.zoom()];
    this.fit(spanX, spanY);
    Object.assign(this, { x: x * spanX, y: y * spanY, scale: this.home * zoom, moved: true });
  }

  zoom() { return this.scale / this.home; }

  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, this.height / 2 - (y - this.y) * this.scale];
  }

  toPlane(px, py) {
    return [(px - this.width / 2) / this.scale + this.x, (this.height / 2 - py) / this.scale + this.y];
  }

  pan(dx, dy) {
    this.moved = true;
    this.x = Math.min(Math.max(this.x - dx / this.scale, -1), this.spanX + 1);
    this.y = Math.min(Math.max(this.y + dy / this.scale, -1), this.spanY + 1);
  }

  // What is under the pixel stays under it.
  zoomAt(px, py, factor) {
    const [x, y] = this.toPlane(px, py);
    this.moved = true;
    this.scale = Math.min(Math.max(this.scale * factor, this.home * 0.5), this.home * 4000);
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y + (py - this.height / 2) / this.scale;
  }

  // Brings a place of the plane to the middle of what is free.
  centre(x, y) {
    const { left, right, top, bottom } = this.room;
    this.moved = true;
    this.x = x - (left - right) / (2 * this.scale);
    this.y = y + (top - bottom) / (2 * this.scale);
  }
}

// How to leave room for boxes that lie over the plot ([left, top, right, bottom]): each is kept clear by
// a strip at the side or at the top or bottom it lies at; of all ways the one that leaves most.
export function findRoom(width, height, margin, boxes, score) {
  let best = null;
  for (let way = 0; way < 2 ** boxes.length; way++) {
    const room = { ...margin };
    boxes.forEach(([left, top, right, bottom], b) => {
      if (way >> b & 1) {
        if (top + bottom > height) room.bottom = Math.max(room.bottom, height - top);
        else room.top = Math.max(room.top, bottom);
      } else if (left + right > width) room.right = Math.max(room.right, width - left);
      else room.left = Math.max(room.left, right);
    });
    const value = score(Math.max(width - room.left - room.right, 1), Math.max(height - room.top - room.bottom, 1));
    if (!best || value > best.value) best = { room, value };
  }
  return best.room;
}

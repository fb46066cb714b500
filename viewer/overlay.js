// What lies over the points: links of the open node, rings, the lasso, names.

const mostLinks = 3000;

function ring(pen, [x, y], radius, colour, width) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.stroke();
}

function name(pen, text, [x, y], style, strong) {
  const shown = text.length > 32 ? `${[...text].slice(0, 31).join('')}\u2026` : text;
  pen.font = `${strong ? 600 : 400} ${strong ? 13 : 11.5}px system-ui, sans-serif`;
  pen.textBaseline = 'middle';
  pen.lineWidth = 3.5;
  pen.lineJoin = 'round';
  pen.strokeStyle = style.plot;
  pen.strokeText(shown, x + 10, y);
  pen.fillStyle = style.ink;
  pen.fillText(shown, x + 10, y);
}

export class Overlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d');
  }

  links(place, from, links, style) {
    const { pen } = this;
    pen.strokeStyle = `rgba(${style.link}, ${links.length > 200 ? 0.16 : 0.34})`;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const link of links.slice(0, mostLinks)) {
      pen.moveTo(...from);
      pen.lineTo(...place(link.point));
    }
    pen.stroke();
  }

  // scene: place (point to pixel), open, links, named, over, lasso, style, nameOf
  draw(scene, ratio) {
    const { pen, canvas } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, canvas.width / ratio, canvas.height / ratio);
    const { place, style } = scene;
    if (scene.open >= 0) {
      const at = place(scene.open);
      this.links(place, at, scene.links, style);
      for (const point of scene.named) {
        ring(pen, place(point), 4.5, style.accent, 1.4);
        name(pen, scene.nameOf(point), place(point), style, false);
      }
      ring(pen, at, 8, style.plot, 5);
      ring(pen, at, 8, style.accent, 2.5);
      name(pen, scene.nameOf(scene.open), [at[0] + 3, at[1]], style, true);
    }
    if (scene.over >= 0) ring(pen, place(scene.over), 7, style.ink, 1.5);
    if (scene.lasso) scene.lasso.draw(pen, style);
    if (scene.cross) this.cross(style);
  }

  // The middle of the view, for those who steer by keys.
  cross(style) {
    const { pen, canvas } = this;
    const x = canvas.clientWidth / 2;
    const y = canvas.clientHeight / 2;
    pen.strokeStyle = style.quiet;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      pen.moveTo(x + 4 * dx, y + 4 * dy);
      pen.lineTo(x + 10 * dx, y + 10 * dy);
    }
    pen.stroke();
  }
}

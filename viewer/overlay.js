// What lies under and over the points: links; axes, names, rings, the lasso.
import { CanvasPen, textWidth } from './pen.js';
import { drawNames, meet, placeNames, shorten } from './naming.js';
import { drawDensity } from './density.js';
import { drawAxes, strip } from './axes.js';

const mostLinks = 3000; // of the open node
const mostNames = 90;
const widths = [[-1, 0.15, 0.7], [0.15, 0.4, 1.5], [0.4, 0.7, 2.6], [0.7, 1, 4]]; // shares of the largest weight: from, to, pixels
const head = 7; // pixels of an arrow
const fewPoints = 1000; // names do not hide points of so small a graph

// The two strokes of an arrow that reaches the rim of a point.
function arrow([x0, y0], [x1, y1], rim) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const [x, y] = [x1 - rim * Math.cos(angle), y1 - rim * Math.sin(angle)];
  return [angle + 2.7, angle - 2.7].map((side) => [x, y, x + head * Math.cos(side), y + head * Math.sin(side)]);
}

// links: [from, to, share, way]
function arrows(links, { place, radius }) {
  const lines = [];
  for (const [i, j, , way] of links) {
    if (way & 1) lines.push(...arrow(place(i), place(j), radius(j) + 1));
    if (way & 2) lines.push(...arrow(place(j), place(i), radius(i) + 1));
  }
  return lines;
}

// Beneath the points: all links of a small graph, then those of the open node. scene: place, all, open,
// links, style, dim
export function drawLinks(pen, scene) {
  const { place, all, open, links, style, dim } = scene;
  const many = all?.length > 1500;
  const width = many ? 0.7 : all?.length > 400 ? 0.6 : 1;
  for (const [from, to, factor] of all && !many && all.some((link) => link[2] < 1) ? widths : all ? [[-1, 1, 1]] : []) {
    pen.lines(all.filter((link) => link[2] > from && link[2] <= to).map(([i, j]) => [...place(i), ...place(j)]),
      `rgb(${style.link})`, width * factor, (many ? 0.13 : all.length > 400 ? 0.17 : 0.24) * (dim ? 0.4 : 1));
  }
  if (all && !many) pen.lines(arrows(all, scene), `rgb(${style.link})`, 1.2, dim ? 0.25 : 0.5);
  if (open >= 0) {
    const at = place(open);
    pen.lines(arrows(links.slice(0, mostLinks).map((link) => [open, link.point, 1, link.way]), scene), `rgb(${style.link})`, 1.4, 0.7);
    pen.lines(links.slice(0, mostLinks).map((link) => [...at, ...place(link.point)]), `rgb(${style.link})`, 1,
      links.length > 200 ? 0.2 : 0.45);
  }
}

function boxOf([x, y], r, right = r) { return [x - r, y - r, x + right, y + r]; }

function drawOpen(pen, { place, radius, open, named, nameOf, style }, taken, area) {
  const at = place(open);
  const around = Math.max(radius(open) + 2, 8);
  for (const point of named) pen.ring(...place(point), Math.max(radius(point), 4.5), style.accent, 1.4);
  pen.ring(...at, around, style.plot, 5);
  pen.ring(...at, around, style.accent, 2.5);
  const name = shorten(nameOf(open), 32);
  const reach = around + 8 + textWidth(name, 13, 600);
  const right = boxOf(at, around, reach);
  const left = [at[0] - reach, right[1], at[0] + around, right[3]];
  const turned = right[2] > area[2] || taken.some((box) => meet(box, right)); // its name then stands at its left
  taken.push(turned ? left : right);
  return () => pen.text(at[0] + (turned ? -around - 5 : around + 5), at[1], name,
    { size: 13, weight: 600, anchor: turned ? 'end' : 'start', colour: style.ink, halo: style.plot });
}

// What a pane shows, in its lower left corner, and where it begins.
function drawTitle(pen, { title, pane, style, app }, [left, , , bottom]) {
  const { width, height } = app.camera;
  const edge = pane.dx > 0 ? [[0, 0, 0, height]] : pane.dy > 0 ? [[0, 0, width, 0]] : [];
  pen.lines(edge, style.quiet, 1, 0.6);
  pen.text(left + 14, bottom - 16, shorten(title, 60), { size: 12, weight: 600, colour: style.ink, halo: style.plot });
}

// scene: place (point to pixel), radius, open, links, named, leading, over, lasso, cross, style, nameOf, app, and
// axes: whether they are drawn. Returns what was named and where the ticks are.
export function drawOver(pen, scene) {
  const { place, style, app, nameOf } = scene;
  const { width, height } = app.camera;
  const taken = [...scene.covered];
  const area = scene.axes ? [strip.left, 0, width, height - strip.bottom] : [0, 0, width, height];
  for (const i of scene.changed) pen.ring(...place(i), scene.radius(i) + 2.5, style.accent, 1.3);
  const openName = scene.open >= 0 ? drawOpen(pen, scene, taken, area) : null;
  if (app.n <= fewPoints && scene.leading.length) {
    for (let i = 0; i < app.n; i++) taken.push(boxOf(place(i), scene.radius(i)));
  }
  const found = scene.axes ? drawAxes(pen, app) : null;
  const names = placeNames([...scene.named, ...scene.leading].filter((i) => i !== scene.open),
    { place, radius: scene.radius, nameOf, area, taken, most: mostNames });
  drawNames(pen, names, style);
  openName?.();
  if (scene.title) drawTitle(pen, scene, area);
  if (scene.over >= 0) pen.ring(...place(scene.over), Math.max(scene.radius(scene.over) + 1.5, 7), style.ink, 1.5);
  return { names, ticks: found };
}

export class Overlay {
  constructor(canvas, under) {
    this.canvas = canvas;
    this.under = under;
    this.pen = new CanvasPen(canvas.getContext('2d'));
    this.low = new CanvasPen(under.getContext('2d'));
  }

  // scenes: of the panes; returns what was drawn in the last
  draw(scenes, ratio) {
    for (const { context } of [this.low, this.pen]) {
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, this.canvas.width / ratio, this.canvas.height / ratio);
    }
    return scenes.map((scene) => this.drawPane(scene)).at(-1);
  }

  drawPane(scene) {
    const { pane: { dx, dy }, app: { camera } } = scene;
    for (const { context } of [this.low, this.pen]) {
      context.save();
      context.translate(dx, dy);
      context.beginPath();
      context.rect(0, 0, camera.width, camera.height);
      context.clip();
    }
    if (scene.density) drawDensity(this.low.context, scene.density);
    drawLinks(this.low, scene);
    const drawn = drawOver(this.pen, scene);
    if (scene.lasso) scene.lasso.draw(this.pen.context, scene.style);
    if (scene.cross) this.cross(camera, scene.style);
    for (const { context } of [this.low, this.pen]) context.restore();
    return drawn;
  }

  // The middle of the view, for those who steer by keys.
  cross(camera, style) {
    const x = camera.width / 2;
    const y = camera.height / 2;
    this.pen.lines([[1, 0], [-1, 0], [0, 1], [0, -1]].map(([dx, dy]) => [x + 4 * dx, y + 4 * dy, x + 10 * dx, y + 10 * dy]),
      style.quiet, 1);
  }
}

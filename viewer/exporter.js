// Files out of the page, made here and saved by the browser: the picture with title and legend, as PNG
// and for small graphs as SVG, and the selected nodes.
import { CanvasPen, SvgPen, textWidth } from './pen.js';
import { drawLinks, drawOver } from './overlay.js';
import { count } from './bus.js';
import { toHex } from './palette.js';
import { shorten } from './naming.js';

const head = 48; // pixels of the title
const line = 20; // of a legend's entry
const finest = 2; // pixels of a PNG for one of the page, at least

function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function fileName(title, ending) {
  const words = title.normalize('NFKD').replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60);
  return `${words || 'cafe'}${ending}`;
}

// ---- the legend

function legendWidth({ title, entries }) {
  const widths = (entries ?? []).map((e) => textWidth(shorten(e.name), 12) + textWidth(count(e.count), 12) + 46);
  return Math.ceil(Math.min(Math.max(textWidth(title, 12, 600) + 20, 150, ...widths), 300));
}

function drawMark(pen, x, y, { rgb, ring }) {
  if (ring) pen.ring(x, y, 3.8, toHex(rgb), 2.4);
  else pen.disc(x, y, 5, toHex(rgb));
}

// The largest kinds that fit, or the scale.
function drawLegend(pen, colours, style, x, y, height) {
  const width = legendWidth(colours);
  pen.text(x, y + 8, colours.title, { weight: 600, colour: style.ink });
  if (colours.ramp) {
    for (let i = 0; i < 64; i++) pen.rect(x + i * 2, y + 24, 2.2, 11, toHex(colours.ramp(i / 63)));
    pen.text(x, y + 46, colours.ends[0], { size: 11, colour: style.quiet });
    pen.text(x + 128, y + 46, colours.ends[1], { size: 11, anchor: 'end', colour: style.quiet });
  }
  const entries = colours.entries ?? [];
  const fitting = Math.max(Math.floor((height - 30) / line), 1);
  const shown = entries.length > fitting ? entries.slice(0, fitting - 1) : entries;
  shown.forEach((entry, i) => {
    const at = y + 32 + i * line;
    drawMark(pen, x + 6, at, entry.mark);
    pen.text(x + 18, at, shorten(entry.name), { colour: style.ink });
    pen.text(x + width - 12, at, count(entry.count), { anchor: 'end', colour: style.quiet });
  });
  if (shown.length < entries.length) {
    pen.text(x + 18, y + 32 + shown.length * line, `and ${count(entries.length - shown.length)} more`, { colour: style.quiet });
  }
}

// ---- pictures

// Runs `draw` with the view as the picture has it: the legend lies beside the points, so that these,
// unless the user has moved them, may take its room.
function withPicture(app, draw) {
  const { camera } = app;
  const kept = { ...camera };
  app.saving = true;
  if (!camera.moved) {
    camera.room = app.room(false);
    app.stretch();
  }
  try {
    return draw(app.size.width + legendWidth(app.coloursShown), app.size.height + head);
  } finally {
    app.saving = false;
    Object.assign(camera, kept);
    app.resize();
  }
}

function drawRest(pen, app, width) {
  const { style, meta, size } = app;
  pen.rect(0, 0, width, head, style.plot);
  pen.text(16, head / 2, shorten(meta.title, 90), { size: 18, weight: 650, colour: style.ink });
  drawLegend(pen, app.coloursShown, style, size.width + 4, head + 8, size.height - 16);
}

export function savePicture(app) {
  withPicture(app, (width, height) => {
    const ratio = Math.max(finest, window.devicePixelRatio || 1);
    app.drawAt(ratio);
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d');
    context.fillStyle = app.style.plot;
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const each of [app.overlay.under, app.points.canvas, app.overlay.canvas]) {
      context.drawImage(each, 0, Math.round(head * ratio));
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawRest(new CanvasPen(context), app, width);
    canvas.toBlob((blob) => save(blob, fileName(app.meta.title, '.png')), 'image/png');
  });
}

function drawPoints(pen, app, pane) {
  const { points, n } = app;
  const { size, alpha } = points.look(app.camera, 1);
  const hex = (c) => toHex([...points.palette.slice(4 * c, 4 * c + 3)]);
  for (let i = 0; i < n; i++) {
    const [x, y] = app.placeOf(i, pane);
    const out = app.panes.length > 1 ? 0 : 20;
    if (x < -out || y < -out || x > app.camera.width + out || y > app.camera.height + out) continue;
    const c = points.arrays[pane.before ? 5 : 1][i];
    const faint = app.selection && !app.selection[i];
    const radius = size * points.factor(i) / 2;
    if (points.palette[4 * c + 3] < 255 && !faint) pen.ring(x, y, radius * 0.75, hex(c), radius * 0.5);
    else pen.disc(x, y, radius, hex(c), faint ? 0.13 : alpha);
  }
}

// The same parts in the same order, as shapes and text; what leaves the plot is hidden by the frame.
export function saveShapes(app) {
  withPicture(app, (width, height) => {
    const pen = new SvgPen();
    pen.rect(0, 0, width, height, app.style.plot);
    for (const pane of app.panes) {
      const scene = app.scene(pane);
      pen.shiftX = pane.dx;
      pen.shiftY = head + pane.dy;
      drawLinks(pen, scene);
      drawPoints(pen, app, pane);
      drawOver(pen, scene);
    }
    pen.shiftX = pen.shiftY = 0;
    pen.rect(app.size.width, 0, width - app.size.width, height, app.style.plot);
    drawRest(pen, app, width);
    save(new Blob([pen.document(width, height, app.meta.title)], { type: 'image/svg+xml' }), fileName(app.meta.title, '.svg'));
  });
}

// ---- the table

// A cell of a table of tabs, quoted as RFC 4180 has it. A leading = + - @ would be a formula to a
// spreadsheet: such names get an apostrophe before them.
export function cell(text) {
  const safe = /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /["\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// columns: { heading, text }
export function saveTable(app, columns) {
  const lines = [columns.map(({ heading }) => cell(heading)).join('\t')];
  for (let i = 0; i < app.n; i++) {
    if (app.selection && !app.selection[i]) continue;
    lines.push(columns.map(({ text }) => cell(text(i))).join('\t'));
  }
  save(new Blob([lines.join('\n'), '\n'], { type: 'text/tab-separated-values' }), fileName(app.meta.title, '.tsv'));
}

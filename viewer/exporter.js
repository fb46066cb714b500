// Files out of the page, made here and saved by the browser: the picture, and the selected nodes.

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

// The two canvases over the ground colour. The points are drawn anew first: a browser may have
// forgotten them since the last frame.
export function savePicture(app) {
  app.drawNow();
  const { points, overlay, style, meta } = app;
  const canvas = document.createElement('canvas');
  canvas.width = overlay.canvas.width;
  canvas.height = overlay.canvas.height;
  const pen = canvas.getContext('2d');
  pen.fillStyle = style.plot;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(points.canvas, 0, 0);
  pen.drawImage(overlay.canvas, 0, 0);
  canvas.toBlob((blob) => save(blob, fileName(meta.title, '.png')), 'image/png');
}

// A cell of a table of tabs, quoted as RFC 4180 has it. A leading = + - @ would be a formula to a
// spreadsheet: such names get an apostrophe before them.
export function cell(text) {
  const safe = /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /["\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// columns: [heading, (point) => text]
export function saveTable(app, columns) {
  const lines = [columns.map(([heading]) => cell(heading)).join('\t')];
  for (let i = 0; i < app.n; i++) {
    if (app.selection && !app.selection[i]) continue;
    lines.push(columns.map(([, of]) => cell(String(of(i)))).join('\t'));
  }
  save(new Blob([lines.join('\n'), '\n'], { type: 'text/tab-separated-values' }), fileName(app.meta.title, '.tsv'));
}

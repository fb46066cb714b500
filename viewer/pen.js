// One way to draw on a canvas and into an SVG, so that a saved picture cannot differ from the page.
// Colours are CSS colours, places pixels of the plot.

const family = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const measure = document.createElement('canvas').getContext('2d');

export function textWidth(text, size, weight = 400) {
  measure.font = `${weight} ${size}px ${family}`;
  return measure.measureText(text).width;
}

export class CanvasPen {
  constructor(context) { this.context = context; }

  lines(list, colour, width, alpha = 1) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const [x0, y0, x1, y1] of list) {
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  disc(x, y, radius, colour, alpha = 1) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
  }

  ring(x, y, radius, colour, width) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }

  rect(x, y, width, height, colour) {
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, width, height);
  }

  // y is the middle of the line; halo: a colour around the letters; upright: read upwards
  text(x, y, words, { size = 12, weight = 400, anchor = 'start', colour, halo, upright = false }) {
    const { context } = this;
    context.save();
    context.font = `${weight} ${size}px ${family}`;
    context.textBaseline = 'middle';
    context.textAlign = { start: 'left', middle: 'center', end: 'right' }[anchor];
    context.direction = 'ltr';
    context.translate(x, y);
    if (upright) context.rotate(-Math.PI / 2);
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = 3.5;
      context.lineJoin = 'round';
      context.strokeText(words, 0, 0);
    }
    context.fillStyle = colour;
    context.fillText(words, 0, 0);
    context.restore();
  }
}

// Text is escaped here and nowhere else; what XML forbids becomes U+FFFD.
function escape(text) {
  return String(text).replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const round = (x) => Number(x.toFixed(2));

export class SvgPen {
  constructor() { this.parts = []; this.shiftX = 0; this.shiftY = 0; }

  put(tag, attributes, inside) {
    const list = Object.entries(attributes).filter(([, v]) => v !== undefined)
      .map(([k, v]) => ` ${k}="${typeof v === 'number' ? round(v) : escape(v)}"`).join('');
    this.parts.push(inside === undefined ? `<${tag}${list}/>` : `<${tag}${list}>${escape(inside)}</${tag}>`);
  }

  lines(list, colour, width, alpha = 1) {
    for (const [x0, y0, x1, y1] of list) {
      this.put('line', { x1: x0 + this.shiftX, y1: y0 + this.shiftY, x2: x1 + this.shiftX, y2: y1 + this.shiftY,
        stroke: colour, 'stroke-width': width, 'stroke-opacity': alpha });
    }
  }

  disc(x, y, radius, colour, alpha = 1) {
    this.put('circle', { cx: x + this.shiftX, cy: y + this.shiftY, r: radius, fill: colour, 'fill-opacity': alpha });
  }

  ring(x, y, radius, colour, width) {
    this.put('circle', { cx: x + this.shiftX, cy: y + this.shiftY, r: radius, fill: 'none', stroke: colour, 'stroke-width': width });
  }

  rect(x, y, width, height, colour) {
    this.put('rect', { x: x + this.shiftX, y: y + this.shiftY, width, height, fill: colour });
  }

  text(x, y, words, { size = 12, weight = 400, anchor = 'start', colour, halo, upright = false }) {
    const [px, py] = [x + this.shiftX, y + this.shiftY];
    this.put('text', { x: px, y: py, 'font-size': size, 'font-weight': weight, 'text-anchor': anchor, fill: colour,
      'dominant-baseline': 'central', ...(halo ? { stroke: halo, 'stroke-width': 3, 'paint-order': 'stroke', 'stroke-linejoin': 'round' } : {}),
      ...(upright ? { transform: `rotate(-90 ${round(px)} ${round(py)})` } : {}) }, words);
  }

  document(width, height, title) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}" `
      + `viewBox="0 0 ${round(width)} ${round(height)}" font-family="Helvetica, Arial, sans-serif">\n`
      + `<title>${escape(title)}</title>\n${this.parts.join('\n')}\n</svg>\n`;
  }
}

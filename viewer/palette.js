// Colours. Kinds: Okabe and Ito's palette, extended by shades that stay apart for the common forms of
// colour blindness; values: viridis; signed values: blue to orange through grey. In the dark every
// colour has a contrast of at least 3 to the ground.

const kinds = { light: ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8f8b2e',
  '#7a6ff0', '#44aa99', '#a3455f', '#b08d57', '#5f7fae'],
dark: ['#2989be', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8f8b2e',
  '#7a6ff0', '#44aa99', '#b76e82', '#b08d57', '#6584b1'] };

const viridis = { light: ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30'],
  dark: ['#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'] };
const signed = { light: ['#1f5fa8', '#7fa8cf', '#b9b9b5', '#dda268', '#b8560f'],
  dark: ['#5aa2ee', '#4e7399', '#6b6f73', '#b57a42', '#ff9d45'] };
const ink = { light: '#1f2428', dark: '#e7e9eb' };
const paper = { light: '#ffffff', dark: '#16191c' };

const theme = (dark) => (dark ? 'dark' : 'light');

export function parse(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

export function toHex(rgb) {
  return `#${rgb.map((c) => Math.round(c).toString(16).padStart(2, '0')).join('')}`;
}

// Black or white, whichever is read more easily on the colour (relative luminance of WCAG).
export function inkOn(hex) {
  const [r, g, b] = parse(hex).map((c) => (c / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? '#111' : '#fff';
}

function mix(a, b, t) { return a.map((c, k) => c + (b[k] - c) * t); }

function at(stops, t) {
  const x = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(x), stops.length - 2);
  return mix(parse(stops[i]), parse(stops[i + 1]), x - i);
}

export function other(dark) { return parse(dark ? '#666d74' : '#aaa9a4'); }

// How many kinds are told apart: twelve colours in three shades, as discs and as rings.
export const marks = 72;

// The i-th kind: first the twelve colours as discs, then stronger as rings, paler as discs, ...
export function mark(i, dark) {
  const hues = kinds[theme(dark)];
  const block = Math.floor(i / hues.length) % 6;
  const base = parse(hues[i % hues.length]);
  const shade = [base, mix(base, parse(ink[theme(dark)]), 0.45), mix(base, parse(paper[theme(dark)]), 0.28)][block % 3];
  return { rgb: shade, ring: block % 2 === 1 };
}

export function ramp(name, dark) {
  const stops = (name === 'signed' ? signed : viridis)[theme(dark)];
  return (t) => at(stops, t);
}

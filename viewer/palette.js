// Colours. Kinds: twelve that stay apart for every common form of colour blindness, of which the first
// six in the light are Okabe and Ito's; values: viridis; signed values: blue to orange through grey. In
// the dark every colour has a contrast of at least 3 to the ground. tests/test_letters.c measures them.

const kinds = { light: ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#9678ff',
  '#690000', '#000f96', '#693c5a', '#9600ff', '#1e002d'],
dark: ['#56b4e9', '#e69f00', '#5a9669', '#d24ba5', '#00ffff', '#e15a2d', '#965aff',
  '#d2a5b4', '#a5c378', '#96f069', '#fff000', '#e1ffd2'] };

const viridis = { light: ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30'],
  dark: ['#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'] };
const signed = { light: ['#1f5fa8', '#7fa8cf', '#b9b9b5', '#dda268', '#b8560f'],
  dark: ['#5aa2ee', '#6a94bf', '#8b9197', '#c69460', '#ff9d45'] };
const ink = { light: '#1f2428', dark: '#e7e9eb' };
const pale = { light: '#ffffff', dark: '#8b9197' };

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
  const shade = [base, mix(base, parse(ink[theme(dark)]), 0.45), mix(base, parse(pale[theme(dark)]), 0.4)][block % 3];
  return { rgb: shade, ring: block % 2 === 1 };
}

export function ramp(name, dark) {
  const stops = (name === 'signed' ? signed : viridis)[theme(dark)];
  return (t) => at(stops, t);
}

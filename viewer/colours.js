// Colour by community, label, column or centrality: an index out of 256 per point, the colours that
// the indices stand for, and the legend.
import { mark, marks, other, ramp } from './palette.js';
import { count, figure } from './bus.js';

// The fourth byte is no opacity: 255 is a disc, 128 a ring.
function paletteOf(markOf) {
  const rgba = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const { rgb, ring } = markOf(i);
    rgba.set([...rgb.map(Math.round), ring ? 128 : 255], 4 * i);
  }
  return rgba;
}

// The largest kinds get colours of their own, the rest share one. within: a flag per point, those that
// count; null: all do.
export function largestKinds(of, size, within = null) {
  const counts = new Uint32Array(size);
  for (let i = 0; i < of.length; i++) if (!within || within[i]) counts[of[i]]++;
  const order = [...counts.keys()].filter((k) => counts[k] > 0)
    .sort((a, b) => counts[b] - counts[a] || a - b);
  const slot = new Uint8Array(size);
  order.slice(0, marks).forEach((k, i) => { slot[k] = i + 1; });
  return { counts, order, slot };
}

// of[i]: the kind of point i; none: the kind that means "not known" (-1: there is none); alone: kinds of a single
// point share the colour of the rest; aboutOf: a few words for a kind
export function byKind(title, of, size, nameOf, none, dark, { within = null, alone = false, aboutOf = () => '' } = {}) {
  const { counts, order, slot } = largestKinds(of, size, within);
  if (none >= 0) slot[none] = 0;
  const single = alone ? order.filter((k) => counts[k] === 1) : [];
  if (single.length > 1 && single.length < order.length) for (const k of single) slot[k] = 0;
  const index = new Uint8Array(of.length);
  for (let i = 0; i < of.length; i++) index[i] = slot[of[i]];
  const rest = { rgb: other(dark), ring: false };
  const markOf = (i) => (i === 0 ? rest : mark(i - 1, dark));
  const entries = order.filter((k) => slot[k] > 0)
    .map((k) => ({ name: nameOf(k), about: () => aboutOf(k), count: counts[k], mark: markOf(slot[k]), holds: (i) => of[i] === k }));
  const tail = order.filter((k) => slot[k] === 0);
  if (tail.length) {
    const lone = tail.length > 1 && tail.every((k) => counts[k] === 1);
    entries.push({ name: tail.length === 1 ? nameOf(tail[0]) : `${count(tail.length)} ${lone ? 'of one node' : 'others'}`, about: () => '',
      count: tail.reduce((sum, k) => sum + counts[k], 0), mark: rest, holds: (i) => slot[of[i]] === 0 });
  }
  return { title, index, palette: paletteOf(markOf), entries, slot };
}

// Colours that the kinds with slots of used[] leave over, for further kinds: fills slot[]; returns kinds and marks.
export function mixedKinds(used, kinds, slot, dark) {
  const last = used.reduce((most, s) => Math.max(most, s), 0);
  return kinds.slice(0, Math.max(marks - last, 0)).map((k, i) => {
    slot[k] = last + 1 + i;
    return [k, mark(last + i, dark)];
  });
}

// valueOf: the number of point i
function byValue(title, index, rampName, low, high, dark, valueOf) {
  const colour = ramp(rampName, dark);
  return { title, index, palette: paletteOf((i) => ({ rgb: colour(i / 255) })), ramp: colour,
    ends: [figure(low), figure(high)], valueOf };
}

// A column with values of both signs has its grey at 0.
export function byColumn(title, axis, dark) {
  const { q, steps, low, high } = axis;
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const both = low < 0 && high > 0;
  const index = new Uint8Array(q.length);
  for (let i = 0; i < q.length; i++) {
    const value = low + (high - low) * q[i] / steps;
    index[i] = 255 * (both ? (value / reach + 1) / 2 : q[i] / steps);
  }
  const valueOf = (i) => low + (high - low) * q[i] / steps;
  return both ? byValue(title, index, 'signed', -reach, reach, dark, valueOf)
    : byValue(title, index, 'value', low, high, dark, valueOf);
}

// A column of the table that holds numbers; points without one have the colour of the rest.
export function byNumber(title, numberOf, n, dark) {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < n; i++) {
    const x = numberOf(i);
    if (x < low) low = x;
    if (x > high) high = x;
  }
  const index = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    const x = numberOf(i);
    index[i] = Number.isNaN(x) ? 0 : 1 + 254 * (high > low ? (x - low) / (high - low) : 0.5);
  }
  const found = byValue(title, index, 'value', low, high, dark, numberOf);
  found.palette.set([...other(dark), 255], 0);
  return found;
}

// Centralities were quantised by their logarithms; 0 stands for 0.
export function byCentrality(title, q, { steps, low, high }, dark) {
  const index = new Uint8Array(q.length);
  for (let i = 0; i < q.length; i++) index[i] = 255 * q[i] / steps;
  return byValue(title, index, 'value', low, high, dark, (i) => centralityAt(q, { steps, low, high }, i));
}

export function centralityAt(q, { steps, low, high }, i) {
  if (q[i] === 0) return 0;
  return steps > 1 ? low * (high / low) ** ((q[i] - 1) / (steps - 1)) : low;
}

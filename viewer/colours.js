// Colour by community, label, column or centrality: an index out of 256 per point, the colours that
// the indices stand for, and the legend.
import { kind, kinds, other, ramp } from './palette.js';
import { count, figure } from './bus.js';

function paletteOf(colourOf) {
  const rgba = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) rgba.set([...colourOf(i).map(Math.round), 255], 4 * i);
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
  order.slice(0, kinds.length).forEach((k, i) => { slot[k] = i + 1; });
  return { counts, order, slot };
}

// of[i]: the kind of point i; none: the kind that means "not known" (-1: there is none)
export function byKind(title, of, size, nameOf, none, dark, within = null) {
  const { counts, order, slot } = largestKinds(of, size, within);
  if (none >= 0) slot[none] = 0;
  const index = new Uint8Array(of.length);
  for (let i = 0; i < of.length; i++) index[i] = slot[of[i]];
  const colourOf = (i) => (i === 0 ? other(dark) : kind(i - 1));
  const entries = order.filter((k) => slot[k] > 0)
    .map((k) => ({ name: nameOf(k), count: counts[k], colour: kind(slot[k] - 1), holds: (i) => of[i] === k }));
  const rest = order.filter((k) => slot[k] === 0);
  if (rest.length) {
    entries.push({ name: rest.length === 1 ? nameOf(rest[0]) : `${count(rest.length)} others`,
      count: rest.reduce((sum, k) => sum + counts[k], 0), colour: other(dark), holds: (i) => slot[of[i]] === 0 });
  }
  return { title, index, palette: paletteOf(colourOf), entries };
}

function byValue(title, index, rampName, low, high, dark) {
  const colour = ramp(rampName, dark);
  return { title, index, palette: paletteOf((i) => colour(i / 255)), ramp: colour,
    ends: [figure(low), figure(high)] };
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
  return both ? byValue(title, index, 'signed', -reach, reach, dark)
    : byValue(title, index, 'value', low, high, dark);
}

// Centralities were quantised by their logarithms; 0 stands for 0.
export function byCentrality(title, q, { steps, low, high }, dark) {
  const index = new Uint8Array(q.length);
  for (let i = 0; i < q.length; i++) index[i] = 255 * q[i] / steps;
  return byValue(title, index, 'value', low, high, dark);
}

export function centralityAt(q, { steps, low, high }, i) {
  if (q[i] === 0) return 0;
  return steps > 1 ? low * (high / low) ** ((q[i] - 1) / (steps - 1)) : low;
}

// The nodes nearest to one by the cosine of their vectors: lists that were found when the page was made, or, where
// all columns are in the page, every node compared here with the open one.
import { valueAt } from './data.js';

const most = 10;
const atOnce = 20e6; // products between two looks at what else the page has to do

// Sums over the columns for all points at once; x: the other vector, null: each with itself.
async function products(app, x) {
  const sums = new Float64Array(app.n);
  for (let j = 0, done = app.n; j < app.meta.columns; j++, done += app.n) {
    const axis = await app.column(j);
    const unit = (axis.high - axis.low) / axis.steps;
    for (let i = 0; i < app.n; i++) {
      const value = axis.low + unit * axis.q[i];
      sums[i] += value * (x ? x[j] : value);
    }
    if (done > atOnce) {
      await new Promise((go) => { setTimeout(go); });
      done = 0;
    }
  }
  return sums;
}

// What rounding makes of a vector of zeros: a square of at most so much.
async function roundingOf(app) {
  let square = 0;
  for (let j = 0; j < app.meta.columns; j++) {
    const { low, high, steps } = await app.column(j);
    square += ((high - low) / steps) ** 2 / 4;
  }
  return square;
}

async function searchAll(app, point) {
  app.squares ??= Promise.all([products(app, null), roundingOf(app)]);
  const [squares, rounding] = await app.squares;
  if (squares[point] <= rounding) return [];
  const x = [];
  for (let j = 0; j < app.meta.columns; j++) x.push(valueAt(await app.column(j), point));
  const sums = await products(app, x);
  const list = [];
  for (let i = 0; i < app.n; i++) {
    if (i === point || squares[i] <= rounding) continue;
    const cosine = sums[i] / Math.sqrt(squares[i] * squares[point]);
    if (list.length === most && cosine <= list[most - 1].cosine) continue;
    let at = list.length;
    while (at > 0 && list[at - 1].cosine < cosine) at--;
    list.splice(at, 0, { point: i, cosine, digits: 3 });
    list.length = Math.min(list.length, most);
  }
  return list;
}

// [{ point, cosine, digits }], the nearest first; null: they are not in this page.
export async function nearestOf(app, point) {
  const { store, n, meta } = app;
  if (!store.has('nearest')) return meta.columnsShown === meta.columns ? searchAll(app, point) : null;
  const [ends, cosines] = await Promise.all([store.numbers('nearest'), store.numbers('nearest-cosine')]);
  const { low, high, steps } = store.info('nearest-cosine');
  const digits = steps > 2000 ? 4 : 2;
  const list = [];
  for (let at = point; at < ends.length && ends[at] > 0; at += n) {
    const step = ends[at] % 2 ? -(ends[at] + 1) / 2 : ends[at] / 2;
    list.push({ point: point + step, cosine: low + (high - low) * cosines[at] / steps, digits });
  }
  return list;
}

// How they were found, or why there are none.
export function nearestNote({ meta: { columns, nearestExact }, store }, nearest) {
  if (!nearest) return 'Not in this page: cafe plot --tune page-limit=0 puts them in.';
  if (!nearest.length) return 'None: the vector of this node is 0, or it is the only one that is not.';
  const over = columns === 1 ? 'the only column' : `all ${columns} columns of the vectors`;
  if (!store.has('nearest')) return `Over ${over}, as this page has them (rounded); all nodes were compared.`;
  return nearestExact ? `Over ${over}; all pairs of nodes were compared.`
    : `Over ${over}, by an approximate search: a nearer node may be missing. cafe plot --tune page-limit=0 makes it exact.`;
}

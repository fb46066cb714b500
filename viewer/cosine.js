// The nearest nodes: by the cosine of their vectors, over the columns that the page has.

async function columnsOf(app) {
  const axes = [];
  for (let j = 0; j < app.meta.columnsShown; j++) axes.push(await app.column(j));
  return axes;
}

// sum += factor(i) value(i) over all points, a column at a time: no array of n x columns is needed.
function addColumn(axis, factor, sums) {
  const { q, low } = axis;
  const step = (axis.high - axis.low) / axis.steps;
  for (let i = 0; i < q.length; i++) sums[i] += factor(low + step * q[i]);
}

async function lengths(app, axes) {
  if (!app.lengths) {
    const squares = new Float64Array(app.n);
    for (const axis of axes) addColumn(axis, (v) => v * v, squares);
    app.lengths = squares.map(Math.sqrt);
  }
  return app.lengths;
}

// [{ point, cosine }], the nearest first; empty where the node's own vector is 0.
export async function nearestByCosine(app, point, most) {
  const axes = await columnsOf(app);
  const length = await lengths(app, axes);
  const inner = new Float64Array(app.n);
  for (const axis of axes) {
    const mine = axis.low + (axis.high - axis.low) * axis.q[point] / axis.steps;
    addColumn(axis, (v) => mine * v, inner);
  }
  const best = [];
  if (!(length[point] > 0)) return best;
  for (let i = 0; i < app.n; i++) {
    if (i === point || !(length[i] > 0)) continue;
    const cosine = inner[i] / (length[point] * length[i]);
    if (best.length === most && cosine <= best[most - 1].cosine) continue;
    let at = best.length;
    while (at > 0 && best[at - 1].cosine < cosine) at--;
    best.splice(at, 0, { point: i, cosine });
    if (best.length > most) best.pop();
  }
  return best;
}

// The nodes nearest to each by the cosine of their vectors, found when the page was made.

// [{ point, cosine, digits }], the nearest first; null: they are not in this page.
export async function nearestOf({ store, n }, point) {
  if (!store.has('nearest')) return null;
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
export function nearestNote({ columns, nearestExact }, nearest) {
  if (!nearest) return 'Not in this page: cafe plot --tune page-limit=0 puts them in.';
  if (!nearest.length) return 'None: the vector of this node is 0, or it is the only one that is not.';
  const over = columns === 1 ? 'the only column' : `all ${columns} columns of the vectors`;
  return nearestExact ? `Over ${over}; all pairs of nodes were compared.`
    : `Over ${over}, by an approximate search: a nearer node may be missing.`;
}

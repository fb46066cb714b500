// Why a node is in its community, in words.

// Where the edges of a point go: "Node 33 is in community 0 because 12 of its 17 edges go there."
export function reasonOf(name, links, point, layer, nameOfCommunity) {
  const counts = new Map();
  const ends = links.of(point).filter((link) => link.point !== point);
  for (const { point: other } of ends) counts.set(layer.of[other], (counts.get(layer.of[other]) ?? 0) + 1);
  const own = layer.of[point];
  const mine = counts.get(own) ?? 0;
  counts.delete(own);
  const [next, theirs] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [-1, 0];
  if (!ends.length) return `${name} has no edges.`;
  const where = `${name} is in community ${nameOfCommunity(own)}`;
  const some = `${mine} of its ${ends.length} ${ends.length === 1 ? 'edge goes' : 'edges go'} there`;
  if (!theirs) return `${where}: ${mine === ends.length ? 'all' : mine} of its edges go there.`;
  const rest = `${theirs} to community ${nameOfCommunity(next)}`;
  return mine >= theirs ? `${where} because ${some}; next is ${rest}.`
    : `${where} although only ${some} and ${rest}: large communities attract by chance, so their edges count for less.`;
}

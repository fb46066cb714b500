// The layers of communities: sizes, children and parents, from the finest layer and the parents.
import { hasCommunities, readCommunities } from './data.js';
import { largestKinds } from './colours.js';

// levels[0] is the coarsest: for each community its size, its children and its parent.
export async function readTree(app) {
  const { meta, store } = app;
  if (!hasCommunities(store)) return null;
  const finest = await readCommunities(store);
  const layers = [{ of: finest, communities: meta.layers[0].communities }];
  for (let l = 0; l + 1 < meta.layers.length; l++) {
    const parent = await store.numbers(`parent-${l}`);
    const of = new Uint32Array(finest.length);
    for (let i = 0; i < of.length; i++) of[i] = parent[layers[l].of[i]];
    layers[l].parent = parent;
    layers.push({ of, communities: meta.layers[l + 1].communities });
  }
  layers.forEach((layer, l) => Object.assign(layer, largestKinds(layer.of, layer.communities),
    { modularity: meta.layers[l].modularity }));
  layers.reverse();
  layers.forEach((layer, d) => { if (d > 0) layer.children = childrenOf(layer, layers[d - 1]); });
  return layers;
}

// Children of each community of the layer above, larger ones first.
function childrenOf(layer, above) {
  const children = Array.from({ length: above.communities }, () => []);
  for (const k of layer.order) children[layer.parent[k]].push(k);
  return children;
}

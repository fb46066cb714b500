// The links: stored once each, from the point of smaller number; both directions are wanted.
import { valueAt } from './data.js';

export async function readLinks(store, meta) {
  const [counts, ends, bits, ways] = await Promise.all(['link-counts', 'link-ends', 'link-weights', 'link-ways']
    .map((name) => (store.has(name) ? store.numbers(name) : null)));
  const links = new Links(counts, ends, bits && floats(bits), ways);
  links.weigh(meta.degreeExponent);
  return links;
}

function floats(bits) {
  const whole = bits instanceof Uint32Array ? bits : Uint32Array.from(bits);
  return new Float32Array(whole.buffer);
}

class Links {
  // ways: of each stored link, 1: from its point, 2: to it, 3: both; null: no directions are known
  constructor(counts, ends, weights, ways) {
    const n = counts.length;
    this.start = new Uint32Array(n + 1);
    this.degree = new Float64Array(n); // sum of a(u,w) over w
    const larger = new Uint32Array(ends.length);
    this.eachStored(counts, ends, (i, j, at) => {
      larger[at] = j;
      this.start[i + 1]++;
      if (j !== i) this.start[j + 1]++;
    });
    for (let i = 0; i < n; i++) this.start[i + 1] += this.start[i];
    this.target = new Uint32Array(this.start[n]);
    this.weight = weights ? new Float32Array(this.start[n]) : null;
    this.way = ways ? new Uint8Array(this.start[n]) : null;
    const turned = [0, 2, 1, 3];
    const next = this.start.slice(0, n);
    this.eachStored(counts, ends, (i, j, at) => {
      const weight = weights ? weights[at] : 1;
      const way = ways ? ways[at] : 0;
      this.put(next, i, j, weight, way);
      if (j !== i) this.put(next, j, i, weight, turned[way]);
    });
  }

  // ends are differences: to the point itself, then to the end before
  eachStored(counts, ends, visit) {
    for (let i = 0, at = 0; i < counts.length; i++) {
      let j = i;
      for (let k = 0; k < counts[i]; k++, at++) {
        j += ends[at];
        visit(i, j, at);
      }
    }
  }

  put(next, i, j, weight, way) {
    const at = next[i]++;
    this.target[at] = j;
    if (this.weight) this.weight[at] = weight;
    if (this.way) this.way[at] = way;
    this.degree[i] += weight;
  }

  // What q is of: links that weigh a(u,w) / (d_u d_w)^x, nodes and all that weigh the sums of these.
  weigh(x) {
    const { degree, start, target, weight } = this;
    const n = degree.length;
    this.factor = degree.map((d) => (d > 0 ? d ** -x : 0));
    this.mass = new Float64Array(n);
    this.total = 0;
    for (let i = 0; i < n; i++) {
      for (let at = start[i]; at < start[i + 1]; at++) {
        this.mass[i] += (weight ? weight[at] : 1) * this.factor[i] * this.factor[target[at]];
      }
      this.total += this.mass[i];
    }
  }

  of(i) {
    const list = [];
    for (let at = this.start[i]; at < this.start[i + 1]; at++) {
      list.push({ point: this.target[at], weight: this.weight ? this.weight[at] : 1, way: this.way ? this.way[at] : 0 });
    }
    return list;
  }

  // Each link once: its points, its weight as a share of the largest, its way.
  pairs() {
    const list = [];
    const most = this.weight ? this.weight.reduce((a, b) => Math.max(a, b), 0) || 1 : 1;
    for (let i = 0; i + 1 < this.start.length; i++) {
      for (let at = this.start[i]; at < this.start[i + 1]; at++) {
        if (this.target[at] > i) list.push([i, this.target[at], this.weight ? this.weight[at] / most : 1, this.way ? this.way[at] : 0]);
      }
    }
    return list;
  }

  // q(u,w) = a(u,w) / 2m - d_u d_w / (2m)^2 of these
  covariance(i, { point, weight }) {
    const { factor, mass, total } = this;
    return weight * factor[i] * factor[point] / total - mass[i] * mass[point] / total ** 2;
  }
}

// Neighbours by the weight of the link.
export function heaviest(links, i) {
  return links.of(i).filter((link) => link.point !== i).sort((a, b) => b.weight - a.weight || a.point - b.point);
}

// Pull of a neighbour: q(u,w) <h_u, h_w>; axes: all columns of the vectors.
export function pulls(links, axes, i) {
  const mine = axes.map((axis) => valueAt(axis, i));
  return links.of(i).filter((link) => link.point !== i).map((link) => {
    const inner = axes.reduce((sum, axis, c) => sum + mine[c] * valueAt(axis, link.point), 0);
    return { ...link, pull: links.covariance(i, link) * inner };
  }).sort((a, b) => b.pull - a.pull || a.point - b.point);
}

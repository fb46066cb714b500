// The data of the page: one script element of base64 per array. An array is unpacked when it is
// first asked for; columns that nobody looks at cost nothing but their bytes.

export function readMeta() {
  return JSON.parse(document.getElementById('meta').textContent);
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The numbers of `count` stand as planes of bytes, the low bytes of all of them first.
function joinPlanes(bytes, count, delta) {
  const width = count ? bytes.length / count : 1;
  const numbers = width === 1 && !delta ? bytes : width === 2 && !delta ? new Uint16Array(count)
    : new Uint32Array(count);
  if (numbers === bytes) return bytes;
  for (let b = 0; b < width; b++) {
    const plane = bytes.subarray(b * count, (b + 1) * count);
    const shift = 8 * b;
    for (let i = 0; i < count; i++) numbers[i] |= plane[i] << shift;
  }
  if (delta) for (let i = 1; i < count; i++) numbers[i] += numbers[i - 1];
  return numbers;
}

export class Store {
  constructor(meta) {
    this.sections = new Map(meta.sections.map((s) => [s.name, s]));
    this.unpacked = new Map();
  }

  has(name) { return this.sections.has(name); }

  info(name) { return this.sections.get(name); }

  // The bytes of a section; its element is dropped, so that the text can be forgotten.
  async bytes(name) {
    const element = document.querySelector(`script[data-section="${name}"]`);
    const packed = fromBase64(element.textContent);
    element.remove();
    return inflate(packed);
  }

  // Texts that stand one after the other, each ended by a 0.
  texts(name) {
    if (!this.unpacked.has(name)) {
      this.unpacked.set(name, this.bytes(name).then((b) => new TextDecoder().decode(b).split('\0').slice(0, -1)));
    }
    return this.unpacked.get(name);
  }

  numbers(name) {
    if (!this.unpacked.has(name)) {
      const { count, delta } = this.info(name);
      this.unpacked.set(name, this.bytes(name).then((b) => joinPlanes(b, count, delta)));
    }
    return this.unpacked.get(name);
  }
}

function everySecondBit(code) {
  let x = code & 0x55555555;
  x = (x | (x >>> 1)) & 0x33333333;
  x = (x | (x >>> 2)) & 0x0f0f0f0f;
  x = (x | (x >>> 4)) & 0x00ff00ff;
  return (x | (x >>> 8)) & 0xffff;
}

// The pair of axes that the points were ordered by, from the codes of the Morton curve.
export async function readPair(store) {
  const code = await store.numbers('pair');
  const n = code.length;
  const x = new Uint16Array(n);
  const y = new Uint16Array(n);
  for (let i = 0; i < n; i++) {
    x[i] = everySecondBit(code[i]);
    y[i] = everySecondBit(code[i] >>> 1);
  }
  return [{ q: x, ...range(store.info('pair')) }, { q: y, ...range(store.info('pair-y')) }];
}

function range({ low, high, steps }) {
  return { low, high, steps };
}

export async function readColumn(store, name) {
  return { q: await store.numbers(name), ...range(store.info(name)) };
}

export function valueAt(axis, i) {
  return axis.low + (axis.high - axis.low) * axis.q[i] / axis.steps;
}

export function hasCommunities(store) {
  return store.has('community') || store.has('community-rank');
}

// The finest layer. Where there are labels, a community is stored as its rank among those of the same
// label; the table has for each label how many there are and then these.
export async function readCommunities(store) {
  if (store.has('community')) return store.numbers('community');
  const [rank, table, label] = await Promise.all(
    ['community-rank', 'community-table', 'label'].map((name) => store.numbers(name)));
  const start = [];
  for (let at = 0; at < table.length; at += 1 + table[at]) start.push(at + 1);
  const community = new Uint32Array(rank.length);
  for (let i = 0; i < rank.length; i++) community[i] = table[start[label[i]] + rank[i]];
  return community;
}

// Names by node number. Names that are the numbers themselves are not stored.
export class Names {
  constructor(meta, store) {
    this.meta = meta;
    this.store = store;
    this.list = null;
  }

  async load() {
    if (this.meta.names !== 'text' || this.list) return;
    this.list = await this.store.texts('names');
  }

  of(node) { return this.list ? this.list[node] : String(node); }

  // At most `most` nodes: the name itself, names that begin so, names that hold it.
  find(query, most) {
    return this.list ? this.findText(query, most) : this.findNumber(query, most);
  }

  findNumber(query, most) {
    const found = [];
    if (!/^\d+$/.test(query)) return found;
    for (let first = Number(query), width = 1; first < this.meta.nodes && found.length < most;
      first *= 10, width *= 10) {
      const end = Math.min(first + width, this.meta.nodes, first + most - found.length);
      for (let u = first; u < end; u++) found.push(u);
      if (first === 0) break;
    }
    return found;
  }

  findText(query, most) {
    const wanted = query.toLowerCase();
    const tiers = [[], [], []];
    for (let u = 0; u < this.list.length && tiers[1].length < most; u++) {
      const name = this.list[u].toLowerCase();
      const at = name.indexOf(wanted);
      if (at < 0) continue;
      const tier = tiers[name === wanted ? 0 : at === 0 ? 1 : 2];
      if (tier.length < most) tier.push(u);
    }
    return tiers.flat().slice(0, most);
  }
}

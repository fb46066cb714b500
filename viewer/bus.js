// Who wants to know what: the parts of the page meet here and nowhere else.

export class Bus {
  constructor() { this.listeners = new Map(); }

  on(event, listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, []);
    this.listeners.get(event).push(listener);
  }

  emit(event, detail) {
    for (const listener of this.listeners.get(event) ?? []) listener(detail);
  }
}

// An element with attributes and children. Text becomes text nodes, never markup: node names are
// whatever somebody wrote into a file.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'onclick') element.addEventListener('click', value);
    else if (key === 'class') element.className = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
}

export function count(n) { return n.toLocaleString('en'); }

export function figure(x) {
  if (x === null || x === undefined) return 'not known';
  if (x === 0) return '0';
  const size = Math.abs(x);
  return size >= 0.001 && size < 1e5 ? String(Number(x.toPrecision(4))) : x.toExponential(2);
}

// Nodes by name while one types: a combobox whose list is walked by the arrows.
import { make } from './bus.js';

const most = 30;

export class Search {
  constructor(app) {
    this.app = app;
    this.input = document.getElementById('search');
    this.list = document.getElementById('found');
    this.at = -1;
    this.input.addEventListener('input', () => this.update());
    this.input.addEventListener('focus', () => app.names.load());
    this.input.addEventListener('keydown', (e) => this.key(e));
    this.input.addEventListener('blur', () => this.close()); // a press on the list does not take the focus
  }

  async update() {
    const query = this.input.value.trim();
    await this.app.names.load();
    if (query !== this.input.value.trim()) return; // typed on meanwhile
    if (!query) return this.close();
    const nodes = this.app.names.find(query, most);
    this.at = nodes.length ? 0 : -1;
    this.list.replaceChildren(...nodes.map((node, i) => {
      const item = make('li', { role: 'option', id: `found-${i}`, dir: 'auto' }, this.app.names.of(node));
      item.addEventListener('mousedown', (e) => { e.preventDefault(); this.take(i); });
      return item;
    }));
    this.nodes = nodes;
    if (!nodes.length) this.list.append(make('li', { class: 'none' }, this.app.meta.names === 'none'
      ? 'Names are not in this page: numbers only' : 'No such node'));
    this.list.hidden = false;
    this.input.setAttribute('aria-expanded', 'true');
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((item, i) => {
      item.setAttribute('aria-selected', String(i === this.at));
      if (i === this.at) item.scrollIntoView({ block: 'nearest' });
    });
    if (this.at >= 0) this.input.setAttribute('aria-activedescendant', `found-${this.at}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  take(i) {
    this.close();
    this.input.blur();
    this.app.openNode(this.nodes[i]);
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
  }

  key(event) {
    const open = !this.list.hidden && this.nodes?.length > 0;
    if (event.key === 'Escape') {
      if (this.list.hidden) this.input.blur();
      this.close();
      event.stopPropagation();
    } else if (open && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      this.at = (this.at + step + this.nodes.length) % this.nodes.length;
      this.mark();
    } else if (open && event.key === 'Enter') this.take(Math.max(this.at, 0));
    else return;
    event.preventDefault();
  }
}

// The steps of a run, with what each is doing.
import { make } from './bus.js';

const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;

class Step {
  constructor(name) {
    this.time = make('span', { class: 'time' });
    this.about = make('span', { class: 'about' });
    this.bar = make('progress', { max: '1', hidden: '' });
    this.row = make('li', {}, make('span', {}, make('span', { class: 'name' }, name), ' ', this.about), this.time, this.bar);
  }

  begin() {
    this.began = performance.now();
    this.row.dataset.state = 'now';
    this.clock = setInterval(() => { this.time.textContent = seconds(this.began); }, 100);
  }

  hear({ phase, step, steps }) {
    const counted = steps > 0;
    this.about.textContent = counted ? `${phase} ${Math.min(step, steps)} of ${steps}` : phase;
    this.bar.hidden = !counted;
    if (counted) this.bar.value = Math.min(step / steps, 1);
  }

  end(state) {
    clearInterval(this.clock);
    if (this.began) this.time.textContent = seconds(this.began);
    this.row.dataset.state = state;
    this.about.textContent = '';
    this.bar.hidden = true;
  }
}

export class Steps {
  constructor(list) { this.list = list; }

  // names: { key: text }
  begin(names) {
    this.steps = Object.fromEntries(Object.entries(names).map(([key, name]) => [key, new Step(name)]));
    this.list.replaceChildren(...Object.values(this.steps).map(({ row }) => row));
  }

  // Runs `work(progress)` as this step.
  async during(key, work) {
    const step = this.steps[key];
    step.begin();
    try {
      const result = await work((progress) => step.hear(progress));
      step.end('done');
      return result;
    } catch (error) {
      step.end('failed');
      throw error;
    }
  }
}

// The tool in workers: each does one run at a time, and is replaced if a run is cancelled.

export class Cancelled extends Error {}

export class ToolError extends Error {}

// What the page's worker says of a crash: memory is all that can run out there.
const crashed = 'The run ended: the graph needs more memory than a page can have (4 GB). The tool of the command line has no such limit.';

class Runner {
  constructor(source, wasm) {
    this.source = source;
    this.wasm = wasm;
    this.count = 0;
    this.begin();
  }

  begin() {
    const url = URL.createObjectURL(new Blob([this.source], { type: 'text/javascript' }));
    this.worker = new Worker(url);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.hear({ id: this.count, failed: event.message });
    this.worker.postMessage({ wasm: this.wasm });
    this.last = Promise.resolve();
  }

  hear({ id, progress, done, failed }) {
    const { pending } = this;
    if (!pending || id !== this.count) return;
    if (progress) return pending.progress?.(progress);
    this.pending = null;
    if (failed !== undefined) {
      console.info(failed);
      pending.reject(new ToolError(crashed));
    } else pending.resolve(done);
  }

  ask(words, files, outputs, progress) {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject, progress };
      this.worker.postMessage({ id: ++this.count, words, files, outputs });
    });
  }

  // Runs follow each other.
  run(...question) {
    const next = this.last.then(() => this.ask(...question));
    this.last = next.catch(() => {});
    return next;
  }

  cancel() {
    if (!this.pending) return;
    this.worker.terminate();
    this.pending.reject(new Cancelled());
    this.pending = null;
    this.begin();
  }
}

// `run` works on the first worker, `runBeside` on the second, which starts when it is first needed.
export class Tool {
  constructor(source, wasm) {
    this.parts = [source, wasm];
    this.runners = [new Runner(source, wasm)];
  }

  async run(words, files, outputs, { progress, beside = false } = {}) {
    const at = beside && navigator.hardwareConcurrency > 1 ? 1 : 0;
    this.runners[at] ??= new Runner(...this.parts);
    const done = await this.runners[at].run(words, files, outputs, progress);
    if (done.code !== 0) throw new ToolError(done.messages || done.text);
    return done;
  }

  cancel() {
    for (const runner of this.runners) runner.cancel();
  }
}

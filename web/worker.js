// In the worker of the page: one run of the tool after the other. run.mjs and the emscripten module stand before it.
const pause = 80; // milliseconds between two reports of progress
let compiled;
let reported = 0;

function report(id, phase, step, steps) {
  const now = Date.now();
  if (step > 0 && now - reported < pause) return;
  reported = now;
  postMessage({ id, progress: { phase, step, steps } });
}

async function contentOf(blobs) {
  const files = {};
  for (const [name, blob] of Object.entries(blobs)) files[name] = new Uint8Array(await blob.arrayBuffer());
  return files;
}

// Asked with { wasm } once, then with { id, words, files, outputs }; files and results are blobs.
onmessage = async ({ data: { wasm, id, words, files, outputs } }) => {
  if (wasm) {
    compiled = WebAssembly.compile(wasm);
    return;
  }
  try {
    const progress = (phase, step, steps) => report(id, phase, step, steps);
    const done = await runTool(cafe, await compiled, words, { files: await contentOf(files), outputs, progress });
    const made = Object.entries(done.files).map(([name, bytes]) => [name, new Blob([bytes])]);
    postMessage({ id, done: { ...done, files: Object.fromEntries(made) } });
  } catch (error) {
    postMessage({ id, failed: String(error) });
  }
};

// One run of the tool. The same for Node, for a page and for a worker.

// Calls `cafe` with these words in a fresh instance that has files of its own in memory.
//     load      the function of the emscripten module; compiled: the WebAssembly.Module
//     files     { name: text or bytes } that the run may read
//     outputs   names of files that are wanted back, if the run has written them
//     progress  called with (phase, step, steps); more: further settings of the module
// Returns { code, text, messages, files, heap }: the exit code, standard output, standard error, the outputs, and the bytes
// of memory that the run took beside its files.
export async function runTool(load, compiled, words, { files = {}, outputs = [], progress, more } = {}) {
  const text = [];
  const messages = [];
  const tool = await load({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then(done);
      return {};
    },
    print: (line) => text.push(line),
    printErr: (line) => messages.push(line),
    quit: (code, reason) => { throw reason; },
    onProgress: progress,
    ...more,
  });
  tool.FS.mkdir('/files');
  tool.FS.chdir('/files');
  for (const [name, content] of Object.entries(files)) tool.FS.writeFile(name, content, { canOwn: true });
  const code = tool.callMain(words.map(String));
  const made = {};
  for (const name of outputs) {
    if (tool.FS.analyzePath(name).exists) made[name] = tool.FS.readFile(name);
  }
  return { code, text: text.join('\n'), messages: messages.join('\n'), files: made, heap: tool.HEAPU8.length };
}

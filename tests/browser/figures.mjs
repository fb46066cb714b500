// Screenshots for the documents that no test needs: karate, Cora (where its data are) and 400,000 nodes,
// on a desk and on a phone, and in the dark. Run by test_browser.sh when CAFE_FIGURES names a folder.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { file, launch, open, run, shoot } from './harness.mjs';

const source = process.env.SOURCE;
const phone = { width: 390, height: 844, hasTouch: true, isMobile: true };

function makePage(name, graph, columns, ...more) {
  run('embed', graph, '-q', '-f', '-o', file(`${name}.npy`), '--columns', String(columns));
  run('plot', graph, file(`${name}.npy`), '-q', '-f', '-o', file(`${name}.html`), ...more);
}

const browser = await launch();

// A page on a desk and on a phone.
async function shootBoth(name, ending) {
  const desk = await open(browser, `${name}.html`);
  await shoot(desk, name, ending);
  await desk.done();
  const dark = await open(browser, `${name}.html`, { scheme: 'dark' });
  if (ending === 'jpg') await shoot(dark, `${name}-dark`, ending);
  await dark.done();
  const hand = await open(browser, `${name}.html`, phone);
  await shoot(hand, `${name}-phone`, ending);
  await hand.done();
}

makePage('karate', path.join(source, 'examples/karate.txt'), 8, '--labels', path.join(source, 'examples/karate.labels.txt'),
  '--title', 'Zachary\'s karate club');
await shootBoth('karate', 'png');

const cora = path.join(source, '../shared/data/cora');
if (existsSync(path.join(cora, 'edges.txt'))) {
  makePage('cora', path.join(cora, 'edges.txt'), 32, '--labels', path.join(cora, 'labels.txt'), '--title', 'Cora');
  await shootBoth('cora', 'jpg');
} else console.log('skipped: no data of Cora, so its pictures stay as they are');

run('generate', 'planted', '--nodes', '400000', '--edges', '2000000', '--blocks', '60', '--mixing', '0.15', '-q', '-f',
  '-o', file('large.cafe'));
makePage('large', file('large.cafe'), 16, '--title', '400,000 nodes in 60 blocks');
await shootBoth('large', 'jpg');
await browser.close();

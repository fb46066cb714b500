// The page of scripts/web in a real browser, beside build/cafe: the same bits, every state, files that are broken.
//     node web.mjs PAGE FOLDER        FOLDER has the graphs *.txt, of each of which communities, vectors and map are compared
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { check, equal, figures, runTests, saved } from './harness.mjs';

const [, , place, folder] = process.argv;
const file = (name) => path.join(folder, name);
const tool = (...words) => execFileSync(process.env.CAFE, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
const state = (page, wanted) => page.waitForSelector(`body[data-state="${wanted}"]`);

// A page that says nothing to the console and asks for nothing.
async function open(browser, { width = 1360, height = 860, scheme = 'light', ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true, ...more });
  context.setDefaultTimeout(120000);
  const page = await context.newPage();
  const troubles = [];
  page.on('console', (m) => { if (!/GPU stall|software WebGL/.test(m.text())) troubles.push(`${m.type()}: ${m.text()}`); });
  page.on('pageerror', (e) => troubles.push(String(e)));
  page.on('request', (r) => { if (!/^(file|blob|data|about):/.test(r.url())) troubles.push(r.url()); });
  await page.goto(`file://${place}`);
  await page.waitForSelector('html[data-ready]');
  page.done = async () => {
    equal(troubles.join(' | '), '', 'console and requests');
    await context.close();
  };
  return page;
}

async function shoot(page, name) {
  if (!figures) return;
  await page.waitForTimeout(600);
  await page.screenshot({ path: path.join(figures, `browser-${name}.png`) });
}

// Begins with the first file as the graph.
async function give(page, ...names) {
  if (await page.locator('body').getAttribute('data-state') !== 'empty') await anew(page);
  await page.setInputFiles('#file', names.map(file));
  await page.waitForFunction((name) => document.getElementById('graph-name').textContent === name
    && document.body.dataset.state === 'sheet', names[0]);
}

async function compute(page) {
  await page.click('#run');
  await page.waitForFunction(() => document.body.dataset.state !== 'busy');
  if (await page.locator('#trouble').isVisible()) throw new Error(await page.locator('#trouble').innerText());
  await state(page, 'done');
  await page.frameLocator('#result').locator('html[data-complete]').waitFor();
}

async function product(page, name) {
  await page.click('#save > summary');
  return (await saved(page, () => page.click(`#saves [data-name="${name}"]`))).bytes;
}

async function anew(page) {
  await page.click('#again');
  await state(page, 'empty');
}

const summary = (page) => page.locator('#graph-summary').innerText();

const tests = {
  async 'the bits of the tool'(browser) {
    const page = await open(browser);
    const graphs = readdirSync(folder).filter((name) => /^p?\d+\.txt$/.test(name));
    check(graphs.length > 0, 'no graphs');
    for (const graph of graphs) {
      await give(page, graph);
      await page.fill('[name="columns"]', '16');
      await compute(page);
      tool('cluster', graph, '-o', 'c.tsv', '--hierarchy', 'l.tsv', '-f', '-q');
      tool('embed', graph, '-o', 'v.npy', '-k', '16', '-f', '-q');
      tool('plot', graph, 'v.npy', '-o', 'm.npy', '-f', '-q');
      for (const [name, mine] of [['communities.tsv', 'c.tsv'], ['layers.tsv', 'l.tsv'], ['vectors.npy', 'v.npy'], ['map.npy', 'm.npy']]) {
        check(readFileSync(file(mine)).equals(await product(page, name)), `${graph}: ${name} differs`);
      }
    }
    console.log(`        ${graphs.length} graphs`);
    await page.done();
  },

  async 'options are those of the tool'(browser) {
    const page = await open(browser);
    writeFileSync(file('trade.csv'), 'id;from;to;weight\n1;a;b;0,5\n2;b;c;2\n3;c;a;1\n4;d;e;1\n5;e;f;3\n6;f;d;1\n7;a;d;0,25\n');
    await give(page, 'trade.csv');
    check(await page.locator('#trouble').isVisible(), 'decimal commas are taken');
    await page.locator('#reading').evaluate((part) => { part.open = true; });
    await page.fill('[name="more"]', '--decimal ,');
    await page.press('[name="more"]', 'Tab');
    await page.waitForFunction(() => /6 nodes, 7 edges/.test(document.getElementById('graph-summary').textContent)
      && document.body.dataset.state === 'sheet');
    await page.fill('[name="resolution"]', '2');
    await page.fill('[name="seed"]', '7');
    await page.selectOption('[name="effort"]', 'fast');
    await compute(page);
    const words = ['--decimal', ',', '--resolution', '2', '--effort', 'fast', '--seed', '7', '-f', '-q'];
    tool('cluster', 'trade.csv', '-o', 'c.tsv', ...words);
    check(readFileSync(file('c.tsv')).equals(await product(page, 'communities.tsv')), 'communities differ');
    await page.click('#save > summary');
    await page.click('#show-commands');
    check((await page.locator('#lines').innerText()).includes('cafe cluster trade.csv'), 'no commands');
    await page.done();
  },

  async 'formats, labels, and a table of the nodes'(browser) {
    const page = await open(browser);
    writeFileSync(file('few.txt'), 'a b\nb c\nc a\nd e\ne f\nf d\na d\n');
    for (const ending of ['graphml', 'gexf', 'gml', 'json', 'cafe', 'mtx', 'csv', 'txt.gz']) {
      tool('convert', 'few.txt', `few.${ending}`, '-f', '-q');
      await give(page, `few.${ending}`, ...(ending === 'mtx' ? ['few.mtx.names.txt'] : []));
      equal(await summary(page), '6 nodes, 7 edges, 1 component', ending);
    }
    writeFileSync(file('few.net'), '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2\n2 3\n');
    await give(page, 'few.net');
    equal(await summary(page), '3 nodes, 2 edges, 1 component', 'Pajek');
    writeFileSync(file('few.labels'), 'a x\nb x\nc x\nd y\ne y\nf y\n');
    writeFileSync(file('few.csv'), 'name,city,size\na,Oslo,3\nb,Oslo,4\nc,Rome,1\nd,Rome,2\ne,Rome,1\nf,Oslo,9\n');
    await give(page, 'few.txt');
    await page.setInputFiles('#file', [file('few.labels'), file('few.csv')]);
    await page.waitForFunction(() => document.querySelectorAll('#files li').length === 3);
    await compute(page);
    const colours = await page.frameLocator('#result').locator('#colour').innerText();
    for (const word of ['abel', 'city']) check(colours.includes(word), `the page lacks ${word}: ${colours}`);
    await page.done();
  },

  async 'pictures and pages are saved'(browser) {
    const page = await open(browser);
    await page.click('#karate');
    await state(page, 'sheet');
    await shoot(page, 'read');
    await compute(page);
    await shoot(page, 'done');
    check((await product(page, 'page.html')).toString().startsWith('<!DOCTYPE html>'), 'page');
    check((await product(page, 'picture.svg')).toString().includes('<svg'), 'SVG');
    equal((await product(page, 'picture.png')).toString('latin1', 1, 4), 'PNG', 'PNG');
    equal((await product(page, 'picture.pdf')).toString('latin1', 0, 5), '%PDF-', 'PDF');
    check((await product(page, 'graph.gexf')).toString().includes('<gexf'), 'GEXF');
    equal(JSON.parse(await product(page, 'cluster.json')).communities, 4, 'communities in the report');
    await page.click('#save > summary');
    await shoot(page, 'save');
    await page.done();
  },

  async 'broken files, negative weights'(browser) {
    const page = await open(browser);
    writeFileSync(file('broken.csv'), 'source,target,weight\na,b,1\nb,c,much\nc,a,2\n');
    await give(page, 'broken.csv');
    check((await page.locator('#trouble').innerText()).includes('broken.csv:3:5: expected'), 'the message lacks the place');
    await shoot(page, 'error');
    await page.check('[name="unweighted"]');
    await page.waitForFunction(() => document.body.dataset.state === 'sheet' && document.getElementById('trouble').hidden);
    writeFileSync(file('signs.csv'), 'a,b,1\nb,c,-2\nc,d,1\nd,a,-0.5\na,c,2\n');
    await give(page, 'signs.csv');
    check(await page.locator('#trouble').isVisible(), 'negative weights are taken');
    await page.check('[name="signed"]');
    await page.waitForFunction(() => document.body.dataset.state === 'sheet' && document.getElementById('trouble').hidden);
    await compute(page);
    tool('cluster', 'signs.csv', '-o', 'c.tsv', '--signed', 'yes', '-f', '-q');
    check(readFileSync(file('c.tsv')).equals(await product(page, 'communities.tsv')), 'communities of signed edges differ');
    await page.done();
  },

  async 'a run can be cancelled'(browser) {
    const page = await open(browser);
    tool('generate', 'sbm', '--nodes', '30000', '--edges', '300000', '--blocks', '20', '-o', 'large.txt', '-f', '-q');
    await give(page, 'large.txt');
    await page.click('#run');
    await page.waitForFunction(() => document.querySelectorAll('#steps progress:not([hidden])').length > 0);
    await shoot(page, 'running');
    await page.click('#cancel');
    await state(page, 'sheet');
    check(await page.locator('#trouble').isHidden(), 'a cancelled run is no trouble');
    await anew(page);
    await page.click('#karate');
    await state(page, 'sheet');
    await compute(page);
    await page.done();
  },

  async 'hostile names are names'(browser) {
    const page = await open(browser);
    const name = '<img src=x onerror=alert(1)>.csv';
    writeFileSync(file(name), 'source,target\n"</script><script>alert(1)</script>",b\nb,c\nc,"=1+1"\n');
    await give(page, name);
    equal(await page.locator('#graph-name').innerText(), name, 'name of the graph');
    await compute(page);
    await page.done();
  },

  async 'a phone, and dark'(browser) {
    const phone = await open(browser, { width: 390, height: 844, hasTouch: true, isMobile: true });
    await shoot(phone, 'phone-empty');
    await phone.click('#karate');
    await state(phone, 'sheet');
    await shoot(phone, 'phone-read');
    const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 390, `the page is ${wide} pixels wide`);
    await compute(phone);
    await shoot(phone, 'phone-done');
    await phone.done();
    const dark = await open(browser, { scheme: 'dark' });
    await shoot(dark, 'dark-empty');
    await dark.click('#karate');
    await state(dark, 'sheet');
    await shoot(dark, 'dark-read');
    await compute(dark);
    await shoot(dark, 'dark-done');
    await dark.done();
    const light = await open(browser);
    await shoot(light, 'empty');
    await light.done();
  },
};

await runTests(tests);

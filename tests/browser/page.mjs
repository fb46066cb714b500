// The page of a small graph, part by part. Each test opens it anew; what it must show is worked out
// from the input files, not from the page.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { changed, check, equal, file, find, open, openPlace, picture, run, runTests, saved, shoot, table, text, vectors,
  words } from './harness.mjs';

const source = process.env.SOURCE;
const karate = path.join(source, 'examples/karate.txt');
const clubs = path.join(source, 'examples/karate.labels.txt');

// ---- inputs

const edges = words(karate).map(([u, w]) => [Number(u), Number(w)]);
const club = new Map(words(clubs).map(([u, c]) => [Number(u), c]));

const evil = ['<script>document.title="bad"</script>', '</script><img src=x onerror="document.title=1">',
  '\u05e9\u05dc\u05d5\u05dd \u202eabc', '\u{1f600}\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 'x'.repeat(3000), '=1+1',
  '--><!--', '"quoted"', 'a&amp;b', '${title}', '\\u003c'];

function quoted(name) { return `"${name.replaceAll('"', '""')}"`; }

function makePages() {
  run('embed', karate, '-q', '-f', '-o', file('karate.npy'), '--json', file('karate.json'), '--columns', '8');
  run('cluster', karate, '-q', '-f', '-o', file('karate.tsv'));
  run('plot', karate, file('karate.npy'), '-q', '-f', '-o', file('karate.html'), '--map', 'none',
    '--labels', clubs, '--report', file('karate.json'), '--title', 'Zachary\'s karate club');
  const ring = evil.map((name, i) => `${quoted(name)},${quoted(evil[(i + 1) % evil.length])}`);
  ring.push(...evil.slice(2).map((name) => `${quoted(evil[0])},${quoted(name)}`));
  writeFileSync(file('evil.in.csv'), `${ring.join('\n')}\n`);
  writeFileSync(file('evil.in.labels'), evil.slice(0, 2).map((name) => `${quoted(name)},${quoted(name)}`).join('\n'));
  run('embed', file('evil.in.csv'), '-q', '-f', '-o', file('evil.npy'), '--columns', '3');
  run('plot', file('evil.in.csv'), file('evil.npy'), '-q', '-f', '-o', file('evil.html'), '--map', 'none', '--title', evil[1]);
  run('generate', 'planted', '--nodes', '3000', '--edges', '12000', '--blocks', '8', '-q', '-f', '-o', file('planted.in.txt'),
    '--labels', file('planted.in.labels'));
  run('embed', file('planted.in.txt'), '-q', '-f', '-o', file('planted.npy'), '--json', file('planted.json'), '--columns', '16');
  run('plot', file('planted.in.txt'), file('planted.npy'), '-q', '-f', '-o', file('planted.html'),
    '--labels', file('planted.in.labels'), '--report', file('planted.json'), '--title', '3000 nodes in 8 blocks');
}

// ---- steps

async function drag(page, points) {
  const box = await page.locator('#plot').boundingBox();
  const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
  await page.mouse.move(...at(points[0]));
  await page.mouse.down();
  for (const point of points.slice(1)) await page.mouse.move(...at(point), { steps: 4 });
  await page.mouse.up();
}

async function selected(page) {
  const said = (await text(page, '#selected')).replaceAll(',', '');
  return said ? Number(/^(\d+) of/.exec(said)[1]) : null;
}

// ---- tests

const tests = {
  async 'loads, draws, and its policy allows nothing but itself'(browser) {
    const page = await open(browser, 'karate.html');
    equal(await page.title(), "Zachary's karate club", 'title');
    const seen = await picture(page);
    check(seen.drawn > 1000, `only ${seen.drawn} pixels are drawn`);
    const policy = await page.locator('meta[http-equiv]').getAttribute('content');
    check(/default-src 'none'/.test(policy) && !/unsafe|https?:|\*/.test(policy), policy);
    // what a policy is for: neither code from a string nor a request gets through
    const broken = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.injected = 1';
      document.body.append(script);
      const fetched = await fetch('http://127.0.0.1:9/').then(() => true, () => false);
      return { injected: window.injected === 1, fetched };
    });
    check(!broken.injected && !broken.fetched, 'the policy lets something through');
    await page.context().close(); // the console has complained, as it should
  },

  async 'asks for nothing and says nothing'(browser) {
    const page = await open(browser, 'planted.html');
    await shoot(page, 'communities');
    await page.done();
  },

  async 'search, card, links and hover'(browser) {
    const page = await open(browser, 'karate.html');
    await page.fill('#search', '3');
    await page.waitForSelector('#found li[role="option"]');
    equal((await page.locator('#found li').allInnerTexts()).join(), '3,30,31,32,33', 'nodes found for 3');
    await find(page, '33');
    const neighbours = edges.flatMap(([u, w]) => (u === 33 ? [w] : w === 33 ? [u] : []));
    // why it is there: its edges by community, counted from the files
    const community = new Map(table(readFileSync(file('karate.tsv'))).map((row) => [Number(row.node), row.community]));
    const own = neighbours.filter((w) => community.get(w) === community.get(33)).length;
    check((await text(page, '#panel-node .reason')).startsWith(
      `33 is in community ${community.get(33)} because ${own} of its ${neighbours.length} edges go there; next is`), 'the reason');
    check((await text(page, '#panel-node')).includes(`Strongest pulls of ${neighbours.length} neighbours`), 'neighbours of 33');
    const h = vectors(file('karate.npy'));
    const degree = (u) => edges.filter((e) => e.includes(u)).length;
    // links weigh 1 / (d_u d_w)^x, x as the vectors were made with
    const x = JSON.parse(readFileSync(file('karate.json'))).sampled.degree_exponent;
    check(x > 0, 'karate.npy has a degree exponent');
    const weight = (u, w) => (degree(u) * degree(w)) ** -x;
    const mass = (u) => edges.filter((e) => e.includes(u)).reduce((sum, [a, b]) => sum + weight(a, b), 0);
    const m2 = 2 * edges.reduce((sum, [a, b]) => sum + weight(a, b), 0);
    const pull = (w) => (weight(33, w) / m2 - mass(33) * mass(w) / m2 ** 2)
      * Array.from({ length: h.columns }, (_, j) => h.at(33, j) * h.at(w, j)).reduce((a, b) => a + b);
    const first = neighbours.sort((a, b) => pull(b) - pull(a)).slice(0, 3).join();
    equal((await page.locator('#panel-node .row .name').allInnerTexts()).slice(0, 3).join(), first, 'strongest pulls');
    const said = Number((await page.locator('#panel-node .row .value').first().innerText()));
    check(Math.abs(said - pull(neighbours[0])) < 1e-3 * said, `pull ${said} for ${pull(neighbours[0])}`);
    const [left, top] = await openPlace(page);
    await page.mouse.move(left + 1, top + 1);
    await page.waitForSelector('#tip:not([hidden])');
    equal(await text(page, '#tip b'), '33', 'name under the pointer');
    await shoot(page, 'node');
    await page.mouse.move(5, 5);
    await page.waitForSelector('#tip', { state: 'hidden' });
    await page.done();
  },

  async 'click on a point opens it'(browser) {
    const page = await open(browser, 'karate.html');
    await find(page, '0');
    await page.locator('#panel-node .row').first().click();
    const name = await page.locator('#panel-node h2').textContent();
    check(name !== '0', 'a neighbour opens its own card');
    const place = await openPlace(page);
    await page.keyboard.press('Escape');
    check((await text(page, '#panel-node')).includes('No node is open'), 'Esc closes the card');
    await page.mouse.click(...place);
    await page.waitForSelector('#panel-node h2');
    equal(await page.locator('#panel-node h2').textContent(), name, 'the node that was clicked');
    await page.done();
  },

  async 'lasso selects what it surrounds'(browser) {
    const page = await open(browser, 'karate.html');
    await page.click('#mode-lasso');
    await drag(page, [[0.004, 0.004], [0.996, 0.01], [0.99, 0.99], [0.01, 0.99]]);
    equal(await selected(page), 34, 'lasso around all');
    await page.click('#clear');
    equal(await selected(page), null, 'nothing is selected');
    await drag(page, [[0.004, 0.004], [0.42, 0.004], [0.42, 0.99], [0.004, 0.99]]);
    const half = await selected(page);
    check(half > 0 && half < 34, `${half} nodes in the left part`);
    const chosen = table((await saved(page, () => page.click('#export-tsv'))).bytes);
    equal(chosen.length, half, 'rows of the table');
    await page.keyboard.press('Escape');
    const all = table((await saved(page, () => page.click('#export-tsv'))).bytes);
    equal(all.length, 34, 'rows of all nodes');
    const right = Math.max(...chosen.map((r) => Number(r['column 0'])));
    const names = new Set(chosen.map((r) => r.node));
    check(all.every((r) => names.has(r.node) === (Number(r['column 0']) <= right)), 'a half plane of column 0');
    await page.done();
  },

  async 'positions are those of the vectors'(browser) {
    const page = await open(browser, 'karate.html');
    await page.selectOption('#axis-x', '2');
    await page.selectOption('#axis-y', '1');
    await page.waitForSelector('#frame[data-axes="2,1"]');
    const rows = table((await saved(page, () => page.click('#export-tsv'))).bytes);
    const h = vectors(file('karate.npy'));
    for (const [heading, j] of [['column 2', 2], ['column 1', 1]]) {
      const column = rows.map((row) => h.at(Number(row.node), j));
      // the page keeps 16 bits of a column's range
      const step = (Math.max(...column) - Math.min(...column)) / 65535;
      rows.forEach((row, i) => {
        check(Math.abs(Number(row[heading]) - column[i]) < step, `${heading} of node ${row.node}`);
      });
    }
    await page.done();
  },

  async 'columns and colours change the picture'(browser) {
    const page = await open(browser, 'karate.html');
    const seen = new Set([(await picture(page)).hash]);
    const anew = (what) => changed(page, seen, what);
    await page.selectOption('#axis-x', '3');
    await anew('another column');
    await page.selectOption('#colour', 'label');
    await anew('colour by label');
    const sizes = ['0', '1'].map((c) => [...club.values()].filter((k) => k === c).length).sort((a, b) => b - a);
    equal((await page.locator('#legend .count').allInnerTexts()).join(), sizes.join(), 'sizes of the labels');
    await page.locator('#legend button').first().click();
    equal(await selected(page), sizes[0], 'members of the label');
    await page.selectOption('#colour', 'centrality');
    await anew('colour by centrality');
    // PageRank of 0 and 33 is above 0.09, that of all others below
    await page.fill('#legend .range input >> nth=0', '0.09');
    await page.press('#legend .range input >> nth=0', 'Enter');
    equal(await selected(page), 2, 'nodes in the range');
    await page.click('#clear');
    await page.selectOption('#colour', 'column-2');
    await anew('colour by a column');
    await page.click('#theme');
    await anew('the other theme');
    await page.done();
  },

  async 'map, columns, and the most central nodes'(browser) {
    const page = await open(browser, 'planted.html');
    equal(await page.inputValue('#layout'), 'map', 'the page opens with the map');
    check(!await page.locator('#axes').isVisible(), 'a map has no axes to choose');
    const seen = new Set([(await picture(page)).hash]);
    await page.selectOption('#layout', 'columns');
    await page.waitForSelector('#axes', { state: 'visible' });
    await changed(page, seen, 'the layout');
    const degrees = new Map();
    for (const u of words(file('planted.in.txt')).flat()) degrees.set(u, (degrees.get(u) ?? 0) + 1);
    const [hub] = await page.locator('#panel-node .row .name').allInnerTexts();
    check([...degrees.values()].filter((d) => d > degrees.get(hub)).length < 10, `node ${hub} is central`);
    await page.locator('#panel-node .row').first().click();
    await page.waitForSelector('#panel-node h2');
    equal(await page.locator('#panel-node h2').textContent(), hub, 'the node of the first row');
    await page.done();
  },

  async 'dimensions and spectrum'(browser) {
    const page = await open(browser, 'planted.html', { scheme: 'dark' });
    const report = JSON.parse(readFileSync(file('planted.json')));
    await page.click('#tab-dimensions');
    const h = vectors(file('planted.npy'));
    const order = Array.from({ length: h.n }, (_, u) => u).sort((a, b) => h.at(b, 0) - h.at(a, 0));
    equal((await page.locator('#panel-dimensions .card').first().locator('.poles > div').nth(1).locator('button').allInnerTexts()).join(),
      order.slice(0, 5).join(), 'high end of column 0');
    check(/^(Low: community \S+ \(.*\)\. High: community|Both ends are in community)/.test(
      await page.locator('#panel-dimensions .meaning').first().innerText()), 'what column 0 tells apart');
    await shoot(page, 'dimensions');
    await page.click('#tab-run');
    equal(await page.locator('#panel-run svg .bar-mark').count(), report.ritz_values.length, 'bars of the spectrum');
    const line = await page.locator('#panel-run svg polyline').getAttribute('points');
    equal(line.split(' ').length, report.objective.length, 'points of the objective');
    await shoot(page, 'run');
    await page.done();
  },

  async 'tree of communities'(browser) {
    const page = await open(browser, 'planted.html');
    await page.click('#tab-communities');
    check(/proved optimal|at most .* % from the best/.test(await page.innerText('#panel-communities')), 'the bound');
    // each block is a community: its label is what it is about, with the share counted from the files
    const about = await page.locator('#panel-communities .row .about').first().innerText();
    const [, label, share] = /^label: (\S+) \((\d+) %\)$/.exec(about) ?? [];
    check(share > 50, `about the largest community: ${about}`);
    const labelled = words(file('planted.in.labels')).filter(([, kind]) => kind === label).length;
    check(labelled > 0, `no node has the label ${label}`);
    const size = Number((await page.locator('#panel-communities .row .value').first().innerText()).replace(/,(?=\d)/, '').split(' ')[0]);
    const box = await page.locator('.tree').boundingBox();
    const before = await page.inputValue('#colour');
    await page.mouse.click(box.x + 12, box.y + 12);
    equal(await selected(page), size, 'the largest community');
    await page.waitForFunction((was) => document.getElementById('colour').value !== was, before);
    await shoot(page, 'tree');
    await page.locator('.crumbs button').first().click();
    equal(await selected(page), null, 'back to all');
    await page.locator('.tree').focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    check(await selected(page) > 0, 'the tree by keys');
    await page.done();
  },

  // A click may come before the first frame in which the tree is seen.
  async 'tree of communities, clicked before it is drawn'(browser) {
    const page = await open(browser, 'planted.html');
    await page.evaluate(() => {
      document.getElementById('tab-communities').click();
      const tree = document.querySelector('.tree');
      const { left, top } = tree.getBoundingClientRect();
      tree.dispatchEvent(new MouseEvent('click', { clientX: left + 12, clientY: top + 12 }));
    });
    check(await selected(page) > 0, 'the click opens a community');
    await page.done();
  },

  async 'hostile names are text'(browser) {
    const page = await open(browser, 'evil.html');
    equal(await page.title(), evil[1], 'title');
    equal(await page.locator('#title').textContent(), evil[1], 'heading');
    for (const name of evil) {
      await page.fill('#search', name);
      await page.waitForSelector('#found li[role="option"]');
      await page.press('#search', 'Enter');
      await page.waitForFunction((wanted) => document.querySelector('#panel-node h2')?.textContent === wanted, name.trim());
    }
    equal(await page.locator('#panel-node img, #panel-dimensions img, body script:not([type])').count(), 0, 'elements made by names');
    await page.click('#tab-dimensions');
    const wide = await page.locator('#panel-dimensions').evaluate((p) => p.scrollWidth - p.clientWidth);
    check(wide <= 0, `long names make the panel ${wide} pixels too wide`);
    await shoot(page, 'names');
    const rows = (await saved(page, () => page.click('#export-tsv'))).bytes.toString();
    check(rows.includes("'=1+1"), 'a formula is not handed to spreadsheets');
    await page.done();
  },

  async 'keys alone'(browser) {
    const page = await open(browser, 'karate.html');
    await page.keyboard.press('?');
    check(await page.locator('#help').evaluate((d) => d.open), 'help opens');
    await page.keyboard.press('Escape');
    check(!await page.locator('#help').evaluate((d) => d.open), 'help closes');
    await page.keyboard.press('/');
    equal(await page.evaluate(() => document.activeElement.id), 'search', 'the search has the focus');
    await page.keyboard.type('12');
    await page.waitForSelector('#found li[role="option"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#panel-node h2');
    await page.locator('#plot').focus();
    const seen = new Set([(await picture(page)).hash]);
    for (const key of ['ArrowLeft', '+']) {
      await page.keyboard.press(key);
      await changed(page, seen, key);
    }
    await page.keyboard.press('0');
    await page.keyboard.press('Enter');
    const reached = await page.evaluate(() => {
      const hidden = (e) => e.closest('[hidden]') || e.tabIndex < 0;
      return [...document.querySelectorAll('button, select, input, canvas[tabindex]')]
        .filter((e) => !hidden(e) && !e.closest('dialog')).filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim()
          || e.labels?.length)).map((e) => e.id || e.className);
    });
    equal(reached.join(), '', 'controls without a name');
    await page.done();
  },

  async '360 pixels wide'(browser) {
    const page = await open(browser, 'planted.html', { width: 360, height: 740, hasTouch: true, isMobile: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 360, `the page is ${wide} pixels wide`);
    const out = await page.evaluate(() => [...document.querySelectorAll('button, select, input')]
      .filter((e) => e.offsetParent && (e.getBoundingClientRect().right > 361 || e.getBoundingClientRect().left < -1)).map((e) => e.id));
    equal(out.join(), '', 'controls outside');
    await page.tap('#tab-communities');
    check(await page.locator('.tree').isVisible(), 'the tree is there');
    await page.done();
  },

  async 'graphics lost and found again'(browser) {
    const page = await open(browser, 'karate.html');
    const before = await picture(page);
    await page.evaluate(() => {
      window.lost = document.getElementById('points').getContext('webgl2').getExtension('WEBGL_lose_context');
      window.lost.loseContext();
    });
    await page.waitForSelector('#message:not([hidden])');
    await page.evaluate(() => window.lost.restoreContext());
    await page.waitForSelector('#message', { state: 'hidden' });
    equal((await picture(page)).drawn, before.drawn, 'pixels drawn afterwards');
    await page.context().close(); // Chromium itself remarks on the loss
  },

  async 'no WebGL2: a message, and the rest works'(browser) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(() => {
      const real = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function get(kind, ...rest) {
        return kind === 'webgl2' ? null : real.call(this, kind, ...rest);
      };
    });
    await page.goto(`file://${file('karate.html')}`);
    await page.waitForSelector('html[data-complete]');
    check((await text(page, '#message')).includes('WebGL2'), 'the message');
    await find(page, '5');
    await context.close();
  },
};

makePages();
await runTests(tests);

// What a reader sees: legends, links, names, axes, tooltips, tables, pictures; on a desk and on a phone.
// What must be there is worked out from the input files.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { changed, check, equal, file, find, open, openPlace, picture, run, runTests, saved, shoot, table, text, vectors,
  words } from './harness.mjs';

const source = process.env.SOURCE;
const karate = path.join(source, 'examples/karate.txt');
const clubs = path.join(source, 'examples/karate.labels.txt');
const edges = words(karate).map(([u, w]) => [Number(u), Number(w)]);
const club = new Map(words(clubs).map(([u, c]) => [Number(u), c]));
const degree = (u) => edges.filter((e) => e.includes(u)).length;

// ---- inputs

const cities = ['K\u00f6ln', 'Oslo', 'S\u00e3o Paulo'];
const city = (u) => (u === 5 ? '' : cities[u % 3]);
const age = (u) => 20 + (u * 7) % 40;
const factions = ['Mr Hi', 'Officer', '\u00c9t\u00e9'];
const arcs = ['ab', 'bc', 'ca', 'ad', 'da', 'de', 'ef', 'fd'].map((arc) => [...arc]);
const hostile = ['</text><script>alert(1)</script>', 'a & b "c"', '\u00e9\u0142', 'd'];

function makePages() {
  const nodes = [...club.keys()];
  writeFileSync(file('about.in.tsv'), ['node\tage\tcity', ...nodes.map((u) => `${u}\t${age(u)}\t${city(u)}`)].join('\n'));
  writeFileSync(file('factions.in.tsv'), nodes.map((u) => `${u}\t${factions[u % 3]}`).join('\n'));
  run('embed', karate, '-q', '-f', '-o', file('karate.npy'), '--json', file('karate.json'), '--columns', '8');
  run('cluster', karate, '-q', '-f', '-o', file('karate.communities'));
  const view = (page, ...more) => run('plot', karate, file('karate.npy'), '-q', '-f', '-o', file(page), ...more);
  view('karate.html', '--labels', clubs, '--report', file('karate.json'), '--attributes', file('about.in.tsv'),
    '--title', 'Zachary\'s karate club');
  view('plain.html', '--map', 'none');
  view('few.html', '--map', 'none', '--tune', 'columns-shown=2');
  view('named.html', '--communities', file('factions.in.tsv'), '--map', 'none');
  writeFileSync(file('people.in.csv'), ['id,age,city', ...Array.from({ length: 34 }, (_, u) => `${u},${20 + u},${u % 2 ? 'Rome' : 'Oslo'}`), ''].join('\n'));
  view('table.html', '--attributes', file('people.in.csv'));
  run('cluster', karate, '-q', '-f', '-o', file('fine.communities'), '--resolution', '2');
  writeFileSync(file('before.in.tsv'), [...readFileSync(file('fine.communities'), 'utf8').trim().split('\n')
    .filter((line) => !line.startsWith('5\t')), 'gone\t3'].join('\n'));
  view('before.html', '--communities', file('karate.communities'), '--before', file('before.in.tsv'));
  run('embed', karate, '-q', '-f', '-o', file('small.npy'), '--columns', '3');
  view('maps.html', '--before', file('small.npy'));
  run('report', karate, '-q', '-f', '-o', file('report.html'), '--labels', clubs);
  // a hub with 40 leaves at one place, and a weight for every edge
  writeFileSync(file('crowd.in.txt'), Array.from({ length: 40 }, (_, i) => `0 ${i + 1} ${i === 0 ? 100 : 1 + (i % 3)}`).join('\n'));
  writeFileSync(file('crowd.in.tsv'), Array.from({ length: 41 }, (_, u) => `${u}\t${u < 39 ? (u % 7) * 0.01 : 5}\t${u < 39 ? Math.floor(u / 7) * 0.01 : 5}`).join('\n'));
  run('plot', file('crowd.in.txt'), file('crowd.in.tsv'), '-q', '-f', '-o', file('crowd.html'), '--map', file('crowd.in.tsv'));
  writeFileSync(file('arcs.in.txt'), arcs.map((arc) => arc.join(' ')).join('\n'));
  writeFileSync(file('arcs.in.json'), JSON.stringify({ directed: true, nodes: [...new Set(arcs.flat())].map((id) => ({ id })),
    links: arcs.map(([source_, target]) => ({ source: source_, target })) }));
  for (const [name, ...rule] of [['arcs.in.txt', '--directed', 'sum'], ['arcs.in.json']]) {
    run('embed', file(name), '-q', '-f', '-o', file('arcs.npy'), '--columns', '3', ...rule);
    run('plot', file(name), file('arcs.npy'), '-q', '-f', '-o', file(`${name}.html`), ...rule);
  }
  // more nodes than lists are exact for
  run('generate', 'planted', '--nodes', '21000', '--edges', '63000', '--blocks', '50', '-q', '-f', '-o', file('more.in.cafe'));
  run('embed', file('more.in.cafe'), '-q', '-f', '-o', file('more.npy'), '--columns', '6', '--sweeps', '4');
  run('plot', file('more.in.cafe'), file('more.npy'), '-q', '-f', '-o', file('more.html'), '--map', 'none');
  run('generate', 'planted', '--nodes', '3000', '--edges', '18000', '--blocks', '100', '-q', '-f', '-o', file('many.in.txt'),
    '--labels', file('many.in.labels'));
  run('embed', file('many.in.txt'), '-q', '-f', '-o', file('many.npy'), '--columns', '4', '--sweeps', '4');
  run('plot', file('many.in.txt'), file('many.npy'), '-q', '-f', '-o', file('many.html'), '--labels', file('many.in.labels'));
  const quoted = hostile.map((name) => `"${name.replaceAll('"', '""')}"`);
  writeFileSync(file('hostile.in.csv'), quoted.flatMap((a, i) => quoted.slice(i + 1).map((b) => `${a},${b}`)).join('\n'));
  run('embed', file('hostile.in.csv'), '-q', '-f', '-o', file('hostile.npy'), '--columns', '2');
  run('plot', file('hostile.in.csv'), file('hostile.npy'), '-q', '-f', '-o', file('hostile.html'), '--title', hostile[0]);
}

// ---- steps

// How many pixels of a rectangle of the screen are not of its commonest colour.
async function drawnIn(page, clip) {
  const shot = (await page.screenshot({ clip })).toString('base64');
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    pen.drawImage(bitmap, 0, 0);
    const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
    const often = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const colour = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
      often.set(colour, (often.get(colour) ?? 0) + 1);
    }
    return data.length / 4 - Math.max(...often.values());
  }, shot);
}

// What lies under the legend and the buttons, while they cannot be seen.
async function hiddenPixels(page) {
  await page.uncheck('#show-links').catch(() => null);
  await page.uncheck('#show-names').catch(() => null);
  const over = '.legend, .pad';
  const boxes = await page.evaluate((selector) => [...document.querySelectorAll(selector)].map((e) => {
    const { x, y, width, height } = e.getBoundingClientRect();
    e.style.visibility = 'hidden';
    return { x, y, width, height };
  }), over);
  await page.waitForTimeout(120);
  let hidden = 0;
  for (const box of boxes) hidden += await drawnIn(page, box);
  await page.evaluate((selector) => document.querySelectorAll(selector).forEach((e) => { e.style.visibility = ''; }), over);
  return hidden;
}

const told = async (page, what) => page.locator('#plot').getAttribute(`data-${what}`);

// Boxes of the texts of an SVG, laid out by the browser.
async function textBoxes(page, svg) {
  return page.evaluate((source_) => {
    const root = document.importNode(new DOMParser().parseFromString(source_, 'image/svg+xml').documentElement, true);
    document.body.append(root);
    const found = [...root.querySelectorAll('text')].map((t) => {
      const { x, y, width, height } = t.getBBox();
      return { text: t.textContent, halo: t.hasAttribute('paint-order'), box: [x, y, x + width, y + height] };
    });
    root.remove();
    return found;
  }, svg);
}

const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const marksOf = (page) => page.locator('#legend .dot').evaluateAll((dots) => dots.map((d) => {
  const style = getComputedStyle(d);
  const ring = d.classList.contains('hollow');
  return { ring, colour: ring ? style.borderTopColor : style.backgroundColor };
}));

const rgbOf = (css) => css.match(/\d+/g).slice(0, 3).map(Number);

// ---- tests

async function checkNearest(browser, name) {
  const page = await open(browser, name);
  const h = vectors(file('karate.npy'));
  const row = (u) => Array.from({ length: h.columns }, (_, j) => h.at(u, j));
  const dot = (a, b) => a.reduce((sum, x, j) => sum + x * b[j], 0);
  const cosine = (u, w) => dot(row(u), row(w)) / Math.sqrt(dot(row(u), row(u)) * dot(row(w), row(w)));
  await find(page, '0');
  await page.waitForSelector('.nearest');
  const names = (await page.locator('.nearest .name').allInnerTexts()).map(Number);
  const wanted = [...club.keys()].filter((u) => u !== 0).map((u) => cosine(0, u)).sort((a, b) => b - a).slice(0, 10);
  equal(names.length, 10, 'nodes listed');
  names.forEach((u, i) => check(Math.abs(cosine(0, u) - wanted[i]) < 1e-3, `place ${i}: node ${u}`));
  const said = (await page.locator('.nearest .value').allInnerTexts()).map(Number);
  said.forEach((c, i) => check(Math.abs(c - wanted[i]) < 1e-4, `cosine ${c} for ${wanted[i]}`));
  await page.done();
}

const tests = {
  async 'scales of values are seen'(browser) {
    const page = await open(browser, 'karate.html');
    for (const colour of ['column-2', 'centrality', 'table-0']) {
      await page.selectOption('#colour', colour);
      await page.waitForSelector('#legend .ramp');
      const [legend, heading, ramp, ends] = await Promise.all(['#legend', '#legend summary', '#legend .ramp', '#legend .ends']
        .map((s) => page.locator(s).boundingBox()));
      check(ramp.height >= 8 && ramp.height < 20 && ramp.width > 100, `${colour}: a ramp of ${ramp.width} x ${ramp.height}`);
      check(ramp.y >= heading.y + heading.height - 1, `${colour}: the ramp lies over its title`);
      check(ends.y >= ramp.y + ramp.height - 1 && ends.y + ends.height <= legend.y + legend.height, `${colour}: its ends`);
    }
    equal((await text(page, '#legend .ends')).split(/\s+/).join(), '20,59', 'ends of the ages');
    await page.done();
  },

  async 'values are those of cafe explain, with or without a report'(browser) {
    const wanted = JSON.parse(run('explain', karate, file('karate.npy'), '-q', '--json', '-')).dimensions;
    const figures = [];
    for (const name of ['karate.html', 'plain.html']) {
      const page = await open(browser, name);
      await page.click('#tab-dimensions');
      figures.push((await page.locator('#panel-dimensions .card .figures').allInnerTexts()).join('\n'));
      await page.done();
    }
    equal(figures[0], figures[1], 'figures of the columns');
    const first = Number(/value (\S+),/.exec(figures[0])[1]);
    check(Math.abs(first - wanted[0].value) < 1e-3 * Math.abs(wanted[0].value), `${first} for ${wanted[0].value}`);
  },

  async 'no point lies under the legend or the buttons'(browser) {
    for (const [name, width, height] of [['karate.html', 1360, 860], ['many.html', 1360, 860], ['plain.html', 900, 620], ['karate.html', 390, 844]]) {
      const page = await open(browser, name, { width, height });
      await page.locator('#legend').evaluate((legend) => { legend.open = true; });
      for (const colour of name === 'karate.html' ? ['community-0', 'centrality'] : ['community-0']) {
        await page.selectOption('#colour', colour);
        equal(await hiddenPixels(page), 0, `pixels hidden of ${name} at ${width} x ${height} by ${colour}`);
      }
      if (name === 'karate.html') {
        await page.selectOption('#layout', 'columns');
        equal(await hiddenPixels(page), 0, `pixels hidden of two columns at ${width} x ${height}`);
      }
      await page.done();
    }
  },

  async 'links and names at first sight'(browser) {
    const page = await open(browser, 'karate.html');
    equal(await told(page, 'links'), String(edges.length), 'links drawn');
    check(Number(await told(page, 'names')) >= 25, `${await told(page, 'names')} names of 34`);
    const seen = new Set([(await picture(page)).hash]);
    for (const what of ['names', 'links']) {
      await page.uncheck(`#show-${what}`);
      await changed(page, seen, `without ${what}`);
      equal(await told(page, what), '0', what);
    }
    await page.done();
    const large = await open(browser, 'many.html');
    equal(`${await told(large, 'links')} ${await told(large, 'names')}`, '0 0', 'of a larger graph neither');
    await large.check('#show-names');
    await large.waitForFunction(() => Number(document.getElementById('plot').dataset.names) > 20);
    await large.done();
  },

  async 'names of a crowd have lines to their points'(browser) {
    const page = await open(browser, 'crowd.html');
    const svg = (await saved(page, () => page.click('#export-svg'))).bytes.toString();
    const names = (await textBoxes(page, svg)).filter((t) => t.halo);
    const lines = svg.split('<line').filter((part) => /stroke-width="0\.8"/.test(part)).length;
    check(lines >= 1 && lines <= names.length, `${lines} lines of ${names.length} names`);
    names.forEach((a, i) => names.slice(i + 1).forEach((b) => {
      check(!meet([a.box[0] + 1, a.box[1] + 2, a.box[2] - 1, a.box[3] - 2], b.box), `${a.text} lies on ${b.text}`);
    }));
    await page.done();
  },

  async 'edges are as wide as they weigh'(browser) {
    const page = await open(browser, 'crowd.html');
    const svg = (await saved(page, () => page.click('#export-svg'))).bytes.toString();
    const widths = [...svg.matchAll(/stroke-width="([0-9.]+)" stroke-opacity/g)].map((m) => Number(m[1]));
    const heavy = widths.filter((w) => w === 4).length;
    const light = widths.filter((w) => w === 0.7).length;
    equal(`${heavy} ${light}`, '1 39', 'heavy and light edges');
    await page.done();
  },

  async 'directions are arrows'(browser) {
    for (const name of ['arcs.in.txt.html', 'arcs.in.json.html']) {
      const page = await open(browser, name);
      const svg = (await saved(page, () => page.click('#export-svg'))).bytes.toString();
      equal([...svg.matchAll(/stroke-width="1\.2"/g)].length, 2 * arcs.length, 'strokes of arrows');
      await find(page, 'd');
      const rows = await page.locator('#panel-node .rows').first().locator('.name').allInnerTexts();
      equal(rows.sort().join(), ['\u2190 f', '\u2192 e', '\u2194 a'].sort().join(), 'neighbours of d');
      await page.done();
    }
    const page = await open(browser, 'plain.html');
    const svg = (await saved(page, () => page.click('#export-svg'))).bytes.toString();
    check(!/stroke-width="1\.2"/.test(svg), 'arrows of a graph without directions');
    await page.done();
  },

  async 'a report is the first tab; its nodes open'(browser) {
    const page = await open(browser, 'report.html');
    equal(await page.getAttribute('#tab-summary', 'aria-selected'), 'true', 'the tab that is open');
    const said = await text(page, '#panel-summary');
    check(said.startsWith('34 nodes, 78 edges: 4 communities'), said.slice(0, 80));
    equal((await page.locator('#panel-summary h2').allInnerTexts()).length, 8, 'sections');
    check(await page.locator('#panel-summary figure svg').count() >= 2, 'figures');
    await page.locator('#panel-summary .link', { hasText: /^33$/ }).first().click();
    await page.waitForSelector('#panel-node h2');
    equal(await text(page, '#panel-node h2'), '33', 'the node that opens');
    const plain = await open(browser, 'plain.html');
    equal(await plain.locator('#tab-summary').isVisible(), false, 'a page without a report has no such tab');
    await plain.done();
    await page.done();
  },

  async 'names do not overlap'(browser) {
    const page = await open(browser, 'karate.html');
    const { bytes } = await saved(page, () => page.click('#export-svg'));
    const names = (await textBoxes(page, bytes.toString())).filter((t) => t.halo);
    check(names.length >= 25, `${names.length} names`);
    names.forEach((a, i) => names.slice(i + 1).forEach((b) => {
      const inner = [a.box[0] + 1, a.box[1] + 2, a.box[2] - 1, a.box[3] - 2]; // the line's height is more than the letters'
      check(!meet(inner, b.box), `${a.text} lies on ${b.text}`);
    }));
    await page.done();
  },

  async 'tooltip: name, label, community'(browser) {
    const page = await open(browser, 'karate.html');
    await find(page, '33');
    const card = await text(page, '#panel-node');
    const community = /Community, layer \d+\s+(\S+) \(/.exec(card)[1];
    const [x, y] = await openPlace(page);
    await page.mouse.move(x + 1, y + 1);
    await page.waitForSelector('#tip:not([hidden])');
    equal(await text(page, '#tip'), `33\nlabel: ${club.get(33)}\ncommunity: ${community}`, 'what the tooltip says');
    await page.done();
  },

  async 'axes with ticks'(browser) {
    const page = await open(browser, 'plain.html');
    const h = vectors(file('karate.npy'));
    const box = await page.locator('#plot').boundingBox();
    for (const zoomed of [false, true]) {
      if (zoomed) await page.click('#zoom-in');
      await find(page, '2');
      const place = (await openPlace(page)).map((v, k) => v - [box.x, box.y][k]);
      const ticks = JSON.parse(await told(page, 'ticks'));
      ['x', 'y'].forEach((axis, j) => {
        const list = ticks[axis].map(([pixel, value]) => [pixel, Number(value)]);
        check(list.length >= 3, `${list.length} ticks along ${axis}`);
        const [[p0, v0], [p1, v1]] = [list[0], list.at(-1)];
        const value = v0 + (v1 - v0) * (place[j] - p0) / (p1 - p0);
        check(Math.abs(value - h.at(2, j)) < 1.5 * Math.abs((v1 - v0) / (p1 - p0)) + 1e-6, `node 2 stands at ${value} of ${axis}, not at ${h.at(2, j)}`);
      });
    }
    check(await drawnIn(page, { x: box.x + 2, y: box.y + 20, width: 54, height: box.height - 80 }) > 50, 'no axis is drawn');
    await page.done();
  },

  // All columns count, also in a page that has two of them.
  async 'nearest nodes by cosine'(browser) {
    for (const name of ['plain.html', 'few.html']) await checkNearest(browser, name);
  },

  async 'nearest of very many nodes are exact, too'(browser) {
    const page = await open(browser, 'more.html');
    const h = vectors(file('more.npy'));
    const length = (u) => Math.hypot(...Array.from({ length: h.columns }, (_, j) => h.at(u, j)));
    for (const u of [77, 20999]) {
      await find(page, String(u));
      await page.waitForSelector('.nearest .row');
      const wanted = [];
      for (let w = 0; w < h.n; w++) {
        let dot = 0;
        for (let j = 0; j < h.columns; j++) dot += h.at(u, j) * h.at(w, j);
        if (w !== u && length(w) > 0) wanted.push(dot / (length(u) * length(w)));
      }
      wanted.sort((a, b) => b - a);
      const said = (await page.locator('.nearest .value').allInnerTexts()).map(Number);
      equal(said.length, 10, 'nodes listed');
      said.forEach((c, i) => check(Math.abs(c - wanted[i]) < 2e-3, `cosine ${c} for ${wanted[i]} of ${u}`));
      check((await text(page, '.nearest')).includes('all nodes were compared'), 'the note');
    }
    await page.done();
  },

  async 'no pulls over a part of the columns'(browser) {
    const page = await open(browser, 'few.html');
    await find(page, '33');
    const said = await text(page, '#panel-node');
    check(said.includes('Heaviest edges of 17 neighbours') && !said.includes('Strongest pulls'), said);
    check(said.includes('this page has 2'), said);
    await page.done();
  },

  async 'table of nodes'(browser) {
    const page = await open(browser, 'karate.html');
    await page.selectOption('#layout', 'table');
    const cells = async (column) => {
      const headings = (await page.locator('#table-rows thead th').allInnerTexts()).map((t) => t.replace(/ *[\u25b4\u25be]/, ''));
      const at = headings.indexOf(column);
      check(at >= 0, `no column ${column} among ${headings}`);
      return page.locator(`#table-rows tbody tr > :nth-child(${at + 1})`).allInnerTexts();
    };
    equal((await cells('node')).length, 34, 'rows');
    const sort = (column) => page.locator('#table-rows thead button', { hasText: new RegExp(`^${column}\\b`) }).click();
    await sort('degree');
    equal((await cells('degree')).join(), [...club.keys()].map(degree).sort((a, b) => b - a).join(), 'degrees, falling');
    await sort('age');
    await sort('age');
    equal((await cells('age')).join(), [...club.keys()].map(age).sort((a, b) => a - b).join(), 'ages, rising');
    equal(await page.locator('#table-rows th[aria-sort="ascending"]').innerText().then((t) => t.slice(0, 3)), 'age', 'what sorts');
    await sort('city');
    equal((await cells('city')).at(-1), '', 'a node without a city is last');
    await page.fill('#table-filter', 'oslo');
    const inOslo = [...club.keys()].filter((u) => city(u) === 'Oslo');
    equal((await cells('node')).map(Number).sort((a, b) => a - b).join(), inOslo.join(), 'nodes of Oslo');
    await page.click('#table-select');
    check((await page.locator('#selected').textContent()).startsWith(`${inOslo.length} of 34 selected (oslo)`), 'rows selected in the plot');
    await page.evaluate(() => document.getElementById('clear').click());
    await page.locator('#table-rows tbody button').first().click();
    await page.waitForSelector('#panel-node h2');
    check((await text(page, '#panel-node')).includes('Oslo'), 'the card has the city');
    await shoot(page, 'table');
    const rows = table((await saved(page, () => page.click('#export-tsv'))).bytes);
    check(rows.every((r) => r.city === city(Number(r.node)) && Number(r.age) === age(Number(r.node))), 'the columns in the file');
    await page.done();
  },

  async 'sizes by degree and centrality'(browser) {
    const page = await open(browser, 'karate.html');
    const seen = new Set([(await picture(page)).hash]);
    equal(await page.inputValue('#size'), 'degree', 'the size of a small graph when the page opens');
    for (const size of ['same', 'centrality']) {
      await page.selectOption('#size', size);
      await changed(page, seen, `size by ${size}`);
    }
    await page.selectOption('#layout', 'columns');
    await page.selectOption('#size', 'degree');
    const { bytes } = await saved(page, () => page.click('#export-svg'));
    const radii = [...bytes.toString().matchAll(/<circle [^>]* r="([\d.]+)"/g)].map((m) => Number(m[1])).sort((a, b) => b - a);
    check(radii[0] > 1.8 * radii[20], `radii ${radii[0]} and ${radii[20]}`);
    await page.done();
  },

  async 'sizes by a column of the table'(browser) {
    const page = await open(browser, 'table.html');
    const seen = new Set([(await picture(page)).hash]);
    await page.locator('#size option', { hasText: 'by age' }).waitFor({ state: 'attached' });
    equal(await page.locator('#size option', { hasText: 'by city' }).count(), 0, 'texts have no sizes');
    await page.selectOption('#size', { label: 'by age' });
    await changed(page, seen, 'size by age');
    await page.done();
  },

  async 'picture as PNG: twice as fine, with title and legend'(browser) {
    const page = await open(browser, 'karate.html');
    const box = await page.locator('#plot').boundingBox();
    const before = await picture(page);
    const { name, bytes } = await saved(page, () => page.click('#export-png'));
    equal(name, 'Zachary-s-karate-club.png', 'name of the file');
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    check(width > 2 * box.width + 200 && height > 2 * box.height, `${width} x ${height}`);
    const marks = (await marksOf(page)).map((m) => rgbOf(m.colour));
    const found = await page.evaluate(async ([base64, colours, plotWidth]) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
      const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
      pen.drawImage(bitmap, 0, 0);
      const dark = (x, y, w, h) => {
        const { data } = pen.getImageData(x, y, w, h);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] < 250) count++;
        return count;
      };
      const { data } = pen.getImageData(2 * plotWidth, 96, bitmap.width - 2 * plotWidth, bitmap.height - 96);
      const has = colours.map(([r, g, b]) => {
        for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) return true;
        return false;
      });
      return { title: dark(0, 0, 800, 96), has };
    }, [bytes.toString('base64'), marks, Math.round(box.width)]);
    check(found.title > 200, `${found.title} pixels of a title`);
    check(found.has.every(Boolean), 'a colour is missing in the legend');
    equal((await picture(page)).hash, before.hash, 'the page afterwards');
    await page.done();
  },

  async 'picture as SVG, names as text'(browser) {
    const page = await open(browser, 'hostile.html');
    const svg = (await saved(page, () => page.click('#export-svg'))).bytes.toString();
    const found = await textBoxes(page, svg);
    const texts = found.map((t) => t.text);
    check(hostile.every((name) => texts.some((t) => t === name || (t.endsWith('\u2026') && name.startsWith(t.slice(0, -1))))), `names: ${texts}`);
    check(!/<script|<b /.test(svg), 'a name became markup');
    check(texts.some((t) => /^Community/.test(t)), 'no legend');
    await page.done();
  },

  async 'many kinds are told apart'(browser) {
    for (const scheme of ['light', 'dark']) {
      const page = await open(browser, 'many.html', { scheme });
      await page.selectOption('#colour', 'label');
      await page.waitForFunction(() => document.querySelectorAll('#legend .dot').length > 60);
      const marks = await marksOf(page);
      equal(marks.length, 73, 'entries');
      equal(new Set(marks.map((m) => m.ring + m.colour)).size, 73, 'different marks');
      check((await page.locator('#legend .name').last().innerText()).includes('28 others'), 'the tail');
      const sizes = (await page.locator('#legend .count').allInnerTexts()).map(Number);
      check(sizes.slice(0, -1).every((s, i) => i === 0 || s <= sizes[i - 1]), 'the largest first');
      const ground = rgbOf(await page.locator('#frame').evaluate((e) => getComputedStyle(e).backgroundColor));
      if (scheme === 'dark') marks.forEach((m, i) => check(contrast(rgbOf(m.colour), ground) >= 2.9, `mark ${i}: ${m.colour}`));
      await page.done();
    }
  },

  async 'a phone: the card comes into view, targets of 40 pixels'(browser) {
    const page = await open(browser, 'karate.html', { width: 390, height: 844, hasTouch: true, isMobile: true });
    for (const tab of ['node', 'dimensions', 'communities']) {
      await page.tap(`#tab-${tab}`);
      const little = await page.evaluate(() => [...document.querySelectorAll('button, select, input:not([type="checkbox"]), summary, label.check')]
        .filter((e) => e.offsetParent && !e.closest('dialog')).map((e) => [e, e.getBoundingClientRect()])
        .filter(([, r]) => r.width < 39.5 || r.height < 39.5).map(([e, r]) => `${e.id || e.textContent.slice(0, 20)} ${r.width} x ${r.height}`));
      equal(little.join('; '), '', `small targets with ${tab}`);
    }
    await find(page, '33');
    await openPlace(page);
    const [x, y] = (await told(page, 'open')).split(',').map(Number);
    await page.keyboard.press('Escape');
    await page.evaluate(() => window.scrollTo(0, 0));
    const box = await page.locator('#plot').boundingBox();
    await page.touchscreen.tap(box.x + x, box.y + y);
    await page.waitForSelector('#panel-node h2');
    const heading = await page.locator('#panel-node h2').boundingBox();
    check(heading.y > 0 && heading.y + heading.height < 844, `the card's name stands at ${heading.y} of 844`);
    await shoot(page, 'phone');
    await page.done();
  },

  async 'a node in view stays where it is'(browser) {
    const page = await open(browser, 'plain.html');
    const places = new Map();
    for (const pass of [1, 2]) {
      for (const u of club.keys()) {
        await find(page, String(u));
        const place = (await openPlace(page)).join();
        if (pass === 1) places.set(u, place);
        else equal(place, places.get(u), `place of node ${u}`);
      }
    }
    await page.click('#zoom-in');
    for (let i = 0; i < 6; i++) await page.click('#zoom-in');
    await find(page, '33');
    await find(page, '0'); // far away by now
    const box = await page.locator('#plot').boundingBox();
    const [x, y] = await openPlace(page);
    check(x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height, 'a node out of view comes into it');
    await page.done();
  },

  // The module alone: no browser has so many points at once as to need it.
  async 'densities: the kind of most points, stronger where there are more'() {
    const { Density } = await import(`data:text/javascript,${encodeURIComponent(readFileSync(path.join(source, 'viewer/density.js'), 'utf8'))}`);
    const n = 250000;
    const mix = (h) => Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    const draw = (seed) => (i) => mix(mix(Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b))) >>> 16;
    const axis = (seed) => ({ q: Uint16Array.from({ length: n }, (_, i) => (i < n / 2 ? draw(seed)(i) / 8 : draw(seed)(i))), unit: 1 / 65535, from: 0 });
    const [x, y] = [axis(1), axis(77777)];
    const camera = { x: 0.4, y: 0.5, scale: 300, width: 301, height: 200 };
    const kinds = Uint8Array.from({ length: n }, (_, i) => 1 + (i % 3 ? 0 : draw(5)(i) % 5));
    const rgba = Uint8Array.from({ length: 1024 }, (_, i) => i >> 2);
    globalThis.ImageData = class { constructor(w, h) { Object.assign(this, { w, h, data: new Uint8ClampedArray(4 * w * h) }); } };
    let image;
    const flags = Uint8Array.from({ length: n }, (_, i) => (i % 50 === 0 ? 1 : 0));
    for (const chosen of [null, flags]) {
      const density = new Density();
      density.canvas = { getContext: () => ({ putImageData: (made) => { image = made; } }) };
      check(density.place(camera, x, y, chosen), 'so many points are drawn as densities');
      density.draw(kinds, rgba, chosen);
      const cells = new Map();
      for (let i = 0; i < n; i++) {
        const px = (x.q[i] * x.unit - camera.x) * camera.scale + camera.width / 2;
        const py = camera.height / 2 - (y.q[i] * y.unit - camera.y) * camera.scale;
        if (px < 0 || py < 0 || px >= image.w * 2 || py >= image.h * 2) continue;
        const at = Math.floor(py / 2) * image.w + Math.floor(px / 2);
        if (!cells.has(at)) cells.set(at, { all: [], marked: [] });
        cells.get(at).all.push(kinds[i]);
        if (chosen?.[i]) cells.get(at).marked.push(kinds[i]);
      }
      let [wrong, filled, last] = [0, 0, [0, 0]];
      for (let at = 0; at < image.w * image.h; at++) {
        const cell = cells.get(at);
        const alpha = image.data[4 * at + 3];
        if (!cell || !alpha) { wrong += cell || alpha ? 1 : 0; continue; }
        filled++;
        const list = cell.marked.length ? cell.marked : cell.all;
        const times = (k) => list.filter((other) => other === k).length;
        if (list.some((k) => times(k) > times(image.data[4 * at]))) wrong++;
        if (!chosen && list.length > 2 * last[0] && alpha <= last[1] && last[1] < 255 && last[0] > 0) wrong++;
        last = [list.length, alpha];
        if (chosen && (alpha > 60) !== cell.marked.length > 0) wrong++;
      }
      // a point at the border of two cells may be rounded to either
      check(filled > 5000 && wrong < filled / 1000, `${wrong} of ${filled} cells are wrong`);
    }
    equal(new Density().place({ ...camera, scale: 30000 }, x, y, null), false, 'few points in view');
  },

  async 'two runs: what changed, one view, one selection'(browser) {
    const page = await open(browser, 'before.html');
    const read = (name) => new Map(words(name).filter(([u]) => /^\d+$/.test(u)));
    const [before, now] = [read(file('before.in.tsv')), read(file('karate.communities'))];
    const shared = new Map();
    for (const [u, k] of before) shared.set(`${k} ${now.get(u)}`, (shared.get(`${k} ${now.get(u)}`) ?? 0) + 1);
    // counterparts one to one, the largest overlaps first
    const [of, taken] = [new Map(), new Set()];
    for (const [pair] of [...shared].sort((a, b) => b[1] - a[1])) {
      const [k, c] = pair.split(' ');
      if (!of.has(k) && !taken.has(c)) taken.add(of.set(k, c).get(k));
    }
    const changed = [...before].filter(([u, k]) => of.get(k) !== now.get(u)).map(([u]) => u);
    const said = await text(page, '#changed');
    check(said.startsWith(`${changed.length} of 33 nodes`) && said.includes('1 were in none before'), said);
    check(changed.length > 5, 'too few changes for a test');
    const rows = await page.locator('#panel-changes .rows').last().locator('.name').allInnerTexts();
    equal(rows.map(Number).sort((a, b) => a - b).join(), changed.map(Number).sort((a, b) => a - b).join(), 'nodes listed');
    equal(await page.inputValue('#layout'), 'both', 'what is shown first');
    await shoot(page, 'before', 'jpg');
    await page.locator('#panel-changes button', { hasText: 'that changed' }).click();
    check((await text(page, '#selected')).startsWith(`${changed.length} of 34`), 'the selection');
    await page.click('#clear');
    // a node stands at the same place of both panes, also nearer
    await page.click('#zoom-in');
    await find(page, '33');
    const [x, y] = await openPlace(page);
    const box = await page.locator('#plot').boundingBox();
    const [bx, by] = (await told(page, 'before')).split(',').map(Number);
    check(Math.abs(box.y + by - y) > 100 || Math.abs(box.x + bx - x) > 100, 'two panes');
    await page.mouse.move(box.x + bx, box.y + by);
    await page.waitForSelector('#tip:not([hidden])');
    equal(await text(page, '#tip b'), '33', 'the node in the other pane');
    check((await text(page, '#tip')).includes(`before: ${before.get('33')}`), 'its community before');
    const rowsOut = table((await saved(page, () => page.click('#export-tsv'))).bytes);
    equal(rowsOut.filter((r) => r.changed === 'yes').map((r) => r.node).sort().join(), [...changed].sort().join(), 'changes in the file');
    const svg = (await saved(page, () => page.click('#export-svg'))).bytes.toString();
    check(svg.includes('Before: before.in.tsv') && svg.includes('This run'), 'titles of the panes');
    await page.selectOption('#layout', 'map');
    equal(await told(page, 'before'), '', 'one pane again');
    await page.done();
    const maps = await open(browser, 'maps.html', { width: 390, height: 844 });
    equal(await maps.inputValue('#layout'), 'both', 'two maps');
    await find(maps, '33');
    check((await told(maps, 'before')).length > 2, 'the node in both maps');
    await maps.done();
  },

  async 'a community has one name'(browser) {
    const page = await open(browser, 'karate.html');
    const legend = (await page.locator('#legend .name').allInnerTexts()).sort();
    await page.click('#tab-communities');
    const tree = await page.locator('#panel-communities .row .name').allInnerTexts();
    equal([...tree].sort().join(), legend.join(), 'names in the tree');
    const rows = table((await saved(page, () => page.click('#export-tsv'))).bytes);
    const [, heading] = Object.keys(rows[0]).filter((k) => k.startsWith('community') || k === 'node');
    equal([...new Set(rows.map((r) => r[heading]))].sort().join(), legend.join(), 'names in the file');
    const written = new Map(readFileSync(file('karate.communities'), 'utf8').trim().split('\n').map((line) => line.split('\t')));
    equal(rows.map((r) => r[heading]).join(), rows.map((r) => written.get(r.node)).join(), 'names as cafe cluster writes them');
    await find(page, '33');
    const mine = rows.find((r) => r.node === '33')[heading];
    check((await text(page, '#panel-node')).includes(`${mine} (`), `${mine} on the card`);
    await page.selectOption('#layout', 'table');
    check((await page.locator('#table-rows tbody tr', { has: page.locator('button', { hasText: /^33$/ }) }).innerText()).includes(mine), 'in the table');
    await page.done();
    const named = await open(browser, 'named.html');
    equal((await named.locator('#legend .name').allInnerTexts()).sort().join(), [...factions].sort().join(), 'the names that were given');
    await named.click('#tab-communities');
    equal((await named.locator('#panel-communities .row .name').allInnerTexts()).sort().join(), [...factions].sort().join(), 'in the tree');
    await named.done();
  },
};

makePages();
await runTests(tests);

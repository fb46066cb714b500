// What the browser tests share: a browser, a page that must not talk to anybody, checks that count.
import { chromium } from 'playwright-core';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const cafe = process.env.CAFE;
export const scratch = process.env.SCRATCH;
export const figures = process.env.CAFE_FIGURES; // where screenshots go; none: nowhere

export function run(...words) {
  return execFileSync(cafe, words, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
}

export const file = (name) => path.join(scratch, name);

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CAFE_CHROMIUM,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
}

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

export function equal(found, wanted, what) {
  check(found === wanted, `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

// Chromium's own remarks on slow read-backs of the software renderer are no errors of the page.
const remark = /GPU stall due to ReadPixels|Automatic fallback to software WebGL/;

// What needs five minutes has failed on any machine.
const patience = 300000;

// How much longer than its processor time a computation takes beside what else the machine does.
export function crowd() {
  const began = performance.now();
  const before = process.cpuUsage();
  let used = 0;
  while (used < 300000) {
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
  return Math.max(1, (performance.now() - began) * 1000 / used);
}

// Opens a page of the scratch folder; fails on whatever it says to the console or asks for.
export async function open(browser, name, { width = 1360, height = 860, scheme = 'light', ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme,
    acceptDownloads: true, ...more });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const troubles = [];
  const asked = [];
  page.on('console', (m) => { if (!remark.test(m.text())) troubles.push(`${m.type()}: ${m.text()}`); });
  page.on('pageerror', (e) => troubles.push(String(e)));
  page.on('dialog', (d) => { troubles.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', (r) => { if (!/^(file|blob|data):/.test(r.url())) asked.push(r.url()); });
  await page.goto(`file://${file(name)}`);
  await page.waitForSelector('html[data-complete]');
  page.done = async () => {
    equal(troubles.join(' | '), '', 'console');
    equal(asked.join(' '), '', 'requests');
    await context.close();
  };
  return page;
}

// A picture for the documents; as JPEG where PNG would take megabytes.
export async function shoot(page, name, ending = 'png') {
  if (!figures) return;
  await page.waitForTimeout(250);
  await page.screenshot({ path: path.join(figures, `view-${name}.${ending}`),
    ...(ending === 'jpg' ? { type: 'jpeg', quality: 60 } : {}) });
}

// What the plot looks like: how many pixels differ from the ground, and in how many colours.
export async function picture(page) {
  const shot = (await page.locator('#frame').screenshot()).toString('base64');
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    pen.drawImage(bitmap, 0, 0);
    const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
    const ground = data.slice(4 * (20 * bitmap.width + bitmap.width / 2 | 0)).slice(0, 3).join();
    const colours = new Map();
    let hash = 0;
    for (let i = 0; i < data.length; i += 4) {
      const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      if (colour === ground) continue;
      colours.set(colour, (colours.get(colour) ?? 0) + 1);
      hash = (Math.imul(hash, 31) + i + data[i] * 3 + data[i + 1] * 5 + data[i + 2]) | 0;
    }
    return { hash, drawn: [...colours.values()].reduce((a, b) => a + b, 0), colours: Object.fromEntries(colours) };
  }, shot);
}

// Waits until the plot looks different from all pictures seen before; adds what it looks like then.
export async function changed(page, seen, what) {
  const end = Date.now() + patience;
  for (;;) {
    const { hash } = await picture(page);
    if (!seen.has(hash)) return seen.add(hash);
    check(Date.now() < end, `${what} changes nothing`);
  }
}

// The text of a file that the page saves.
export async function saved(page, act) {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

export function table(bytes) {
  const [head, ...rows] = bytes.toString().trimEnd().split('\n').map((line) => line.split('\t'));
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [head[i], cell])));
}

// ---- inputs

export const words = (name) => readFileSync(name, 'utf8').split('\n').filter((l) => l && !/^[#%]/.test(l))
  .map((l) => l.trim().split(/\s+/));

export function vectors(name) {
  const bytes = readFileSync(name);
  const start = 10 + bytes.readUInt16LE(8);
  const [, n, columns] = /\((\d+), (\d+)\)/.exec(bytes.toString('latin1', 10, start)).map(Number);
  return { n, columns, at: (u, j) => bytes.readFloatLE(start + 4 * (u * columns + j)) };
}

// ---- steps

export const text = (page, selector) => page.locator(selector).innerText();

export async function find(page, name) {
  await page.fill('#search', name);
  await page.waitForSelector('#found li[role="option"]');
  await page.press('#search', 'Enter');
  await page.waitForFunction((wanted) => document.querySelector('#panel-node h2')?.textContent === wanted, name);
}

// Where on the screen the open node is.
export async function openPlace(page) {
  await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); })); // drawn anew
  await page.waitForFunction(() => document.getElementById('plot').dataset.open);
  const box = await page.locator('#plot').boundingBox();
  const [x, y] = (await page.locator('#plot').getAttribute('data-open')).split(',').map(Number);
  return [box.x + x, box.y + y];
}

// ---- all tests of a file, one after the other; each opens its own pages

export async function runTests(tests) {
  const wanted = process.env.CAFE_ONLY; // a part of the names
  const browser = await launch();
  let failed = 0;
  let tried = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (wanted && !name.includes(wanted)) continue;
    tried++;
    try {
      await test(browser);
      console.log(`ok      ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n        ${error.stack.split('\n').slice(0, 6).join('\n        ')}`);
    }
  }
  await browser.close();
  console.log(`${tried - failed} of ${tried} browser tests passed`);
  process.exit(failed ? 1 : 0);
}

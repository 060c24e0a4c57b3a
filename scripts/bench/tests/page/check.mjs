// Opens a report in headless Chromium and compares it with the run it was made from.
//
//     node check.mjs RUN.json REPORT.html [FOLDER FOR SCREENSHOTS]
//
// Needs playwright-core (npm install in this folder) and a Chromium: $CHROMIUM, or `chromium` on PATH.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { figures } from "./figures.mjs";

const [json, html, screenshots] = process.argv.slice(2);
assert(html, "usage: node check.mjs RUN.json REPORT.html [FOLDER FOR SCREENSHOTS]");
const run = JSON.parse(readFileSync(json, "utf8"));
const address = pathToFileURL(resolve(html)).href;
const executablePath = process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath, args });

async function open(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const trouble = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || trouble.push(`asks for ${request.url()}`));
  await page.goto(address, { waitUntil: "load" });
  return { page, trouble, close: () => context.close() };
}

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const rows = (page, name) => page.$$eval(".results tr[data-t]",
  (all, name) => all.filter((row) => !row.hidden).map((row) => name === "target" ? row.dataset.t : row.cells[1].textContent), name);

async function theme(page) {
  const light = await background(page);
  await page.check("#theme [value=dark]");
  const dark = await background(page);
  assert.notEqual(light, dark, "the theme switch changes nothing");
  await page.reload();
  assert.equal(await background(page), dark, "the theme is not remembered");
  await page.check("#theme [value=light]");
  assert.equal(await background(page), light);
}

// Every table, every column, by keyboard: upwards, then downwards, what has no figure last.
async function sorting(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  const tables = page.locator("table.sortable");
  for (let index = 0; index < await tables.count(); index++) {
    const heads = tables.nth(index).locator("thead th button");
    for (let column = 0; column < await heads.count(); column++) {
      for (const direction of ["ascending", "descending"]) {
        await heads.nth(column).press("Enter");
        const wrong = await tables.nth(index).evaluate(outOfOrder, [column, direction]);
        assert.equal(wrong, null, `table ${index}, column ${column}, ${direction}: ${wrong}`);
      }
    }
  }
  await page.reload();
}

function outOfOrder(table, [column, direction]) {
  const head = table.tHead.rows[0].cells[column];
  if (head.ariaSort !== direction) return `aria-sort is ${head.ariaSort}`;
  for (const part of table.tBodies) {
    const cells = [...part.querySelectorAll("tr[data-t]")].map((row) => row.cells[column]);
    const figures = cells.map((cell) => cell.dataset.value).filter((value) => value !== undefined);
    const known = figures.filter((value) => value !== "").map(Number);
    if (figures.slice(0, known.length).includes("")) return "a missing figure is not last";
    const sign = direction === "ascending" ? 1 : -1;
    if (known.some((value, index) => index > 0 && sign * (value - known[index - 1]) < 0)) return known.join(" ");
  }
  return null;
}

async function filtering(page) {
  const everything = await rows(page, "target");
  for (const [name, column] of [["class", 1], ["language", 2]]) {
    const boxes = page.locator(`#filter [name=${name}]`);
    for (let index = 0; index < await boxes.count(); index++) {
      const box = boxes.nth(index);
      const value = await box.getAttribute("value");
      await box.focus();
      await page.keyboard.press("Space");
      const seen = await page.$$eval(".results tr[data-t]", (all, column) => all.filter((row) => !row.hidden).map((row) => row.cells[column].textContent), column);
      assert(seen.length > 0 && seen.every((text) => text === value), `${name} ${value} shows ${seen}`);
      const drawn = await page.$$eval("svg.strips g.row:not([hidden])", (all) => all.length);
      assert.equal(drawn, 2 * seen.length, `${name} ${value}: pictures and tables show different rows`);
      await box.uncheck();
    }
  }
  for (const name of ["mode", "connections", "generator"]) {
    const boxes = page.locator(`#filter [name=${name}]`);
    for (let index = 0; index < await boxes.count(); index++) {
      const value = await boxes.nth(index).getAttribute("value");
      await boxes.nth(index).check();
      const seen = await page.$$eval("details.group", (all, name) => all.filter((group) => !group.hidden).map((group) => group.dataset[name]), name);
      assert(seen.length > 0 && seen.every((other) => other === value), `${name} ${value} shows ${seen}`);
      await boxes.nth(index).uncheck();
    }
  }
  if (await page.locator("#filter [name=class]").count() > 0) {
    await page.locator("#filter [name=class]").first().check();
    await page.click("#filter [type=reset]");
    await page.waitForFunction(() => document.querySelectorAll("tr[hidden]").length === 0);
  }
  assert.deepEqual(await rows(page, "target"), everything);
}

async function without_javascript() {
  const { page, trouble, close } = await open({ javaScriptEnabled: false });
  assert(await page.locator("details.group[open] .results tbody tr").first().isVisible(), "no table without JavaScript");
  assert(!await page.locator("#filter").isVisible(), "a filter that does nothing is shown");
  const light = await page.screenshot({ clip: { x: 0, y: 0, width: 20, height: 20 } });
  await page.check("#theme [value=dark]");
  assert(!light.equals(await page.screenshot({ clip: { x: 0, y: 0, width: 20, height: 20 } })), "no theme without JavaScript");
  assert.deepEqual(trouble, []);
  await close();
}

async function phone() {
  const { page, trouble, close } = await open({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert(wide <= 0, `on a phone the page is ${wide} px too wide`);
  if (screenshots) await page.screenshot({ path: `${screenshots}/phone.png` });
  assert.deepEqual(trouble, []);
  await close();
}

async function desktop() {
  const { page, trouble, close } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  const checked = await page.evaluate(figures, run);
  assert.deepEqual(checked.wrong, []);
  assert(checked.count > 0, "no figure was found");
  if (screenshots) await page.screenshot({ path: `${screenshots}/desktop.png` });
  await theme(page);
  await filtering(page);
  await sorting(page);
  assert.deepEqual(trouble, []);
  await close();
  return checked.count;
}

try {
  const count = await desktop();
  await phone();
  await without_javascript();
  console.log(`${html}: ${count} figures are those of ${json}; theme, filters and sorting work`);
} finally {
  await browser.close();
}

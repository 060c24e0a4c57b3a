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

// Once by keyboard; then every table and every column, upwards and downwards, what has no figure last.
async function sorting(page) {
  const button = page.locator("details.group[open] .results thead th button").nth(6);
  for (const direction of ["ascending", "descending"]) {
    await button.press("Enter");
    assert.equal(await button.evaluate((button) => button.closest("th").ariaSort), direction);
  }
  const wrong = await page.evaluate(sortEverything);
  assert.deepEqual(wrong, []);
}

function sortEverything() {
  const outOfOrder = (table, column, sign) => {
    for (const part of table.tBodies) {
      const cells = [...part.querySelectorAll("tr[data-t]")].map((row) => row.cells[column]);
      const figures = cells.map((cell) => cell.dataset.value).filter((value) => value !== undefined);
      const known = figures.filter((value) => value !== "").map(Number);
      if (figures.slice(0, known.length).includes("")) return "a missing figure is not last";
      if (known.some((value, index) => index > 0 && sign * (value - known[index - 1]) < 0)) return known.join(" ");
    }
    return null;
  };
  const wrong = [];
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.tHead.rows[0].cells) {
      head.removeAttribute("aria-sort");
      for (const sign of [1, -1]) {
        head.querySelector("button").click();
        const found = outOfOrder(table, head.cellIndex, sign);
        if (found) wrong.push(`${table.closest("[aria-label]").ariaLabel}, ${head.textContent}, ${sign}: ${found}`);
      }
    }
  }
  return wrong;
}

// Once by keyboard; then every box.
async function filtering(page) {
  const first = page.locator("#filter input").first();
  await first.focus();
  await page.keyboard.press("Space");
  assert(await first.isChecked(), "a filter cannot be set by keyboard");
  await page.keyboard.press("Space");
  const everything = await page.$$eval(".results tr[data-t]:not([hidden])", (all) => all.length);
  assert.deepEqual(await page.evaluate(filterEverything), []);
  await first.check();
  await page.click("#filter [type=reset]");
  await page.waitForFunction(() => document.querySelectorAll("tr[hidden], details[hidden]").length === 0);
  assert.equal(await page.$$eval(".results tr[data-t]:not([hidden])", (all) => all.length), everything);
}

function filterEverything() {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const columns = { class: 1, language: 2 };
  for (const box of all("#filter input")) {
    box.click();
    const column = columns[box.name];
    const seen = column
      ? all(".results tr[data-t]:not([hidden])").map((row) => row.cells[column].textContent)
      : all("details.group:not([hidden])").map((group) => group.dataset[box.name]);
    if (!seen.length || seen.some((text) => text !== box.value)) wrong.push(`${box.name} ${box.value} shows ${seen}`);
    const drawn = all("svg.strips g.row:not([hidden])").length;
    if (column && drawn !== 2 * seen.length) wrong.push(`${box.name} ${box.value}: ${drawn} rows in pictures, ${seen.length} in tables`);
    box.click();
  }
  return wrong;
}

async function withoutJavascript() {
  const { page, trouble, close } = await open({ javaScriptEnabled: false });
  assert(await page.locator("details.group[open] .results tbody tr").first().isVisible(), "no table without JavaScript");
  assert(!await page.locator("#filter").isVisible(), "a filter that does nothing is shown");
  const light = await page.screenshot({ clip: { x: 0, y: 0, width: 20, height: 20 } });
  await page.check("#theme [value=dark]");
  assert(!light.equals(await page.screenshot({ clip: { x: 0, y: 0, width: 20, height: 20 } })), "no theme without JavaScript");
  assert.deepEqual(trouble, []);
  await close();
}

// Whose figures these are is seen wherever a wide table is scrolled to.
async function namesStay(page) {
  const places = await page.locator("details.group[open] .scroll").first().evaluate((box) => {
    box.scrollLeft = 200;
    const left = (element) => Math.round(element.getBoundingClientRect().left);
    return [box, ...box.querySelectorAll("thead th:first-child, tbody th[scope=row]")].map(left);
  });
  assert(places.every((place) => place === places[0]), `names scroll away: ${places}`);
}

async function phone() {
  const { page, trouble, close } = await open({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert(wide <= 0, `on a phone the page is ${wide} px too wide`);
  await namesStay(page);
  if (screenshots) await page.screenshot({ path: `${screenshots}/phone.png` });
  assert.deepEqual(trouble, []);
  await close();
}

async function desktop() {
  const { page, trouble, close } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  const checked = await page.evaluate(figures, run);
  assert.deepEqual(checked.wrong, []);
  assert(checked.count > 0, "no figure was found");
  const cut = await page.$eval("details.group[open] .scroll", (box) => box.scrollWidth - box.clientWidth);
  assert(cut <= 0, `the first table is ${cut} px too wide`);
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
  await withoutJavascript();
  console.log(`${html}: ${count} figures are those of ${json}; theme, filters and sorting work`);
} finally {
  await browser.close();
}

// Opens pages in Chromium as a reader does, and prints what happened as JSON: page.mjs CHROMIUM FILE...
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const require = createRequire(`${process.cwd()}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [executablePath, ...files] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

// What the page logs, asks for, and opens.
async function open(file, how) {
  const context = await browser.newContext(how);
  const page = await context.newPage();
  const said = [], asked = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("dialog", (dialog) => { said.push(dialog.message()); dialog.dismiss(); });
  page.on("popup", (other) => said.push(`opened ${other.url()}`));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`file://${file}`);
  return { page, said, asked };
}
const painted = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const shown = (page) => page.textContent("#shown");
const visible = (page, what) => page.evaluate((what) =>
  [...document.querySelectorAll(what)].filter((one) => one.offsetParent).map((one) => one.dataset.words), what);
const focused = (page) => page.evaluate(() => document.activeElement.id);

// The keys, as somebody without a mouse uses them; under the page's own policy.
async function walk(file) {
  const { page, said, asked } = await open(file, { viewport: { width: 1280, height: 900 } });
  const seen = { file, said, asked, before: await shown(page) };
  await page.keyboard.press("/");
  await page.keyboard.type("reserve");
  await painted(page);
  seen.filtered = await shown(page);
  seen.articles = await visible(page, "article.item");
  seen.tools = await visible(page, ".row");
  seen.heads = await page.evaluate(() => [...document.querySelectorAll("h2")].filter((one) => one.offsetParent).map((one) => one.textContent));
  await page.keyboard.press("Escape");
  await painted(page);
  seen.after = await shown(page);
  seen.steps = [];
  for (const key of ["j", "j", "k"]) {
    await page.keyboard.press(key);
    seen.steps.push(await focused(page));
  }
  seen.ids = await page.evaluate(() => [...document.querySelectorAll("article.item")].map((one) => one.id));
  // A box is a filter, too: without its kind, no item of it is left.
  const box = page.locator("#bar input[type=checkbox]").first();
  seen.kind = await box.getAttribute("value");
  await box.focus();
  await page.keyboard.press("Space");
  seen.left = await page.evaluate(() => [...document.querySelectorAll("article.item:not([hidden])")].map((one) => one.dataset.kind));
  await page.keyboard.press("Space");
  // A tool unfolds by keyboard.
  const fold = page.locator("summary.tool").first();
  await fold.focus();
  await page.keyboard.press("Enter");
  seen.unfolded = await page.evaluate(() => document.querySelector("details.row").open);
  await page.context().close();
  return seen;
}

// A link to an item leads to it, in a new window.
async function deep(file, id) {
  const { page } = await open(`${file}#${id}`, { viewport: { width: 1280, height: 500 } });
  await painted(page);
  const seen = await page.evaluate(() => {
    const target = document.querySelector(":target");
    const { top, bottom } = target.getBoundingClientRect();
    return { id: target.id, seen: top >= 0 && top < innerHeight && bottom > 0, outline: getComputedStyle(target).outlineStyle };
  });
  await page.context().close();
  return seen;
}

async function look(file, colorScheme, width) {
  // The page's own policy would refuse the accessibility checker.
  const { page, said } = await open(file, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  await page.screenshot({ path: `${file}-${width}-${colorScheme}.png` });
  await page.context().close();
  return { colorScheme, width, wide, paper, said,
    violations: violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`) };
}

async function bare(file) {
  const { page } = await open(file, { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  const seen = { text: await page.locator("main").innerText(), bar: await page.locator("#bar").isVisible() };
  await page.context().close();
  return seen;
}

const out = [];
for (const file of files) {
  const seen = await walk(file);
  seen.deep = await deep(file, seen.ids.at(-1));
  seen.looks = [];
  seen.looks.push(await look(file, "light", 1280), await look(file, "dark", 400));
  seen.bare = await bare(file);
  out.push(seen);
}
await browser.close();
console.log(JSON.stringify(out));

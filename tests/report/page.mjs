// Opens pages in Chromium as a reader does, and prints what happened as JSON: page.mjs CHROMIUM FILE...
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const require = createRequire(`${process.cwd()}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [executablePath, ...files] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const seen = [];
for (const file of files) {
  for (const colorScheme of ["light", "dark"]) {
    // The page's own policy would refuse the accessibility checker.
    const context = await browser.newContext({ colorScheme, viewport: { width: 1200, height: 900 }, bypassCSP: true });
    const page = await context.newPage();
    const said = [], asked = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("dialog", (dialog) => { said.push(dialog.message()); dialog.dismiss(); });
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`file://${file}`);
    const before = await page.textContent("#shown");
    await page.keyboard.press("/");
    await page.keyboard.type("reserve");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const filtered = await page.textContent("#shown");
    const visible = await page.evaluate(() =>
      [...document.querySelectorAll("article.item")].filter((one) => one.offsetParent).map((one) => one.dataset.words));
    await page.keyboard.press("Escape");
    const after = await page.textContent("#shown");
    await page.keyboard.press("j");
    const focused = await page.evaluate(() => document.activeElement.matches("article.item"));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    seen.push({ file, colorScheme, said, asked, before, filtered, visible, after, focused, wide,
      violations: violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`) });
    await context.close();
  }
}
await browser.close();
console.log(JSON.stringify(seen));

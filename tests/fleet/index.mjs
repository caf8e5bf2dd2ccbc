// Filters the index of a fleet in Chromium, and prints what is shown and the processor seconds as JSON: index.mjs CHROMIUM FILE
import { createRequire } from "node:module";
const require = createRequire(`${process.cwd()}/`);
const { chromium } = require("playwright-core");
const [executablePath, file] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
const said = [];
page.on("console", (message) => said.push(message.text()));
page.on("pageerror", (error) => said.push(String(error)));
const devtools = await page.context().newCDPSession(page);
// Processor time of the page, not the time on the wall.
await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
const spent = async () => {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return metrics.find((one) => one.name === "TaskDuration").value;
};
await page.goto(`file://${file}`);
const painted = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const look = () => page.evaluate(() => ({
  shown: document.getElementById("shown").textContent,
  rows: [...document.querySelectorAll("tbody tr")].filter((row) => row.offsetParent).map((row) => row.querySelector("th").textContent),
}));
await painted();
const steps = [];
async function step(name, act) {
  const before = await spent();
  await act();
  await painted();
  const seconds = (await spent()) - before;
  steps.push({ name, seconds, ...(await look()) });
}
await step("open", async () => {});
await page.locator("#filter").focus();
for (const [name, text] of [["name", "server-17"], ["none", "nothing has this"], ["all", ""]]) {
  await step(name, () => page.fill("#filter", text));
}
await step("outcome", () => page.locator('#bar input[value="same"]').uncheck());
// On a narrow screen the table scrolls, and no word is broken but a server's name.
await page.setViewportSize({ width: 400, height: 900 });
const narrow = await page.evaluate(() => ({
  wide: document.documentElement.scrollWidth - innerWidth,
  heads: [...document.querySelectorAll("thead th")].filter((one) => {
    const words = document.createRange();
    words.selectNodeContents(one);
    return words.getClientRects().length > 1;
  }).map((one) => one.textContent),
}));
await browser.close();
console.log(JSON.stringify({ said, steps, narrow }));

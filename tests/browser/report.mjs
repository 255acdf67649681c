// SPDX-License-Identifier: MIT
// Opens report pages in Debian's chromium and looks at what a reader would see.
// Usage: node report.mjs PLAYWRIGHT CHROMIUM PAGE.html HOSTILE.html; prints TAP.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [playwright, executablePath, page_file, hostile_file] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
let n = 0;
function ok(name, good, detail) {
	console.log(`${good ? "ok" : "not ok"} ${++n} - browser: ${name}`);
	if (!good && detail !== undefined) console.log("# " + JSON.stringify(detail));
}

const browser = await chromium.launch({
	executablePath, headless: true,
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

async function open(file, colorScheme) {
	const context = await browser.newContext({ colorScheme, viewport: { width: 1100, height: 900 } });
	const page = await context.newPage();
	const problems = [], requests = [];
	page.on("console", (m) => { if (["error", "warning"].includes(m.type())) problems.push(m.text()); });
	page.on("pageerror", (e) => problems.push(String(e)));
	page.on("request", (r) => requests.push(r.url()));
	await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
	await page.waitForTimeout(200);
	return { page, problems, requests };
}

// The number of different colours in a plot's canvas: one means that nothing was drawn.
const colours = (page) => page.evaluate(() => {
	const c = document.querySelector(".plot canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
	const seen = new Set();
	for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 24 | d[i + 1] << 16 | d[i + 2] << 8 | d[i + 3]);
	return seen.size;
});

for (const scheme of ["light", "dark"]) {
	const { page, problems, requests } = await open(page_file, scheme);
	ok(`${scheme}: no errors on the console`, problems.length === 0, problems);
	ok(`${scheme}: the page is the only request`, requests.length === 1, requests);
	const figures = await page.locator("figure.chart").count();
	ok(`${scheme}: every figure has a plot`, figures > 0 && figures === await page.locator("figure.chart .plot canvas").count(), figures);
	ok(`${scheme}: something is drawn`, await colours(page) > 2);
	ok(`${scheme}: nothing is wider than the page`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
	await page.context().close();
}

{
	const { page } = await open(page_file, "light");
	const plot = page.locator(".plot").first();
	await plot.focus();
	await page.keyboard.press("Home");
	const first = await page.locator(".readout").first().textContent();
	await page.keyboard.press("ArrowRight");
	const second = await page.locator(".readout").first().textContent();
	ok("the arrow keys move along a plot", first !== "" && second !== "" && first !== second, [first, second]);
	const tool = page.locator(".legend .tool").first();
	const before = await tool.textContent();
	await tool.focus();
	await page.keyboard.press("Enter");
	ok("the scale can be switched by keyboard", before !== await page.locator(".legend .tool").first().textContent());
	const series = page.locator(".legend button[aria-pressed]:not(.tool)").first();
	await series.focus();
	await page.keyboard.press("Space");
	ok("a series can be hidden by keyboard", await series.getAttribute("aria-pressed") === "false");
	await page.locator("details summary").first().click();
	ok("the numbers are in a table", await page.locator("details[open] tbody tr").count() > 2);
	await page.setViewportSize({ width: 380, height: 800 });
	const fits = page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth).then(() => true, () => false);
	ok("it fits a narrow screen", await fits);
	await page.context().close();
}

{
	const { page, problems, requests } = await open(hostile_file, "light");
	ok("hostile: no errors on the console", problems.length === 0, problems);
	ok("hostile: the page is the only request", requests.length === 1, requests);
	ok("hostile: no script ran", await page.evaluate(() => window.pwned === undefined));
	ok("hostile: nothing became an element", await page.locator("img, iframe, b b, svg script").count() === 0);
	ok("hostile: only our script blocks are there", await page.evaluate(() => [...document.scripts].every((s) => s.type === "application/json" || s.textContent.includes("uPlot"))));
	const text = await page.locator("body").innerText();
	ok("hostile: the text is shown as it was", text.includes('</script><script>window.pwned=1</script><img src=x onerror="window.pwned=2">'));
	ok("hostile: legend and axis show it too", (await page.locator(".legend .name").first().textContent()).includes("<img src=x"));
	await page.context().close();
}
await browser.close();

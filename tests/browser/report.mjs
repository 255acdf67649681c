// SPDX-License-Identifier: MIT
// Opens report pages in Debian's chromium and looks at what a reader would see.
// Usage: node report.mjs NODE_MODULES CHROMIUM PAGE.html HOSTILE.html LIVE LOG; prints TAP. LIVE is the address of a served
// report of LOG, which is appended to.
import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, executablePath, page_file, hostile_file, live, live_log] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(modules + "/playwright-core");
const axe = readFileSync(modules + "/axe-core/axe.min.js", "utf8");
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
	await page.locator("details summary").first().click();
	// through the debugger: the page's own policy allows no other script
	await page.evaluate(axe);
	const findings = await page.evaluate(async () => (await axe.run()).violations.map((v) => v.id + ": " + v.nodes[0].html));
	ok(`${scheme}: axe-core finds nothing`, findings.length === 0, findings);
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
	const tools = page.locator("figure.chart", { hasText: "Miss ratio of the simulated caches" }), lines = tools.locator(".legend button[aria-pressed=true]:not(.tool)");
	ok("eight lines are shown of ten", await lines.count() === 8);
	await tools.getByRole("button", { name: "all 10 lines" }).click();
	ok("and all when asked for", await lines.count() === 10);
	const dashes = await tools.locator(".legend path").evaluateAll((p) => p.map((e) => e.getAttribute("stroke") + " " + e.getAttribute("stroke-dasharray")));
	ok("the legend tells every line from the others", new Set(dashes).size === 10, dashes);
	ok("sizes that span decades have a logarithmic axis", await tools.getByRole("button", { name: "linear scale" }).count() === 1);
	ok("the figures of what was saved come first", (await page.locator("main section").first().locator(".tile b").first().textContent()) === "9");
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
{
	const { page } = await open(page_file, "light");
	const list = page.locator("figure.rows"), body = list.locator("tbody tr:not([aria-hidden])");
	const cell = (row, column) => body.nth(row).locator("td").nth(column).textContent();
	ok("queries: of ten thousand rows few are in the page", await list.getByText("10002 rows").count() === 1 && await body.count() < 60, await body.count());
	await list.getByRole("button", { name: "Solver time" }).focus();
	await page.keyboard.press("Enter");
	ok("queries: sorted by keyboard, the slowest first", await cell(0, 5) === "9.999 s", await cell(0, 5));
	await list.getByRole("button", { name: "Query" }).click();
	await list.locator(".virtual").evaluate((e) => { e.scrollTop = e.scrollHeight; });
	await page.waitForTimeout(100);
	ok("queries: the last rows are drawn when scrolled to", (await body.last().locator("td").first().textContent()) === "10 k", await body.last().textContent());
	await list.getByRole("searchbox").fill("model");
	ok("queries: a filter", await list.getByText("5001 of 10002 rows").count() === 1 && (await body.allTextContents()).every((t) => t.includes("model")));
	const steps = page.locator("figure.steps").first(), after = steps.locator("pre").nth(1);
	ok("steps: the last minimum beside the original", (await after.textContent()) === "int a9;\n" && (await steps.locator("pre").first().textContent()).includes("main"));
	ok("steps: with colours", await after.locator(".s-keyword").textContent() === "int");
	await steps.getByRole("slider").focus();
	await page.keyboard.press("ArrowLeft");
	ok("steps: one back by keyboard", (await after.textContent()) === "int a8;\n" && (await steps.getByRole("status").textContent()).includes("minimum 8 of 9"));
	const size = page.locator("figure.chart", { hasText: "Size over queries" });
	await size.locator(".plot").focus();
	await page.keyboard.press("Home");
	ok("a size is shown with the pass that earned it", (await size.locator(".readout").textContent()).includes("(tree)"));
	await page.context().close();
}

{
	const context = await browser.newContext(), page = await context.newPage(), problems = [];
	page.on("console", (m) => { if (["error", "warning"].includes(m.type())) problems.push(m.text()); });
	// the log is written to after the page was made and before it asks for news
	let made;
	const shown = new Promise((resolve) => { made = resolve; });
	await page.route("**/version", async (route) => { await shown; await route.continue(); });
	await page.goto(live);
	ok("live: the page is there", await page.locator(".badge", { hasText: "unfinished" }).count() === 1);
	appendFileSync(live_log, '{"event":"reduce.end","t":3,"complete":true,"bytes_before":900,"bytes_after":7,"queries":10,"cache_hits":777}\n{"event":"end","t":3,"exit":0,"complete":true}\n');
	made();
	await page.locator(".tile b", { hasText: "777" }).waitFor({ timeout: 20000 });
	ok("live: it follows the run", await page.locator(".badge", { hasText: "done" }).count() === 1);
	ok("live: no errors on the console", problems.length === 0, problems);
	await context.close();
}
await browser.close();

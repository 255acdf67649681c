// SPDX-License-Identifier: MIT
/* Draws the plots from the data blocks of the page. Everything shown is set as text, never as HTML. */
(function () {
	"use strict";
	const light = { ink: "#3d4754", grid: "#e6e9ee", series: ["#1f5fbf", "#c2410c", "#15803d", "#7e22ce", "#b45309", "#0e7490", "#be185d", "#4d5b6b"] };
	const dark = { ink: "#aeb8c6", grid: "#2a323d", series: ["#7db1ff", "#ff9d6b", "#7fd89b", "#cf9dff", "#f0c36a", "#6fd3e3", "#ff9ac2", "#b4c0cf"] };
	const dashes = [[], [8, 4], [2, 3]];
	const prefersDark = matchMedia("(prefers-color-scheme: dark)");
	let printing = false;
	const theme = () => (prefersDark.matches && !printing ? dark : light);
	const lineColor = (i) => theme().series[i % theme().series.length];
	const lineDash = (i) => dashes[Math.floor(i / theme().series.length) % dashes.length];
	/* more lines than this cannot be told apart: the rest is shown when asked for */
	const mostLines = 8;

	const units = {
		count: (v) => {
			const a = Math.abs(v);
			if (a >= 1e9) return +(v / 1e9).toPrecision(4) + " G";
			if (a >= 1e6) return +(v / 1e6).toPrecision(4) + " M";
			if (a >= 1e4) return +(v / 1e3).toPrecision(4) + " k";
			return String(+v.toPrecision(4));
		},
		bytes: (v) => {
			const names = ["B", "KB", "MB", "GB", "TB"];
			let i = 0;
			while (Math.abs(v) >= 1024 && i < names.length - 1) { v /= 1024; i++; }
			return +v.toPrecision(3) + " " + names[i];
		},
		seconds: (v) => {
			const a = Math.abs(v);
			if (a === 0) return "0";
			if (a < 1e-3) return +(v * 1e6).toPrecision(3) + " µs";
			if (a < 1) return +(v * 1e3).toPrecision(3) + " ms";
			if (a < 600) return +v.toPrecision(4) + " s";
			return +(v / 60).toPrecision(4) + " min";
		},
		percent: (v) => +v.toPrecision(3) + " %",
	};

	function make(tag, cls, parent) {
		const e = document.createElement(tag);
		if (cls) e.className = cls;
		if (parent) parent.appendChild(e);
		return e;
	}

	/* A piece of the line as it is drawn: its colour and its dashes. */
	function swatch(i, parent) {
		const ns = "http://www.w3.org/2000/svg";
		const svg = document.createElementNS(ns, "svg"), p = document.createElementNS(ns, "path");
		svg.setAttribute("viewBox", "0 0 26 10");
		svg.setAttribute("aria-hidden", "true");
		p.setAttribute("d", "M0 5H26");
		p.setAttribute("stroke", lineColor(i));
		p.setAttribute("stroke-width", "3");
		if (lineDash(i).length) p.setAttribute("stroke-dasharray", lineDash(i).join(" "));
		svg.appendChild(p);
		parent.appendChild(svg);
	}

	/* Dashed lines at the marked x of the series that are shown. */
	function drawMarks(spec, colors) {
		return (u) => {
			const ctx = u.ctx;
			ctx.save();
			ctx.lineWidth = devicePixelRatio;
			ctx.font = 12 * devicePixelRatio + "px system-ui, sans-serif";
			let row = 0;
			spec.series.forEach((s, i) => {
				if (s.mark === null || !u.series[i + 1].show) return;
				const x = Math.round(u.valToPos(s.mark, "x", true));
				if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
				ctx.strokeStyle = ctx.fillStyle = colors(i);
				ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
				ctx.beginPath();
				ctx.moveTo(x, u.bbox.top);
				ctx.lineTo(x, u.bbox.top + u.bbox.height);
				ctx.stroke();
				const text = units[spec.xUnit](s.mark), right = x > u.bbox.left + u.bbox.width * 0.85;
				ctx.textAlign = right ? "right" : "left";
				ctx.fillText(text, x + (right ? -5 : 5) * devicePixelRatio, u.bbox.top + (14 + 15 * (row++ % 4)) * devicePixelRatio);
			});
			ctx.restore();
		};
	}

	/* All of the ticks of a logarithmic axis get a line, only the powers of ten and some between a number. */
	function logSplits(values, format) {
		const decades = values.length ? Math.log10(values[values.length - 1] / Math.max(values[0], 1e-9)) : 0;
		return values.map((v) => {
			if (v === null || v === undefined) return null;
			if (v === 0) return "0";
			const lead = v / Math.pow(10, Math.floor(Math.log10(v) + 1e-9));
			const near = (n) => Math.abs(lead - n) < 1e-6;
			return near(1) || (decades < 3 && (near(2) || near(5))) ? format(v) : "";
		});
	}

	const powersOfTwo = Array.from({ length: 50 }, (_, i) => Math.pow(2, i));
	const whole = Array.from({ length: 48 }, (_, i) => [1, 2, 5][i % 3] * Math.pow(10, Math.floor(i / 3)));

	/* Exactly the data; bars need room for their halves. */
	function xRange(log, bars) {
		return (u, min, max) => {
			if (log) return [min > 0 && bars ? min / 1.5 : min, max * (bars ? 1.5 : 1) + (min === max ? 1 : 0)];
			const room = bars ? (max - min || 1) * 0.04 : min === max ? 1 : 0;
			return [min - room, max + room];
		};
	}

	function options(spec, state, width) {
		const t = theme(), colors = lineColor;
		const first = spec.data[0].find((v) => v > 0), positive = spec.data[0].length > 0 && spec.data[0][0] > 0;
		const bars = spec.kind === "bars" && uPlot.paths.bars({ size: [0.7, 40, 1], align: 0 });
		const axis = (label, unit, extra) => Object.assign({
			label, stroke: t.ink, labelGap: 0, labelSize: 22, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
			grid: { stroke: t.grid, width: 1 }, ticks: { stroke: t.grid, width: 1 },
			incrs: unit === "bytes" ? powersOfTwo : unit === "count" ? whole : undefined,
			values: (u, vals) => vals.map((v) => (v === null ? null : units[unit](v))),
		}, extra);
		const log = state.log && first !== undefined;
		return {
			width, height: Math.max(220, Math.min(380, Math.round(width * 0.5))), legend: { show: false }, padding: [10, 26, 0, 0],
			cursor: { drag: { x: true, y: false }, points: { size: 7 } },
			scales: {
				x: Object.assign({ time: false, range: xRange(log, bars) }, log ? { distr: positive ? 3 : 4, asinh: first } : {}),
				y: { range: (u, min, max) => [Math.min(0, min), max > 0 ? max * 1.05 : 1] },
			},
			axes: [
				axis(spec.xLabel, spec.xUnit, log ? { values: (u, vals) => logSplits(vals, units[spec.xUnit]) } : {}),
				axis(spec.yLabel, spec.yUnit, { size: 62 }),
			],
			series: [{}].concat(spec.series.map((s, i) => ({
				label: s.name, show: state.show[i], stroke: colors(i), width: 2, spanGaps: true, dash: lineDash(i),
				fill: spec.kind === "bars" ? colors(i) + "88" : undefined,
				points: { show: spec.kind !== "bars" && spec.data[0].length <= 40, size: 5 },
				paths: bars || (spec.kind === "step" ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear()),
			}))),
			hooks: { draw: [drawMarks(spec, colors)], setCursor: [(u) => state.read(u)] },
		};
	}

	function chart(figure) {
		const spec = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
		const plot = figure.querySelector(".plot");
		const legend = make("div", "legend"), readout = make("div", "readout");
		const state = { log: spec.logX, show: spec.series.map((s, i) => i < mostLines), read: null };
		let u = null;
		plot.after(legend, readout);
		plot.tabIndex = 0;
		plot.setAttribute("role", "group");
		plot.setAttribute("aria-label", "Plot: " + figure.querySelector("figcaption").textContent + ". Arrow keys move along it; the same numbers are in the table below.");
		state.read = (p) => {
			const idx = p.cursor.idx;
			readout.textContent = idx === null || idx === undefined ? "" : spec.xLabel + " " + units[spec.xUnit](spec.data[0][idx]) + spec.series.map((s, i) => {
				let k = idx;
				/* a series without a point here still has its last value */
				while (k >= 0 && spec.data[i + 1][k] === null) k--;
				if (!state.show[i] || k < 0 || (spec.kind === "bars" && k !== idx)) return "";
				const note = spec.notes && spec.notes[i][k] ? " (" + spec.notes[i][k] + ")" : "";
				return "  ·  " + (s.name ? s.name + " " : spec.yLabel + " ") + units[spec.yUnit](spec.data[i + 1][k]) + note;
			}).join("");
		};
		const width = () => Math.max(240, Math.floor(plot.clientWidth));
		function draw() {
			if (u) u.destroy();
			u = new uPlot(options(spec, state, width()), spec.data, plot);
			legend.textContent = "";
			spec.series.forEach((s, i) => {
				if (spec.series.length === 1 && !s.name) return;
				const b = make("button", "", legend);
				b.type = "button";
				b.setAttribute("aria-pressed", String(state.show[i]));
				swatch(i, b);
				make("span", "name", b).textContent = s.name || spec.yLabel;
				b.addEventListener("click", () => {
					state.show[i] = !state.show[i];
					b.setAttribute("aria-pressed", String(state.show[i]));
					u.setSeries(i + 1, { show: state.show[i] });
				});
			});
			if (spec.series.length > mostLines) {
				const all = make("button", "tool", legend), every = state.show.every((v) => v);
				all.type = "button";
				all.textContent = every ? "first " + mostLines + " lines" : "all " + spec.series.length + " lines";
				all.addEventListener("click", () => { state.show = spec.series.map((s, i) => !every || i < mostLines); draw(); });
			}
			const tool = make("button", "tool", legend);
			tool.type = "button";
			tool.setAttribute("aria-pressed", String(state.log));
			tool.textContent = state.log ? "linear scale" : "log scale";
			tool.addEventListener("click", () => { state.log = !state.log; draw(); legend.lastElementChild.focus(); });
		}
		plot.addEventListener("keydown", (e) => {
			const n = spec.data[0].length, step = e.shiftKey ? 10 : 1, at = u.cursor.idx;
			let to = null;
			if (e.key === "ArrowRight") to = at === null || at === undefined ? 0 : Math.min(n - 1, at + step);
			else if (e.key === "ArrowLeft") to = at === null || at === undefined ? n - 1 : Math.max(0, at - step);
			else if (e.key === "Home") to = 0;
			else if (e.key === "End") to = n - 1;
			if (to === null) return;
			e.preventDefault();
			readout.setAttribute("aria-live", "polite");
			u.setCursor({ left: u.valToPos(spec.data[0][to], "x"), top: u.over.clientHeight / 2 });
		});
		draw();
		let last = width();
		new ResizeObserver(() => {
			if (width() !== last) { last = width(); u.setSize({ width: last, height: Math.max(220, Math.min(380, Math.round(last * 0.5))) }); }
		}).observe(plot);
		return draw;
	}

	/* ---- tables of any length: only the rows in view are in the page */

	const rowHeight = 30;

	function rows(figure) {
		const spec = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
		const title = figure.querySelector("figcaption").textContent, n = spec.data[0].length;
		const used = spec.columns.map((c, i) => i).filter((i) => spec.columns[i].kind !== "word" || spec.data[i].some((v) => spec.words[v] !== ""));
		const value = (i, r) => (spec.columns[i].kind === "word" ? spec.words[spec.data[i][r]] : spec.data[i][r]);
		const shown = (i, r) => (spec.columns[i].kind === "word" ? value(i, r) : units[spec.columns[i].kind](value(i, r)));
		const bar = make("div", "filter", figure), field = make("label", "", bar), count = make("span", "note", bar);
		field.textContent = "Filter ";
		const input = make("input", "", field);
		input.type = "search";
		input.placeholder = "a file, a verdict, who answered";
		count.setAttribute("role", "status");
		const view = make("div", "scroll virtual", figure), table = make("table", "", view);
		view.tabIndex = 0;
		view.setAttribute("role", "region");
		view.setAttribute("aria-label", title);
		const head = make("tr", "", make("thead", "", table)), body = make("tbody", "", table);
		let order = [], by = used[0], down = false;
		const heads = used.map((i) => {
			const th = make("th", spec.columns[i].kind === "word" ? "" : "num", head), b = make("button", "", th);
			th.scope = "col";
			b.type = "button";
			b.textContent = spec.columns[i].title;
			b.addEventListener("click", () => { down = by === i ? !down : spec.columns[i].kind === "seconds"; by = i; sort(); });
			return th;
		});
		function spacer(height) {
			if (height <= 0) return;
			const td = make("td", "spacer", make("tr", "", body));
			td.colSpan = used.length;
			td.style.height = height + "px";
			td.parentNode.setAttribute("aria-hidden", "true");
		}
		function paint() {
			const first = Math.max(0, Math.floor(view.scrollTop / rowHeight) - 10), last = Math.min(order.length, first + Math.ceil(view.clientHeight / rowHeight) + 20);
			body.textContent = "";
			spacer(first * rowHeight);
			for (let k = first; k < last; k++) {
				const tr = make("tr", "", body);
				tr.setAttribute("aria-rowindex", String(k + 2));
				used.forEach((i) => {
					const td = make("td", spec.columns[i].kind === "word" ? "" : "num", tr);
					td.textContent = shown(i, order[k]);
					td.title = td.textContent;
				});
			}
			spacer((order.length - last) * rowHeight);
			table.setAttribute("aria-rowcount", String(order.length + 1));
		}
		function sort() {
			const column = spec.data[by], word = spec.columns[by].kind === "word", sign = down ? -1 : 1;
			/* words by what they say: their ranks are compared, not the words of every pair */
			const rank = word ? new Map(spec.words.map((w, i) => i).sort((a, b) => (spec.words[a] < spec.words[b] ? -1 : 1)).map((w, i) => [w, i])) : null;
			order.sort((a, b) => sign * (word ? rank.get(column[a]) - rank.get(column[b]) : column[a] - column[b]) || a - b);
			heads.forEach((th, k) => th.setAttribute("aria-sort", used[k] !== by ? "none" : down ? "descending" : "ascending"));
			paint();
		}
		function filter() {
			const text = input.value.trim().toLowerCase(), hit = spec.words.map((w) => w.toLowerCase().includes(text));
			const words = used.filter((i) => spec.columns[i].kind === "word");
			order = [];
			for (let r = 0; r < n; r++) if (!text || words.some((i) => hit[spec.data[i][r]])) order.push(r);
			count.textContent = order.length === n ? n + " rows" : order.length + " of " + n + " rows";
			view.scrollTop = 0;
			sort();
		}
		input.addEventListener("input", filter);
		view.addEventListener("scroll", () => requestAnimationFrame(paint));
		filter();
	}

	/* ---- texts with colours, and reductions step by step */

	const lexers = [
		[/^(?:python|ruby|bash|yaml)$/, /(#.*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\b(\d[\w.]*)|\b([A-Za-z_]\w*)/g],
		[/^(?:smtlib|lisp)$/, /(;.*)|("(?:[^"]|"")*")|\b(\d[\w.]*)|([A-Za-z_][\w-]*)/g],
		[/^sql$/, /(--.*)|('(?:[^']|'')*')|\b(\d[\w.]*)|\b([A-Za-z_]\w*)/g],
		[/./, /(\/\/.*|\/\*[\s\S]*?\*\/|^#.*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\b(\d[\w.]*)|\b([A-Za-z_]\w*)/gm],
	];
	const keywords = new Set(("alignas and as assert async auto await bool boolean break byte case catch char class const continue def default define-fun delete do double elif else end enum except extends extern final finally float fn for foreach from func function goto if impl implements import in inline int int16_t int32_t int64_t int8_t interface is lambda let local long match mod module mut namespace new nil none not null nullptr of or package pass private protected pub public raise register return select self set short signed size_t sizeof static static_assert struct super switch template then this throw trait true false try type typedef typename uint16_t uint32_t uint64_t uint8_t union unsigned unsafe use using val var virtual void volatile when where while with yield assert check-sat declare-const declare-fun push pop set-logic").split(" "));

	function colored(text, language, pre) {
		const lexer = new RegExp(lexers.find((l) => l[0].test(language || "c"))[1]);
		let at = 0, m;
		pre.textContent = "";
		while ((m = lexer.exec(text)) !== null) {
			const kind = m[1] ? "comment" : m[2] ? "string" : m[3] ? "number" : keywords.has(m[4].toLowerCase()) ? "keyword" : "";
			if (kind) {
				pre.append(text.slice(at, m.index));
				make("span", "s-" + kind, pre).textContent = m[0];
				at = m.index + m[0].length;
			}
		}
		pre.append(text.slice(at));
	}

	function steps(figure) {
		const spec = JSON.parse(figure.querySelector("script[type='application/json']").textContent), all = spec.steps;
		const bar = make("div", "stepper", figure), panes = make("div", "panes", figure);
		const button = (text, label) => {
			const b = make("button", "", bar);
			b.type = "button";
			b.textContent = text;
			b.setAttribute("aria-label", label);
			return b;
		};
		const back = button("◀", "Previous step"), slider = make("input", "", bar), next = button("▶", "Next step"), says = make("span", "note", bar);
		slider.type = "range";
		slider.min = 1;
		slider.max = all.length - 1;
		slider.value = all.length - 1;
		slider.setAttribute("aria-label", "Step");
		says.setAttribute("role", "status");
		const compare = make("label", "note", bar), original = make("input", "", compare);
		original.type = "checkbox";
		original.checked = true;
		compare.append(" beside the original");
		const pane = (label) => {
			const box = make("div", "", panes), head = make("div", "pane-head", box), pre = make("pre", "", box);
			pre.tabIndex = 0;
			pre.setAttribute("role", "region");
			pre.setAttribute("aria-label", label);
			return { head, pre };
		};
		const left = pane("Before"), right = pane("After");
		function show() {
			const i = Number(slider.value), a = all[original.checked ? 0 : i - 1], b = all[i];
			left.head.textContent = (a.number === 0 ? "original" : "after " + a.pass) + " · " + units.bytes(a.bytes);
			right.head.textContent = "after " + (b.pass || "the first test") + " · " + units.bytes(b.bytes);
			says.textContent = "minimum " + b.number + " of " + (spec.all - 1) + " · query " + units.count(b.queries) + " · −" + units.bytes(Math.max(0, all[i - 1].bytes - b.bytes));
			colored(a.text, spec.language, left.pre);
			colored(b.text, spec.language, right.pre);
			back.disabled = i === 1;
			next.disabled = i === all.length - 1;
		}
		const move = (by) => { slider.value = Number(slider.value) + by; show(); };
		back.addEventListener("click", () => move(-1));
		next.addEventListener("click", () => move(1));
		slider.addEventListener("input", show);
		original.addEventListener("change", show);
		show();
	}

	/* ---- the whole page */

	let redraw = [];
	function start() {
		redraw = Array.from(document.querySelectorAll("figure.chart"), chart);
		document.querySelectorAll("figure.rows").forEach(rows);
		document.querySelectorAll("figure.steps").forEach(steps);
	}

	/* A served page follows its logs: when their version changes, its content is fetched again and takes the place of the old. */
	async function follow() {
		const badge = make("span", "badge good", document.querySelector("header"));
		let seen = document.documentElement.dataset.live;
		badge.textContent = "live";
		for (;;) {
			try {
				const now = await (await fetch("version", { cache: "no-store" })).text();
				if (now !== seen) {
					const page = await fetch("./", { cache: "no-store" });
					if (page.ok) {
						const fresh = new DOMParser().parseFromString(await page.text(), "text/html"), open = Array.from(document.querySelectorAll("details"), (d) => d.open);
						document.querySelector("nav").replaceWith(document.importNode(fresh.querySelector("nav"), true));
						document.querySelector("main").replaceWith(document.importNode(fresh.querySelector("main"), true));
						start();
						document.querySelectorAll("details").forEach((d, i) => { d.open = open[i] === true; });
					}
				}
				seen = now;
				badge.className = "badge good";
				badge.textContent = "live";
			} catch (e) {
				badge.className = "badge warn";
				badge.textContent = "the server is gone";
			}
			await new Promise((done) => setTimeout(done, 1000));
		}
	}

	start();
	prefersDark.addEventListener("change", () => redraw.forEach((d) => d()));
	addEventListener("beforeprint", () => { printing = true; redraw.forEach((d) => d()); });
	addEventListener("afterprint", () => { printing = false; redraw.forEach((d) => d()); });
	if (document.documentElement.dataset.live) follow();
})();

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

	function swatch(color, parent) {
		const ns = "http://www.w3.org/2000/svg";
		const svg = document.createElementNS(ns, "svg"), c = document.createElementNS(ns, "circle");
		svg.setAttribute("viewBox", "0 0 10 10");
		svg.setAttribute("aria-hidden", "true");
		c.setAttribute("cx", "5"); c.setAttribute("cy", "5"); c.setAttribute("r", "5"); c.setAttribute("fill", color);
		svg.appendChild(c);
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
		const t = theme(), colors = (i) => t.series[i % t.series.length];
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
				label: s.name, show: state.show[i], stroke: colors(i), width: 2, spanGaps: true, dash: dashes[Math.floor(i / t.series.length) % dashes.length],
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
		const state = { log: spec.logX, show: spec.series.map(() => true), read: null };
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
				return "  ·  " + (s.name ? s.name + " " : spec.yLabel + " ") + units[spec.yUnit](spec.data[i + 1][k]);
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
				swatch(theme().series[i % theme().series.length], b);
				make("span", "name", b).textContent = s.name || spec.yLabel;
				b.addEventListener("click", () => {
					state.show[i] = !state.show[i];
					b.setAttribute("aria-pressed", String(state.show[i]));
					u.setSeries(i + 1, { show: state.show[i] });
				});
			});
			const tool = make("button", "tool", legend);
			tool.type = "button";
			tool.setAttribute("aria-pressed", String(state.log));
			tool.textContent = state.log ? "linear scale" : "log scale";
			tool.addEventListener("click", () => { state.log = !state.log; draw(); legend.querySelector(".tool").focus(); });
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

	const redraw = Array.from(document.querySelectorAll("figure.chart"), chart);
	prefersDark.addEventListener("change", () => redraw.forEach((d) => d()));
	addEventListener("beforeprint", () => { printing = true; redraw.forEach((d) => d()); });
	addEventListener("afterprint", () => { printing = false; redraw.forEach((d) => d()); });
})();

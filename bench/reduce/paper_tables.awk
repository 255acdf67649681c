# Tables 2–7 and the points of Figure 2 from the lines "MODE NAME ALGORITHM CACHE key value …" that paper.sh gathers.
# A value that is missing (given up, not run) is −1 and shown as "-"; a mean is over the inputs that have it.

function get(mode, name, algo, cache, key) { return ((mode, name, algo, cache, key) in v) ? v[mode, name, algo, cache, key] : -1 }
# peak bytes of a cache; in hdd and ddmin those of the text caches are worked out in the run of full
function peak(name, algo, cache,   x) {
	x = get("memory", name, algo, cache, "peak_bytes")
	if (x < 0) x = get("memory", name, algo, "full", cache "_bytes")
	return x
}
# entries of the caches that never forget
function entries(name, algo, cache,   x) {
	x = get("memory", name, algo, cache, "peak_entries")
	return x < 0 ? get("memory", name, algo, "full", "all_entries") : x
}
function queries(name, algo, cache) { return get("memory", name, algo, cache, "queries") }
# CPU seconds without the property
function own(name, algo, cache,   a, b) {
	a = get("time", name, algo, cache, "cpu_s"); b = get("time", name, algo, cache, "property_s")
	return a < 0 ? -1 : a - b
}
function kb(x) { return x < 0 ? "-" : sprintf("%.1f", x / 1024) }
function num(x) { return x < 0 ? "-" : x }
function sec(x) { return x < 0 ? "-" : sprintf("%.2f", x) }
function pct(x) { return x < 0 ? "-" : sprintf("%.1f %%", x) }
function ratio(x, y) { return x > 0 && y > 0 ? x / y : -1 }
# collects a column's mean
function put(column, x) { if (x >= 0) { sum[column] += x; count[column]++ } return x }
function mean(column) { return count[column] ? sum[column] / count[column] : -1 }
function heading(text) { print ""; print text }

function table_peak(algo, list, n, id,   k, c, line) {
	line = sprintf("%-10s", "input"); for (c = 1; c <= n; c++) line = line sprintf(" %13s", list[c]); print line
	for (k = 1; k <= n_names; k++) {
		line = sprintf("%-10s", names[k])
		for (c = 1; c <= n; c++) line = line sprintf(" %13s", kb(put(id algo list[c], peak(names[k], algo, list[c]))))
		print line
	}
	line = sprintf("%-10s", "mean"); for (c = 1; c <= n; c++) line = line sprintf(" %13s", kb(mean(id algo list[c]))); print line
}
# mean over the inputs of the quotient of a's and b's peak bytes or entries
function bytes_ratio(algo, a, b,   k) { delete sum["r"]; delete count["r"]; for (k = 1; k <= n_names; k++) put("r", ratio(peak(names[k], algo, a), peak(names[k], algo, b))); return mean("r") }
function entry_ratio(algo, a, b,   k) { delete sum["r"]; delete count["r"]; for (k = 1; k <= n_names; k++) put("r", ratio(entries(names[k], algo, a), entries(names[k], algo, b))); return mean("r") }
function per_entry(algo, a,   k) { delete sum["r"]; delete count["r"]; for (k = 1; k <= n_names; k++) put("r", ratio(peak(names[k], algo, a), entries(names[k], algo, a))); return mean("r") }
function avoided(algo,   k, x, y) {
	delete sum["r"]; delete count["r"]
	for (k = 1; k <= n_names; k++) { x = queries(names[k], algo, "none"); y = queries(names[k], algo, "full"); if (x > 0 && y > 0) put("r", 100 * (x - y) / x) }
	return mean("r")
}
# time saved when a query costs ms besides what the reducer itself needs
function saved(algo, cache,   k, x, y) {
	delete sum["r"]; delete count["r"]
	for (k = 1; k <= n_names; k++) {
		x = own(names[k], algo, "none"); y = own(names[k], algo, cache)
		if (x < 0 || y < 0) continue
		x += get("time", names[k], algo, "none", "queries") * ms / 1000; y += get("time", names[k], algo, cache, "queries") * ms / 1000
		put("r", 100 * (x - y) / x)
	}
	return mean("r")
}

{
	if ($2 != "csmith-small" && !($2 in known)) names[++n_names] = $2
	known[$2]
	for (i = 5; i < NF; i += 2) v[$1, $2, $3, $4, $i] = $(i + 1)
}

END {
	print "Table 2: inputs and what is left, without a cache (CPU s: whole process, cheap property included)"
	printf "%-10s %8s | %9s %8s %6s | %8s %8s %6s\n", "input", "tokens", "hdd: q.", "CPU s", "left", "perses:q", "CPU s", "left"
	for (k = 1; k <= n_names; k++) {
		n = names[k]
		printf "%-10s %8s | %9s %8s %6s | %8s %8s %6s\n", n, num(put("t", get("memory", n, "perses", "none", "tokens"))), num(put("hq", queries(n, "hdd", "none"))),
			sec(put("ht", get("time", n, "hdd", "none", "cpu_s"))), num(put("hl", get("memory", n, "hdd", "none", "after"))), num(put("pq", queries(n, "perses", "none"))),
			sec(put("pt", get("time", n, "perses", "none", "cpu_s"))), num(put("pl", get("memory", n, "perses", "none", "after")))
	}
	printf "%-10s %8.0f | %9.0f %8.2f %6.0f | %8.0f %8.2f %6.0f\n", "mean", mean("t"), mean("hq"), mean("ht"), mean("hl"), mean("pq"), mean("pt"), mean("pl")

	n = split("str zip sha rcc full", P, " ")
	heading("Table 3: peak cache size (KB), hdd (str, zip, sha accounted for, zip from every 128th text)"); table_peak("hdd", P, n, "3")
	heading("Table 3: peak cache size (KB), perses"); table_peak("perses", P, n, "3")
	for (a = 1; a <= 2; a++) {
		algo = a == 1 ? "hdd" : "perses"
		printf "%s, mean ratios: of bytes str/rcc %.0f, sha/rcc %.1f (paper: %s), rcc/full %.2f; of entries sha/rcc %.1f, rcc/full %.2f; bytes an entry: sha %.0f, rcc %.0f, full %.1f\n", algo,
			bytes_ratio(algo, "str", "rcc"), bytes_ratio(algo, "sha", "rcc"), (a == 1 ? "30.4" : "16.3"), bytes_ratio(algo, "rcc", "full"),
			entry_ratio(algo, "sha", "rcc"), entry_ratio(algo, "rcc", "full"), per_entry(algo, "sha"), per_entry(algo, "rcc"), per_entry(algo, "full")
	}

	heading("Table 4: average cache size (KB), perses")
	printf "%-10s %10s %10s %10s %10s %10s\n", "input", "sha", "rcc", "full", "rcc/sha", "full/rcc"
	for (k = 1; k <= n_names; k++) {
		s = get("memory", names[k], "perses", "sha", "avg_bytes"); r = get("memory", names[k], "perses", "rcc", "avg_bytes"); f = get("memory", names[k], "perses", "full", "avg_bytes")
		printf "%-10s %10s %10s %10s %10s %10s\n", names[k], kb(s), kb(r), kb(f), pct(put("4rs", s > 0 && r >= 0 ? 100 * r / s : -1)), pct(put("4fr", r > 0 && f >= 0 ? 100 * f / r : -1))
	}
	printf "mean rcc/sha %s (paper: 2.8 %%), full/rcc %s\n", pct(mean("4rs")), pct(mean("4fr"))

	heading("Table 5: queries without and with a cache; CPU seconds of the reducer (without the property)")
	printf "%-10s | %8s %8s %8s | %7s %7s %7s %7s | %6s %6s %7s | %6s %6s %6s %6s %6s %6s\n", "input", "hdd none", "cached", "avoided", "none", "sha", "rcc", "full", "perses", "cached", "avoided", "none", "str", "zip", "sha", "rcc", "full"
	split("none sha rcc full", H, " "); split("none str zip sha rcc full", C, " ")
	for (k = 1; k <= n_names; k++) {
		n = names[k]
		x = queries(n, "hdd", "none"); y = queries(n, "hdd", "full")
		printf "%-10s | %8s %8s %8s |", n, num(x), num(put("5hc", y)), pct(x > 0 && y > 0 ? 100 * (x - y) / x : -1)
		for (c = 1; c <= 4; c++) printf " %7s", sec(put("5h" H[c], own(n, "hdd", H[c])))
		x = queries(n, "perses", "none"); y = queries(n, "perses", "full")
		if (x > most) most = x
		printf " | %6s %6s %7s |", num(x), num(put("5pc", y)), pct(x > 0 && y > 0 ? 100 * (x - y) / x : -1)
		for (c = 1; c <= 6; c++) printf " %6s", sec(put("5p" C[c], own(n, "perses", C[c])))
		print ""
	}
	printf "%-10s | %8.0f %8.0f %8s |", "mean", mean("hq"), mean("5hc"), pct(avoided("hdd")); for (c = 1; c <= 4; c++) printf " %7s", sec(mean("5h" H[c]))
	printf " | %6.0f %6.0f %7s |", mean("pq"), mean("5pc"), pct(avoided("perses")); for (c = 1; c <= 6; c++) printf " %6s", sec(mean("5p" C[c]))
	print ""
	printf "queries avoided, mean: hdd %s (paper: 61.8 %%), perses %s (paper: 24.3 %%); perses asks at most %d queries\n", pct(avoided("hdd")), pct(avoided("perses")), most
	printf "time saved with a test of %d ms, mean: hdd rcc %s, full %s (paper: 22.8 %%); perses rcc %s, full %s (paper: 18.2 %%)\n", ms, pct(saved("hdd", "rcc")), pct(saved("hdd", "full")), pct(saved("perses", "rcc")), pct(saved("perses", "full"))

	n = split("str rstr cc rcc-size rcc full", S, " ")
	heading("Table 6: peak cache size (KB), perses"); table_peak("perses", S, n, "6")
	line = sprintf("%-10s", "to str"); for (c = 1; c <= n; c++) line = line sprintf(" %12.3f%%", 100 * (1 - mean("6perses" S[c]) / mean("6persesstr"))); print line
	line = sprintf("%-10s", "to rcc"); for (c = 1; c <= n; c++) line = line sprintf(" %13.1f", bytes_ratio("perses", S[c], "rcc")); print line " (paper: 4097.7 381.1 33.2 - 1.0)"

	heading("Table 7: ddmin on " num(get("memory", "csmith-small", "ddmin", "full", "tokens")) " tokens")
	printf "%-6s %10s %10s %14s %10s\n", "cache", "queries", "CPU s", "peak KB", "entries"
	split("none str zip sha rcc full", D, " ")
	for (c = 1; c <= 6; c++) {
		q = queries("csmith-small", "ddmin", D[c]); if (q < 0) q = queries("csmith-small", "ddmin", "full")
		printf "%-6s %10s %10s %14s %10s\n", D[c], num(q), sec(get("time", "csmith-small", "ddmin", D[c], "cpu_s")), (D[c] == "none" ? "-" : kb(peak("csmith-small", "ddmin", D[c]))), (D[c] == "none" ? "-" : num(entries("csmith-small", "ddmin", D[c])))
	}
	x = queries("csmith-small", "ddmin", "none"); y = queries("csmith-small", "ddmin", "full")
	tx = own("csmith-small", "ddmin", "none") + x * ms / 1000; ty = own("csmith-small", "ddmin", "full") + y * ms / 1000
	printf "queries avoided: %s (paper: 73.0 %%); time saved with a test of %d ms: %s (paper: 67.1 %%)\n", pct(x > 0 && y > 0 ? 100 * (x - y) / x : -1), ms, pct(x > 0 && y > 0 ? 100 * (tx - ty) / tx : -1)

	heading("Figure 2: peak bytes against size and queries")
	printf "%-7s %-10s %8s %8s %14s %14s %10s %9s %8s\n", "", "input", "tokens", "queries", "str", "zip", "sha", "rcc", "full"
	for (a = 1; a <= 2; a++) for (k = 1; k <= n_names; k++) {
		algo = a == 1 ? "hdd" : "perses"; n = names[k]
		printf "%-7s %-10s %8s %8s %14s %14s %10s %9s %8s\n", algo, n, num(get("memory", n, algo, "full", "tokens")), num(queries(n, algo, "full")), num(peak(n, algo, "str")), num(peak(n, algo, "zip")), num(peak(n, algo, "sha")), num(peak(n, algo, "rcc")), num(peak(n, algo, "full"))
	}
}

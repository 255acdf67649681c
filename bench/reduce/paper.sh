#!/bin/sh
# The tables and figures of "On the Caching Schemes to Speed Up Program Reduction" in kind, by one command:
#
#	sh paper.sh [-o RESULTS] [-c SECONDS] [all|perses|hdd|ddmin|tables]
#
# Inputs are csmith programs with fixed seeds (20,000–210,000 tokens; ddmin gets a small one, as in the paper); the property
# is in paper.c. One line per run goes to RESULTS/runs; a run that is there is not repeated, so the parts can be run at
# different times. A run longer than SECONDS is given up and shown as "-". Time is CPU time of the whole process; bytes come
# from the counting allocator, in the same run (it costs two additions per block). MS is the test's duration for which the
# time saved is worked out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${PAPER:=$top/build/bench/paper}" "${MS:=50}"
results=$top/build/bench/paper.results cap=600
while getopts o:c: o; do case $o in o) results=$OPTARG ;; c) cap=$OPTARG ;; *) exit 2 ;; esac done
shift $((OPTIND - 1))
part=${1:-all}
mkdir -p "$results" && : >> "$results/runs"
# name, seed and shape of each input
inputs='csmith-a:12:--max-funcs 12
csmith-b:4:--max-funcs 12
csmith-c:2:--max-funcs 12
csmith-d:8:--max-funcs 12
csmith-e:1:--max-funcs 12
csmith-f:10:--max-funcs 12
csmith-g:11:--max-funcs 12
csmith-h:2:--max-funcs 18
csmith-i:22:--max-funcs 30
csmith-j:12:--max-funcs 30'
small='csmith-small:9:--max-funcs 4 --max-block-depth 3'

make_inputs() {
	printf '%s\n%s\n' "$inputs" "$small" | while IFS=: read -r name seed shape; do
		[ -s "$results/$name.c" ] && continue
		# shellcheck disable=SC2086
		timeout 120 csmith -s "$seed" $shape -o "$results/$name.c" > /dev/null || { echo "csmith failed for $name" >&2; exit 3; }
	done
}

# run NAME ALGORITHM CACHE [SERIES]: appends "NAME ALGORITHM CACHE key value …"
run() {
	grep -q "^$1 $2 $3 " "$results/runs" && [ -z "${4:-}" ] && return
	# shellcheck disable=SC2086
	line=$(timeout "$cap" "$PAPER" "$results/$1.c" "$2" "$3" 1 ${4:-}) || line=gave-up
	[ -n "${4:-}" ] || echo "$1 $2 $3 $line" >> "$results/runs"
}

each() { # ALGORITHM CACHES…
	algorithm=$1; shift
	for name in $(printf '%s\n' "$inputs" | cut -d: -f1); do for cache in "$@"; do run "$name" "$algorithm" "$cache"; done; done
}

make_inputs || exit 3
case $part in all | perses) each perses none str zip sha cc rstr rcc-size rcc full ;; esac
case $part in all | hdd) each hdd none full rcc sha rcc-size str ;; esac
case $part in all | ddmin) for cache in none str sha rcc full; do run csmith-small ddmin $cache; done ;; esac
case $part in all | perses)
	for cache in str zip sha rstr cc rcc rcc-size full; do
		[ -s "$results/series.$cache" ] || run csmith-j perses $cache "$results/series.$cache"
	done ;;
esac

awk -v ms="$MS" '
function get(name, algo, cache, key) { return ((name, algo, cache, key) in v) ? v[name, algo, cache, key] : -1 }
function kb(x) { return (x < 0) ? "-" : sprintf("%.1f", x / 1024) }
function show(x) { return x < 0 ? "-" : x }
function row(algo, list, n,   i, c, k, line) {
	for (k = 1; k <= n_names; k++) {
		line = sprintf("%-13s", names[k])
		for (c = 1; c <= n; c++) line = line sprintf(" %12s", kb(get(names[k], algo, list[c], "peak_bytes")))
		print line
	}
}
# mean over the inputs of key(a)/key(b), or of key(a) when b is ""
function mean(algo, a, b, key,   k, s, n, x, y) {
	for (k = 1; k <= n_names; k++) {
		x = get(names[k], algo, a, key); y = b == "" ? 1 : get(names[k], algo, b, key)
		if (x >= 0 && y > 0) { s += x / y; n++ }
	}
	return n ? s / n : -1
}
function avoided(algo,   k, s, n, x, y) {
	for (k = 1; k <= n_names; k++) {
		x = get(names[k], algo, "none", "queries"); y = get(names[k], algo, "full", "queries")
		if (x > 0 && y > 0) { s += 100 * (x - y) / x; n++ }
	}
	return n ? sprintf("%.1f %%", s / n) : "-"
}
function saved(algo, cache,   k, s, n, x, y) {
	for (k = 1; k <= n_names; k++) {
		x = get(names[k], algo, "none", "queries") * ms / 1000 + get(names[k], algo, "none", "cpu_s") - get(names[k], algo, "none", "property_s")
		y = get(names[k], algo, cache, "queries") * ms / 1000 + get(names[k], algo, cache, "cpu_s") - get(names[k], algo, cache, "property_s")
		if (get(names[k], algo, "none", "queries") > 0 && get(names[k], algo, cache, "queries") > 0) { s += 100 * (x - y) / x; n++ }
	}
	return n ? sprintf("%.1f %%", s / n) : "-"
}
{
	if (!($1 in known) && $1 != "csmith-small") { names[++n_names] = $1 } known[$1] = 1
	for (i = 4; i < NF; i += 2) v[$1, $2, $3, $i] = $(i + 1)
}
END {
	print "Table 2: inputs and reductions (tokens; queries without a cache; CPU seconds, property included)"
	printf "%-13s %9s | %9s %8s %7s | %9s %8s %7s\n", "input", "tokens", "hdd:query", "time", "size", "perses:q.", "time", "size"
	for (k = 1; k <= n_names; k++)
		printf "%-13s %9s | %9s %8s %7s | %9s %8s %7s\n", names[k], show(get(names[k], "perses", "full", "tokens")),
			show(get(names[k], "hdd", "none", "queries")), show(get(names[k], "hdd", "none", "cpu_s")), show(get(names[k], "hdd", "none", "after")),
			show(get(names[k], "perses", "none", "queries")), show(get(names[k], "perses", "none", "cpu_s")), show(get(names[k], "perses", "none", "after"))
	n = split("str zip sha rcc full", P, " ")
	print "\nTable 3: peak cache size (KB), perses: str zip sha rcc full"
	row("perses", P, n)
	m = split("str sha rcc full", H, " ")
	print "\nTable 3: peak cache size (KB), hdd: str sha rcc full"
	row("hdd", H, m)
	for (a = 1; a <= 2; a++) {
		algo = a == 1 ? "perses" : "hdd"
		printf "%s, ratios of peak bytes: str/rcc %.0f, sha/rcc %.1f (paper: %s), rcc/full %.2f; of entries: sha/rcc %.1f, rcc/full %.2f; bytes per entry: sha %.0f, rcc %.0f, full %.1f\n", algo,
			mean(algo, "str", "rcc", "peak_bytes"), mean(algo, "sha", "rcc", "peak_bytes"), (a == 1 ? "16.35" : "30.38"), mean(algo, "rcc", "full", "peak_bytes"),
			mean(algo, "sha", "rcc", "peak_entries"), mean(algo, "rcc", "full", "peak_entries"),
			mean(algo, "sha", "", "peak_bytes") / mean(algo, "sha", "", "peak_entries"), mean(algo, "rcc", "", "peak_bytes") / mean(algo, "rcc", "", "peak_entries"), mean(algo, "full", "", "peak_bytes") / mean(algo, "full", "", "peak_entries")
	}
	print "\nTable 4: average cache size (KB), perses: sha rcc full, rcc/sha (paper: 2.8 % on average), full/rcc"
	for (k = 1; k <= n_names; k++) {
		s = get(names[k], "perses", "sha", "avg_bytes"); r = get(names[k], "perses", "rcc", "avg_bytes"); f = get(names[k], "perses", "full", "avg_bytes")
		printf "%-13s %10s %10s %10s %9.1f %% %8.1f %%\n", names[k], kb(s), kb(r), kb(f), (s > 0 ? 100 * r / s : -1), (r > 0 ? 100 * f / r : -1)
	}
	print "\nTable 5: queries without and with a cache; CPU seconds outside the property"
	printf "%-13s | %9s %9s %8s | %9s %9s | %8s %8s %8s %8s %8s %8s\n", "input", "hdd none", "cached", "avoided", "perses n.", "cached", "none", "str", "zip", "sha", "rcc", "full"
	for (k = 1; k <= n_names; k++) {
		x = get(names[k], "hdd", "none", "queries"); y = get(names[k], "hdd", "full", "queries")
		printf "%-13s | %9s %9s %7.1f%% | %9s %9s |", names[k], show(x), show(y), ((x > 0 && y > 0) ? 100 * (x - y) / x : 0), show(get(names[k], "perses", "none", "queries")), show(get(names[k], "perses", "full", "queries"))
		split("none str zip sha rcc full", C, " ")
		for (c = 1; c <= 6; c++) { t = get(names[k], "perses", C[c], "cpu_s"); printf " %8s", (t < 0 ? "-" : sprintf("%.2f", t - get(names[k], "perses", C[c], "property_s"))) }
		print ""
	}
	printf "queries avoided, mean: perses %s (paper 24.3 %%), hdd %s (paper 61.8 %%)\n", avoided("perses"), avoided("hdd")
	printf "time saved with a test of %d ms, mean: perses rcc %s full %s (paper 18.2 %%), hdd rcc %s full %s (paper 22.8 %%)\n", ms, saved("perses", "rcc"), saved("perses", "full"), saved("hdd", "rcc"), saved("hdd", "full")
	print "\nTable 6: peak cache size (KB), perses: str rstr cc rcc-size rcc full"
	n = split("str rstr cc rcc-size rcc full", S, " ")
	row("perses", S, n)
	printf "\nTable 7: ddmin on a small input (%s tokens): cache, queries, CPU s, peak KB\n", show(get("csmith-small", "ddmin", "full", "tokens"))
	split("none str sha rcc full", D, " ")
	for (c = 1; c <= 5; c++) printf "%-6s %10s %10s %12s\n", D[c], show(get("csmith-small", "ddmin", D[c], "queries")), show(get("csmith-small", "ddmin", D[c], "cpu_s")), kb(get("csmith-small", "ddmin", D[c], "peak_bytes"))
	x = get("csmith-small", "ddmin", "none", "queries"); y = get("csmith-small", "ddmin", "full", "queries")
	if (x > 0 && y > 0) printf "queries avoided: %.1f %% (paper 73.0 %%)\n", 100 * (x - y) / x
}' "$results/runs"

echo
echo "Figure 2 (peak bytes against tokens and queries): tokens, queries, str, zip, sha, rcc, full; perses"
awk '$2 == "perses" { for (i = 4; i < NF; i += 2) v[$1, $3, $i] = $(i + 1); n[$1] }
END { for (k in n) print v[k, "full", "tokens"], v[k, "full", "queries"], v[k, "str", "peak_bytes"], v[k, "zip", "peak_bytes"], v[k, "sha", "peak_bytes"], v[k, "rcc", "peak_bytes"], v[k, "full", "peak_bytes"] }' "$results/runs" | sort -n
echo
echo "Figures 3, 4, 5 (bytes and entries over the candidates of one run, perses on csmith-j): candidates, bytes of each, entries of rcc and rcc-size"
for c in str zip sha rstr cc rcc-size rcc full; do [ -s "$results/series.$c" ] || exit 0; done
paste -d' ' "$results/series.str" "$results/series.zip" "$results/series.sha" "$results/series.rstr" "$results/series.cc" "$results/series.rcc-size" "$results/series.rcc" "$results/series.full" |
	awk 'BEGIN { print "candidates str zip sha rstr cc rcc-size rcc full | rcc-size rcc" } { a[NR] = $1 " " $2 " " $6 " " $10 " " $14 " " $18 " " $22 " " $26 " " $30 " | " $23 " " $27 } END { s = int(NR / 20) + 1; for (i = 1; i <= NR; i += s) print a[i] }'

#!/bin/sh
# SPDX-License-Identifier: MIT
# The paper's method beside ours, on three projects from Debian's source packages: its Table 2 (iterative against exhaustive), Figure 2 (functions left
# after each depth), Table 3 (ranks beside those of a CPU profiler, here callgrind's) and Table 4 (the four caches, ours in the last columns).
# Usage: BUILD=build sh bench/profile/memoizeit.sh [units] [remind] [lua]
set -eu
: "${BUILD:=build}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/fetch.sh"
cd "$work"

# seconds COMMAND…: CPU time of it and of all it started
seconds() {
	(LC_ALL=C; "$@" < "$input" > out.log 2>&1; times) | awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } print s }'
}
# rank_in FILE FUNCTION: its line among the functions of callgrind_annotate
rank_in() {
	awk -v f="$2" '/^ *[0-9,]+ \(/ { n++; name = $0; sub(/.*:/, "", name); sub(/ \[.*/, "", name); sub(/[.'"'"'].*/, "", name); if (name == f) { print n; exit } }' "$1"
}
# ranked FILE: rank, function, its share of the time, calls, hit ratio by Definition 4 (ours: of the suggested cache), depth
ranked() {
	awk -F': ' '
		function put() { if (f != "" && rank + 0 > 0) printf "%d %s %.1f %d %.1f %s\n", rank, f, 100 * share, calls, 100 * hit, depth == "" ? "-" : depth; f = "" }
		{ v = $2; gsub(/[",]/, "", v) }
		/"rank":/ { put(); rank = v; depth = "" } /"function":/ { f = v; sub(/\..*/, "", f) } /"calls":/ { calls = v } /"hit_ratio":/ { hit = v } /"potential_hit_ratio":/ { hit = v }
		/"time_share":/ { share = v } /"depth":/ { depth = v }
		END { put() }' "$1"
}
# caches FILE FUNCTION: hits in percent and invalidations of the four kinds, and the suggestion
caches() {
	awk -F': ' -v f="$2" '
		{ v = $2; gsub(/[",]/, "", v) }
		/"function":/ { g = v; sub(/\..*/, "", g); on = g == f } !on { next }
		/"calls":/ { calls = v } /"size":/ { size = v } /"scope":/ { scope = v }
		/"(single|multi)_(global|instance)"/ { kind = $1 } /"hits":/ && kind { hits[n++] = 100 * v / calls } /"invalidations":/ && kind { inv[n - 1] = v; kind = "" }
		END { printf "%.0f (%d) | %.0f (%d) | %.0f (%d) | %.0f (%d) | %s, %s\n", hits[1], inv[1], hits[3], inv[3], hits[0], inv[0], hits[2], inv[2], size, scope }' "$1"
}

# compare NAME INPUT COMMAND…
compare() {
	name=$1 input=$2
	shift 2
	alone=$(seconds "$@")
	ours=$(seconds "$BUILD/refrain" profile -q --no-explain --json=ours.json -- "$@")
	iterative=$(seconds "$BUILD/refrain" profile -q --method=memoizeit --json=it.json -- "$@")
	whole=$(seconds "$BUILD/refrain" profile -q --method=memoizeit --first-depth=1048576 --json=ex.json -- "$@")
	valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$@" < "$input" > /dev/null 2>&1
	callgrind_annotate --threshold=100 --inclusive=yes callgrind.out > inclusive.txt 2> /dev/null
	callgrind_annotate --threshold=100 callgrind.out > self.txt 2> /dev/null
	ranked it.json > it.ranked; ranked ex.json > ex.ranked; ranked ours.json > ours.ranked
	echo "== $name: $(uptime | sed 's/.*load/load/')"
	echo "CPU seconds: alone $alone, memoizeit iterative $iterative, exhaustive $whole, ours $ours"
	echo "reported: iterative $(wc -l < it.ranked), exhaustive $(wc -l < ex.ranked) of $(sed -n 's/.*"candidates": \([0-9]*\).*/\1/p' ex.json), ours $(wc -l < ours.ranked)," \
		"by both methods $(cut -d' ' -f2 it.ranked | sort > it.names; cut -d' ' -f2 ours.ranked | sort | comm -12 - it.names | wc -l)"
	awk -F': ' '/"opportunities"/ { exit } { v = $2 + 0 } /"depth":/ { printf "depth %d:", v } /"candidates":/ { printf " %d functions,", v } /"dropped":/ { printf " %d dropped,", v } /"explored":/ { printf " %d fully explored\n", v }' it.json
	echo "| function | time % | calls | hits % | depth | inclusive | self | memoizeit | ours |"
	{ head -5 it.ranked; head -3 ours.ranked; } | awk '!seen[$2]++' | while read -r rank f share calls hit depth; do
		m=$(awk -v f="$f" '$2 == f { print $1; exit }' it.ranked) o=$(awk -v f="$f" '$2 == f { print $1; exit }' ours.ranked)
		echo "| \`$f\` | $share | $calls | $hit | $depth | $(rank_in inclusive.txt "$f") | $(rank_in self.txt "$f") | ${m:--} | ${o:--} |"
	done
	echo "| function | instance, single | instance, multi | global, single | global, multi | suggested | ours |"
	head -3 it.ranked | while read -r rank f share calls hit depth; do
		echo "| \`$f\` | $(caches it.json "$f") | $(caches ours.json "$f" | sed 's/.*| //; s/^, $/-/') |"
	done
}

units() {
	fetch units
	(cd units-2* && ./configure CFLAGS='-O2 -g' && make units CFLAGS='-O2 -g') > build.log 2>&1
	i=0
	while [ $i -lt 60 ]; do printf '%d furlongs/fortnight\nm/s\n%d acre foot\nliters\n%d hp hour\nbtu\n' $i $i $i; i=$((i + 1)); done > conversions
	compare units conversions "$(echo "$work"/units-2*/units)" -f "$(echo "$work"/units-2*/definitions.units)" -q
}

remind() {
	fetch remind
	(cd remind-0* && ./configure CFLAGS='-O2 -g' && make -C src remind CFLAGS='-O2 -g') > build.log 2>&1
	compare remind /dev/null "$(echo "$work"/remind-0*/src/remind)" -c60 "$here/cal.rem" 1 Jan 2024
}

lua() {
	fetch lua5.4
	(cd lua5.4-*/src && echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' > lua5.4-deb-multiarch.h && for f in *.c; do
		[ "$f" = luac.c ] || gcc -O2 -g -std=gnu99 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -c "$f"
	done && gcc -o "$work/lua" ./*.o -Wl,-E -ldl -lm)
	compare lua /dev/null "$work/lua" "$here/calls.lua" 100
}

[ $# -gt 0 ] || set -- units remind lua
for project; do "$project"; done

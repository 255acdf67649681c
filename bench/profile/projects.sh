#!/bin/sh
# SPDX-License-Identifier: MIT
# Three projects from Debian's source packages, -O2 -g, one profile each; for two of them the suggested cache is applied by hand
# (the *.sed files) and the saving measured: instructions (exact) and CPU time of 30 alternating runs, on the profiled and on another input.
# Usage: BUILD=build sh bench/profile/projects.sh [units] [remind] [lua]
set -eu
: "${BUILD:=build}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/fetch.sh"
cd "$work"

# top NAME INPUT COMMAND…: profile it, print the five best
top() {
	name=$1; input=$2; shift 2
	echo "== $name: $*"
	"$BUILD/refrain" profile -q --no-explain --max-limit 1024 --json="$name.json" -- "$@" < "$input" > /dev/null 2>&1
	awk -F': ' '
		function put() { if (f != "" && rank + 0 > 0 && rank + 0 <= 5) printf "%2d. cluster %d  %-28s %8d calls  hits %5.1f %%  time %5.1f %%  saves %5.1f %%  %s %s %s\n", rank, cluster, f, calls, 100 * hit, 100 * share, 100 * saved, size, scope, entries; f = "" }
		{ v = $2; gsub(/[",]/, "", v) }
		/"rank":/ { put(); rank = v } /"function":/ { f = v } /"cluster":/ { cluster = v } /"calls":/ { calls = v } /"hit_ratio":/ { hit = v }
		/"time_share":/ { share = v } /"saved_share":/ { saved = v } /"size":/ { size = v } /"scope":/ { scope = v } /"entries":/ && !/[[]/ { if (e != rank) { entries = v; e = rank } }
		END { put() }' "$name.json"
}
# instructions INPUT COMMAND…
instructions() {
	input=$1; shift
	"$BUILD/refrain" trace record -q --access code --unit 1M -o count.rft --json=count.json -- "$@" < "$input" > /dev/null 2>&1
	awk -F': ' '/"instructions"/ { gsub(/,/, "", $2); print $2 }' count.json
}
# saved LABEL INPUT A B ARG…: outputs must agree
saved() {
	label=$1; input=$2; a=$3; b=$4; shift 4
	"$a" "$@" < "$input" > a.out 2>&1 || :
	"$b" "$@" < "$input" > b.out 2>&1 || :
	cmp a.out b.out || { echo "the outputs differ"; exit 1; }
	before=$(instructions "$input" "$a" "$@"); after=$(instructions "$input" "$b" "$@")
	echo "$before $after" | awk -v l="$label" '{ printf "%s: same output; instructions saved %.1f %%; CPU ", l, 100 * ($1 - $2) / $1 }'
	[ "$input" = /dev/null ] && input=-
	"$BUILD/bench/paired" 30 "$input" "$a" "$b" "$@"
}

units() {
fetch units
cp -r units-2* units-cached
sed -i -f "$here/units-ulookup.sed" units-cached/units.c
for d in units-2* units-cached; do (cd "$d" && ./configure CFLAGS='-O2 -g' && make units CFLAGS='-O2 -g') > build.log 2>&1; done
defs=$(echo "$work"/units-2*/definitions.units)
i=0
while [ $i -lt 60 ]; do printf '%d furlongs/fortnight\nm/s\n%d acre foot\nliters\n%d hp hour\nbtu\n' $i $i $i; i=$((i + 1)); done > conversions
i=0
while [ $i -lt 200 ]; do printf '%d nautical mile/hour\nkm/day\n%d carat troyounce\nkg^2\n' $i $i; i=$((i + 1)); done > other
a=$(echo "$work"/units-2*/units)
top units conversions "$a" -f "$defs" -q
saved "units, ulookup cached, profiled input" conversions "$a" "$work/units-cached/units" -f "$defs" -q
saved "units, ulookup cached, other input" other "$a" "$work/units-cached/units" -f "$defs" -q
}

remind() {
fetch remind
cp -r remind-0* remind-cached
sed -i -f "$here/remind-findtoken.sed" remind-cached/src/token.c
for d in remind-0* remind-cached; do (cd "$d" && ./configure CFLAGS='-O2 -g' && make -C src remind CFLAGS='-O2 -g') > build.log 2>&1; done
cp "$here/cal.rem" .
sed 's/Sun MSG/Sat MSG/; s/22 Nov/15 Nov/' cal.rem > other.rem
a=$(echo "$work"/remind-0*/src/remind)
top remind /dev/null "$a" -c60 cal.rem 1 Jan 2024
saved "remind, FindToken cached, profiled input" /dev/null "$a" "$work/remind-cached/src/remind" -c60 cal.rem 1 Jan 2024
saved "remind, FindToken cached, other input" /dev/null "$a" "$work/remind-cached/src/remind" -c96 other.rem 1 Jan 2021
}

lua() {
fetch lua5.4
(cd lua5.4-*/src && echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' > lua5.4-deb-multiarch.h && for f in *.c; do
	[ "$f" = luac.c ] || gcc -O2 -g -std=gnu99 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -c "$f"
done && gcc -o "$work/lua" ./*.o -Wl,-E -ldl -lm)
cp "$here/calls.lua" .
top lua /dev/null "$work/lua" calls.lua 100
}

[ $# -gt 0 ] || set -- units remind lua
for project; do "$project"; done

#!/bin/sh
# SPDX-License-Identifier: MIT
# Does what is predicted come true? Two projects from Debian's source packages, profiled without hints; a cache for each of the
# best functions, the one in PROJECT-FUNCTION.sed or else the one that refrain writes, is built in a copy and measured, on the profiled
# input and on another one.
# A row per function, then how many predictions are within 30 % of what was measured, and on how many second inputs
# a cache that was to save time takes more (its whole 95 % interval below zero).
# Usage: BUILD=build RUNS=30 BEST=5 sh bench/profile/predictions.sh [units] [remind]
set -eu
: "${BUILD:=build}" "${RUNS:=30}" "${BEST:=5}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/fetch.sh"
cd "$work"
: > rows

# best FILE: name and predicted percent of the best functions of a profile that save 3 % or more
best() {
	awk -F': ' -v best="$BEST" '
		{ v = $2; gsub(/[",]/, "", v) }
		/"rank":/ { rank = v } /"function":/ { f = v }
		/"saved_share":/ && rank + 0 > 0 && v >= 0.03 && n < best { n++; print f, 100 * v }' "$1"
}
# row PROJECT FUNCTION PREDICTED FILE: a row of the table; "-" where nothing was measured
row() {
	awk -F': ' -v project="$1" -v f="$2" -v predicted="$3" '
		/"tries":/ { on = 1 }
		!on { next }
		{ v = $2; gsub(/[",]/, "", v) }
		/"refusal":/ && $2 !~ /null/ { refusal = substr($0, index($0, ": ") + 2); gsub(/[",]/, "", refusal) }
		/"saved_share":/ { n++; s[n] = 100 * v } /"low":/ { low[n] = 100 * v } /"high":/ { high[n] = 100 * v }
		/"same_output": false/ { other = "another output" }
		function part(i) { return i > n ? "-" : sprintf("%.1f (%.1f … %.1f)", s[i], low[i], high[i]) }
		END {
			judged = n == 0 ? "not tried" : predicted >= 0.7 * s[1] && predicted <= 1.3 * s[1] ? "within" : "outside"
			if (n > 1 && high[2] < 0) judged = judged ", wrong sign"
			printf "| %s, `%s` | %.1f | %s | %s | %s |%s%s\n", project, f, predicted, part(1), part(2), judged, refusal ? " " refusal : "", other ? " " other : ""
		}' "$4"
}
# by_hand PROJECT FUNCTION SOURCE FILE: the cache that was written by hand as $work/hand.patch, if there is one
by_hand() {
	script=$here/$1-$(echo "$2" | tr '[:upper:]' '[:lower:]').sed
	[ -e "$script" ] || return 1
	sed -f "$script" "$3/$4" > hand.c
	diff -u --label "a/$4" --label "b/$4" "$3/$4" hand.c > hand.patch || :
}
# tries PROJECT SOURCE FILE BUILD-COMMAND INPUT INPUT2 COMMAND…; FILE is what the script of sed changes
tries() {
	project=$1 source=$2 file=$3 build=$4 input=$5 input2=$6
	shift 6
	"$BUILD/refrain" profile -q --no-explain --json="$project.json" -- "$@" < "$input" > /dev/null 2>&1
	best "$project.json" > "$project.best"
	while read -r f predicted; do
		patch=
		! by_hand "$project" "$f" "$source" "$file" || patch=--patch=$work/hand.patch
		# shellcheck disable=SC2086
		"$BUILD/refrain" profile -q --runs "$RUNS" $patch --try "$f" --source "$source" --build "$build" --input2 "$input2" --json=try.json -- "$@" < "$input" > /dev/null 2>&1 || :
		row "$project${patch:+, by hand}" "$f" "$predicted" try.json | tee -a rows
	done < "$project.best"
}

units() {
	fetch units
	source=$(echo "$work"/units-2*)
	(cd "$source" && ./configure CFLAGS='-O2 -g' && make units CFLAGS='-O2 -g') > build.log 2>&1
	i=0
	while [ $i -lt 60 ]; do printf '%d furlongs/fortnight\nm/s\n%d acre foot\nliters\n%d hp hour\nbtu\n' $i $i $i; i=$((i + 1)); done > conversions
	i=0
	while [ $i -lt 200 ]; do printf '%d nautical mile/hour\nkm/day\n%d carat troyounce\nkg^2\n' $i $i; i=$((i + 1)); done > other
	tries units "$source" units.c "make units CFLAGS='-O2 -g'" conversions "-f $source/definitions.units -q < $work/other" "$source/units" -f "$source/definitions.units" -q
}

remind() {
	fetch remind
	source=$(echo "$work"/remind-0*)
	(cd "$source" && ./configure CFLAGS='-O2 -g' && make -C src remind CFLAGS='-O2 -g') > build.log 2>&1
	cp "$here/cal.rem" .
	sed 's/Sun MSG/Sat MSG/; s/22 Nov/15 Nov/' cal.rem > other.rem
	tries remind "$source" src/token.c "make -C src remind CFLAGS='-O2 -g'" /dev/null "-c96 $work/other.rem 1 Jan 2021" "$source/src/remind" -c60 "$work/cal.rem" 1 Jan 2024
}

[ $# -gt 0 ] || set -- units remind
for project; do "$project"; done
awk '/within/ { in_range++ } /within|outside/ { n++ } /wrong sign/ { wrong++ }
	END { printf "%d of %d tried within 30 %%, %d with the wrong sign on the second input\n", in_range, n, wrong }' rows

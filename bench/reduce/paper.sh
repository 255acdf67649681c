#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables and figures of "On the Caching Schemes to Speed Up Program Reduction", on comparable inputs, by one command:
#
#	sh paper.sh [-o RESULTS] [-c SECONDS] [all|memory|time|tables] [INPUT…]
#
# Inputs are csmith programs with fixed seeds (20,000–210,000 tokens; ddmin gets a small one, as in the paper); the property
# is in paper.c. memory: queries, sizes, entries and bytes, which do not depend on the machine; time: CPU seconds of the whole process, in
# runs of their own, with keys really kept; tables: prints paper_tables.awk's tables and the figures' points from RESULTS. One
# line per run goes to RESULTS/runs; a run that is there is not repeated, so the work can be cut into pieces (by part, by
# INPUT) and gone on with. A run longer than SECONDS is given up and shown as "-". MS is the test's duration for which
# the time saved is worked out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${PAPER:=$top/build/bench/paper}" "${MS:=50}"
results=$top/build/bench/paper.results cap=300
while getopts o:c: o; do case $o in o) results=$OPTARG ;; c) cap=$OPTARG ;; *) exit 2 ;; esac done
shift $((OPTIND - 1))
part=${1:-all}
[ $# -eq 0 ] || shift
case $part in all | memory | time | tables) ;; *) echo "no part '$part'" >&2; exit 2 ;; esac
mkdir -p "$results" && : >> "$results/runs"
# name, seed and shape of each input, smallest first; the figures over time are of the last one named
inputs='csmith-a:1:--max-funcs 8
csmith-b:12:--max-funcs 12
csmith-c:4:--max-funcs 12
csmith-d:2:--max-funcs 12
csmith-e:8:--max-funcs 12
csmith-f:1:--max-funcs 12
csmith-g:10:--max-funcs 12
csmith-h:11:--max-funcs 12
csmith-i:2:--max-funcs 18
csmith-j:22:--max-funcs 30
csmith-k:12:--max-funcs 30
csmith-l:32:--max-funcs 40'
small='csmith-small:9:--max-funcs 4 --max-block-depth 3'
names=${*:-$(printf '%s\n' "$inputs" | cut -d: -f1) csmith-small}
drawn=
for name in $names; do [ "$name" = csmith-small ] || drawn=$name; done

make_inputs() {
	printf '%s\n%s\n' "$inputs" "$small" | while IFS=: read -r name seed shape; do
		[ -s "$results/$name.c" ] && continue
		# shellcheck disable=SC2086
		timeout 120 csmith -s "$seed" $shape -o "$results/$name.c" > /dev/null || { echo "csmith failed for $name" >&2; exit 3; }
	done
}

# run MODE NAME ALGORITHM CACHE: appends "MODE NAME ALGORITHM CACHE key value …"
run() {
	grep -q "^$1 $2 $3 $4 " "$results/runs" && return
	series=- keep=
	if [ "$1" = memory ] && [ "$2" = "$drawn" ]; then series=$results/series.$2.$3.$4; fi
	if [ "$1" = time ]; then keep=keep; fi
	# shellcheck disable=SC2086
	line=$(timeout "$cap" "$PAPER" "$results/$2.c" "$3" "$4" 1 "$series" $keep) || line=gave-up
	echo "$1 $2 $3 $4 $line" >> "$results/runs"
}

memory() { # NAME
	if [ "$1" = csmith-small ]; then
		for cache in none sha rcc full; do run memory "$1" ddmin $cache; done
		return
	fi
	for cache in none str zip sha cc rstr rcc-size rcc full; do run memory "$1" perses $cache; done
	# what str, zip and sha hold is worked out in the run of full
	for cache in none rcc full; do run memory "$1" hdd $cache; done
	[ "$1" != "$drawn" ] || run memory "$1" hdd rcc-size
}

time_of() { # NAME
	if [ "$1" = csmith-small ]; then
		for cache in none sha rcc full; do run time "$1" ddmin $cache; done
		return
	fi
	for cache in none str zip sha rcc full; do run time "$1" perses $cache; done
	for cache in none rcc full; do run time "$1" hdd $cache; done
	# it reads the whole text for each candidate: minutes on the others
	case $1 in csmith-a | csmith-b | csmith-c) run time "$1" hdd sha ;; esac
}

make_inputs || exit 3
case $part in all | memory) for name in $names; do memory "$name"; done ;; esac
case $part in all | time) for name in $names; do time_of "$name"; done ;; esac
case $part in memory | time) exit 0 ;; esac

awk -v ms="$MS" -f "$here/paper_tables.awk" "$results/runs"

# columns FIGURE ALGORITHM WHAT CACHE…: all points to RESULTS/FIGURE.txt, some of them printed. WHAT: 2 bytes, 3 entries
columns() {
	figure=$1 algorithm=$2 what=$3; shift 3
	set -- "$@"
	for cache; do [ -s "$results/series.$drawn.$algorithm.$cache" ] || { echo "$figure: no series of $cache yet"; return; }; done
	{
		printf 'candidates'; printf ' %s' "$@"; echo
		n=0
		for cache; do n=$((n + 1)); awk -v c=$n -v w="$what" '{ print $1, c, $w }' "$results/series.$drawn.$algorithm.$cache"; done |
			awk -v n=$# '{ v[$1, $2] = $3; if (!($1 in seen)) { seen[$1]; order[++m] = $1 } }
				END { for (i = 1; i <= m; i++) { line = order[i]; for (c = 1; c <= n; c++) line = line " " v[order[i], c]; print line } }'
	} > "$results/$figure.txt"
	awk '{ a[NR] = $0 } END { print a[1]; s = int((NR - 1) / 12) + 1; for (i = 2; i <= NR; i += s) print a[i]; if ((NR - 2) % s) print a[NR] }' "$results/$figure.txt" | column -t
}
echo; echo "Figure 3: cache bytes over the candidates, perses on $drawn (all points: figure3.txt)"
columns figure3 perses 2 str zip sha rcc full
echo; echo "Figure 4: compact encoding and refreshing apart: bytes, perses on $drawn (figure4.txt)"
columns figure4 perses 2 str rstr cc rcc full
echo; echo "Figure 5: refreshing by size alone, $drawn: bytes, perses; entries, perses; bytes, hdd; entries, hdd (figure5*.txt)"
columns figure5-perses-bytes perses 2 rcc-size rcc full
columns figure5-perses-entries perses 3 rcc-size rcc full
columns figure5-hdd-bytes hdd 2 rcc-size rcc full
columns figure5-hdd-entries hdd 3 rcc-size rcc full

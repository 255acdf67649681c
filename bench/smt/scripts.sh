#!/bin/bash
# SPDX-License-Identifier: MIT
# What refrain smt costs on other people's scripts, one process each, where there is next to nothing to reuse:
# bash scripts.sh FOLDER… (every .smt2 below them; cvc5's and z3's public regression tests are meant)
#
# Taken are the scripts on which z3 uses between WORTH (default 0.05) and LIMIT (default 10) CPU seconds; LIST names a file that
# keeps their names for the next run. z3, --cache=none and --cache=full run in turn, CPU seconds of the process tree. Where full
# is above none by more than half of what it may (1.02 times and 20 ms), ROUNDS (default 5) are run, and the medians count. A row for each
# script on which full costs more than 1.02 times none, or z3, and 20 ms; at the end the sums.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${REFRAIN:=$top/build/refrain}" "${WORTH:=0.05}" "${LIMIT:=10}" "${ROUNDS:=5}" "${LIST:=}"
[ $# -gt 0 ] || { echo "usage: bash scripts.sh FOLDER…" >&2; exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

cpu() { # SECONDS SCRIPT COMMAND…: user and system seconds of the tree; each process may use SECONDS
	local seconds=$1 script=$2
	shift 2
	{ TIMEFORMAT="%U %S"; time (cd "$(dirname "$script")" && ulimit -t "$seconds" && "$@" "$script" < /dev/null > "$work/out" 2>&1); } 2> "$work/time"
	tail -n 1 "$work/time" | awk '{ printf "%.3f\n", $1 + $2 }'
}

median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

once() { # SCRIPT: each of the three; not if z3 runs into the limit
	cpu "$LIMIT" "$1" z3 >> "$work/z3"
	tail -n 1 "$work/z3" | awk -v l="$LIMIT" '{ exit $1 >= 0.95 * l }' || return 1
	cpu $((4 * LIMIT + 10)) "$1" "$REFRAIN" smt --cache=none >> "$work/none"
	cpu $((4 * LIMIT + 10)) "$1" "$REFRAIN" smt --cache=full >> "$work/full"
}

list=${LIST:-$work/list}
if [ ! -s "$list" ]; then
	find "$@" -type f -name '*.smt2' -exec realpath {} + | LC_ALL=C sort > "$work/all"
	while read -r script; do
		cpu "$LIMIT" "$script" z3 | awk -v s="$script" -v w="$WORTH" -v l="$LIMIT" '$1 > w && $1 < 0.95 * l { print s }'
	done < "$work/all" > "$list"
fi

printf '%8s %8s %8s  %s\n' z3_s none_s full_s script
while read -r script; do
	rm -f "$work/z3" "$work/none" "$work/full"
	once "$script" || continue
	if awk -v n="$(cat "$work/none")" -v f="$(cat "$work/full")" -v z="$(cat "$work/z3")" 'BEGIN { m = n < z ? n : z; exit f <= 1.01 * m + 0.01 }'; then
		for ((i = 1; i < ROUNDS; i++)); do once "$script"; done
	fi
	echo "$(median "$work/z3") $(median "$work/none") $(median "$work/full") $script"
done < "$list" | awk '
	{ z = $1; n = $2; f = $3; name = $4; sub(/.*\/(test\/regress\/cli|regressions)\//, "", name)
	  over = (f > 1.02 * n + 0.02 ? " above none" : "") (f > 1.02 * z + 0.02 ? " above z3" : "")
	  if (over) { printf "%8.3f %8.3f %8.3f  %s%s\n", z, n, f, name, over; fflush() }
	  a += f > 1.02 * n + 0.02; b += f > 1.02 * z + 0.02; c += n > 1.02 * z + 0.02; Z += z; N += n; F += f; k++ }
	END { printf "%8.2f %8.2f %8.2f  %d scripts: full above none on %d, above z3 on %d; none above z3 on %d\n", Z, N, F, k, a, b, c }'

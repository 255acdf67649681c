#!/bin/sh
# SPDX-License-Identifier: MIT
# Whether what scale.sh promises holds in real time: `refrain reduce` with a test that sleeps (which needs no CPU) beside
# the clock, for the same input and property (scale_farm.c). Time is that of all tests, in test lengths; ratio 1: as the
# clock says.
# Usage: sh scale_real.sh [SECONDS [JOBS…]] (default: 0.2; 1 2 4 8 16 32)
# FUNCTIONS (default 240) is the size of the input. TOGETHER=1 runs all numbers of jobs at the same time, which is fair where
# that leaves processors idle (tests of a second).
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=build}"
: "${FUNCTIONS:=240}"
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
[ -x "$BUILD/bench/scale_farm" ] || make -s -C "$top" BUILD="$BUILD" "${BUILD#"$top"/}/bench/scale_farm" >&2 || exit 3
nap=${1:-0.2}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 1 2 4 8 16 32
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-scale-real.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
field() { sed -n "s/.*\"$1\": *\([0-9.a-z]*\).*/\1/p" r.json | head -n 1; }

one() { # JOBS
	mkdir "$work/$1" && cd "$work/$1" || return 1
	printf '#!/bin/sh\nexec %s test %s %s a.c\n' "$BUILD/bench/scale_farm" "$FUNCTIONS" "$nap" > t.sh
	chmod +x t.sh
	"$BUILD/bench/scale_farm" write "$FUNCTIONS" > a.c
	clock=$("$BUILD/bench/scale_farm" "$FUNCTIONS" "$1" | sed 's/.* rounds \([0-9.]*\).*/\1/')
	from=$(date +%s.%N)
	"$BUILD/refrain" reduce -q -j"$1" --store=none --json=r.json ./t.sh a.c || return 1
	to=$(date +%s.%N)
	echo "$1 $nap $from $to $clock $(field queries) $(field retests)" | awk '{
		t = ($4 - $3) / $2
		printf "%2d jobs, %g s: %.1f test lengths, clock %.1f, ratio %.2f (%d queries, %d retests)\n", $1, $2, t, $5, t / $5, $6, $7 }'
}

for jobs; do
	if [ -n "${TOGETHER:-}" ]; then
		(one "$jobs" > "$work/$jobs.line") &
	else
		(one "$jobs") || exit 1
	fi
done
wait
for jobs; do [ -z "${TOGETHER:-}" ] || cat "$work/$jobs.line"; done

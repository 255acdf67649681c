#!/bin/sh
# SPDX-License-Identifier: MIT
# What a cache saves with a real compiler as the test: sh paper_real.sh FILE.c…
#
# Each FILE is reduced by perses with one job, once without a cache, once with each of CACHES, so that the questions are the
# same. The property: gcc-12 -O1 takes it, and its assembler has a conditional move and calls printf. Time is CPU time
# of everything (reducer, shells, compilers), which other work on the machine changes little. RESULTS keeps the rows: a
# run that is there is not repeated.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${REFRAIN:=$top/build/refrain}" "${CACHES:=none rcc full}" "${RESULTS:=$top/build/bench/paper_real}" "${CC:=gcc-12}"
: "${ALGORITHM:=perses}"
case $REFRAIN in /*) ;; *) REFRAIN=$PWD/$REFRAIN ;; esac
mkdir -p "$RESULTS" || exit 3
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
cat >"$work/test.sh" <<TEST
#!/bin/sh
$CC -O1 -w -S input.c -o o.s 2>/dev/null && grep -q cmov o.s && grep -q 'call.*printf' o.s
TEST
chmod +x "$work/test.sh"

one() { # FILE CACHE ROW
	cp "$1" "$work/input.c" && chmod u+w "$work/input.c"
	rm -f "$work/input.c.orig" "$work/input.c.refrain"
	(
		cd "$work" || exit 3
		"$REFRAIN" reduce -j1 --algorithm="$ALGORITHM" --cache="$2" --json=result.json ./test.sh input.c >/dev/null 2>&1
		echo "code $?"
		times
	) >"$work/times"
	# the last line of `times`: user and system time of the children, as 1m2.3s
	tail -n 1 "$work/times" | tr 'ms' '  ' | awk -v code="$(sed -n 's/^code //p' "$work/times")" -v queries="$(
		sed -n 's/.*"queries": *\([0-9]*\).*/\1/p' "$work/result.json" | head -n 1
	)" -v left="$(wc -c <"$work/input.c")" '{printf "%s %d %.1f %d\n", code, queries, 60 * $1 + $2 + 60 * $3 + $4, left}' >"$3"
}

printf '%-16s %-5s %8s %8s %8s %9s\n' input cache queries 'CPU s' bytes saved
for file in "$@"; do
	name=$(basename "$(dirname "$file")")
	for cache in $CACHES; do
		row=$RESULTS/$name.$ALGORITHM.$cache
		[ -s "$row" ] || one "$file" "$cache" "$row"
		awk -v name="$name" -v cache="$cache" -v none="$(cut -d' ' -f3 "$RESULTS/$name.$ALGORITHM.none" 2>/dev/null)" '
			$1 != 0 {print name, cache, "ended with", $1; exit 1}
			{printf "%-16s %-5s %8d %8.1f %8d %7.1f %%\n", name, cache, $2, $3, $4, (none > 0 ? 100 * (1 - $3 / none) : 0)}' "$row" || rm -f "$row"
	done
done

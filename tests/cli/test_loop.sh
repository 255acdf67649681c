# SPDX-License-Identifier: MIT
# The story of ./do demo: each step of examples/loop does what the text around it says.
. "$(dirname "$0")/lib.sh"
if [ ! -e "$BUILD/libexec/rflaunch" ]; then
	skip "one program through all engines" "the Valgrind tools are not built"
	exit 0
fi
if sanitized_runtime; then skip "one program through all engines" "the runtime is built with a sanitizer"; exit 0; fi
section "one program through all engines"
exits "the demo" 0 env LOOP_RUNS=2 LOOP_REPORT="$T/report.html" sh "$top/examples/loop/run"
cp "$T/out" "$T/story"
has "profile finds the function" "$T/story" "1. day_number  logan.c:"
has "and tries its cache" "$T/story" "0 conflicts"
has "trace names a size" "$T/story" "smallest cache within 1 % of the best: lru, size 128"
has "the cache of that size holds all dates" "$T/story" "1883 hits (94.5 %), 0 evictions"
has "the contract is violated" "$T/story" "requests = 0, expected 1..1000000"
has "and holds in the fixed program" "$T/story" "4000 checks, 0 violations"
has "the log is shrunk to what it takes" "$T/story" "2000 lines became 4;"
has "the second time the store knows" "$T/story" "run 2: 60 questions, 41 dead filters, 41 of them known already"
is "few questions reach the solver" "$(sed -n "s/.*known already; \([0-9]*\) calls* of the solver.*/\1/p" "$T/story" | awk '$1 < 10 { n++ } END { print n + 0 }')" 2
is "nothing in colour without a terminal" "$(grep -c "$(printf '\033')" "$T/story")" 0
for s in saved trace reduce smt profile check; do has "the report's section $s" "$T/report.html" "<section id=\"$s\">"; done

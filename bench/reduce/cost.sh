#!/bin/bash
# SPDX-License-Identifier: MIT
# What the reducer itself costs, measured from outside: bash cost.sh [engine|parse|jobs]…
#
# engine: wall time of a run with a 50 ms test on a csmith program of 700 KB, less the time inside the tests (each logs when it
#         began and ended). The start and end of the test's own processes are taken off as a shell loop sees them.
# parse:  CPU seconds to read and parse that program.
# jobs:   speed-up of -j2 over -j1 for whole runs, beside that of two independent copies of the same test.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${REFRAIN:=$top/build/refrain}" "${QUERIES:=1500}" "${SUBJECTS:=$top/../shared/subjects}"
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-cost.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
[ $# -gt 0 ] || set -- parse engine jobs

big() { [ -s big.c ] || timeout 120 csmith -s 11 --max-funcs 60 --max-block-depth 4 -o big.c > /dev/null || exit 3; }
field() { sed -n "s/^ *\"$1\": \([^,]*\),*\$/\1/p" "$2"; }

# a test that takes 50 ms, logs when it began and ended, and wants the text of some lines to stay in balance
make_test() { # PATTERN
	cat > t.sh <<-TEST
		#!/bin/bash
		begin=\$EPOCHREALTIME
		sleep 0.05
		grep -q '$1' a.c; code=\$?
		echo "\$begin \$EPOCHREALTIME" >> $work/log
		exit \$code
	TEST
	chmod +x t.sh
}

parse() {
	big
	[ -x "$top/build/bench/paper" ] || { echo "parse: build build/bench/paper first (make bench-reduce-cost does)"; return; }
	for i in 1 2 3; do timeout 60 "$top/build/bench/paper" big.c perses none 1 | sed 's/.*parse_s //'; done | sort -n | sed -n 2p |
		awk -v bytes="$(wc -c < big.c)" '{ printf "parse: %d bytes in %.3f s CPU (median of three; wanted: 0.3)\n", bytes, $1 }'
}

engine() {
	big
	make_test 'func_1(void)'
	# half of the program must stay: variants are large for the whole run
	sed -i 's/^sleep 0.05$/sleep 0.05; [ "$(wc -c < a.c)" -gt 360000 ] || { echo "$begin $EPOCHREALTIME" >> '"${work//\//\\/}"'\/log; exit 1; }/' t.sh
	cp big.c a.c; : > log
	local start=$EPOCHREALTIME end alone i cpu=0 now
	"$REFRAIN" reduce -q -j1 --progress=never --max-queries "$QUERIES" --json=r.json ./t.sh a.c 2> /dev/null & pid=$!
	# CPU of the reducer's own process, as long as it can be asked
	while now=$(awk '{ print $14 + $15 }' /proc/$pid/stat 2> /dev/null) && [ -n "$now" ] && [ "$now" != 0 -o "$cpu" = 0 ]; do cpu=$now; sleep 0.2; done
	wait $pid
	end=$EPOCHREALTIME
	# what starting and ending the test costs by itself: the same test from a shell's loop
	mv log log.run; : > log
	alone=$EPOCHREALTIME
	for ((i = 0; i < 100; i++)); do ./t.sh; done
	alone=$(awk -v start="$alone" -v end="$EPOCHREALTIME" '{ inside += $2 - $1 } END { printf "%.6f", (end - start - inside) / NR }' log)
	awk -v cpu="$cpu" -v hz="$(getconf CLK_TCK)" -v alone="$alone" -v start="$start" -v end="$end" -v own="$(field engine_s r.json)" -v before="$(field bytes_before r.json)" -v after="$(field bytes_after r.json)" '
		{ n++; inside += $2 - $1 }
		END {
			wall = end - start
			printf "engine: %d tests on %d -> %d bytes, wall %.2f s, inside tests %.2f s: %.2f %% outside (%.2f ms a test)\n", n, before, after, wall, inside, 100 * (wall - inside) / wall, 1000 * (wall - inside) / n
			printf "engine: less the start and end of the test itself (%.2f ms, seen in a shell loop): %.2f %% (wanted: 3 %%); the program says %.2f s, %.2f %%; its CPU time: %.2f s, %.2f %% (%.2f ms a test)\n", 1000 * alone, 100 * (wall - inside - n * alone) / wall, own, 100 * own / wall, cpu / hz, 100 * cpu / hz / wall, 1000 * cpu / hz / n
		}' log.run
	rm -f a.c.orig a.c.refrain*
}

# seconds that COPIES copies of the test need for N runs in all
copies() { # COPIES N
	local start=$EPOCHREALTIME c i
	for c in $(seq "$1"); do ( for ((i = 0; i < $2 / $1; i++)); do ./t.sh > /dev/null; done ) & done
	wait
	echo "$start $EPOCHREALTIME" | awk '{ print $2 - $1 }'
}

# whole runs of t.sh at one and two jobs, and copies of it
compare_jobs() { # INPUT NAME TIMES WHAT
	local one two alone both n
	cp "$1" "$2"
	alone=$(copies 1 60); both=$(copies 2 60)
	for ((n = 1; n <= $3; n++)); do
		cp "$1" "$2"; rm -f "$2.orig"; "$REFRAIN" reduce -q -j1 --progress=never --json=r1.$n.json ./t.sh "$2"
		cp "$1" "$2"; rm -f "$2.orig"; "$REFRAIN" reduce -q -j2 --progress=never --json=r2.$n.json ./t.sh "$2"
	done
	one=$(for ((n = 1; n <= $3; n++)); do field wall_s r1.$n.json; done | sort -n | sed -n "$(($3 / 2 + 1))p")
	two=$(for ((n = 1; n <= $3; n++)); do field wall_s r2.$n.json; done | sort -n | sed -n "$(($3 / 2 + 1))p")
	awk -v what="$4" -v one="$one" -v two="$two" -v alone="$alone" -v both="$both" -v q1="$(field queries r1.1.json)" -v q2="$(field queries r2.1.json)" -v t1="$(field tokens_after r1.1.json)" -v t2="$(field tokens_after r2.1.json)" 'BEGIN {
		printf "jobs: %s: -j1 %.2f s (%d queries, %d tokens), -j2 %.2f s (%d queries, %d tokens): speed-up %.2f; two copies of the test: %.2f; share %.2f (wanted: 0.85)\n", what, one, q1, t1, two, q2, t2, one / two, alone / both, (one / two) / (alone / both) }'
}

jobs() {
	# by a clock on which each test takes 1 and nothing else counts (paper.c): the gain without the noise of a machine
	if [ -x "$top/build/bench/paper" ]; then
		timeout 60 csmith -s 3 --max-funcs 10 -o turn.c > /dev/null
		for n in 1 2 4; do timeout 120 "$top/build/bench/paper" turn.c full full 1 - jobs=$n; done | sed 's/.*queries \([0-9]*\) .*rounds \([0-9]*\)$/\1 \2/' |
			awk '{ q[NR] = $1; r[NR] = $2 } END { printf "jobs: tests of equal length: -j1 %d queries; -j2 %d in %d rounds, speed-up %.2f of 2; -j4 %d in %d, %.2f of 4\n", q[1], q[2], r[2], q[1] / r[2], q[3], r[3], q[1] / r[3] }'
	fi
	awk 'BEGIN { for (i = 0; i < 100; i++) printf "int f%d(int a) { int b = a + %d; while (b > %d) { b -= a; if (b == 7) return a; } return b; }\n", i, i, i * 3; printf "int main(void) { return 0"; for (i = 7; i < 100; i += 17) printf " + f%d(%d)", i, i; print "; }" }' > in.c
	cat > t.sh <<-'TEST'
		#!/bin/bash
		sleep 0.05
		all=$(< a.c)
		for ((i = 7; i < 100; i += 17)); do [[ $all == *"f$i(int a)"*"f$i("* ]] || exit 1; done
		o=${all//[^\{]/} c=${all//[^\}]/}; [ ${#o} -eq ${#c} ]
	TEST
	chmod +x t.sh
	compare_jobs in.c a.c 3 "a program of 100 functions, a 50 ms test"
	local subject=$SUBJECTS/c-gcc12-asm
	[ -d "$subject" ] || return
	cp "$subject/small.c" subject.c; cp "$subject/r.sh" t.sh; chmod u+w subject.c
	compare_jobs subject.c small.c 1 "c-gcc12-asm"
}

for part; do case $part in parse) parse ;; engine) engine ;; jobs) jobs ;; *) echo "no part '$part'" >&2; exit 2 ;; esac done

#!/bin/bash
# SPDX-License-Identifier: MIT
# One process, 100,000 queries of which no two have the same names: bash long.sh [QUERIES] [REFRAIN-OPTION…]
#
# The queries are conjunctions over two arrays of bytes and three words, as a symbolic executor makes them: every third is
# unsat, every fifth repeats an earlier one under its own names. After each tenth of them: resident memory of
# the process (MB, and at most so far), CPU seconds that it and its solver took since the last row, and answers without a
# solver. Memory that keeps growing, or rows that take longer and longer, are what this is to show.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${REFRAIN:=$top/build/refrain}"
n=${1:-100000}
[ $# = 0 ] || shift
block=$((n / 10))

queries() { # FIRST COUNT
	awk -v first="$1" -v count="$2" 'BEGIN {
		for (i = first; i < first + count; i++) {
			k = i % 5 == 4 ? int(i / 2) : i # what it is about: an earlier query, or its own
			srand(k)
			printf "(reset)(set-logic QF_ABV)(declare-const a%d (Array (_ BitVec 32) (_ BitVec 8)))", i
			printf "(declare-const x%d (_ BitVec 32))(declare-const y%d (_ BitVec 32))", i, i
			for (j = 0; j < 4; j++)
				printf "(assert (bvult (select a%d (_ bv%d 32)) (_ bv%d 8)))", i, int(rand() * 9), 1 + int(rand() * 250)
			printf "(assert (= (bvadd x%d (_ bv%d 32)) y%d))", i, k, i
			printf "(assert (bvult x%d (_ bv%d 32)))", i, 7 + k
			printf "(assert (%s y%d (_ bv%d 32)))", k % 3 ? "bvult" : "bvugt", i, 2 * k + 7
			print "(check-sat)"
		}
	}'
}

tree_cpu() { # PID: of it and its children, ended or not, in seconds
	cat /proc/"$1"/stat $(sed 's|\([0-9]*\) *|/proc/\1/stat |g' /proc/"$1"/task/"$1"/children) 2> /dev/null |
		awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); t += $12 + $13 + $14 + $15 } END { printf "%.2f\n", t / hz }'
}

coproc R { exec "$REFRAIN" smt "$@" 2>&1; }
echo "  queries    MB  most  CPU_s  sat unsat"
before=0
for ((b = 0; b < 10; b++)); do
	# the answers are read while the questions are written: both pipes are bounded
	queries $((b * block)) $block > >(cat >&"${R[1]}"; echo "(echo \"end of $b\")" >&"${R[1]}")
	sat=0 unsat=0
	while read -r line <&"${R[0]}"; do
		case $line in
		sat) sat=$((sat + 1)) ;;
		unsat) unsat=$((unsat + 1)) ;;
		"end of $b") break ;;
		*) echo "unexpected: $line" >&2 && exit 1 ;;
		esac
	done
	now=$(tree_cpu "$R_PID")
	awk -v q=$(((b + 1) * block)) -v c="$now" -v p="$before" -v s=$sat -v u=$unsat '/^VmRSS/ { r = $2 } /^VmHWM/ { m = $2 }
		END { printf "%9d %5.0f %5.0f %6.2f %5d %5d\n", q, r / 1024, m / 1024, c - p, s, u }' /proc/"$R_PID"/status
	before=$now
done
exec {R[1]}>&-
wait

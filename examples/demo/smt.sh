#!/bin/sh
# SPDX-License-Identifier: MIT
# A verifier asks a solver nearly the same questions over and over; refrain smt answers those that it has met before.
set -eu
: "${REFRAIN:=refrain}"
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"

# a loop over a buffer, as a symbolic executor sees it: per iteration other bytes, other names, the same impossible branch
i=0
while [ $i -lt 40 ]; do
	cat > "q$(printf %02d $i).smt2" << EOF
(set-logic QF_AUFBV)
(declare-fun input_$((i / 8)) () (Array (_ BitVec 32) (_ BitVec 8)))
(declare-fun limit () (_ BitVec 8))
(assert (bvule (select input_$((i / 8)) (_ bv$i 32)) #x39))
(assert (bvult #x2f (select input_$((i / 8)) (_ bv$i 32))))
(assert (bvult limit #x$(printf %02x $((i + 60)))))
(assert (= (select input_$((i / 8)) (_ bv$i 32)) #x$([ $((i % 2)) = 0 ] && echo 41 || echo 35)))
(check-sat)
EOF
	i=$((i + 1))
done

echo "Forty questions, each about another byte of the input: is it a digit, and also the letter A (or 5)?"
"$REFRAIN" smt --cache=none --stats q*.smt2 2> plain.txt > answers.plain
"$REFRAIN" smt --stats --explain q*.smt2 2> cached.txt > answers.cached
cmp answers.plain answers.cached
echo "Both ways the answers are the same: $(grep -c '^sat' answers.cached) sat, $(grep -c '^unsat' answers.cached) unsat."
echo "Without a cache the solver was called $(sed -n 's/^solver calls \([0-9]*\),.*/\1/p' plain.txt) times, with refrain $(sed -n 's/^solver calls \([0-9]*\),.*/\1/p' cached.txt) times."
echo
echo "One of the reused answers, explained:"
awk '/is unsat by a core/ { n++ } n == 3 && !/^queries/ { print; if (/ := /) exit }' cached.txt
echo
echo "Any tool that runs a solver can have this: give it the program refrain-z3 instead of z3."

#!/bin/sh
# SPDX-License-Identifier: MIT
# What scripts may ask about after a check-sat when other commands have followed it. z3 keeps its model over
# declarations, refused commands and refused questions, and loses it with an assertion or a level; so does refrain,
# whoever has answered the question. And what comes too late after a question or a level.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
if ! command -v z3 > /dev/null; then absent "refrain smt" "z3 is not installed"; exit 0; fi

# files: the scripts, one a line after a beginning; want: what z3 says to them
files=
: > want
n=0
begin() {
	while IFS= read -r line; do
		n=$((n + 1))
		printf '%s\n(echo "after %s")\n%s\n' "$1" $n "$line" > $n.smt2
		z3 $n.smt2 >> want 2> /dev/null
		files="$files $n.smt2"
	done < lines
}

cat > lines << 'EOS'
(assert nope)(eval x)(get-value (x))
(assert p 1)(get-value (x))
(assert nope 1)(get-value (x))
(declare-const x (_ BitVec 8))(eval x)
(declare-const y (_ BitVec 8))(declare-fun g (Int) Int)(eval x)(get-value ((bvadd x x)))
(define-fun f () (_ BitVec 8) (bvadd x x))(eval f)(define-fun h () Bool nope)(eval x)
(push)(eval x)
(push)(pop)(eval x)
(pop 7)(eval x)
(push 0)(eval x)(pop 0)(eval x)
(set-option :no.such 1)(set-info :status sat)(eval x)
(check-sat-assuming (nope))(eval x)(check-sat 1)(get-value (x))
(reset-assertions)(eval x)
(assert (forall ((i Int)) (= i i)))(eval x)
(assert (forall ((i Int)) (= i i)))(get-value (x))
(assert (forall ((i Int)) (= i j)))(get-value (x))
(assert (forall ((i Int)) (= i i)))(check-sat-assuming (nope))(eval x)
(assert (forall ((i Int)) (= i j)))(check-sat-assuming (nope))(eval x)
(nope)(eval x)(check-sat-using smt)(eval x)
(get-value (x))(assert nope)(get-value (x))(check-sat)(get-value (x))
(get-value (x))(assert (forall ((i Int)) (= i i)) 1)(get-value (x))
(reset-assertions)(assert nope)(get-info :name)(eval x)
EOS

section "what is left of an answer after other commands"
begin '(declare-const x (_ BitVec 8))(declare-const p Bool)(assert (= x #x05))(check-sat)'
begin '(declare-const x (_ BitVec 8))(declare-const p Bool)(assert (forall ((i Int)) (= i i)))(push)(assert (= x #x05))
(check-sat-assuming (p))(check-sat)(get-value (x))'
echo '(reset-assertions)(get-info :name)(get-unsat-core)' > lines
begin '(set-option :produce-unsat-cores true)(declare-const x (_ BitVec 8))(assert (! (= x #x05) :named a))
(assert (! (= x #x06) :named b))(check-sat)'
# what comes too late for the solver does so too where it has not heard of what came before it
cat > lines << 'EOS'
(set-logic QF_LIA)(set-option :produce-unsat-cores true)(check-sat)
(set-option :produce-unsat-cores true)(get-model)(reset)(set-logic QF_BV)
(set-option :global-declarations true)(push)(declare-const y Bool)(pop)(declare-const y Bool)(assert y)(check-sat)
(set-option :produce-models false)(check-sat)(get-model)
(set-logic ALL)(assert nope)(set-option :smtlib2_compliant true)(check-sat)
(declare-const 5x Bool)(check-sat)(assert (not 5x))
EOS
begin '(push)(pop)'
begin '(check-sat)'
begin '(push)(declare-const q Bool)(assert q)(check-sat)(pop)'
begin '(simplify true)(set-info :status sat)(reset-assertions)'
begin '(push 0)(set-logic ALL)'
begin '(declare-const x Bool)(assert x)(check-sat)'
for solver in z3 "z3 -in"; do
	for cache in full none; do
		# shellcheck disable=SC2086 # one word a file
		"$REFRAIN" smt --solver="$solver" --cache=$cache $files > got 2> /dev/null
		is "$solver, $cache" "$(cat got)" "$(cat want)"
	done
done

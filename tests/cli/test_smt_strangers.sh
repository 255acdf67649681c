#!/bin/sh
# SPDX-License-Identifier: MIT
# What other people's scripts showed: names that z3 takes and SMT-LIB does not, local names that nobody uses, what z3
# keeps where nobody expects it, warnings, and how a script ends that the solver does not take. Each way of talking to a
# solver is tried.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/smt.sh"
cd "$T" || exit 3
if ! command -v z3 > /dev/null; then absent "refrain smt" "z3 is not installed"; exit 0; fi

caches="full cache-a-lot none"

section "a script ends where the solver ends it, at the position that the solver gives"
cat > ends.smt2 << 'EOS'
(set-logic QF_LIA)
(declare-const x Int)
(push 1)
(assert (> x 2))
(check-sat)
(get-unsat-assumptions)
(echo "on")
(pop 1) (assert (> x
 y))
(echo "over")
(check-sat)
(get-value (x))
EOS
printf '(declare-const x Nope)\n(echo "over")\n(check-sat)\n' > first.smt2
printf '(set-logic QF_LIA)\n(check-sat)\n(declare-const x (Nope))' > last.smt2
if command -v cvc5 > /dev/null; then
	for script in ends first last; do
		cvc5 --incremental $script.smt2 > $script.want 2> /dev/null
		each $script cvc5
		for c in full none; do
			"$REFRAIN" smt --solver=cvc5 --cache=$c -in < $script.smt2 > got 2> /dev/null
			is "$script, -in, $c" "$(cat got)" "$(sed "s/Parse Error: $script.smt2/Parse Error: <stdin>/" $script.want)"
		done
	done
	"$REFRAIN" smt --solver=cvc5 --json=json first.smt2 ends.smt2 > got 2> /dev/null
	is "the next script has its own end" "$(cat got)" "$(cat first.want ends.want)"
	is "one answer" "$(field queries json)" 1
else
	skip "the end of a script" "cvc5 is not installed"
fi

section "z3 writes what was given a name into its models"
cat > names.smt2 << 'EOS'
(declare-const x (_ BitVec 8))
(define-fun seven () (_ BitVec 8) #x07)
(define-fun next ((n (_ BitVec 8))) (_ BitVec 8) (bvadd n #x01))
(push)
(define-const gone Bool false)
(pop)
(assert (! (= (next x) seven) :named here))
(check-sat)
(get-value (x seven))
(get-model)
EOS
z3 names.smt2 | sed -n 's/^  (define-fun/&/p' | sort > names.want
for s in z3 "z3 -in"; do
	for c in full none; do
		"$REFRAIN" smt --solver="$s" --cache=$c names.smt2 names.smt2 2> /dev/null | sed -n 's/^  (define-fun/&/p' | sort -u > got
		is "$s, $c" "$(cat got)" "$(cat names.want)"
	done
done

section "z3's names may have a comma"
cat > comma.smt2 << 'EOS'
(declare-const a,b Bool)
(declare-fun , (Int) Int)
(assert (and a,b (> (, 3) 4)))
(check-sat)
(get-value (a,b))
(echo "in a string, no name"), (check-sat-assuming ((not a,b)))
(assert (not a,b)) ; not here, either
(check-sat)
(assert x,y)
(reset)
(declare-const a,b Bool)
(declare-const c Bool)
(assert (= a,b c))
(assert (not (= a,b c)))
(check-sat)
EOS
by_z3 comma
is "z3 takes them" "$(tail -1 comma.want)" unsat
each comma z3 "z3 -in"
if command -v cvc5 > /dev/null; then
	printf '(set-logic ALL)\n(declare-const a,b Bool)\n(echo "over")\n' > refused.smt2
	"$REFRAIN" smt --solver=cvc5 refused.smt2 > got 2> /dev/null
	is "cvc5 does not" "$(grep -c 'Parse Error: refused.smt2:2' got) $(grep -c over got)" "1 0"
fi

section "a local name that nobody uses is read all the same"
cat > unused.smt2 << 'EOS'
(declare-sort U 0)
(declare-const b Bool)
(declare-const v (_ BitVec 8))
(define-fun ever ((x Bool)) Bool true)
(assert b)
(assert (let ((x U)) (not b)))
(check-sat)
(assert (let ((x (bvadd v b))) (not b)))
(check-sat)
(push)
(define-fun never () Bool (let ((x nope)) (not b)))
(assert never)
(check-sat)
(pop)
(get-value ((let ((x nope)) b)))
(get-value ((ever nope)))
(check-sat-assuming ((let ((x nope)) (not b))))
(check-sat)
(get-value ((let ((x v)) b)))
(assert (let ((x v)) (not b)))
(check-sat)
EOS
by_z3 unused
is "z3 refuses seven" "$(grep -c error unused.want)" 7
each unused z3 "z3 -in"

section "z3 keeps the expected status over a reset, though nobody told it before"
cat > status.smt2 << 'EOS'
(set-info :status unsat)
(declare-const x Bool)
(reset)
(check-sat)
(set-info :status sat)
(reset)
(assert false)
(check-sat)
(set-info :status unknown)
(reset)
(check-sat)
EOS
by_z3 status
each status z3 "z3 -in"

section "z3 keeps names given in assumptions"
cat > assumed.smt2 << 'EOS'
(declare-const p Bool)
(declare-const q Bool)
(check-sat-assuming ((! p :named one) q))
(assert (! p :named one))
(echo "said")
(assert (not one))
(check-sat)
EOS
by_z3 assumed
each assumed z3 "z3 -in"

section "a warning does not take the place of success"
cat > warned.smt2 << 'EOS'
(set-option :print-success true)
(set-option :diagnostic-output-channel "stdout")
(declare-const p Bool)
(assert (! p :said before))
(assert (! nope :said before))
(check-sat)
EOS
by_z3 warned
is "z3 warns" "$(grep -c WARNING warned.want)" 1
each warned z3 "z3 -in"

section "a keyword in bars is no keyword, and a form feed no blank"
cat > barred.smt2 << 'EOS'
(set-option |:global-declarations| true)
(set-option |:print-success| true)
(declare-const x Bool)
(push)
(declare-const y Bool)
(pop)
(declare-const y Bool)
(get-option |:print-success|)
(check-sat-assuming (x y))
(assert (! x :named |n|))
(assert (not n))
(check-sat)
EOS
by_z3 barred
is "z3 refuses them" "$(grep -c error barred.want)" 3
each barred z3 "z3 -in"
cat > barname.smt2 << 'EOS'
(declare-const x Bool)
(assert (! (not x) |:named| n))
(assert x)
(check-sat)
EOS
by_z3 barname
is "z3 refuses the first" "$(grep -c error barname.want)" 1
is "and holds the second" "$(tail -n 1 barname.want)" sat
each barname z3 "z3 -in"
printf '(declare-const x Bool)\n\f(assert\v x)\n(check-sat)\f(assert (not x))\n(check-sat)\n' > feed.smt2
by_z3 feed
each feed z3 "z3 -in"

#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain smt in front of tools that use all of SMT-LIB: assumptions, global declarations, options, what solvers print
# beside verdicts, links with the name of a solver. Each way of talking to a solver is tried.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/smt.sh"
cd "$T" || exit 3
if ! command -v z3 > /dev/null; then absent "refrain smt" "z3 is not installed"; exit 0; fi

caches="full cache-a-lot utopia subset exact none"

section "assumptions hold for one question only, however the command is written"
cat > assume.smt2 << 'EOS'
(set-logic QF_BV)
(declare-fun a () Bool)
(declare-fun b () Bool)
(assert (or a b))
( check-sat-assuming ((not a) (not b)))
(check-sat-assuming (b))
(
 ; a comment
 check-sat-assuming ((not b)))
(push 1)
(check-sat-assuming ((not b) (not a)) )
(pop 1)
(assert (not b))
(check-sat)
(reset)
(set-logic QF_BV)
(declare-fun victim () Bool)
(assert (not victim))
(check-sat)
EOS
printf 'unsat\nsat\nsat\nunsat\nsat\nsat\n' > assume.want
each assume z3 "z3 -in" "z3 -in smt.random_seed=3" cvc5
sed 's/check-sat-assuming/|check-sat-assuming|/' assume.smt2 > quoted.smt2
cp assume.want quoted.want
each quoted z3 "z3 -in"
# boolector has no such command; refrain asks it one script at a time
sed '/push/d; /pop/d; /^(reset)/,$d' assume.smt2 > flat.smt2
printf 'unsat\nsat\nsat\nunsat\nsat\n' > flat.want
each flat boolector
ok "--verify agrees" "$REFRAIN" smt --verify --solver="z3 -in" assume.smt2 assume.smt2
# a solver that is wrong when it has been asked before: a question put to the same process would not show it
cat > worn << 'EOS'
#!/bin/sh
# all but the first check-sat of a process are answered unsat
z3 -in | while IFS= read -r line; do
	case $line in sat | unsat) n=$((${n:-0} + 1)); [ $n -lt 2 ] || line=unsat ;; esac
	echo "$line"
done
EOS
chmod +x worn
printf '(declare-const p Bool)(declare-const q Bool)(assert p)(check-sat)(assert q)(check-sat)(reset)(declare-const p Bool)(declare-const q Bool)(assert p)(check-sat)(assert q)(check-sat)' > worn.smt2
exits "--verify asks a process that has not been asked anything" 1 "$REFRAIN" smt --verify --without=all --solver="$T/worn" worn.smt2
has "and says what differs" err "the cache answered unsat, the solver sat"

section "global declarations outlive their level"
for name in global-declarations global-decls; do
	cat > $name.smt2 << EOS
(set-option :$name true)
(set-logic ALL)
(push 1)
(declare-const x Int)
(declare-sort U 0)
(define-fun two () Int 2)
(push 1)
(declare-fun f (U) U)
(pop 1)
(assert (> x 5))
(check-sat)
(pop 1)
(declare-const u U)
(assert (distinct (f u) u))
(check-sat)
(push 1)
(assert (> x two))
(assert (< x two))
(check-sat)
(pop 1)
(check-sat)
EOS
	printf 'sat\nsat\nunsat\nsat\n' > $name.want
done
each global-declarations z3 "z3 -in" "z3 -in smt.random_seed=3" cvc5
each global-decls z3 "z3 -in"
"$REFRAIN" smt --json=j global-declarations.smt2 global-declarations.smt2 > /dev/null
ok "and such scripts are answered from the cache" grep -q '"by": "core"' j
printf '(push 1)(set-option :global-declarations true)(declare-const x Bool)(pop 1)(assert x)(check-sat)\n' > late.smt2
by_z3 late
each late z3 "z3 -in"

section "an option that may change what operators mean is part of a query"
cat > meaning.smt2 << 'EOS'
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(assert (not (= (bvudiv x #x00) #xff)))
(check-sat)
(reset)
(set-option :rewriter.hi_div0 false)
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(assert (not (= (bvudiv x #x00) #xff)))
(check-sat)
(reset)
(declare-const x (_ BitVec 8))
(assert (not (= (bvudiv x #x00) #xff)))
(check-sat)
EOS
by_z3 meaning
is "z3 itself: the option outlives a reset" "$(tr '\n' ' ' < meaning.want)" "unsat sat sat "
each meaning z3 "z3 -in" "z3 -in smt.random_seed=3"
sed '/^(reset)/,$d' meaning.smt2 > plain.smt2
is "it does not reach the next script" "$("$REFRAIN" smt meaning.smt2 plain.smt2 | tail -1)" unsat
"$REFRAIN" smt --store=m.db plain.smt2 > /dev/null
is "an argument of the solver is part of a store's answers" \
	"$("$REFRAIN" smt --store=m.db plain.smt2 rewriter.hi_div0=false)$("$REFRAIN" smt --store=m.db plain.smt2)" satunsat

section "what the solver prints about a command is printed, in its place"
cat > said.smt2 << 'EOS'
(set-info :status sat)
(set-info :status maybe)
(set-option :no-such-option 1)
(set-option :produce-unsat-cores true)
(set-logic NO_SUCH_LOGIC)
(declare-const x Int) (declare-const x Int) (declare-fun g (Nope) Bool)
(define-fun eq ((a (_ BitVec 8)) (b (_ BitVec 8))) Bool (= a b))
(declare-const w (_ BitVec 16))
(push 1)
(assert (bvadd x)) (assert (foo x))
  (assert (> x "a"))
(pop 1)
(check-sat)
(assert (eq w w)) (echo "between")
(check-sat)
(pop 7) (pop x) (push y)
(echo "here")
() x "abc" (no-such-command)
(check-sat) ) ) (check-sat)
(push 1) (assert (> x 1)) (assert (< x 1)) (check-sat) (pop 1)
(get-info :name) (get-info :version) (get-option :produce-models)
(assert (< x
  y))
(set-option :print-success true)
(assert (> x 3))
(assert (> y 3))
(check-sat)
(assert (< y 3))
EOS
by_z3 said
ok "z3 has a lot to say about it" test "$(grep -c error said.want)" -gt 12
each said z3 "z3 -in"
is "and from standard input" "$("$REFRAIN" smt -in < said.smt2 2> /dev/null)" "$(cat said.want)"
for run in 1 2; do "$REFRAIN" smt --store=said.db said.smt2 > got 2> /dev/null; done
is "and from a store" "$(cat got)" "$(cat said.want)"
cat > refused.smt2 << 'EOS'
(set-option :no-such-option true)
(declare-const p Bool)
(push)
(check-sat)
(reset)
(declare-const p Bool)
(push)
(assert p)
(check-sat)
(pop)
(check-sat)
EOS
by_z3 refused
each refused z3 "z3 -in"
cat > functions.smt2 << 'EOS'
(set-logic QF_UF)
(set-option :produce-models true)
(declare-fun f (Bool) Bool)
(check-sat)
(get-model)
EOS
by_z3 functions
ok "z3's model has the function" grep -q 'define-fun f ' functions.want
each functions z3 "z3 -in"
cat > asked-twice.smt2 << 'EOS'
(declare-fun f (Int) Int)
(check-sat)
(get-model)
(get-value (f))
(push 1)
(assert (> (f 1) 5))
(check-sat)
(get-value ((f 1)))
(pop)
(check-sat)
(get-value (f))
(reset)
(set-option :produce-models true)
(define-fun f ((b Bool) (c Bool)) Bool (and b (not c)))
(declare-const x Bool)
(assert (or x (f x x)))
(check-sat)
(get-value (f))
(set-option :print-success true)
(reset)
(declare-const x Bool)
EOS
cat > ends.smt2 << 'EOS'
(declare-const x RoundingMode)
(assert ((_ fp.to_sbv 1) x)) (assert nothing)
(push) (echo "goes on")
(set-option :error-behavior immediate-exit)
(assert true)
(assert nothing)
(echo "is not reached")
EOS
printf "(set-option :smtlib2-compliant true)\n(declare-const x Bool)\n(assert x)\n(check-sat)" > compliant.smt2
# as SBV begins: under :smtlib2_compliant, z3 switches :print-success on with every parameter that is set
cat > parameters.smt2 << 'EOS'
(set-option :print-success true)
(set-option :global-declarations true)
(set-option :smtlib2_compliant true)
(set-option :diagnostic-output-channel "stdout")
(set-option :pp.max_depth      4294967295)
(set-option :model.inline_def  true)
(set-logic QF_BV)
(define-fun s2 () (_ BitVec 8) #x05)
(declare-fun s0 () (_ BitVec 8))
(define-fun s3 () Bool (= s0 (bvadd s2 #x01)))
(assert s3)
(check-sat)
(get-value (s0))
(echo "in quotes")
(set-option :print-success false)
(push 1)
(set-option :pp.nonsense 10)
(assert (not s3))
(check-sat)
(set-option :pp.max_depth 10)
(pop 1)
(reset)
(declare-const x Bool)
(check-sat)
EOS
# errors of earlier commands that come with a later answer are not that command's
cat > stray.smt2 << 'EOS'
(declare-const x Bool)
(assert x x)
(check-sat)
)
(assert nothing)
(declare-const y Bool)
)
(check-sat)
(assert nothing)
)
) more
(check-sat)
(push 1)
(assert nothing)
(pop 1)
)
(check-sat)
EOS
# z3 repeats a term as it is written
cat > written.smt2 << 'EOS'
(declare-const |x| Bool)
(assert x)
(declare-const y Bool)
(assert |y|)
(check-sat)
(get-value (x |x| y |y| (and   |x|
	y) (or x ; the one
 y) #xAb (! |x| :named |n|)))
EOS
for f in asked-twice ends compliant parameters stray written; do
	by_z3 $f
	each $f z3 "z3 -in"
done
z3 smtlib2_compliant=true parameters.smt2 > parameters.want 2> /dev/null
each parameters "z3 -in smtlib2_compliant=true"
z3 smtlib2_compliant=true written.smt2 > written.want 2> /dev/null
for c in full none; do
	"$REFRAIN" smt --cache=$c smtlib2_compliant=true written.smt2 > got 2> /dev/null
	is "an argument that makes z3 compliant, $c" "$(cat got)" "$(cat written.want)"
done
if command -v boolector > /dev/null; then
	# a command of which it is not certain that every solver takes it
	printf '(set-logic QF_BV)(declare-fun a () (_ BitVec 8))(assert (! (= a #x01) :note x))(check-sat)' > unsure.smt2
	for c in full none; do
		# old versions refuse it, new ones answer: what it says is passed on
		"$REFRAIN" smt --solver=boolector --cache=$c --without=all unsure.smt2 > got 2> /dev/null
		is "boolector is asked, $c" "$(($? <= 1)) $(grep -cE '^sat|unsupported' got)" "1 1"
	done
else
	skip "a command that boolector may not take" "boolector is not installed"
fi
cat > rounded.smt2 << 'EOS'
(set-logic ALL)
(declare-const x Real)
(declare-const r RoundingMode)
(assert (or (= x (/ 1 1000000000000000000000000000000000000000000000000000000)) (= x 1.0)))
(check-sat-assuming ((and (> x 0.0) (> 0.0 (fp.to_real ((_ to_fp 8 24) r x))))))
EOS
by_z3 rounded
is "z3 decides what it cannot as an assertion" "$(cat rounded.want)" unsat
each rounded z3 "z3 -in"
mkfifo to from
"$REFRAIN" smt -in < to > from 2> /dev/null &
pid=$!
exec 3> to 4< from
echo '(assert nothing)' >&3
read -r answer <&4
is "an error comes before the next command does" "$answer" "$(echo '(assert nothing)' | z3 -in)"
exec 3>&- 4<&-
wait $pid

section "the link refrain-z3 prints what z3 prints"
for a in -version --version -h "-st said.smt2" -no-such-option "-t:20000 said.smt2" "-smt2 said.smt2"; do
	z3 $a > want 2> /dev/null
	code=$?
	"$BUILD/refrain-z3" $a > got 2> /dev/null
	is "$a: exit code" $? $code
	is "$a" "$(sed 's/[0-9.]*)*$//' got)" "$(sed 's/[0-9.]*)*$//' want)"
done
cat > long.smt2 << 'EOS'
(set-logic QF_BV)
(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))
(assert (= (bvmul x y) (bvadd (bvmul y (bvadd x x)) #x0123456789abcdf1)))
(assert (bvugt x #x000000000000fff2))(assert (bvugt y #x00000000000fff02))
(assert (= (bvurem (bvmul x x) (bvor y #x0000000000000001)) #x00000000007e0777))
(check-sat)(echo "hi")
EOS
is "-T: ends the run" "$("$BUILD/refrain-z3" -T:1 long.smt2)" timeout
is "-t: ends the question" "$("$BUILD/refrain-z3" -t:200 long.smt2 | tr '\n' ' ')" "unknown hi "
cat > goal.smt2 << 'EOS'
(declare-fun f (Int) Int)
(declare-const c Int)
(assert (forall ((x Int)) (! (< (f x) 3) :pattern ((f x)))))
(assert (> (f c) 5))
(check-sat)
EOS
for run in first second; do
	"$BUILD/refrain-z3" --store=goal.db --trust-store -smt2 -T:20 smt.random_seed=42 -st goal.smt2 > $run 2> /dev/null
done
is "-st with a store: the answers" "$(head -1 first) $(head -1 second)" "unsat unsat"
ok "z3 was asked once" grep -q ':rlimit-count *[1-9]' first
ok "and not again" grep -q ':rlimit-count *0$' second

section "refrain under a solver's name finds the solver behind itself"
mkdir link script
ln -s "$REFRAIN" link/z3
is "a link" "$(PATH=$T/link:$PATH timeout 60 z3 assume.smt2 | tr '\n' ' ')" "$(tr '\n' ' ' < assume.want)"
is "a link that is asked for its version" "$(PATH=$T/link:$PATH timeout 60 z3 -version)" "$(z3 -version)"
printf '#!/bin/sh\nexec "%s" smt "$@"\n' "$REFRAIN" > script/z3
chmod +x script/z3
for a in "assume.smt2" "--solver=z3\ -in assume.smt2" "smt.random_seed=3 assume.smt2"; do
	is "a script: $a" "$(PATH=$T/script:$PATH eval timeout 60 z3 $a | tr '\n' ' ')" "$(tr '\n' ' ' < assume.want)"
done
printf '#!/bin/sh\nexec "%s" smt --json="$0.json.$$" "$@"\n' "$REFRAIN" > script/z3
PATH=$T/script:$PATH timeout 60 z3 assume.smt2 > out
is "of a script that refrain finds as the solver, only z3 is left" "$(find script -name '*.json.*' | wc -l)" 1
is "a script that is asked for its version" "$(PATH=$T/script:$PATH timeout 60 z3 -version)" "$(z3 -version)"
mkdir none
for f in sh timeout; do ln -s "$(command -v $f)" none/$f; done
exits "nothing behind it" 3 env PATH="$T/link:$T/none" timeout 60 "$REFRAIN" smt --solver="z3 -in" assume.smt2
has "and says how to name it" err "every 'z3' on PATH leads back to refrain; name the real one"
printf '#!/bin/sh\nexec "%s" smt --solver="%s/again" -in\n' "$REFRAIN" "$T" > again
chmod +x again
exits "a command that starts refrain with the same command" 0 timeout 60 "$REFRAIN" smt --solver="$T/again" assume.smt2
has "is noticed" err "starts refrain again"
exits "refrain as its own solver" 3 timeout 60 "$REFRAIN" smt --solver="$T/link/z3 -in" assume.smt2
ok "nothing is left running" sh -c "! ps -eo args | grep -v grep | grep -q '[s]mt --solver=$T/again'"

section "--timeout is the solver's time: what refrain asks besides does not count"
cat > slowcore << 'EOS'
#!/bin/sh
# our own questions take two seconds
while IFS= read -r line; do case $line in *'rf!c0'*) sleep 2 ;; esac; echo "$line"; done | z3 -in
EOS
chmod +x slowcore
for v in a b c; do printf '(declare-const %s Int)(assert (< %s 3))(assert (> %s 5))(check-sat)\n' $v $v $v > t-$v.smt2; done
is "no answer is lost to a question of ours" "$("$REFRAIN" smt --timeout=1.5 --solver="$T/slowcore" t-a.smt2 t-b.smt2 t-c.smt2 | sort -u)" unsat

section "a goal about which the solver had nothing to say is answered without starting it"
cat > goal.smt2 << 'EOS'
(set-logic UFLIA)
(declare-datatypes ((Opt 0)) (((none) (some (val Int)))))
(declare-fun f (Int) Int)
(define-fun twice ((x Int)) Int (+ x x))
(assert (forall ((i Int)) (! (> (f i) (twice i)) :pattern ((f i)))))
(assert (not (> (f 3) 5)))
(check-sat)
EOS
sed 's/^(check-sat)/(assert (> nothing 1))\n(check-sat)/' goal.smt2 > wrong.smt2
started() { # FILE…: how many solvers a run with the store starts
	rm -f log
	"$REFRAIN" smt --solver="$T/counted" --store=goal.db --trust-store "$@" > got 2> /dev/null
	cat log 2> /dev/null | wc -l
}
printf '#!/bin/sh\necho x >> "%s/log"\nexec z3 -in\n' "$T" > counted
chmod +x counted
is "the first run starts it" "$([ "$(started goal.smt2)" -gt 0 ] && cat got)" "$(z3 goal.smt2)"
is "the second does not" "$(started goal.smt2) $(cat got)" "0 $(z3 goal.smt2)"
started wrong.smt2 > /dev/null
is "one with an error does, each time" "$([ "$(started wrong.smt2)" -gt 0 ] && cat got)" "$(z3 wrong.smt2)"
sed "s/^(set-logic UFLIA)/(set-option :no-such-option true)\n&/" goal.smt2 > refused-goal.smt2
z3 refused-goal.smt2 > want
"$REFRAIN" smt refused-goal.smt2 refused-goal.smt2 > got 2> /dev/null
is "what it has to say is said each time" "$(cat got)" "$(cat want want)"
"$REFRAIN" smt --solver="$T/counted" --store=goal.db goal.smt2 > got
is "without --trust-store it is asked" "$(cat got)" "$(z3 goal.smt2)"

section "a verdict that is not the script's status"
cat > status.smt2 << 'EOS'
(set-logic QF_BV)
(set-info :status unsat)
(declare-const w (_ BitVec 8))
(assert (bvult w #x05))
(check-sat)
EOS
z3 status.smt2 > status.want
"$REFRAIN" smt status.smt2 > status.got
ok "z3's error is printed, whoever found the verdict" cmp status.want status.got
has "there is one" status.want "check annotation"

section "a program that does not survive the script before is started again"
cat > brittle << 'EOS'
#!/bin/sh
# ends at the first reset
sed -u '/^(reset)/q' | z3 -in
EOS
chmod +x brittle
printf '(declare-const x Int)\n(assert (> x 2))\n(push)\n(assert (nothing))\n(check-sat)\n(pop)\n(check-sat)\n' > used.smt2
z3 used.smt2 > want
for c in full none; do
	"$REFRAIN" smt --cache=$c --solver="$T/brittle" used.smt2 used.smt2 used.smt2 > got 2> /dev/null
	is "$c: three scripts, each answered in full" "$(cat got)" "$(cat want want want)"
done

section "sat answers with functions, declared sorts and numbers are reused, and their values are of one model"
cat > bmc.smt2 << 'EOS'
(set-option :produce-models true)
(set-logic QF_UFBV)
(declare-sort |c_s| 0)
(declare-fun |c_is| (|c_s|) Bool)
(declare-fun |c#0| (|c_s|) (_ BitVec 8)) ; \count
(define-fun |c_n count| ((state |c_s|)) (_ BitVec 8) (|c#0| state))
(declare-fun |c#1| (|c_s|) Bool) ; \en
(define-fun |c_n en| ((state |c_s|)) Bool (|c#1| state))
(define-fun |c#2| ((state |c_s|)) (_ BitVec 8) (bvadd (|c#0| state) #b00000001))
(define-fun |c#3| ((state |c_s|)) (_ BitVec 8) (ite (|c#1| state) (|c#2| state) (|c#0| state)))
(define-fun |c_a 0| ((state |c_s|)) Bool (or (distinct (|c#0| state) #b00001010) false)) ; a
(define-fun |c_a| ((state |c_s|)) Bool (and (|c_a 0| state)))
(define-fun |c_u| ((state |c_s|)) Bool true)
(define-fun |c_i| ((state |c_s|)) Bool (= (= (|c#0| state) #b00000000) true))
(define-fun |c_h| ((state |c_s|)) Bool true)
(define-fun |c_t| ((state |c_s|) (next_state |c_s|)) Bool (= (|c#3| state) (|c#0| next_state)))
(declare-fun s0 () |c_s|)
(assert (|c_is| s0))
(assert (|c_h| s0))
(assert (|c_u| s0))
(assert (|c_i| s0))
(push 1)
(assert (not (|c_a| s0)))
(check-sat)
(pop 1)
(assert (|c_a| s0))
(declare-fun s1 () |c_s|)
(assert (|c_h| s1))
(assert (|c_u| s1))
(assert (|c_t| s0 s1))
(push 1)
(assert (not (|c_a| s1)))
(check-sat)
(pop 1)
(check-sat)
(get-value ((|c#0| s1) (|c_n en| s0)))
(push 1)
(assert (= (|c#0| s1) #b00000001))
(check-sat)
(get-value ((|c#0| s1) (|c#1| s0)))
(pop 1)
(push 1)
(assert (= (|c#0| s1) #b00000011))
(check-sat)
(pop 1)
EOS
by_z3 bmc
each bmc z3 "z3 -in"
for s in z3 "z3 -in"; do
	"$REFRAIN" smt --solver="$s" --verify --json=stats bmc.smt2 bmc.smt2 > got
	is "$s: the same answers twice" "$(cat got)" "$(cat bmc.want bmc.want)"
	is "$s: both sat answers come from their models" "$(field reused_sat stats)" 2
done
cat > order.smt2 << 'EOS'
(declare-sort S 0)
(declare-fun f (S) Int)
(declare-const a S)(declare-const b S)(declare-const k (Array Int Int))
(assert (> (+ (f a) (f b)) 10))
(assert (distinct (f a) (f b)))
(assert (or (= (f a) 3) (= (f a) 4) (= (f b) 7)))
(assert (or (= (f b) 30) (= (f b) 40) (= (f a) 70)))
(check-sat)
(get-value ((f a) (f b)))
EOS
# the same query in another order, for which z3 by itself has other values
awk '/assert/ { x = $0 "\n" x; next } /check-sat/ { printf "%s", x } { print }' order.smt2 > other.smt2
printf '(get-value (a (f a) (f b)))\n(get-model)\n' >> other.smt2
"$REFRAIN" smt --solver="z3 -in" --json=stats order.smt2 other.smt2 > got
is "reused in another order" "$(field reused_sat stats)" 1
sed -n 's/^ *(*((f \([ab]\)) \([0-9]*\).*/\1 \2/p' got | sort -u > values
is "one value each, whoever prints it" "$(wc -l < values)" 2
sed -n '/define-fun f/,$p' got > function
for v in $(sed 's/. //' values); do has "get-model has $v too" function " $v"; done

cat > predicates.smt2 << 'EOS'
(declare-sort S 0)
(declare-fun p (S) Bool)
(declare-fun q (S) Bool)
(declare-fun r (S S) Bool)
(declare-fun t (S S) Bool)
(declare-fun u (Int) Bool)
(declare-const a S)(declare-const b S)(declare-const c S)(declare-const d S)(declare-const e S)
(assert (distinct a b c d e))
(assert (and (p a) (p b) (not (p c)) (not (p d)) (not (p e))))
(assert (and (not (q a)) (not (q b)) (q c) (q d) (q e)))
(assert (and (r a b) (r b c) (not (r a a)) (not (r b b)) (not (r c a)) (not (r d a))))
(assert (and (t a b) (t b c) (not (t a a)) (t b b) (t c a) (t d a)))
(assert (and (u 1) (u 2) (not (u 3)) (not (u 4)) (not (u 5))))
(check-sat)
(get-value ((p a) (p e) (q b) (q e) (r a b) (r c a) (t a a) (u 2) (u 5)))
EOS
by_z3 predicates
for s in z3 "z3 -in"; do
	"$REFRAIN" smt --solver="$s" --verify --json=stats predicates.smt2 predicates.smt2 > got
	is "$s: predicates: the same values twice" "$(cat got)" "$(cat predicates.want predicates.want)"
	is "$s: predicates: reused" "$(field reused_sat stats)" 1
done

section "a model that only the solver can evaluate is tried by it, where the query took long"
cat > pair.smt2 << 'EOS'
(declare-datatypes ((Pair 0)) (((mk (fst (_ BitVec 34)) (snd (_ BitVec 34))))))
(declare-const p Pair)
(assert (= (bvmul (fst p) (snd p)) (_ bv4294049777 34)))
(assert (bvult (fst p) (snd p)))
(assert (bvult (snd p) (_ bv131072 34)))
(assert (bvugt (fst p) (_ bv1 34)))
(check-sat)
EOS
sed 's/\bp\b/q/g' pair.smt2 > renamed.smt2
sed 's/bv4294049777/bv4294049778/' pair.smt2 > changed.smt2
timeout 60 z3 changed.smt2 > want
for s in z3 "z3 -in"; do
	# whether to try is a matter of measured times: on a busy machine it may not pay for once
	for again in 1 2 3 4 5; do
		"$REFRAIN" smt --solver="$s" --verify --json=stats pair.smt2 pair.smt2 renamed.smt2 changed.smt2 > got
		is "$s: as z3 has it" "$(cat got)" "$(printf 'sat\nsat\nsat\n'; cat want)"
		[ "$(field reused_sat stats)" != 2 ] || break
	done
	is "$s: the same query and its renamed copy" "$(field reused_sat stats)" 2
done

section "what the solver says before its time is up is printed"
cat > late.smt2 << 'EOS'
(set-option :nosuch true)
(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))
(assert (= (bvmul x y) #x0123456789abcdf1))(assert (bvugt x #x0000000000000003))(assert (bvult x #x00000000ffffffff))(assert (bvult y #x00000000ffffffff))
(assert (= (bvurem (bvmul x x y) #x00000000fffffffb) #x0000000000000007))
(check-sat)
(echo "after")
EOS
for c in full none; do
	"$REFRAIN" smt --cache=$c --solver="z3 -in" --timeout=1 late.smt2 > got
	has "$c: its error" got "unknown parameter 'nosuch'"
	is "$c: and the verdict" "$(tail -n 2 got)" "$(printf 'unknown\nafter')"
done

section "a function or datatype with the name of an operator, or of a function of other sorts"
cat > hidden.smt2 << 'EOS'
(define-fun-rec bvadd ((x (_ BitVec 8)) (y (_ BitVec 8))) (_ BitVec 8) #x07)
(declare-const a (_ BitVec 8))
(assert (= (bvadd a #x01) #x07))
(assert (= a #x02))
(check-sat)
(reset)
(define-fun f ((x Int)) Bool true)
(define-fun-rec f ((x Bool)) Bool (not x))
(assert (f true))
(check-sat)
(reset)
(define-fun-rec f ((x Bool)) Bool (not x))
(define-fun f ((x Int)) Bool true)
(assert (f true))
(check-sat)
(reset)
(declare-datatypes ((P 0)) (((mk (f Bool)))))
(define-fun f ((x Int)) Bool true)
(assert (not (f (mk false))))
(check-sat)
(reset)
(define-fun < ((x Bool) (y Bool)) Bool true)
(assert (< 2 1))
(check-sat)
(reset)
(define-fun bvult ((x Bool) (y Bool)) Bool true)
(assert (bvult #x02 #x01))
(check-sat)
(reset)
(define-fun bvult ((x (_ BitVec 4)) (y (_ BitVec 4))) Bool true)
(assert (bvult #x2 #x1))
(check-sat)
(assert (bvult #x02 #x01))
(check-sat)
(reset)
(define-const true Bool false)
(assert true)
(check-sat)
(reset)
(declare-const true Bool)
(assert (not true))
(check-sat)
(reset)
(define-fun is-mk ((x Int)) Bool false)
(declare-datatypes ((P 0)) (((mk (f Bool)) (mk2))))
(declare-const p P)
(assert (is-mk p))
(check-sat)
(reset)
(declare-datatypes ((P 0)) (((mk (f Bool)) (mk2))))
(define-fun is-mk ((x Int)) Bool false)
(declare-const p P)
(assert (is-mk p))
(check-sat)
EOS
by_z3 hidden
each hidden z3 "z3 -in"

section "the datatypes of one script do not reach the next"
cat > list.smt2 << 'EOS'
(declare-datatypes ((list 1)) ((par (a) ((Nil) (Cons (head a) (tail (list a)))))))
(define-fun-rec len ((l (list Int))) Int (match l ((Nil 0) ((Cons x r) (+ 1 (len r))))))
(declare-const l (list Int))
(assert (not (=> (= l (Cons 1 (as Nil (list Int)))) (= (head l) 1))))
(check-sat)
EOS
for c in full none; do
	for s in z3 "z3 -in"; do
		"$REFRAIN" smt --cache=$c --solver="$s" list.smt2 list.smt2 list.smt2 > got 2> /dev/null
		is "$c, $s: z3 by itself falls over them after a reset" "$(cat got)" "$(printf 'unsat\nunsat\nunsat')"
	done
done

section "columns of errors on a line that began in a comment or in quotes"
printf '(declare-const a Bool) ; x\n(declare-const a Bool)\n( ; x\ndeclare-const b Bool) (declare-const b Bool)\n(declare-const\n c Bool) (declare-const c Bool)\n(assert "a\nb") (declare-const a Bool)\n(assert (= |c\nd| a)) (declare-const a Bool)\n(check-sat)\n' > columns.smt2
by_z3 columns
each columns z3 "z3 -in"

section "a get-model with an argument"
printf '(declare-const x (_ BitVec 8))\n(assert (= x #x08))\n(check-sat)\n(get-model extra)\n(get-model 0)\n(get-model)\n' > model.smt2
by_z3 model
each model z3 "z3 -in"

section "bytes that no token may have are an error each, and the command does not reach the solver"
cat > bytes.smt2 << 'EOS'
(declare-const x Int)
(assert (> x [3]))
(get-value (é))
(assert (= x 5)) ; é
(check-sat)
(get-value (x'))
(push \)
(check-sat-assuming ((> x {y})))
{ (check-sat) }
(declare-const |é {| Int)
(echo "é '")
(assert (< |é {| x 4))
(check-sat)
EOS
cat > bytes.want << 'EOS'
(error "line 2 column 13: unexpected character")
(error "line 2 column 15: unexpected character")
(error "line 3 column 12: unexpected character")
(error "line 3 column 13: unexpected character")
sat
(error "line 6 column 13: unexpected character")
(error "line 7 column 6: unexpected character")
(error "line 8 column 26: unexpected character")
(error "line 8 column 28: unexpected character")
(error "line 9 column 0: unexpected character")
sat
(error "line 9 column 14: unexpected character")
é '
unsat
EOS
each bytes z3 "z3 -in"

section "answers go where the script says"
cat > channel.smt2 << 'EOS'
(set-option :print-success true)
(declare-const x Int)
(assert (= x 4))
(check-sat)
(set-option :regular-output-channel "said ""here""")
(get-value (x))
(get-option :regular-output-channel)
(assert (< x 4))
(check-sat)
(set-option :regular-output-channel "/nonexistent/file")
(set-option :regular-output-channel stdout)
(get-option :regular-output-channel)
(set-option :regular-output-channel "stdout")
(check-sat)
(set-option :regular-output-channel "stderr")
(check-sat)
EOS
by_z3 channel
mv 'said "here"' said.want
each channel z3 "z3 -in"
six=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat said.want; done)
is "each appended to the file" "$(cat 'said "here"')" "$six"
sed 's,/nonexistent/file,/dev/full,; s,"said ""here""","/dev/full",' channel.smt2 > full.smt2
exits "a channel that is full" 3 timeout 20 "$REFRAIN" smt full.smt2
has "is said, whatever came after it" "$T/err" "cannot write the script's output channel: No space left"
timeout 20 "$REFRAIN" smt channel.smt2 assume.smt2 > both 2> said
is "on standard error" "$(tail -2 said)" "success
unsat"
is "the next script has its own" "$(cat both)" "$(cat channel.want assume.want)"

section "without :produce-models there is no model"
cat > nomodels.smt2 << 'EOS'
(set-option :produce-models false)
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(assert (= x #x03))
(check-sat)
(get-value (x))
(get-model)
(reset)
(declare-const x (_ BitVec 8))
(assert (= x #x03))
(check-sat)
(set-option :produce-models false)
(get-value (x))
EOS
by_z3 nomodels
each nomodels z3 "z3 -in"

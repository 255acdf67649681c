#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain smt: a solver's face, reuse, trust.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
if ! command -v z3 > /dev/null; then absent "refrain smt" "z3 is not installed"; exit 0; fi

section "answers are the solver's, in whatever order things are asked"
cat > incremental.smt2 << 'EOF'
(set-option :produce-unsat-cores true)
(set-logic QF_BV)
(declare-const x (_ BitVec 8)) (declare-const |y z| (_ BitVec 8))
(assert (! (bvult x |y z| ) :named a1))
(check-sat)
(push 1)
(assert (! (bvult |y z| x) :named a2))
(check-sat)
(get-unsat-core)
(pop)
(check-sat)
(push 1) (assert (bvult |y z| x))
(check-sat)
(push 2) (assert (= x x)) (check-sat) (pop 3)
(check-sat-assuming ((bvult |y z| x)))
(echo "hi ""there""")
(assert (= x |y z|))
(check-sat)
(check-sat)
(get-info :name)
(simplify (bvadd x #x00))
(assert (bvadd x))
(assert (nothing x))
(check-sat)
(reset)
(declare-const x Int)
(assert (> x 1)) (check-sat)
(get-value ((> x 1)))
(get-assertions)
(reset-assertions)
(assert (> x 2)) (check-sat)
(assert (< x 2)) (check-sat)
(exit)
(check-sat)
EOF
z3 incremental.smt2 > want
for solver in z3 "z3 -in"; do
	for cache in full cache-a-lot utopia subset exact none; do
		"$REFRAIN" smt --solver="$solver" --cache=$cache incremental.smt2 > got
		is "incremental script, --solver='$solver' --cache=$cache" "$(cat got)" "$(cat want)"
	done
done
is "the same from standard input" "$("$REFRAIN" smt -in < incremental.smt2)" "$(cat want)"
cat > bars.smt2 << 'EOF'
(declare-datatypes ((D 0)) (((|#x0f|) (|12|) (other))))
(declare-const d D)
(assert (= d |12|)) (assert (= d |#x0f|)) (check-sat)
(reset)
(declare-datatypes ((D 0)) (((|#x0f|) (|12|) (other))))
(declare-const e D)
(assert (= e |12|)) (assert (= e |#x0f|)) (check-sat)
(reset)
(define-fun-rec |(_ zero_extend 8)| ((x (_ BitVec 8))) (_ BitVec 16) (bvnot (concat #x00 x)))
(declare-const x (_ BitVec 8))
(assert (distinct (|(_ zero_extend 8)| x) ((_ zero_extend 8) x))) (check-sat)
(assert (not |7|)) (check-sat)
EOF
"$REFRAIN" smt --json=j bars.smt2 > got
is "names that look like literals and operators" "$(cat got)" "$(z3 bars.smt2)"
is "and are reused like others" "$(field reused_unsat j)" 1
is "the same through the link" "$("$BUILD/refrain-z3" -in -smt2 < incremental.smt2)" "$(cat want)"

cat > theories.smt2 << 'EOF'
(set-info :source |nowhere|)
(declare-sort S 0) (define-sort T () S)
(declare-fun f (T) T) (declare-const s S)
(assert (forall ((x S)) (! (= (f x) s) :pattern ((f x)) :qid q)))
(assert (not (= (f (f s)) s)))
(check-sat)
(reset)
(declare-datatypes ((Lst 1)) ((par (X) ((nil) (cons (head X) (tail (Lst X)))))))
(declare-const l (Lst Int))
(assert ((_ is cons) l)) (assert (= l (as nil (Lst Int))))
(check-sat)
(reset)
(define-fun-rec fac ((n Int)) Int (ite (< n 1) 1 (* n (fac (- n 1)))))
(assert (= (fac 3) 6)) (check-sat)
(reset)
(declare-const a Float32) (assert (fp.lt a a)) (check-sat)
(reset)
(declare-const b Float32) (assert (fp.lt b b)) (check-sat)
(reset)
(declare-const t String) (assert (= (str.++ t "a") "b")) (check-sat)
(reset)
(define-fun-rec fac ((n Int)) Int (ite (< n 1) 2 (* n (fac (- n 1)))))
(assert (= (fac 3) 6)) (check-sat)
(reset)
(declare-const i Int) (minimize i) (assert (> i 3)) (check-sat) (get-value (i))
(push) (assert (< i 0)) (check-sat) (pop) (check-sat)
(reset)
(declare-const i Int) (assert (match i ((x (> x 2))))) (check-sat)
EOF
z3 theories.smt2 > want 2> /dev/null
is "quantifiers, datatypes, recursion, floating point, strings, optimisation" "$("$REFRAIN" smt theories.smt2 2> /dev/null)" "$(cat want)"
exits "an error from the solver: exit 1" 1 "$REFRAIN" smt theories.smt2

printf '(declare-const p Bool)(declare-const q Bool)(assert (or p (not p) q))(push 1)(assert p)(assert (not p))(check-sat)(pop 1)(check-sat)' > popped.smt2
is "what was popped is no longer asked" "$("$REFRAIN" smt popped.smt2 popped.smt2 | tr '\n' ' ')" "unsat sat unsat sat "

section "reuse, as the counts tell it"
q() { # FILE VAR1 VAR2 VAR3: an unsat query under these names
	printf '(set-logic QF_BV)\n(declare-fun %s () (_ BitVec 8))\n(declare-fun %s () (_ BitVec 8))\n(declare-fun %s () (_ BitVec 8))\n' "$2" "$3" "$4" > "$1"
	printf '(assert (and (bvult %s %s) (bvult %s %s) (= %s #x%s)))\n(check-sat)\n' "$2" "$3" "$3" "$2" "$4" "${5:-05}" >> "$1"
}
q 1.smt2 a b c; q 2.smt2 u v w; q 3.smt2 v u w 07; q 4.smt2 a b c
for c in "full 3" "cache-a-lot 3" "utopia 3" "subset 2" "exact 1" "none 0"; do
	"$REFRAIN" smt --cache="${c% *}" --json=j [1-4].smt2 > out
	is "${c% *}: four unsat answers" "$(sort out | uniq -c | tr -s ' ')" " 4 unsat"
	is "${c% *}: ${c#* } of them reused" "$(field reused_unsat j)" "${c#* }"
done
printf '(declare-const m (Array (_ BitVec 32) (_ BitVec 8)))(declare-const i (_ BitVec 32))\n(assert (= (select m (_ bv3 32)) #x41))(assert (bvult #x40 (select m i)))\n(check-sat)(get-value ((select m (_ bv3 32))))(get-model)' > sat.smt2
sed 's/\<m\>/n/g' sat.smt2 > sat2.smt2
"$REFRAIN" smt --without=all --json=j sat.smt2 sat2.smt2 sat.smt2 > out
is "sat answers of renamed and exact duplicates" "$(field reused_sat j)" 2
is "get-value from the model" "$(grep -c '(((select [mn] (_ bv3 32)) #x41))' out)" 3
is "get-model from the model" "$(grep -c 'define-fun [mn] () (Array (_ BitVec 32) (_ BitVec 8))' out)" 3
is "no question was put twice" "$(field solver_calls j)" 1
# every value is of one model, whoever finds it: all answers together are asserted, and z3 must agree
awk 'BEGIN {
	srand(7)
	split("bvult bvugt distinct bvsle", op); split("bvadd bvmul bvxor bvudiv", f)
	for (k = 1; k <= 8; k++) {
		name = "values" k ".smt2"
		printf "(set-option :produce-models true)\n(declare-const i Int)(declare-fun g ((_ BitVec 8)) (_ BitVec 8))\n" > name
		printf "(declare-const m%d (Array (_ BitVec 8) (_ BitVec 8)))(declare-const free (_ BitVec 8))\n", k % 3 > name
		for (v = 0; v < 3; v++)
			printf "(declare-const v%d_%d (_ BitVec 8))\n", v, k % 2 > name
		for (c = 0; c < 4; c++) {
			a = "v" int(rand() * 3) "_" k % 2; b = "v" int(rand() * 3) "_" k % 2
			printf "(assert (%s (%s %s #x%02x) (%s %s (select m%d #x%02x))))\n", op[1 + int(rand() * 4)], f[1 + int(rand() * 4)], a, rand() * 256, f[1 + int(rand() * 4)], b, k % 3, rand() * 9 > name
		}
		print "(check-sat)" > name
		for (c = 0; c < 8; c++) {
			a = "v" int(rand() * 3) "_" k % 2
			n = int(rand() * 7)
			term = n == 0 ? a : n == 1 ? "(bvadd " a " free)" : n == 2 ? "(bv2nat " a ")" : n == 3 ? "(select m" k % 3 " " a ")" : n == 4 ? "(g " a ")" : n == 5 ? "i" : "free"
			printf "(get-value (%s))\n", term > name
		}
	}
}'
models() { # OPTION…: how many of the scripts are sat, and how many of these with values that hold together
	sat=0 hold=0
	for f in values*.smt2 values*.smt2; do
		"$REFRAIN" smt --store="$T/values.db" "$@" $f > out 2> err || return
		[ "$(sed -n 1p out)" = sat ] || continue
		sat=$((sat + 1))
		{ grep -v '^(check-sat\|^(get-value' $f; sed -n 's/^((\(.*\) \([^ ]*\)))$/(assert (= \1 \2))/p' out; echo '(check-sat)'; } > again.smt2
		[ "$(grep -c '^(assert (= ' again.smt2)" -ge 8 ] && [ "$(z3 again.smt2)" = sat ] && hold=$((hold + 1))
	done
	echo "$sat $hold"
}
want=$(models --cache=none)
is "some scripts have models" "$([ "${want% *}" -gt 8 ] && echo yes)" yes
for o in --stats --without=all; do
	is "all values are of one model, $o" "$(models --cache=full $o)" "${want% *} ${want% *}"
	is "also with a program, $o" "$(models --cache=full $o --solver='z3 -in')" "${want% *} ${want% *}"
done
printf '(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))(assert (bvult x y))(check-sat)(get-value (x (bvadd x y)))(get-value ((bvmul x #x03)))' > other.smt2
"$REFRAIN" smt --without=all --json=j other.smt2 > out
is "values of terms that the query does not have need no question" "$(field solver_calls j)" 1
"$REFRAIN" smt --cache=none --json=j other.smt2 > out
once=$(field solver_calls j) # 2 with the library, which is left out of a sanitised build, 1 with the program
"$REFRAIN" smt --cache=none --json=j other.smt2 other.smt2 other.smt2 other.smt2 > out
is "where scripts ask for values each question is put once, from the second script on" "$(field solver_calls j)" $((once + 3))
printf '(set-logic QF_BV)(declare-const x (_ BitVec 20))(declare-const y (_ BitVec 20))(assert (= (bvmul (concat #x00000 x) (concat #x00000 y)) (_ bv4294049777 40)))(assert (bvugt x #x00002))(assert (bvugt y #x00002))(assert (bvule x y))(check-sat)' > product.smt2
for i in 1 2 3; do printf '(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (bvugt x #x0%d))(check-sat)' $i > more-$i.smt2; done
"$REFRAIN" smt --without=all --json=j more-1.smt2 more-2.smt2 more-3.smt2 product.smt2 > out
is "what z3's general solver gives up the one for the logic answers" "$(tail -1 out) $(field solver_calls j)" "sat $((3 + once))"

section "numbers from outside: a wrapper counts what the solver is asked"
cat > count << 'EOF'
#!/bin/sh
tee -a "$1" | exec z3 -in
EOF
chmod +x count
for c in full none; do
	rm -f log
	"$REFRAIN" smt --cache=$c --json=j --solver="$T/count $T/log" [1-4].smt2 sat.smt2 sat2.smt2 > /dev/null
	is "$c: reported solver calls are those a wrapper saw" "$(field solver_calls j)" "$(grep -c '(check-sat' log)"
done
for i in 1 2 3 4 5 6; do
	printf '(push 1)(assert (bvult x y))(assert (= (bvor y #x%d0) x))(assert (= (bvmul x y) #x0%d))(check-sat)(pop 1)\n' $i $i
done | sed '1i (set-logic QF_BV)(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))' > levels.smt2
for run in cold warm again; do
	rm -f log
	"$REFRAIN" smt --store=levels.db --solver="$T/count $T/log" levels.smt2 > levels.$run
	[ -f log ] && grep -c '(check-sat' log > calls.$run || echo 0 > calls.$run
	is "a $run store: the solver's answers" "$(cat levels.$run)" "$(z3 levels.smt2)"
done
# one kind of question: its first answer is sampled, the other five are not, however fast the machine is
ok "a warm store costs no more questions than a cold one" [ "$(cat calls.warm)" -le "$(cat calls.cold)" ]
ok "however often it is used" [ "$(cat calls.again)" -le "$(cat calls.cold)" ]

section "the program z3 answers what libz3 may not know"
mkdir -p path
printf '#!/bin/sh\ntee -a "%s/asked" | exec %s "$@"\n' "$T" "$(command -v z3)" > path/z3
chmod +x path/z3
printf '(declare-const s String)(assert (= (str.indexof (str.++ s "abc") "ab" 0) (str.indexof (str.++ s "ab") "ab" 0)))(check-sat)' > none.smt2
sed 's/^/(set-logic ALL)/' none.smt2 > ALL.smt2
sed 's/^/(set-logic QF_S)/' none.smt2 > QF_S.smt2
for l in none ALL QF_S; do
	rm -f asked
	is "strings, logic $l" "$(PATH=$T/path:$PATH "$REFRAIN" smt $l.smt2)" "$(z3 $l.smt2)"
	ok "strings, logic $l: the program was asked" grep -q '(check-sat' asked
done
if [ "$once" = 2 ]; then # with the library
	rm -f asked
	PATH=$T/path:$PATH "$REFRAIN" smt --cache=none more-1.smt2 product.smt2 > out
	is "bit-vectors are the library's" "$(tr '\n' ' ' < out)$([ -f asked ] && echo asked)" "sat sat "
	mkdir -p bare
	for f in sh tee; do ln -sf "$(command -v $f)" bare/$f; done
	is "and strings too where there is no program" "$(PATH=$T/bare "$REFRAIN" smt none.smt2)" "$(z3 none.smt2)"
fi

section "trust"
exits "--verify finds no difference" 0 "$REFRAIN" smt --verify [1-4].smt2 sat.smt2 sat2.smt2
"$REFRAIN" smt --without=all --explain 1.smt2 2.smt2 sat.smt2 sat2.smt2 > out 2> err
has "--explain names the core's origin" err "1.smt2 query 1"
has "--explain gives the substitution" err "with a := "
has "--explain gives the model" err "is sat by the model of sat.smt2"
# a solver that lies about a core: the core must not be used
cat > liar << 'EOF'
#!/bin/sh
# answers unsat to everything it is asked, with an unsat core of the first clause only
while read -r line; do
	case $line in
	*check-sat*) [ -f said ] && echo sat || echo unsat; [ -n "${named:-}" ] && : > said ;;
	*get-unsat-core*) echo "(rf!c0)" ;;
	*get-model*) echo "()" ;;
	*named*) named=1 ;;
	esac
	case $line in *echo*) echo "$line" | sed 's/.*(echo "\(.*\)").*/\1/' ;; esac
done
EOF
chmod +x liar; rm -f said
printf '(declare-const a Bool)(declare-const b Bool)(assert a)(assert (not b))(check-sat)' > l1.smt2
printf '(declare-const a Bool)(declare-const c Bool)(assert a)(assert c)(check-sat)' > l2.smt2
"$REFRAIN" smt --without=all --store=liar.db --solver="$T/liar" --json=j l1.smt2 l2.smt2 > out
is "a core that the solver does not confirm is refused" "$(cat out | tr '\n' ' ')$(field refused_cores j)" "unsat sat 1"

section "stores"
exits "a store is created" 0 "$REFRAIN" smt --without=all --store=s.db --json=j 1.smt2 sat.smt2
"$REFRAIN" smt --without=all --store=s.db --json=j 2.smt2 sat2.smt2 > out
is "another run reuses what the first stored" "$(field reused_unsat j) $(field reused_sat j)" "1 1"
exits "--frozen answers from the store" 0 "$REFRAIN" smt --without=all --frozen --store=s.db 3.smt2 sat2.smt2
printf '(declare-const r Real)(assert (> r 0.5))(check-sat)' > new.smt2
exits "--frozen: a miss is an error" 2 "$REFRAIN" smt --frozen --store=s.db new.smt2
exits "--frozen needs a store" 2 "$REFRAIN" smt --frozen 1.smt2

section "hostile and broken input"
printf '(assert true))\n(check-sat)\n(assert |x\n' > bad.smt2
"$REFRAIN" smt bad.smt2 > out
is "syntax errors are answered with a position" "$(cat out)" "(error \"line 1 column 14: invalid command, '(' expected\")
sat
(error \"line 4 column 1: unexpected end of quoted symbol\")"
# what z3 does with commands that have too much or too little, and keeps over a reset
cat > much.smt2 << 'END'
(set-option :produce-models false)
(declare-const p Bool)
(push 1 1)
(assert (not p))
(push 1)
(assert p)
(check-sat)
(pop 1 1)
(check-sat)
(pop 1)
(assert (not p))
(reset 1)
(reset-assertions 1)
(exit 1)
(assert p)
(check-sat)
(reset)
(set-option :print-success true)
(declare-const n Int)
(get-option :print-success)
(minimize n)
(declare-var v Int)
(check-sat)
(get-value (n))
(assert (nope))
(assert (< n
END
# options that a solver may ignore outlive a reset too
cat > kept.smt2 << 'END'
(set-option :produce-models false)
(reset)
(declare-const p Bool)
(check-sat)
(get-value (p))
(reset)
(set-option :produce-assignments true)
(reset)
(declare-const p Bool)
(assert (! p :named a))
(check-sat)
(get-assignment)
(get-option :produce-assignments)
(get-option :produce-models)
END
# cores that one script wanted are not there for the next
printf '(set-option :produce-unsat-cores true)(assert (! false :named a))(check-sat)(get-unsat-core)' > cores.smt2
printf '(push)(assert (! false :named a))(check-sat)(get-unsat-core)' > none.smt2
for f in much kept cores none; do z3 $f.smt2; done > expected 2> /dev/null
for solver in z3 "z3 -in"; do
	for cache in full none; do
		"$REFRAIN" smt --solver="$solver" --cache=$cache much.smt2 kept.smt2 cores.smt2 none.smt2 > out 2> /dev/null
		is "odd commands, --solver='$solver' --cache=$cache: as z3" "$(cat out)" "$(cat expected)"
	done
done
exits "syntax errors: exit 1" 1 "$REFRAIN" smt bad.smt2
exits "a missing file: exit 2" 2 "$REFRAIN" smt missing.smt2
exits "an unknown cache: exit 2" 2 "$REFRAIN" smt --cache=perfect 1.smt2
exits "a missing solver: exit 3" 3 "$REFRAIN" smt --solver=/nowhere/solver 1.smt2
printf '\000\377(check-sat)\001(' > bytes.smt2
exits "binary input: exit 1" 1 "$REFRAIN" smt bytes.smt2
awk 'BEGIN { printf "(declare-const p Bool)(assert "; for (i = 0; i < 20000; i++) printf "(and p "; printf "p"; for (i = 0; i < 20000; i++) printf ")"; print ")(assert (not p))(check-sat)" }' > deep.smt2
is "a conjunction 20,000 deep (the solver itself takes half a minute at 100,000)" "$("$REFRAIN" smt deep.smt2)" unsat
awk 'BEGIN { print "(declare-const x (_ BitVec 32))"; for (i = 0; i < 5000; i++) printf "(assert (not (= x (_ bv%d 32))))\n", i; print "(check-sat)" }' > wide.smt2
is "5,000 assertions, twice" "$("$REFRAIN" smt wide.smt2 wide.smt2 | tr '\n' ' ')" "sat sat "

section "limits: an unknown is never kept"
cat > slow << 'EOF'
#!/bin/sh
sleep 100
EOF
chmod +x slow
"$REFRAIN" smt --without=all --timeout=0.3 --solver="$T/slow" --json=j 1.smt2 1.smt2 > out
is "a timeout is unknown, and asked again" "$(tr '\n' ' ' < out)$(field unknown j) $(field reused_unsat j)" "unknown unknown 2 0"
ok "nothing is left running" sh -c "! ps -eo args | grep -v grep | grep -q '[s]h $T/slow'"

section "answering as commands come"
mkfifo to from
"$REFRAIN" smt -in < to > from &
pid=$!
exec 3> to 4< from
echo '(declare-const p Bool)(assert p)(check-sat)' >&3
read -r answer <&4
is "an answer comes before the input ends" "$answer" sat
echo '(assert (not p))(check-sat)' >&3
read -r answer <&4
is "and the next" "$answer" unsat
exec 3>&- 4<&-
wait $pid
is "the end of the input ends it" $? 0

section "other solvers"
for s in cvc5 boolector; do
	if command -v $s > /dev/null; then
		"$REFRAIN" smt --solver=$s --json=j [1-4].smt2 > out 2> /dev/null
		is "$s: verdicts" "$(sort out | uniq -c | tr -s ' ')" " 4 unsat"
		is "$s: reuse" "$(field reused_unsat j)" 3
		"$REFRAIN" smt --without=all --store=$s.db --solver=$s --json=j [1-4].smt2 > out 2> /dev/null
		is "$s, no stages: verdicts" "$(sort out | uniq -c | tr -s ' ')" " 4 unsat"
		# without cores a query is remembered whole
		is "$s, no stages: reuse" "$(field reused_unsat j)" $([ $s = boolector ] && echo 2 || echo 3)
	else
		absent "$s" "not installed"
	fi
done

is "a parameter of z3 is passed on" "$("$REFRAIN" smt smt.random_seed=7 1.smt2)" unsat

section "variations: nearly equal queries with different answers"
if cc -O1 -o gen "$top/bench/smt/gen_suite.c" 2> /dev/null; then
	mkdir vary && ./gen vary 5 300 vary
	ls vary/*.smt2 > list
	xargs cat < list | sed '/^(exit)/d; s/^(check-sat)/(check-sat)\n(reset)/' > all.smt2
	z3 -in < all.smt2 | grep -E '^(un)?sat$|^unknown$' > want
	xargs "$REFRAIN" smt --json=j < list > got
	is "300 generated variations: verdicts" "$(paste want got | awk '$1 != "unknown" && $1 != $2' | head -3)" ""
	ok "of which many are reused" test "$(field reused_unsat j)" -gt 40
else
	absent "variations" "no compiler"
fi

section "declarations that outlive their level: the solver still knows what the scope has forgotten (boolector does not"
# know the option)
global() { # CONSTRUCTORS: three different values of a datatype whose declaration was popped
	printf '(set-option :global-declarations true)\n(set-logic ALL)\n(push 1)\n(declare-datatypes ((T 0)) ((%s)))\n(pop 1)\n' "$1"
	printf '(declare-const x T)(declare-const y T)(declare-const z T)\n(assert (distinct x y z))\n(check-sat)\n'
	printf '(push 1)(declare-const b Bool)(assert b)(check-sat)(pop 1)(assert (not b))(check-sat)\n'
}
global '(A) (B)' > two-values.smt2
global '(A) (B) (C)' > three-values.smt2
for s in z3 "z3 -in" cvc5; do
	if command -v ${s%% *} > /dev/null; then
		for c in full cache-a-lot utopia subset exact; do
			is "$s, $c: global declarations" "$("$REFRAIN" smt --solver="$s" --cache=$c two-values.smt2 three-values.smt2 | tr '\n' ' ')" \
				"unsat unsat unsat sat sat sat "
		done
	else
		skip "$s: global declarations" "not installed"
	fi
done

section "a core of quantified formulas is not asked for without the options that decide what is proved of them"
for o in smt.mbqi produce-models; do
	printf '(set-option :%s true)\n(declare-fun f (Int) Int)(assert (forall ((x Int)) (! (< (f x) 3) :pattern ((f x)))))(assert (> (f 7) 5))(assert (< (f 8) 9))(check-sat)\n' $o > $o.smt2
	rm -f log
	"$REFRAIN" smt --cache=cache-a-lot --solver="$T/count $T/log" $o.smt2 > out
	is "$o: the answer" "$(cat out)" unsat
	is "$o: questions that a wrapper saw" "$(grep -c '(check-sat' log)" $([ $o = smt.mbqi ] && echo 1 || echo 2)
done

section "what other commands read"
for v in a b; do printf '(declare-const %s Int)(assert (< %s 3))(assert (> %s 5))(check-sat)\n' $v $v $v > log-$v.smt2; done
exits "a run log and a key trace are written" 0 "$REFRAIN" smt --log=run.log --keytrace=keys.rft log-a.smt2 log-b.smt2 log-a.smt2
is "one event per answer, and who gave it" "$(sed -n 's/.*"smt.query".*"verdict":"\([a-z]*\)","by":"\([a-z]*\)".*/\1 \2/p' run.log | tr '\n' ' ')" "unsat solver unsat core unsat core "
is "the totals" "$(sed -n 's/.*"smt.end".*"queries":\([0-9]*\),.*"reused_unsat":\([0-9]*\),.*/\1 \2/p' run.log)" "3 2"
is "the key stream: exact duplicates have one key" "$("$REFRAIN" trace convert --to=text -o - keys.rft | awk '{ print $1 == first; if (NR == 1) first = $1 }' | tr '\n' ' ')" "0 0 1 "
exits "the report reads the log" 0 "$REFRAIN" report -o smt.html run.log
has "and shows the queries" smt.html "SMT queries"
exits "a key trace that cannot be written" 3 "$REFRAIN" smt --keytrace="$T/no/such/folder/k" log-a.smt2

section "verifiers: quantifiers, options of the solver's, options it does not know, quoted names of sorts"
cat > boogie.smt2 << 'EOF'
(set-option :smt.MBQI false)
(set-option :no_such_option false)
(declare-sort |T@U| 0) (declare-sort |a sort| 0)
(declare-fun |f@0| (|T@U|) Int) (declare-fun g (|a sort|) T@U) (declare-fun x () T@U)
(assert (forall ((u T@U)) (! (< (f@0 u) 3) :qid |q:1| :skolemid |7| :pattern ((|f@0| u)))))
(push 1)
(assert (not (let ((ok (=> (! (and true true) :lblpos +0) (< (f@0 x) 5)))) ok)))
(check-sat)
(pop 1)
EOF
sed 's/@0/@1/g; s/no_such_option/no_such_option_either/' boogie.smt2 > boogie2.smt2
z3 boogie.smt2 > want 2> /dev/null
is "an option that the solver does not know is its error" "$("$REFRAIN" smt boogie.smt2 2> /dev/null)" "$(cat want)"
"$REFRAIN" smt --store=boogie.db --json=j boogie.smt2 > out 2> /dev/null
"$REFRAIN" smt --store=boogie.db --json=j boogie.smt2 boogie.smt2 > out 2> err
is "a store is not believed: asked once, then known" "$(tail -1 out) $(field reused_unsat j) $(grep -c '"by": "exact"' j)" "unsat 1 1"
"$REFRAIN" smt --store=boogie.db --trust-store --json=j --explain boogie.smt2 boogie2.smt2 > out 2> err
is "unless it is trusted: the same query with quantifiers is known by another run" "$(tail -1 out) $(field reused_unsat j) $(grep -c '"by": "exact"' j)" "unsat 1 1"

has "and explained" err "boogie.smt2: query 1 is unsat: the solver has said so of the same query before"
sed 's/(< (f@0 x) 5)/(< (f@0 x) 2)/' boogie.smt2 > boogie3.smt2
is "a query that differs in one number is not" "$("$REFRAIN" smt --store=boogie.db --trust-store boogie3.smt2 2> /dev/null | tail -1)" "$(z3 boogie3.smt2 | tail -1)"

section "a question of ours that does not end costs a little, not the run"
cat > slowcore << 'EOF'
#!/bin/sh
# the names are those of our own questions
while IFS= read -r line; do case $line in *'rf!c'*) exec sleep 300 ;; esac; echo "$line"; done | z3 -in
EOF
chmod +x slowcore
printf '(declare-const a Int)(declare-const b Int)\n(assert (< a b))\n(assert (< b a))\n(check-sat)\n' > cycle.smt2
exits "the run ends nevertheless" 0 timeout 60 "$REFRAIN" smt --solver="$T/slowcore" cycle.smt2
is "with the answer" "$(cat out)" unsat
ok "and nothing is left running" sh -c "! ps -eo args | grep -v grep | grep -q '[s]h $T/slowcore'"
exits "--trust-store needs --store" 2 "$REFRAIN" smt --trust-store boogie.smt2

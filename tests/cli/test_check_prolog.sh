# SPDX-License-Identifier: MIT
# Contracts in Prolog (GNU Prolog): expansion into wrappers, cached checks on raw terms, and that backtracking drops what
# it must. The verdicts are compared with a check written in Prolog.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
GPLC=$top/runtime/prolog/refrain-gplc
export GPLC
if [ "$(uname -m)" != x86_64 ]; then
	skip "Prolog" "GNU Prolog's registers are known for x86-64 only"
	exit 0
elif ! command -v gplc > /dev/null; then
	absent "Prolog" "GNU Prolog is not installed (package gprolog)"
	exit 0
fi

section "wrappers"

cat > p.pl << 'END'
:- regtype tree/1.
tree(empty).
tree(tree(L, X, R)) :- tree(L), int(X), tree(R).
:- pred ins(T, K, T1) : (tree(T), int(K)) => tree(T1).
ins(empty, K, tree(empty, K, empty)).
ins(tree(L, X, R), K, T) :-
	( K =:= 13 -> T = oops ; K < X -> ins(L, K, L1), T = tree(L1, X, R) ; ins(R, K, R1), T = tree(L, X, R1) ).
:- pred p(X, Y) : (int(X), var(Y)) => (int(X), int(Y)).
:- pred p(X, Y) : (int(X), var(Y)) => (int(X), atm(Y)).
:- pred p(X, Y) : (atm(X), var(Y)) => (atm(X), atm(Y)).
p(1, 42). p(2, gamma). p(a, alpha).
:- pred small(X) : (int(X), X < 10 ; atm(X)).
small(_).
:- initialization(main).
main :- test(ins(empty, 1, T)), test(ins(T, 2, U)), test(ins(U, 13, _)), test(ins(foo, 1, _)), test(ins(tree(_, 1, empty), 5, _)),
	test(p(a, _)), test(p(1, _)), test(p(b(1), _)), test(small(3)), test(small(30)), test(small(x)), test(tree(U)), test(tree(_)), halt.
test(G) :- ( catch(G, contract_violated(S), ( write(S), nl )) -> ( var(S) -> write(yes), nl ; true ) ; write(no), nl ).
END
ok "compiles" "$GPLC" --no-top-level -o p p.pl
is "each call and success" "$(./p 2> err)" "yes
yes
success condition of ins(A,B,C):tree(A),int(B)=>tree(C)
calls condition of ins(A,B,C):tree(A),int(B)=>tree(C)
calls condition of ins(A,B,C):tree(A),int(B)=>tree(C)
yes
success condition of p(A,B):int(A),var(B)=>int(A),atm(B)
calls condition of p(A,B):int(A),var(B)=>int(A),int(B)
yes
calls condition of small(A):int(A),A<10;atm(A)=>true
yes
yes
no"
has "reported" err "refrain: contract violated: success condition of ins(A,B,C)"
RF_CHECK=warn ./p > out 2> err
is "warn goes on" "$(grep -c '^yes\|^no' out)" 13
is "off asks nothing" "$(RF_CHECK=off ./p 2>&1 | grep -c violated)" 0
RF_CHECK=nonsense ./p > out 2>&1
is "an invalid word ends the program" "$?" 2
bad() { printf '%s\n' "$2" > bad.pl; exits "$1" 2 "$GPLC" --no-top-level -o bad bad.pl; has "$1: says so" "$T/err" "$3"; }
bad "a type with parameters" ':- regtype t/2.' "types have no parameters"
bad "a type of two levels" ':- regtype t/1.
t(f(g(X))) :- int(X).' "one level of different variables"
bad "a condition that is no type" ':- regtype t/1.
t(f(X)) :- foo(X).' "not a type of an argument"
bad "a type without clauses" ':- regtype t/1.' "a type without clauses"
bad "two clauses for a term" ':- regtype t/1.
t(f(X)) :- int(X).
t(f(X)) :- atm(X).' "refrain: bad.pl: two clauses of a type have the same term(t,f/1)"
bad "a contract on a pattern" ':- pred f(a) : true.' "must be different variables"
bad "a contract without conditions" ':- pred f(X).' "HEAD : PRE => POST expected"

section "backtracking, against a check in Prolog"

ok "compiles" "$GPLC" --no-top-level -o backtrack "$top/tests/cli/check/backtrack.pl"
for words in policy=direct policy=direct,size=256,depth=2 policy=lru,size=256 policy=lru,size=3 policy=direct,size=7,depth=1 policy=lru,depth=inf,size=5000 engine=none; do
	RF_CHECK=$words timeout 100 ./backtrack 5 300 > out 2> err
	ok "$words: no difference" grep -q '^compared(' out
	ok "$words: plenty of both" awk -F'[(,)]' '{ exit !($2 > 3000 && $3 > $2 / 20 && $3 < $2 * 19 / 20) }' out
done
RF_CHECK=policy=lru,stats ./backtrack 6 100 > out 2> err
ok "entries were found, and undone" awk '/cache hits/ { for (i = 1; i < NF; i++) { if ($(i + 1) == "cache") h = $i; if ($(i + 1) ~ /^undone/) u = $i } } END { exit !(h > 100 && u > 100) }' err

section "deep terms, included types, changed terms"

ok "compiles" "$GPLC" --no-top-level -o deep "$top/tests/cli/check/deep.pl"
for words in policy=direct policy=lru,depth=2,size=100 engine=none; do
	is "$words" "$(GLOBALSZ=400000 RF_CHECK=$words ./deep 2> err | tr '\n' ' ')" "yes yes yes yes no no yes yes yes no yes yes no no "
done
cat > setarg.pl << 'END'
:- regtype box/1.
box(b(L, X)) :- int(L), int(X).
:- pred q(X) : box(X).
q(_).
:- initialization(main).
t(G) :- ( catch(G, contract_violated(_), fail) -> write(yes) ; write(no) ), nl.
main :- X = b(1, 5), t(q(X)), ( setarg(2, X, foo), t(q(X)), fail ; t(q(X)) ), setarg(2, X, bar, false), t(q(X)), halt.
END
ok "compiles" "$GPLC" --no-top-level -o setarg setarg.pl
is "setarg is noticed, and its undoing" "$(./setarg 2> err | tr '\n' ' ')" "yes no yes no "

section "the paper's structures"

ok "compiles" "$GPLC" --no-top-level -o checked "$top/bench/check/prolog/structures.pl"
ok "compiles without checks" "$GPLC" --no-checks --no-top-level -o plain "$top/bench/check/prolog/structures.pl"
for s in amqueue set avl heap btree rb tree; do
	is "$s: the same, with contracts" "$(RF_CHECK=policy=lru ./checked $s 300 2>&1)" "$(./plain $s 300)"
done

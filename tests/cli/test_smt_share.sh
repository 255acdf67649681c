#!/bin/sh
# SPDX-License-Identifier: MIT
# Solvers that share what they learn over one Redis server while they run: a core reaches the others, is proved by each before
# its first use unless it is signed with a key that they trust, and a server that goes away changes no answer.
. "$(dirname "$0")/lib.sh"
command -v redis-server > "$T/which" && command -v redis-cli > "$T/which" || { absent "solvers that share" "there is no redis-server"; exit 0; }
. "$(dirname "$0")/servers.sh"
cd "$T" || exit 3
start_redis redis
uri=unix:$T/redis.sock
printf 'a key that all of them have\n' > key; chmod 600 key
printf 'a key that nobody has\n' > other; chmod 600 other

# query VARIABLE [sat]: a query that is unsat, by two of its three conjuncts
query() {
	printf '%s\n' "(push 1)" "(declare-const $1 (_ BitVec 16))" "(declare-const w$1 (_ BitVec 16))" "(assert (bvult $1 #x0010))" "(assert (bvult w$1 $1))"
	[ -n "${2:-}" ] || echo "(assert (= (bvmul $1 $1) #x00f3))"
	printf '%s\n' "(check-sat)" "(pop 1)"
}

# open_solver NAME OPTION…: a process that answers what is written to NAME.in
open_solver() {
	name=$1
	shift
	mkfifo "$name.in"
	timeout 300 "$REFRAIN" smt -in --cache=cache-a-lot --store="$uri" --json="$name.json" "$@" < "$name.in" > "$name.out" 2> "$name.err" &
	servers="$servers $!"
}
# asked NAME N: waits until it has answered N questions
asked() { await sh -c "[ \$(grep -c . $1.out) -ge $2 ]"; }
field() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" "$2.json" | head -n 1; }
records() { redis-cli -s redis.sock --raw keys 'refrain:1:r:*' | grep -c .; }

section "a core that one process learns"
open_solver teacher --trust-key=key; exec 3> teacher.in
open_solver pupil; exec 4> pupil.in
open_solver friend --trust-key=key; exec 5> friend.in
open_solver stranger --trust-key=other; exec 6> stranger.in
for fd in 3 4 5 6; do query "a$fd" sat >&$fd; done
for name in teacher pupil friend stranger; do ok "$name is there" asked $name 1; done
query b >&3
ok "the first answers" asked teacher 2
ok "what it learnt is on the server" await sh -c "[ \$(redis-cli -s '$T/redis.sock' --raw keys 'refrain:1:r:*' | grep -c .) -ge 1 ]"
# a use has it proved, and signed
query c >&3
ok "the first answers again" asked teacher 3
was=$(records)
for fd in 4 5 6; do query "d$fd" >&$fd; done
for name in pupil friend stranger; do ok "$name answers" asked $name 2; done
query e sat >&4; query f sat >&5
exec 3>&- 4>&- 5>&- 6>&-
for name in teacher pupil friend stranger; do ok "$name ends" await [ -s $name.json ]; done
is "the answers are right" "$(cat teacher.out pupil.out friend.out stranger.out | tr '\n' ' ')" "sat unsat unsat sat unsat sat sat unsat sat sat unsat "
is "the others reuse it" "$(field reused_unsat pupil) $(field reused_unsat friend) $(field reused_unsat stranger)" "1 1 1"
is "who trusts the key asks the solver only what is sat" "$(field solver_calls friend)" 2
is "the others have it proved" "$(field solver_calls pupil) $(field solver_calls stranger)" "3 2"
is "proving it added no other record" "$(records)" "$was"

section "signatures"
exits "a lie that is signed with another key" 0 "$BUILD/attack/store_lies" "$T/redis.sock" smt
query g sat > g.smt2
exits "is not believed" 0 "$REFRAIN" smt --cache=cache-a-lot --store="$uri" --trust-key=key g.smt2
is "the answer is right" "$(cat out)" sat
exits "--trust-key needs --store" 2 "$REFRAIN" smt --trust-key=key g.smt2
exits "a key that others may read is refused" 2 sh -c "chmod 644 other; '$REFRAIN' smt --store='$uri' --trust-key=other g.smt2"

section "the server goes in the middle"
open_solver left; exec 3> left.in
query h >&3
ok "a solver answers" asked left 1
stop_server "$redis_pid"
query i >&3; query j sat >&3
ok "and answers without the server" asked left 3
# what is learnt is sent now and then: some question later it notices
n=0 more=
until grep -q "continuing without the store until it answers" left.err || [ $n -ge 100 ]; do
	n=$((n + 1)) more="sat $more"
	query "x$n" sat >&3
	asked left $((3 + n))
	sleep 0.05
done
ok "and says what happened" [ $n -lt 100 ]
start_redis redis 3>&-
query k >&3
exec 3>&-
ok "it ends" await [ -s left.json ]
is "with the same answers" "$(tr '\n' ' ' < left.out)" "unsat unsat sat ${more}unsat "

#!/bin/sh
# SPDX-License-Identifier: MIT
# Stores on servers, as reduce and smt use them: shared by runs, gone in the middle, not there at all, and full of lies.
. "$(dirname "$0")/lib.sh"
command -v redis-server > "$T/which" && command -v redis-cli > "$T/which" || { absent "stores on servers" "there is no redis-server"; exit 0; }
. "$(dirname "$0")/servers.sh"
cd "$T" || exit 3
awk 'BEGIN { for (i = 0; i < 12; i++) printf "int f%d(int a) { int b = a + %d; if (b > %d) return b; return a; }\n", i, i, i * 7; print "int main(void) { return f3(f7(2)); }" }' > in.c
cat > t.sh <<SH
#!/bin/sh
cksum < a.c >> "$T/log"
grep -q 'f7' a.c && grep -q '49' a.c
SH
chmod +x t.sh
for i in 1 2 3 4 5 6; do
	cat <<SMT
(push 1)
(declare-const x$i (_ BitVec 32))
(assert (bvult x$i #x0000001$i))
(assert (= (bvmul x$i x$i) #x0000a00$i))
(check-sat)
(pop 1)
SMT
done > q.smt2
reduce() { cp in.c a.c; rm -f a.c.orig; : > log; "$REFRAIN" reduce -j1 "$@" t.sh a.c; }
start_redis redis
uri=unix:$T/redis.sock

section "reduce shares verdicts"
exits "a run without a store" 0 reduce --store=none
cp a.c want.c; plain=$(grep -c . log)
exits "a run that fills the store" 0 reduce --store="$uri"
ok "its result" cmp a.c want.c
exits "a run that uses it" 0 reduce --store="$uri"
ok "its result is the same" cmp a.c want.c
ok "it asked little ($(grep -c . log) of $plain)" [ "$(grep -c . log)" -lt $((plain / 2)) ]
ok "another test sees nothing of it" sh -c "sed 's/49/4[9]/' t.sh > u.sh; chmod +x u.sh; cp in.c a.c; : > log; '$REFRAIN' reduce -j1 --store='$uri' u.sh a.c && [ \$(grep -c . log) -ge $plain ]"

section "a near store is filled from a far one"
exits "with two levels" 0 reduce --store="near.db,$uri"
stop_server $redis_pid
exits "with the near one, the server gone" 0 reduce --store="near.db,$uri"
ok "it asked little" [ "$(grep -c . log)" -lt $((plain / 2)) ]
exits "the near one alone is another store" 0 reduce --store=near.db
ok "it asked all" [ "$(grep -c . log)" -ge $plain ]

section "a server that is not there"
exits "reduce goes on" 0 reduce --store="$uri"
ok "to the same result" cmp a.c want.c
is "and says so once" "$(grep -c 'continuing without the store until it answers' err)" 1
exits "smt goes on" 0 "$REFRAIN" smt --store="$uri" q.smt2
is "to the same answers" "$(sort -u out)" unsat
has "and says so" err "continuing without the store until it answers"
start_redis redis

section "smt shares cores"
exits "a run that fills the store" 0 "$REFRAIN" smt --stats --store="$uri" q.smt2
cp out want
exits "a run of another process" 0 "$REFRAIN" smt --stats --store="$uri" q.smt2
ok "gives the same answers" cmp out want

section "records expire"
start_redis mortal_records
short=unix:$T/mortal_records.sock
ttl() { redis-cli -s "$T/mortal_records.sock" --raw keys 'refrain:1:r:*' | while read -r name; do redis-cli -s "$T/mortal_records.sock" ttl "$name"; done | sort -u | awk '$1 > '"$1"' && $1 <= '"$2"' { n++ } END { print (n && n == NR) }'; }
exits "--store-ttl" 0 "$REFRAIN" smt --without=all --store-ttl=1000 --store="near.db,$short" q.smt2
is "is the server's expiry" "$(ttl 900 1000)" 1
exits "reduce has it too" 0 sh -c "redis-cli -s '$T/mortal_records.sock' flushall; cp in.c a.c; '$REFRAIN' reduce -j1 --store-ttl=2000 --store='$short?timeout=900' --max-queries=5 t.sh a.c"
is "beside other parameters" "$(ttl 1900 2000)" 1
exits "an expiry of its own" 0 sh -c "redis-cli -s '$T/mortal_records.sock' flushall; '$REFRAIN' smt --without=all --store-ttl=1000 --store='$short?ttl=3000' q.smt2"
is "stays" "$(ttl 2900 3000)" 1
exits "a file does not expire" 2 "$REFRAIN" smt --store-ttl=1000 --store=near.db q.smt2
has "and the message says so" err "needs a Redis server"
exits "nor does no store" 2 reduce --store-ttl=5

section "looking into a server"
start_redis looked
at=unix:$T/looked.sock
cli() { redis-cli -s "$T/looked.sock" "$@"; }
kept() { cli --raw keys 'refrain:1:r:*' | grep -c .; }
exits "an empty server" 0 "$REFRAIN" store info --json "$at"
has "has no entries" out '"entries": 0'
exits "verdicts and cores are put" 0 sh -c "cp in.c a.c; '$REFRAIN' reduce -j1 --store='$at' t.sh a.c && '$REFRAIN' smt --without=all --store='$at' q.smt2"
all=$(kept)
exits "info" 0 "$REFRAIN" store info --json "$at"
has "counts what the server has" out "\"entries\": $all,"
has "knows the engines" out '"engine": "smt"'
has "both" out '"engine": "reduce'
exits "verify" 0 "$REFRAIN" store verify "$at"
is "finds all of it sound" "$(cat out)" "$all entries, 0 damaged"
exits "export" 0 "$REFRAIN" store export -o all.jsonl "$at"
is "has a line for each" "$(grep -c . all.jsonl)" "$all"
is "oldest first" "$(sed 's/.*"time":\([0-9]*\).*/\1/' all.jsonl | sort -nc 2>&1)" ""
spoilt=$(cli --raw keys 'refrain:1:r:*' | sort | head -n 1)
cli set "$spoilt" nonsense > set.out
cli copy "$(cli --raw keys 'refrain:1:r:*' | sort | tail -n 1)" "refrain:1:r:$(printf %064d 7)" > set.out
exits "a record that is none, and one under another name," 1 "$REFRAIN" store verify "$at"
is "are damaged" "$(cat out)" "$((all + 1)) entries, 2 damaged"
exits "they can be removed" 0 "$REFRAIN" store prune --damaged "$at"
has "which is said" out "removed 2 entries"
has "with the server's memory" out "the server's memory went from"
is "and nothing else goes" "$(kept)" $((all - 1))
exits "one engine goes" 0 "$REFRAIN" store prune --engine=smt "$at"
exits "info" 0 "$REFRAIN" store info "$at"
is "it is gone" "$(grep -c '^smt' out)" 0
has "the other is there" out reduce-shared
exits "some bytes stay" 0 "$REFRAIN" store prune --max-bytes=200 "$at"
ok "some ($(kept))" sh -c "[ $(kept) -ge 1 ] && [ $(kept) -lt $((all - 1)) ]"
spoilt=${spoilt##*:} # its identity could not be read: a run that lists the records forgets it
is "the lists have what is there" "$(for l in $(cli --raw keys 'refrain:1:i:*'); do cli --raw zrange "$l" 0 -1; done | grep -v "$spoilt" | sort)" "$(cli --raw keys 'refrain:1:r:*' | sed 's/.*://' | sort)"
exits "a run goes on with it" 0 sh -c "cp in.c a.c; '$REFRAIN' reduce -j1 --store='$at' t.sh a.c && cmp a.c want.c"
exits "mode=read removes nothing" 2 "$REFRAIN" store prune --max-bytes=1 "$at?mode=read"
exits "a server that is not there" 3 "$REFRAIN" store info "unix:$T/nowhere.sock"
exits "HTTP lists nothing" 2 "$REFRAIN" store info http://127.0.0.1:1/x
has "and the message says so" err "only SQLite and Redis"

section "a store full of lies"
exits "the store is filled" 0 reduce --store="$uri"
exits "every verdict is turned into its contrary" 0 "$BUILD/attack/store_lies" "$T/redis.sock" reduce-shared
ok "there were some ($(cat out))" [ "$(cat out)" -gt 20 ]
exits "a run that believes what can only cost size" 0 reduce --store="$uri"
ok "what is left has the property" ./t.sh
for i in 1 2 3 4 5 6; do
	printf "%s\n" "(push 1)" "(declare-const y$i Int)" "(declare-fun g$i (Int) Int)" "(assert (> (g$i y$i) $i))" "(assert (< (g$i (+ y$i 0)) $i))" "(check-sat)" "(pop 1)"
done > u.smt2
exits "cores are stored" 0 "$REFRAIN" smt --store="$uri" u.smt2
exits "every core loses what made it one" 0 "$BUILD/attack/store_lies" "$T/redis.sock" smt
ok "there were some ($(cat out))" [ "$(cat out)" -gt 0 ]
sed "s/(< (g/(>= (g/" u.smt2 > s.smt2
exits "queries that have the rest" 0 "$REFRAIN" smt --store="$uri" s.smt2
is "are satisfiable all the same" "$(sort -u out)" sat
printf "%s\n" "(declare-const x (_ BitVec 8))" "(assert (bvult x #x10))" "(assert (= (bvmul x x) #xf3))" "(check-sat)" > v.smt2
grep -v bvmul v.smt2 > w.smt2
for mode in full cache-a-lot utopia subset exact; do
	"$REFRAIN" smt --cache=$mode --without=all --store="$uri" v.smt2 > v.out 2>&1
	"$BUILD/attack/store_lies" "$T/redis.sock" smt > lies.out
	is "$mode proves what a store says" "$(cat v.out; "$REFRAIN" smt --cache=$mode --without=all --store="$uri" w.smt2 2>&1)" "unsat
sat"
done

section "the server dies in the middle"
cat > slow.sh <<SH
#!/bin/sh
cksum < a.c >> "$T/log"
[ \$(grep -c . "$T/log") -lt 20 ] || kill -9 \$(cat "$T/victim") 2> "$T/killed"
grep -q 'f7' a.c && grep -q '49' a.c
SH
chmod +x slow.sh
start_redis mortal
redis-cli -s "$T/mortal.sock" info server | sed -n 's/\r//; s/^process_id://p' > victim
cp in.c a.c; : > log
exits "the run ends well" 0 "$REFRAIN" reduce -j2 --store="unix:$T/mortal.sock" slow.sh a.c
ok "what is left has the property" ./t.sh
has "it says what happened" err "continuing without the store until it answers"

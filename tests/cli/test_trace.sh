#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain trace: formats in and out, compression, pipes, reduction, simulation, refusals.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace.sh"
# json FILE KEY: the first value of a key, as it stands
json() { sed -n "s/^ *\"$2\": *\(.*[^,]\),*\$/\1/p" "$1" | head -1; }
# misses POLICY SIZE ARG…: the misses as a number
misses() { p=$1 n=$2; shift 2; r simulate --policy="$p" --size="$n" --csv "$@" | sed -n 2p | cut -d, -f4; }

section "the paper's example"
printf '0 1 2 1 0 2 3 0 1 3\n' > "$T/paper.txt"
r reduce -q -k 3 "$T/paper.txt" -o "$T/paper.rft" 2> /dev/null
is "the paper's example is reduced to its optimum" "$(r convert -q --to=text "$T/paper.rft" -o - 2> /dev/null | tr '\n' ' ')" "0 1 2 0 3 1 "
is "LRU at 3 on the original" "$(misses lru 3 "$T/paper.txt")" 5
is "LRU at 3 on the reduced trace" "$(misses lru 3 "$T/paper.rft")" 5
r simulate --json --policy=lru --size=3 "$T/paper.rft" > "$T/j"
is "requests are the original's" "$(json "$T/j" requests)" 10
is "method" "$(json "$T/j" method)" '"olr"'
is "k" "$(json "$T/j" k)" 3

section "formats in and out, compression, pipes"
# a trace of some size: loops, scans and a hot set
awk 'BEGIN { for (i = 0; i < 60000; i++) { x = (x * 1103515245 + 12345) % 2147483648; j = int(x / 65536);
	if (i % 7 == 0) print i % 900; else if (j % 3) print j % 40; else print 1000 + j % 300 } }' > "$T/t.txt"
ok "text to u64" r convert --to=u64 "$T/t.txt" -o "$T/t.u64"
ok "text to rft" r convert --to=rft "$T/t.txt" -o "$T/t.rft"
ok "text to oracle" r convert --to=oracle "$T/t.txt" -o "$T/t.oracleGeneral"
is "u64 has 8 bytes a reference" "$(wc -c < "$T/t.u64" | tr -d ' ')" 480000
is "oracle has 24 bytes a reference" "$(wc -c < "$T/t.oracleGeneral" | tr -d ' ')" 1440000
for f in t.u64 t.rft t.oracleGeneral; do
	r convert --to=text "$T/$f" -o "$T/back"
	ok "$f back to text is the same" cmp "$T/t.txt" "$T/back"
done
gzip -k "$T/t.u64"
zstd -q "$T/t.u64" -o "$T/t.u64.zst"
zstd -q --ultra --long=28 "$T/t.rft" -o "$T/t.rft.zst"
xz -k "$T/t.u64"
xz -k "$T/t.rft"
cat "$T/t.u64.gz" "$T/t.u64.gz" > "$T/tt.u64.gz"
for f in t.u64.gz t.u64.zst t.rft.zst t.u64.xz t.rft.xz; do
	r convert --to=text "$T/$f" -o "$T/back"
	ok "$f back to text is the same" cmp "$T/t.txt" "$T/back"
done
is "gzip members are joined" "$(r info --json "$T/tt.u64.gz" | sed -n 's/.*"requests": \([0-9]*\).*/\1/p')" 120000
cat "$T/t.u64.xz" "$T/t.u64.xz" > "$T/tt.u64.xz"
is "xz streams are joined" "$(r info --json "$T/tt.u64.xz" | sed -n "s/.*\"requests\": \([0-9]*\).*/\\1/p")" 120000
is "from a pipe, compressed" "$(misses lru 100 --format=u64 - < "$T/t.u64.gz")" "$(misses lru 100 "$T/t.txt")"
is "from a pipe, text" "$(cat "$T/t.txt" | misses lru 100 -)" "$(misses lru 100 "$T/t.u64")"
ok "to a pipe" sh -c '"$0" trace convert --to=u64 "$1" -o - | cmp - "$2"' "$REFRAIN" "$T/t.txt" "$T/t.u64"

section "next access in oracleGeneral"
# oracleGeneral: the next-access field is 1-based, -1 for none
printf '7\n8\n7\n' > "$T/o.txt"
r convert --to=oracle "$T/o.txt" -o "$T/o.oracle"
is "next access" "$(od -An -v -tx1 "$T/o.oracle" | tr -d ' \n' | cut -c33-48)" 0300000000000000
is "no next access" "$(od -An -v -tx1 "$T/o.oracle" | tr -d ' \n' | cut -c81-96)" ffffffffffffffff

section "reductions are exact from k on"
for m in olr sad; do
	r reduce -q --method=$m -k 100 "$T/t.txt" -o "$T/$m.rft"
	for n in 100 101 200 1500; do
		is "$m: LRU at $n" "$(misses lru $n "$T/$m.rft")" "$(misses lru $n "$T/t.txt")"
	done
done
for n in 100 150; do is "sad: OPT at $n" "$(misses opt $n "$T/sad.rft")" "$(misses opt $n "$T/t.txt")"; done
is "olr: FIFO behind a front of k" "$(misses fifo 200 --front=100 "$T/olr.rft")" "$(misses fifo 200 --front=100 "$T/t.txt")"
is "sad: CLOCK behind a front of k" "$(misses clock 200 --front=120 "$T/sad.rft")" "$(misses clock 200 --front=120 "$T/t.txt")"
is "LRU behind an LRU front is LRU" "$(misses lru 200 --front=70 "$T/t.txt")" "$(misses lru 200 "$T/t.txt")"
r reduce -q -k 150 "$T/olr.rft" -o "$T/again.rft"
is "a reduction reduced again" "$(misses lru 180 "$T/again.rft")" "$(misses lru 180 "$T/t.txt")"
is "knows the original's requests" "$(r info --json "$T/again.rft" | sed -n 's/.*"original_requests": \([0-9]*\).*/\1/p')" 60000

section "what a reduced trace cannot answer is refused"
# refusals
refuses "smaller than k" "reduced with olr for k = 100" simulate --size=99 "$T/olr.rft"
is "nothing on standard output" "$(cat "$T/out")" ""
exits "1 % of the blocks is smaller than k" 2 r simulate --size=1% "$T/olr.rft"
exits "FIFO on a reduced trace" 2 r simulate --policy=fifo --size=200 "$T/olr.rft"
exits "OPT on an OLR trace" 2 r simulate --policy=opt --size=200 "$T/olr.rft"
exits "FIFO on a SAD trace" 2 r simulate --policy=fifo --size=200 "$T/sad.rft"
exits "a front smaller than k" 2 r simulate --policy=fifo --front=99 --size=200 "$T/olr.rft"
exits "warm-up on a reduced trace" 2 r simulate --warmup=10 --size=200 "$T/olr.rft"
exits "a limit on a reduced trace" 2 r simulate --limit=10 --size=200 "$T/olr.rft"
exits "reducing again for a smaller k" 2 r reduce -k 50 "$T/olr.rft" -o "$T/x.rft"
exits "SAD after OLR" 2 r reduce --method=sad -k 150 "$T/olr.rft" -o "$T/x.rft"
exits "re-blocking a reduced trace" 2 r convert --unit=64 --to=rft "$T/olr.rft" -o "$T/x.rft"
exits "--approximate does it" 0 r simulate --approximate --policy=fifo,lru --size=99 --json "$T/olr.rft"
has "and says so in the result" "$T/out" '"approximate": true'
has "and on standard error" "$T/err" "approximate"
exits "convert of a reduced trace to text" 0 r convert --to=text "$T/olr.rft" -o "$T/x.txt"
has "warns" "$T/err" "cannot carry the mark"
exits "convert of a reduced trace to rft" 0 r convert --to=rft "$T/olr.rft" -o "$T/x.rft"
is "does not warn" "$(cat "$T/err")" ""
exits "and the mark is kept" 2 r simulate --size=99 "$T/x.rft"

section "bad input is refused with its record"
# bad input names the record
head -c 479997 "$T/t.u64" > "$T/cut.u64"
refuses "cut u64" "record 60000" info "$T/cut.u64"
head -c 1000 "$T/t.oracleGeneral" > "$T/cut.oracle"
refuses "cut oracle" "record 42" simulate --size=10 "$T/cut.oracle"
n=$(wc -c < "$T/t.rft")
head -c $((n - 1)) "$T/t.rft" > "$T/cut.rft"
refuses "rft without its end" "truncated" simulate --size=10 "$T/cut.rft"
{ head -c 60000 "$T/t.rft"; printf 'X'; tail -c +60002 "$T/t.rft"; } > "$T/flip.rft"
refuses "a flipped byte in rft" "record" reduce -k 10 "$T/flip.rft" -o "$T/none.rft"
ok "no partial output" test ! -e "$T/none.rft"
head -c 20000 "$T/t.u64.gz" > "$T/cut.u64.gz"
exits "cut gzip" 2 r info "$T/cut.u64.gz"
head -c 3000 "$T/t.u64.zst" > "$T/cut.u64.zst"
exits "cut zstd" 2 r info "$T/cut.u64.zst"
head -c 3000 "$T/t.u64.xz" > "$T/cut.u64.xz"
refuses "cut xz" "the xz data ends early" info "$T/cut.u64.xz"
{ head -c 3000 "$T/t.u64.xz"; printf XX; tail -c +3003 "$T/t.u64.xz"; } > "$T/flip.u64.xz"
refuses "damaged xz" "the xz data is damaged" info "$T/flip.u64.xz"
printf '1 2 3\n4 five\n' > "$T/bad.txt"
refuses "a word among numbers" "bad.txt:2:3: " info "$T/bad.txt"
printf '\001\002\000\000' > "$T/binary"
refuses "a headerless binary without a known suffix" "--format" info "$T/binary"
exits "no such file" 2 r info "$T/nothing"
exits "no trace" 2 r simulate --size=3
exits "no size" 2 r simulate "$T/t.txt"
exits "a wrong size" 2 r simulate --size=0 "$T/t.txt"
exits "a wrong policy" 2 r simulate --policy=nonsense --size=4 "$T/t.txt"
exits "k is needed" 2 r reduce "$T/t.txt" -o "$T/x.rft"
exits "k is not 0" 2 r reduce -k 0 "$T/t.txt" -o "$T/x.rft"
exits "an output that cannot be written" 3 r reduce -k 4 "$T/t.txt" -o "$T/no/such/x.rft"
ok "a full device is noticed" sh -c '"$0" trace convert --to=u64 "$1" -o /dev/full 2> /dev/null; test $? = 3' "$REFRAIN" "$T/t.txt"

section "simulate: lists, percentages, warm-up, limits, threads"
# simulate: lists, %, warm-up, limit, threads
r simulate --policy=lru,fifo,opt --size=50,10%,1K --json "$T/t.txt" > "$T/j"
is "policies × sizes" "$(grep -c '"miss_ratio"' "$T/j")" 9
one=$(r simulate --policy=all --size=64,200,5% --csv -j1 "$T/t.txt")
is "one thread and eight agree" "$(r simulate --policy=all --size=64,200,5% --csv -j8 "$T/t.txt")" "$one"
is "a stream and the whole agree" "$(misses lru,fifo,clock 132 "$T/t.txt")" "$(r simulate --policy=lru,fifo,clock --size=132,10% --csv "$T/t.txt" | sed -n 2p | cut -d, -f4)"
is "limit" "$(r simulate --size=10 --limit=1000 --csv "$T/t.txt" | sed -n 2p | cut -d, -f3)" 1000
has "a limit is not complete" "$(r simulate --size=10 --limit=1000 --json="$T/j" "$T/t.txt" > /dev/null; echo "$T/j")" '"complete": false'
total=$(misses lru 100 "$T/t.txt"); first=$(misses lru 100 --limit=20000 "$T/t.txt")
is "warm-up counts the rest" "$(misses lru 100 --warmup=20000 "$T/t.txt")" $((total - first))
is "warm-up with threads" "$(r simulate --policy=lru,fifo --size=100,200 --warmup=20000 --csv "$T/t.txt" | sed -n 2p | cut -d, -f4)" $((total - first))
is "warm-up in %" "$(misses lru 100 --warmup=33.333333333% "$T/t.txt")" "$(misses lru 100 --warmup=19999 "$T/t.txt")"
has "names the smallest cache within 1 % of the best" "$(r simulate --policy=lru --size=100,1400,1401 "$T/t.txt" > "$T/o"; echo "$T/o")" "within 1 % of the best: lru, size 1400"
r simulate --help > "$T/help"
for p in single direct assoc2 assoc4 assoc8 assoc16 lru mru fifo clock sieve random lfu slru 2q arc lirs s3fifo wtinylfu awtinylfu gdsf lrfu opt; do
	grep -qw -- "$p" "$T/help" || echo "not in the help: $p"
done > "$T/o"
is "the help names every policy" "$(cat "$T/o")" ""
is "all policies run" "$(r simulate --policy=all --size=64 --csv "$T/t.txt" | sed 1d | wc -l | tr -d ' ')" 22
is "the seed decides what random does" "$(misses random 64 --seed=5 "$T/t.txt")" "$(misses random 64 --seed=5 "$T/t.txt")"
section "a signal while waiting for a pipe"
# a signal while waiting for a pipe: nothing is left, the exit code says which
mkfifo "$T/pipe"
mkdir "$T/stop"
{ head -c 4000 "$T/t.u64"; exec sleep 20; } > "$T/pipe" &
feeder=$!
"$REFRAIN" trace reduce -q -k 4 --format=u64 "$T/pipe" -o "$T/stop/x.rft" 2> /dev/null &
pid=$!
n=0
while [ -z "$(ls "$T/stop")" ] && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
kill -TERM $pid
wait $pid
is "stopped by TERM" $? 143
is "and nothing is left" "$(ls "$T/stop")" ""
kill $feeder 2> /dev/null

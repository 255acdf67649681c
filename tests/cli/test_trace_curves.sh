#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain trace mrc --policy: each point of a curve is what simulate counts at that size, in blocks and in bytes.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace.sh"
awk 'BEGIN { x = 5; for (i = 0; i < 20000; i++) { x = (x * 1103515245 + 12345) % 2147483648; j = int(x / 65536);
	k = i % 7 == 0 ? i % 90 : j % 3 ? j % 40 : 1000 + j % 200; print k "," (k * 37 % 50) } }' > "$T/t.csv"

# same NAME ARG…: the curve and simulate at its sizes
same() {
	name=$1
	shift
	r mrc "$@" --points=30 --csv --size-column=2 "$T/t.csv" | sed 1d | cut -d, -f1,2 > "$T/curve"
	sizes=$(cut -d, -f1 "$T/curve" | paste -sd, -)
	# one size at a time is a simulation of its own
	for s in $(echo "$sizes" | tr , ' '); do
		r simulate "$@" --size="$s" --csv --size-column=2 "$T/t.csv" | sed -n 2p | cut -d, -f2,4
	done > "$T/alone"
	r simulate "$@" --size="$sizes" --csv --size-column=2 "$T/t.csv" | sed 1d | cut -d, -f2,4 > "$T/together"
	is "$name: has many points" "$([ "$(wc -l < "$T/curve")" -ge 5 ] && echo yes)" yes
	ok "$name: as simulations of their own" cmp "$T/curve" "$T/alone"
	ok "$name: as one simulation of all sizes" cmp "$T/curve" "$T/together"
}

section "curves in blocks"
for p in mru fifo clock sieve lfu slru 2q arc lirs s3fifo wtinylfu gdsf lrfu opt direct assoc4 random; do same $p --policy=$p; done

section "curves in bytes"
for p in lru fifo clock sieve s3fifo arc opt wtinylfu lfu gdsf; do same "$p, bytes" --policy=$p --bytes; done

section "what has no curve"
exits "single" 0 r mrc --policy=single "$T/t.csv"
refuses "placed policies in bytes" "no curve in bytes" mrc --policy=direct --bytes --size-column=2 "$T/t.csv"
exits "bytes of a trace without sizes" 2 r mrc --bytes "$T/t.csv"
exits "a bounded sample of another policy" 2 r mrc --policy=fifo --sample-max=50 "$T/t.csv"
r reduce -q -k 20 "$T/t.csv" -o "$T/t.rft"
exits "another policy on a reduced trace" 2 r mrc --policy=fifo "$T/t.rft"
is "JSON names the policy" "$(r mrc --policy=fifo --json "$T/t.csv" | grep -o '"policy": *"fifo"' | tr -d ' ')" '"policy":"fifo"'

section "several policies"
t="--size-column=2 $T/t.csv" points="--points=9 --csv"
for p in lru arc opt; do r mrc --policy=$p $points $t | sed "1s/^/policy,/; 2,\$s/^/$p,/"; done | awk 'NR == 1 || !/^policy/' > "$T/each"
ok "as one after the other" sh -c '"$0" trace mrc --policy=lru,arc,opt $2 $3 | cmp - "$1"' "$REFRAIN" "$T/each" "$points" "$t"
is "a heading for each" "$(r mrc --policy=sieve,2q --points=3 $t | grep -c '^sieve$\|^2q$')" 2
is "JSON has a list" "$(r mrc --policy=lru,2q --json $t | grep -o '"policy": *"[a-z0-9]*"' | tr -d ' \n')" '"policy":"lru""policy":"2q"'
is "in bytes, all that have one" "$(r mrc --policy=all --bytes $points $t | sed '1d; s/,.*//' | uniq | wc -l | tr -d ' ')" 17
exits "a pipe is read only once" 2 sh -c '"$0" trace mrc --policy=lru,arc - < "$1"' "$REFRAIN" "$T/t.csv"

section "samples"
# error POLICY RATE FILE: mean error of the miss ratio
error() { r mrc --policy="$1" --sample="$2" --check --json --points=8 "$3" 2> /dev/null | sed -n 's/.*"mean_error": *\([0-9.e-]*\).*/\1/p'; }
is "a sample of everything has no error" "$(error s3fifo 1 "$T/t.csv")" 0
awk 'BEGIN { for (i = 0; i < 60000; i++) { x = (x * 1103515245 + 12345) % 2147483648; y = x / 2147483648; print int(20000 * y * y * y) } }' > "$T/big.txt"
for p in fifo arc; do
	e=$(error $p 0.2 "$T/big.txt")
	ok "$p: a fifth of the keys gives the ratio within 3 % on average ($e)" awk "BEGIN { exit !($e > 0 && $e < 0.03) }"
done
r mrc --policy=arc --sample=0.2 --csv "$T/big.txt" 2> /dev/null > "$T/o"
is "only sizes from 64 keys of the sample on" "$(sed -n 2p "$T/o" | cut -d, -f1)" 320
refuses "a sample of nothing is refused" "none of the 60000 references was in the sample" mrc --policy=arc --sample=0.00000001 "$T/big.txt"
exits "--check reads twice" 2 sh -c '"$0" trace mrc --policy=arc --sample=0.5 --check --format=text - < "$1"' "$REFRAIN" "$T/big.txt"

section "memory"
if nm "$REFRAIN" 2> /dev/null | grep -q __asan_init; then
	skip "the tables of a size are gone before the next" "the address space of a sanitized program cannot be limited"
else
	seq 1 120000 > "$T/many.txt"
	is "the tables of a size are gone before the next" "$(ulimit -v 500000; r mrc -j1 --csv --policy=gdsf "$T/many.txt" | wc -l | tr -d ' ')" 90
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain trace simulate with a look at every reference: the misses as a trace, what they cost, prefixes of requests;
# compared with models in awk.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace.sh"
# model SIZE FILE: rows "key,cost,request" through an LRU cache; "H" or "M" before each row
cat > "$T/model.awk" <<'A'
{
	hit = $1 in used
	if (!hit && n == size) {
		old = ""
		for (k in used)
			if (old == "" || used[k] < used[old])
				old = k
		delete used[old]
		n--
	}
	n += !hit
	used[$1] = NR
	print (hit ? "H" : "M") "," $0
}
A
model() { sed 1d "$2" | awk -F, -v size="$1" -f "$T/model.awk"; }
awk 'BEGIN { print "key,cost,request"; for (i = 0; i < 6000; i++) { x = (x * 1103515245 + 12345) % 2147483648; j = int(x / 65536);
	if (i % 5 == 0) q += 1 + j % 2; print (j % 4 ? j % 23 : j % 300) "," (j % 7) ".250000," q } }' > "$T/t.csv"

section "the miss stream"
for size in 7 40; do
	r simulate --size=$size --misses-to="$T/m.csv" "$T/t.csv" > "$T/out"
	{ head -1 "$T/t.csv"; model $size "$T/t.csv" | sed -n 's/^M,//p'; } > "$T/want"
	ok "the misses of LRU at $size, with their columns" cmp "$T/m.csv" "$T/want"
done
r simulate --size=7 --misses-to="$T/m.rft" "$T/t.csv" > /dev/null
r simulate --size=7 --misses-to=- "$T/t.csv" | r simulate --size=40 --misses-to="$T/second.csv" - > "$T/o"
r simulate --size=7 --misses-to="$T/first.csv" "$T/t.csv" > /dev/null
{ head -1 "$T/t.csv"; model 40 "$T/first.csv" | sed -n 's/^M,//p'; } > "$T/want"
ok "two levels by a pipe" cmp "$T/second.csv" "$T/want"
awk 'BEGIN { for (i = 0; i < 40000; i++) { x = (x * 1103515245 + 12345) % 2147483648; j = int(x / 65536); print (j % 4 ? j % 23 : j % 3000) } }' > "$T/long.txt"
r simulate --policy=opt --size=20 --misses-to="$T/opt.txt" "$T/long.txt" > /dev/null
is "also of a policy that looks ahead" "$(wc -l < "$T/opt.txt" | tr -d ' ')" "$(r simulate --policy=opt --size=20 --csv "$T/long.txt" | sed -n 2p | cut -d, -f4)"
for p in fifo clock sieve arc lirs s3fifo wtinylfu 2q slru lfu; do
	r simulate --policy=$p --size=20 --csv --misses-to="$T/p.txt" "$T/t.csv" > "$T/one"
	sed 1d "$T/t.csv" | cut -d, -f1 > "$T/keys.txt"
	is "$p: as many as it counts" "$(wc -l < "$T/p.txt" | tr -d ' ')" "$(r simulate --policy=$p --size=20 --csv "$T/keys.txt" | sed -n 2p | cut -d, -f4)"
done
r simulate --size=10% --warmup=1000 --misses-to="$T/w.txt" --csv "$T/keys.txt" > "$T/o"
is "after a warm-up, at a size in percent" "$(wc -l < "$T/w.txt" | tr -d ' ')" "$(r simulate --size=10% --warmup=1000 --csv "$T/keys.txt" | sed -n 2p | cut -d, -f4)"
exits "of two caches" 2 r simulate --size=7,8 --misses-to="$T/x.rft" "$T/t.csv"
ok "nothing is written" test ! -e "$T/x.rft"
exits "to standard output together with --json" 2 r simulate --size=7 --json --misses-to=- "$T/t.csv"
r reduce -q -k 10 "$T/keys.txt" -o "$T/red.rft"
r simulate --size=20 --misses-to="$T/ours.txt" "$T/red.rft" > /dev/null
r simulate --size=20 --misses-to="$T/theirs.txt" "$T/keys.txt" > /dev/null
ok "a reduced trace has the same misses" cmp "$T/ours.txt" "$T/theirs.txt"
exits "approximate misses are refused" 2 r simulate --approximate --size=5 --misses-to="$T/x.rft" "$T/red.rft"

section "costs"
r simulate --size=7 --csv "$T/t.csv" > "$T/o"
want=$(model 7 "$T/t.csv" | awk -F, '{ all += $3; if ($1 == "M") miss += $3 } END { printf "%.6f,%.6f", miss, all - miss }')
is "what the misses cost and the hits save" "$(sed -n 2p "$T/o" | cut -d, -f6,7)" "$want"
is "as JSON" "$(r simulate --size=7 --json "$T/t.csv" | sed -n 's/.*"miss_cost": \([0-9.]*\).*/\1/p' | awk '{ printf "%.6f", $1 }')" "${want%,*}"
has "as a table" "$(r simulate --size=7 "$T/t.csv" > "$T/o"; echo "$T/o")" "cost of misses         saved"
exits "requests that are split cannot share a cost" 2 r simulate --unit=4 --size=7 "$T/t.csv"

section "prefixes"
# a block is a hit if it and all before it in its request are in the cache
want=$(model 40 "$T/t.csv" | awk -F, '{ if ($4 != request) { if (NR > 1 && !broken) whole++; request = $4; broken = 0 }
	if ($1 == "M") broken = 1; misses += broken } END { if (!broken) whole++; print misses "," whole }')
r simulate --prefix --size=40 --csv --request-column=request --column=key "$T/t.csv" > "$T/o"
is "misses and whole requests of a table" "$(sed -n 2p "$T/o" | cut -d, -f4,6)" "$want"
sed 1d "$T/t.csv" | awk -F, '$3 != q { if (NR > 1) print ""; q = $3 } { printf "%s ", $1 } END { print "" }' > "$T/lines.txt"
is "of lines of text" "$(r simulate --prefix --size=40 --csv "$T/lines.txt" | sed -n 2p | cut -d, -f4,6)" "$want"
awk '{ printf "{\"ids\":["; for (i = 1; i <= NF; i++) printf "%s%d", (i > 1 ? "," : ""), $i; print "]}" }' "$T/lines.txt" > "$T/l.jsonl"
is "of JSON lines" "$(r simulate --prefix --path='ids[]' --size=40 --csv "$T/l.jsonl" | sed -n 2p | cut -d, -f4,6)" "$want"
r convert --to=rft --path='ids[]' "$T/l.jsonl" -o "$T/l.rft"
is "through rft" "$(r simulate --prefix --size=40 --csv "$T/l.rft" | sed -n 2p | cut -d, -f4,6)" "$want"
r convert -q --to=u64 "$T/keys.txt" -o "$T/k.u64"
exits "a format without requests" 2 r simulate --prefix --size=40 "$T/k.u64"

section "curves with costs and prefixes"
# each point is what simulate counts, and for LRU what the model above counts
for how in --prefix ""; do
	for p in lru fifo s3fifo lfu arc opt; do
		r mrc --csv --points=15 --policy=$p $how "$T/t.csv" | sed 1d > "$T/curve"
		sizes=$(cut -d, -f1 "$T/curve" | paste -sd, -)
		r simulate --csv --policy=$p --size="$sizes" $how "$T/t.csv" | sed 1d | cut -d, -f2,4-7 > "$T/points"
		is "$p $how: many points" "$([ "$(wc -l < "$T/curve")" -ge 10 ] && echo yes)" yes
		ok "$p $how: as simulate" cmp "$T/curve" "$T/points"
	done
done
model 40 "$T/t.csv" | awk -F, '$4 != request { request = $4; broken = 0 } $1 == "M" { broken = 1 }
	broken { misses++; cost += $3 } END { printf "40,%d,%.6f,%.6f\n", misses, misses / NR, cost }' > "$T/want"
r mrc --csv --prefix "$T/t.csv" | grep '^40,' | cut -d, -f1-4 > "$T/got"
ok "lru at 40 as the model" cmp "$T/want" "$T/got"
is "JSON has the cost of each size" "$(r mrc --json --prefix "$T/t.csv" | grep -c '"miss_costs"')" 1
refuses "a sample has no prefixes" "--prefix: a sample does not have it" mrc --prefix --sample=1 "$T/t.csv"
refuses "a sample has no costs" "--cost-column: a sample does not have it" mrc --cost-column=cost --sample=1 "$T/t.csv"
exits "a sample of a trace that has some" 0 r mrc --sample=1 "$T/t.csv"

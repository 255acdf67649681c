#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain trace mrc: against simulate at every size, on reduced traces, sampled, as CSV, JSON and log.
. "$(dirname "$0")/lib.sh"
section "the curve is what simulate counts"
. "$(dirname "$0")/trace.sh"
awk 'BEGIN { for (i = 0; i < 30000; i++) { x = (x * 1103515245 + 12345) % 2147483648; j = int(x / 65536);
	if (i % 7 == 0) print i % 90; else if (j % 3) print j % 40; else print 1000 + j % 120 } }' > "$T/t.txt"
r mrc --csv "$T/t.txt" > "$T/curve.csv"
n=$(($(wc -l < "$T/curve.csv") - 1))
is "every size has a line" "$n" "$(r info --json "$T/t.txt" | sed -n 's/.*"distinct": \([0-9]*\).*/\1/p')"
sizes=$(awk -v n="$n" 'BEGIN { for (i = 1; i <= n; i++) printf "%s%d", (i > 1 ? "," : ""), i }')
r simulate --policy=lru --size="$sizes" --csv "$T/t.txt" | sed 1d | cut -d, -f2,4 > "$T/sim"
sed 1d "$T/curve.csv" | cut -d, -f1,2 > "$T/mrc"
ok "the curve is what simulate counts, at every size" cmp "$T/sim" "$T/mrc"
r mrc --json "$T/t.txt" > "$T/j"
ok "JSON has requests" grep -q '"requests": *30000' "$T/j"
is "JSON has every point" "$(tr -d ' \n' < "$T/j" | sed 's/.*"misses":\[\(.*\)\].*/\1/' | tr -d '[' | tr ']' '\n' | sed 's/^,//' | grep -c .)" "$n"

section "the knee"
# twenty blocks in a loop, a new one after every fifth round: the curve falls at 20, and the new ones are too few to be worth more
awk 'BEGIN { for (i = 0; i < 20000; i++) print (i % 100 == 99 ? 1000 + i : i % 20) }' > "$T/loop.txt"
r mrc --json --log "$T/loop.log" "$T/loop.txt" > "$T/o"
ok "JSON names the knee of a loop" grep -q '"knee": *20,' "$T/o"
ok "the log names it too" grep -q '"knee": *20\b' "$T/loop.log"
r mrc "$T/loop.txt" > "$T/o"
is "the table marks it, and no other size" "$(awk '/knee/ { print $1 }' "$T/o")" 20
r reduce -q -k 30 "$T/loop.txt" -o "$T/loop.rft"
r mrc --json "$T/loop.rft" > "$T/o"
ok "a trace reduced for 30 has no knee below 30" grep -q '"knee": *30,' "$T/o"

section "curves of reduced traces"
r reduce -q -k 60 "$T/t.txt" -o "$T/r.rft"
r mrc --csv "$T/r.rft" | sed 1d | cut -d, -f1,2 > "$T/red"
sed -n '60,$p' "$T/mrc" > "$T/from60"
ok "on a reduced trace the curve starts at k and is the same" cmp "$T/red" "$T/from60"
is "ratios are of the original" "$(r mrc --csv "$T/r.rft" | sed -n 2p)" "$(r mrc --csv "$T/t.txt" | sed -n 61p)"
exits "histograms of a reduced trace are refused" 2 r mrc --histogram "$T/r.rft"
exits "samples of a reduced trace are refused" 2 r mrc --sample=0.5 "$T/r.rft"
exits "a limit on a reduced trace is refused" 2 r mrc --limit=5 "$T/r.rft"

section "histograms"
# histograms add up
r mrc --histogram --json "$T/t.txt" | tr -d ' \n' > "$T/h"
for key in reuse_distance reuse_time; do
	sum=$(sed "s/.*\"$key\":\[\[\([^]]*\(\],\[[^]]*\)*\)\]\].*/\1/" "$T/h" | tr -d '[' | tr ']' '\n' | sed 's/^,//' | awk -F, '{ s += $2 } END { print s }')
	is "$key and first uses add up to all references" $((sum + n)) 30000
done

section "samples"
# the sample: everything at rate 1 is exact; a real sample is near, and the correction makes it end right
is "a sample of everything has no error" "$(r mrc --sample=1 --check --json "$T/t.txt" | sed -n 's/.*"max_error": *\([0-9.e-]*\).*/\1/p')" 0
awk 'BEGIN { for (i = 0; i < 200000; i++) { x = (x * 1103515245 + 12345) % 2147483648; y = x / 2147483648; print int(20000 * y * y * y) } }' > "$T/big.txt"
e=$(r mrc --sample=0.1 --check --json "$T/big.txt" | sed -n 's/.*"mean_error": *\([0-9.e-]*\).*/\1/p')
ok "a tenth of the keys gives the ratio within 4 % on average ($e)" awk "BEGIN { exit !($e < 0.04) }"
e=$(r mrc --sample-max=1000 --check --json "$T/big.txt" | sed -n 's/.*"mean_error": *\([0-9.e-]*\).*/\1/p')
ok "at most 1000 keys too ($e)" awk "BEGIN { exit !($e < 0.04) }"
# sizes that a sample cannot tell apart are left out, and a sample of nothing is no answer
seq 1 300 > "$T/few.txt"
refuses "a sample of nothing is refused" "none of the 300 references was in the sample" mrc --sample=0.00000001 "$T/few.txt"
awk 'BEGIN { for (i = 0; i < 300000; i++) { x = (x * 1103515245 + 12345) % 2147483648; y = x / 2147483648; print int(150000 * y * y) } }' > "$T/wide.txt"
r mrc --sample=0.00001 --csv "$T/wide.txt" > "$T/o" 2> "$T/err"
has "a small sample is warned of" "$T/err" "warning: only"
is "only sizes from 64 keys of the sample on" "$(sed -n 2p "$T/o" | awk -F, '{ print ($1 >= 6400) }')" 1
r mrc --sample=1% --check --json "$T/wide.txt" > "$T/j" 2> "$T/err"
is "no warning of a large one" "$(cat "$T/err")" ""
real=$(sed -n 's/.*"mean_error": *\([0-9.e-]*\).*/\1/p' "$T/j") estimate=$(sed -n 's/.*"error_estimate": *\([0-9.e-]*\).*/\1/p' "$T/j" | head -1)
ok "1 % is within 0.005 on average ($real)" awk "BEGIN { exit !($real < 0.005) }"
ok "the estimate of the error is of its order ($estimate)" awk "BEGIN { exit !($estimate > $real / 5 && $estimate < 0.02) }"
seq 1 150000 > "$T/new.txt"
is "the rate does not fall below what was asked for" "$(r mrc --sample=0.5 --json "$T/new.txt" | sed -n 's/.*"sample_rate": *\([0-9.]*\).*/\1/p')" 0.5
exits "--check needs a sample" 2 r mrc --check "$T/t.txt"
exits "a rate of 0" 2 r mrc --sample=0 "$T/t.txt"
exits "a rate of 2" 2 r mrc --sample=2 "$T/t.txt"

section "the log"
r mrc --log "$T/log" --histogram "$T/t.txt" > /dev/null
has "the log has the curve" "$T/log" '"trace.curve"'
has "the log has the histograms" "$T/log" '"trace.histogram"'
r simulate --log "$T/log2" --policy=lru,arc --size=30 "$T/t.txt" > /dev/null
is "the log has each result" "$(grep -c '"trace.result"' "$T/log2")" 2

section "pictures"
r mrc "$T/t.txt" > "$T/o"
ok "none in a pipe" sh -c '! grep -q "┤" "$1"' - "$T/o"
r mrc --plot=always "$T/t.txt" > "$T/o"
ok "with --plot=always" grep -q "┤" "$T/o"
ok "of 80 columns at most" [ "$(LC_ALL=C.UTF-8 wc -L < "$T/o")" -le 80 ]
r mrc --plot=always --csv "$T/t.txt" > "$T/o"
ok "never in CSV" sh -c '! grep -q "┤" "$1"' - "$T/o"
r simulate --plot=always --policy=lru,arc --size=10,50,100 "$T/t.txt" > "$T/o"
has "of a simulation, with a letter for each policy" "$T/o" "a lru  b arc"
r simulate --plot=always --policy=lru,arc --size=10,50 "$T/t.txt" > "$T/o"
ok "not of two sizes" sh -c '! grep -q "┤" "$1"' - "$T/o"
if command -v script > /dev/null; then
	script -qec "stty cols 50; '$REFRAIN' trace mrc '$T/t.txt'" "$T/typescript" > /dev/null < /dev/null
	ok "on a terminal" grep -q "┤" "$T/typescript"
	wide=$(tr -d "\r" < "$T/typescript" | grep "[┤│]" | LC_ALL=C.UTF-8 wc -L)
	ok "as wide as that is ($wide)" [ "$wide" -le 50 ]
	ok "and not much less" [ "$wide" -gt 40 ]
	script -qec "stty cols 50; '$REFRAIN' trace mrc --plot=never '$T/t.txt'" "$T/typescript" > /dev/null < /dev/null
	ok "but not with --plot=never" sh -c '! grep -q "┤" "$1"' - "$T/typescript"
fi

section "what was meant"
refuses "a policy in capitals" "did you mean 'arc'?" simulate --policy=lru,ARC --size=5 "$T/t.txt"
refuses "a share as a fraction" "written 10%" simulate --size=0.1 "$T/t.txt"
awk 'BEGIN { for (i = 0; i < 3000000; i++) print i % 999 }' > "$T/long.txt"
r mrc --progress=always "$T/long.txt" 2> "$T/err" > /dev/null
ok "progress has the speed" grep -q "references, [0-9.]* million/s" "$T/err"

#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain trace, on a made-up program's page references: reduce the trace, size a cache with it, check that nothing was lost.
# Usage: REFRAIN=path/to/refrain sh examples/demo/trace.sh
set -eu
: "${REFRAIN:=refrain}"
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# misses TRACE SIZE: of an LRU cache
misses() { "$REFRAIN" trace simulate --policy=lru --size="$2" --csv "$1" | sed -n 2p | cut -d, -f4; }
json() { sed -n "s/^ *\"$2\": *\([0-9.]*\).*/\1/p" "$1" | head -1; }

echo "A program touches its memory 400,000 times: a hot loop, a table that is walked again and again, a few strays."
awk 'BEGIN { x = 7; for (i = 0; i < 400000; i++) { x = (x * 1103515245 + 12345) % 2147483648; j = int(x / 65536);
	if (i % 900 < 60) print 100 + int(i / 900 % 25) * 60 + i % 60; else if (j % 400 == 0) print 5000 + j % 900; else print j % 24 } }' > "$work/trace.txt"

"$REFRAIN" trace reduce -q -k 64 "$work/trace.txt" -o "$work/reduced.rft" --json="$work/reduce.json"
before=$(json "$work/reduce.json" references_in) after=$(json "$work/reduce.json" references_out)
echo "For caches of 64 blocks and more, $after of its $before references tell the whole story"
echo "(OLR, the shortest trace with the same misses and evictions: $(json "$work/reduce.json" factor | cut -c1-4) times fewer)."
for size in 64 500 1500; do
	full=$(misses "$work/trace.txt" $size) short=$(misses "$work/reduced.rft" $size)
	[ "$full" = "$short" ] || { echo "size $size: $full misses, but $short on the reduced trace"; exit 1; }
	echo "  LRU with $size blocks: $full misses, on the full trace and on the reduced one."
done
if "$REFRAIN" trace simulate --size=32 "$work/reduced.rft" > /dev/null 2> "$work/why"; then exit 1; fi
echo "Asked for 32 blocks, which the reduction does not cover, it refuses."
echo "How large should the cache be, and with which policy?"
"$REFRAIN" trace simulate --policy=lru,clock,sieve,arc,s3fifo --size=64,256,1K,1536 "$work/trace.txt" | tail -1
echo "And the LRU curve for every size at once, in one pass; the knee:"
"$REFRAIN" trace mrc "$work/trace.txt" | grep knee

# SPDX-License-Identifier: MIT
# The paper's study in C (run.sh starts this): persistent structures, every internal call checked, engine A without a cache,
# direct-mapped and LRU, all sizes × depth limits × n. Each cell is measured by paper_main.c and appended to $RESULTS, so that
# a sweep that was stopped goes on where it was; then the tables are made from that file. Figures are ratios of CPU time to
# the plain program; "worst depth" is the deepest node that had to be looked at below a value, counted from 0. `set` copies
# n/2 nodes an insertion and is swept to 2^12 (without a cache, n² checks of nodes an insertion: to 2^10).
RESULTS=${RESULTS:-$root/build/bench-check-paper${quick:+-quick}.tsv}
BUDGET=${BUDGET:-$([ "$quick" ] && echo 5 || echo 40)} # milliseconds for a cell
cd "$here/paper"
src="persistent_lists.c persistent_balanced.c paper_main.c"
$CC -O2 -I"$root/include" $src -o "$work/plain"
refrain_cc -O2 -I"$root/include" $src -o "$work/checked"
cd "$work"
names="amqueue set avl heap btree rb tree"
echo "assertions: $(for f in queue_ set_ avl_ 'heap_\|htree_' btree_ rb_ tree_; do grep -ch "^ *pred \($f\)" "$here"/paper/persistent_*.c | awk '{ n += $1 } END { printf "%d ", n }'; done)(paper: 4 4 8 7 9 15 2; $names)"

ns="8 9 10 11 12 13 14" sizes="1 2 4 8 16 32 64 128 256" depths="1 2 3 4 5 inf" at=12
[ "$quick" ] && ns="8 10" sizes="32 64 128 256" depths="1 2 inf" at=10

touch "$RESULTS"
for s in $names; do
	for k in $ns; do
		[ "$s" = set ] && [ "$k" -gt 12 ] && continue
		if ! grep -q "^$s $k plain " "$RESULTS"; then
			./plain $s $k $((BUDGET * 5)) | sed "s/^/$s $k /" >> "$RESULTS"
		fi
		cells=$({
			[ "$s" = set ] && [ "$k" -gt 10 ] || echo engine=none
			for p in dm lru; do for size in $sizes; do for d in $depths; do echo "engine=a,policy=$p,size=$size,depth=$d"; done; done; done
		} | awk -v s=$s -v k=$k 'FNR == NR { have[$1, $2, $3]; next } !((s, k, $1) in have)' "$RESULTS" -)
		[ -z "$cells" ] || ./checked $s $k "$BUDGET" $cells | sed -u "s/^/$s $k /" >> "$RESULTS"
	done
done
echo "cells: $(wc -l < "$RESULTS") in $RESULTS"

awk -v names="$names" -v ns="$ns" -v sizes="$sizes" -v depths="$depths" -v at=$at -f "$here/paper/tables.awk" "$RESULTS" > table
cat table
! grep -q MISSED table

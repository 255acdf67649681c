# The paper's study in C (run.sh starts this): persistent structures, every internal call checked, engine A without a cache,
# direct-mapped and LRU. Figures are ratios of CPU time to the plain program; "worst depth" is the deepest node that had to be
# looked at below a value, counted from 0. `set` without a cache costs n³: it is run for small n only ("-").
cd "$here/paper"
src="persistent_lists.c persistent_balanced.c paper_main.c"
$CC -O2 $src -o "$work/plain"
refrain_cc -O2 $src -o "$work/checked"
cd "$work"
names="amqueue set avl heap btree rb tree"
echo "assertions: $(for f in queue_ set_ avl_ 'heap_\|htree_' btree_ rb_ tree_; do grep -ch "^ *pred \($f\)" "$here"/paper/persistent_*.c | awk '{ n += $1 } END { printf "%d ", n }'; done)(paper: 4 4 8 7 9 15 2; $names)"
echo

# nanoseconds per call, and the worst depth, are kept so that no cell is run twice
log_n_of() { # STRUCTURE LOG2N: set stays small
	[ "$1" = set ] && [ "$2" -gt 10 ] && echo 10 || echo "$2"
}
plain() { # STRUCTURE LOG2N
	file=plain.$1.$2
	if [ ! -f "$file" ]; then
		reps=$((1 << (17 - $2)))
		[ "$1" = set ] && reps=$(($2 < 11 ? 1 << 2 * (11 - $2) : 1))
		./measure "$runs" "./plain $1 $2 $reps" | awk -v c=$((reps << $2)) '{ print $1 / c * 1e9 }' > "$file"
	fi
	cat "$file"
}
ratio() { # STRUCTURE LOG2N ENGINE, as the words of RF_CHECK
	file=ratio.$1.$2.$3
	if [ ! -f "$file" ]; then
		base=$(plain "$1" "$2")
		reps=$((1 << ($2 < 13 ? 13 - $2 : 0)))
		[ "$1" = set ] && reps=1
		case $3 in engine=none) reps=1 ;; esac
		r=$runs
		case $3.$2 in engine=none.1[1-9]) r=1 ;; esac
		./measure $r "RF_CHECK=$3 ./checked $1 $2 $reps" | awk -v b="$base" -v c=$((reps << $2)) '{ printf "%.2f\n", $1 / c * 1e9 / b }' > "$file"
	fi
	cat "$file"
}
worst() { # STRUCTURE LOG2N ENGINE
	RF_CHECK=$3,json=$work/stats.json ./checked "$1" "$2" 1 && sed -n 's/.*"max_depth": *\([0-9]*\).*/\1/p' stats.json
}
a() { echo "engine=a,policy=$1,size=$2,depth=$3"; }

ns=$([ "$quick" ] && echo 8 10 12 || echo 8 9 10 11 12 13 14)
most=$([ "$quick" ] && echo 12 || echo 14) # set stops two steps earlier: it copies n² nodes
at=$([ "$quick" ] && echo 10 || echo 12)   # of the tables by depth, size and policy
echo "== 256 entries, depth 2, by n"
printf '%-8s %6s %9s %9s %7s %7s %12s %12s\n' structure n 'ns/call' 'no cache' DM LRU 'cache gains' 'worst DM,LRU'
for s in $names; do
	for k in $ns; do
		[ "$s" = set ] && [ "$k" -gt $((most - 2)) ] && continue
		d=$(ratio $s $k "$(a dm 256 2)") l=$(ratio $s $k "$(a lru 256 2)")
		if [ "$s" = set ] && [ "$k" -gt 10 ]; then none=-; else none=$(ratio $s $k engine=none); fi
		w="$(worst $s $k "$(a dm 256 2)"),$(worst $s $k "$(a lru 256 2)")"
		echo "$s $k $(plain $s $k) $none $d $l $w" | awk '{ b = $5 < $6 ? $5 : $6; g = $4 == "-" ? "-" : sprintf("%.1f", $4 / b)
			printf "%-8s %6d %9.0f %9s %7s %7s %12s %12s%s\n", $1, 2 ^ $2, $3, $4, $5, $6, g, $7,
				($1 != "set" && $2 == 12 && $4 / b < 10 ? "  MISSED (10 times)" : "") }' | tee -a table
	done
done

echo
echo "== 256 entries, n = $((1 << at)) (set: at most 1024), by depth limit"
printf '%-8s %6s %7s %7s %7s %7s %7s %7s\n' structure policy 1 2 3 4 5 inf
for s in $names; do
	for p in dm lru; do
		k=$(log_n_of $s $at) line=
		for d in 1 2 3 4 5 inf; do line="$line $(ratio $s $k "$(a $p 256 $d)")"; done
		echo "$s $p $line" | awk '{ printf "%-8s %6s %7s %7s %7s %7s %7s %7s%s\n", $1, $2, $3, $4, $5, $6, $7, $8,
			($1 ~ /avl|heap|btree|rb|tree/ && $4 > $8 ? "  depth 2 is not better than unlimited" : "") }'
	done
done

if [ -z "$quick" ]; then
	echo
	echo "== depth 2, n = $((1 << at)) (set: at most 1024), by cache size"
	printf '%-8s %6s' structure policy
	printf ' %7s' 1 2 4 8 16 32 64 128 256
	echo
	for s in $names; do
		for p in dm lru; do
			printf '%-8s %6s' $s $p
			for size in 1 2 4 8 16 32 64 128 256; do printf ' %7s' "$(ratio $s "$(log_n_of $s $at)" "$(a $p $size 2)")"; done
			echo
		done
	done
fi

echo
echo "== the better policy (here / the paper's Table 1; = within 3 %)"
paper="256 D D D D L L L L L L L D D L
128 D D D D L L L L D D L D D D
64 D D D D L L L L D D L D D D
32 D D D D D D D D D D D D D D"
printf '%-6s' size
for s in $names; do printf ' %-13s' "$s 2, inf"; done
echo
echo "$paper" | while read -r size cells; do
	set -- $cells
	printf '%-6s' "$size"
	for s in $names; do
		text=
		for d in 2 inf; do
			k=$(log_n_of $s $at)
			here_is=$(echo "$(ratio $s $k "$(a dm "$size" $d)") $(ratio $s $k "$(a lru "$size" $d)")" | awk '{ print $1 < $2 * 0.97 ? "D" : $2 < $1 * 0.97 ? "L" : "=" }')
			text="$text$here_is/$1 "
			shift
		done
		printf ' %-13s' "$text"
	done
	echo
done
! grep -q MISSED table

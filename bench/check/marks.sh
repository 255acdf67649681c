# SPDX-License-Identifier: MIT
# Engine B on structures changed in place (started by run.sh): ratios to the plain program, against the targets.
cd "$here/marks"
src="inplace_trees.c inplace_btree.c marks_main.c"
$CC -O2 $src -o "$work/plain"
refrain_cc -O2 $src -o "$work/barrier"
RF_CHECK_OPTIONS=--contracts=inplace.contracts refrain_cc -O2 $src -o "$work/checked"
RF_CHECK_OPTIONS=--contracts=invariants.contracts refrain_cc -O2 $src -o "$work/full"
cd "$work"

# A violation in correct code, or a contract that sees nothing, would make the figures worthless.
RF_CHECK=abort,json=$work/stats.json ./checked avldel 12 1 || { echo "marks.sh: a contract failed" >&2; exit 1; }
for s in avldel rb treedel; do
	./full $s 12 1 || { echo "marks.sh: a full contract failed" >&2; exit 1; }
done

sizes="12 14 16" log_calls=18
[ "$quick" ] && sizes="12 13" log_calls=17
printf '%-9s %6s %9s %8s %6s %8s %7s %10s %10s\n' structure n 'ns/call' barrier off checked target 'plain KB' 'checked KB'

row() { # STRUCTURE TARGET LOG2N REPEAT
	set -- $("./measure" "$runs" "./plain $1 $3 $4" "./barrier $1 $3 $4" "RF_CHECK=off ./checked $1 $3 $4" "./checked $1 $3 $4" | tr '\n' ' ') "$@"
	awk -v p="$1" -v pk="$2" -v b="$3" -v o="$5" -v c="$7" -v ck="$8" -v s="$9" -v t="${10}" -v k="${11}" -v r="${12}" 'BEGIN {
		calls = 2 ^ k * r * (s ~ /del$/ ? 1.5 : 1)
		printf "%-9s %6d %9.0f %8.2f %6.2f %8.2f %7s %10d %10d%s\n", s, 2 ^ k, p / calls * 1e9, b / p, o / p, c / p, t, pk, ck,
			(t != "-" && c / p > t ? "  MISSED" : "") (b / p > 1.3 ? "  BARRIER MISSED" : "")
	}' | tee -a table
}
for line in "avl 4" "rb 4" "tree 4" "btree 4" "avldel 8" "treedel 8" "btreedel 8" "avlpath -"; do
	set -- $line
	for k in $sizes; do
		row "$1" "$2" "$k" $((1 << (log_calls - k)))
	done
done
for k in $([ "$quick" ] && echo 12 || echo 12 14); do
	row list 1.5 "$k" $((k == 12 ? 4 : 1))
done

# Full invariants (order, balance, colours) beside the shape alone: "most" is half as much again.
printf '\n%-9s %6s %8s %8s %7s\n' structure n shape full most
for s in avl rb tree avldel treedel; do
	for k in $sizes; do
		set -- $("./measure" "$runs" "./plain $s $k $((1 << (log_calls - k)))" "./checked $s $k $((1 << (log_calls - k)))" \
			"./full $s $k $((1 << (log_calls - k)))" | tr '\n' ' ')
		awk -v p="$1" -v c="$3" -v f="$5" -v s="$s" -v k="$k" 'BEGIN {
			printf "%-9s %6d %8.2f %8.2f %7.2f%s\n", s, 2 ^ k, c / p, f / p, 1.5 * c / p, (f > 1.5 * c ? "  MISSED" : "") }'
	done
done

awk '{ if (!($1 in first)) first[$1] = $6; last[$1] = $6; n[$1] = $2 }
END { for (s in first) printf "growth %-9s ratio at n = %d is %.2f times that at 4096%s\n", s, n[s], last[s] / first[s], (last[s] > 1.5 * first[s] ? "  MISSED" : "") }' table | sort
! grep -q MISSED table

# SPDX-License-Identifier: MIT
# The paper's own host (started by run.sh): its seven structures in GNU Prolog, N insertions each, contracts at each call and
# success; no cache, direct-mapped and LRU × 256 entries × depth limits 1, 2 and none, and what we would use (LRU, 65536
# entries, no limit). Then the better policy for 256 to 32 entries. Each cell is a ratio of CPU times, the checked program alternating
# with the same program without checks; the time of a run with one insertion is taken off both. "-": took more than LIMIT s.
# Cells are kept in build/bench-check-prolog.tsv (structure, n, policy, size, depth, ms plain, ratio) and drawn as bars.
gplc=$root/runtime/prolog/refrain-gplc
limit=${LIMIT:-20} tsv=${TSV:-$root/build/bench-check-prolog.tsv}
command -v gplc > /dev/null || { echo "prolog.sh: gplc is not installed (package gprolog)" >&2; exit 3; }
cd "$work"
# nothing is collected while it runs: the stacks of the largest n must fit
export GLOBALSZ=1000000 TRAILSZ=200000
$gplc --no-checks --no-top-level -o plain "$here/prolog/structures.pl"
$gplc --no-top-level -o checked "$here/prolog/structures.pl"
printf 'structure\tn\tpolicy\tsize\tdepth\tplain_ms\tratio\n' > "$tsv"

cell() { # STRUCTURE N POLICY SIZE DEPTH: adds a line to the table; fails if there is no figure
	words=policy=$3,size=$4,depth=$5
	[ "$3" != none ] || words=engine=none
	if ./measure "$runs" "./plain $1 1" "./plain $1 $2" "RF_CHECK=$words timeout $limit ./checked $1 $2" > cell 2> /dev/null; then
		awk -v s="$1" -v n="$2" -v p="$3" -v z="$4" -v d="$5" '{ t[NR] = $1 } END {
			base = t[2] - t[1]
			if (base < 1e-4) base = 1e-4
			printf "%s\t%d\t%s\t%s\t%s\t%.2f\t%.2f\n", s, n, p, z, d, base * 1e3, (t[3] - t[1]) / base }' cell >> "$tsv"
	else
		printf '%s\t%s\t%s\t%s\t%s\t-\t-\n' "$1" "$2" "$3" "$4" "$5" >> "$tsv"
		return 1
	fi
}

sizes="256 512 1024 2048 4096"
[ "$quick" ] || sizes="$sizes 8192 16384"
for s in amqueue set avl heap btree rb tree; do
	for config in "none 0 0" "direct 256 1" "direct 256 2" "direct 256 inf" "lru 256 1" "lru 256 2" "lru 256 inf" "lru 65536 inf"; do
		for n in $sizes; do
			cell $s $n $config || break # a larger n takes longer still
		done
	done
done
for s in ${quick:+tree} ${quick:-amqueue set avl heap btree rb tree}; do
	[ "$s" != 1 ] || continue
	for size in 128 64 32; do
		for depth in 2 inf; do
			for policy in direct lru; do
				cell $s $([ $s = set ] && echo 1024 || echo 4096) $policy $size $depth || true
			done
		done
	done
done
awk -f "$here/prolog/tables.awk" "$tsv"

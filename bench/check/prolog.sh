# SPDX-License-Identifier: MIT
# The paper's own host (started by run.sh): its seven structures in GNU Prolog, N insertions each, contracts at each call and
# success. Ratios to the same program without checks; the time of a run with one insertion is taken off both.
gplc=$root/runtime/prolog/refrain-gplc
command -v gplc > /dev/null || { echo "prolog.sh: gplc is not installed (package gprolog)" >&2; exit 3; }
cd "$work"
# nothing is collected while it runs: the stacks of the largest n must fit
export GLOBALSZ=1000000 TRAILSZ=200000
$gplc --no-checks --no-top-level -o plain "$here/prolog/structures.pl"
$gplc --no-top-level -o checked "$here/prolog/structures.pl"

sizes="256 1024 4096"
[ "$quick" ] || sizes="$sizes 16384"
printf '%-8s %6s %9s %9s %9s %9s %9s %9s\n' structure n 'plain ms' none 'DM 2' 'LRU 2' 'DM inf' 'LRU 64K'
for s in amqueue set avl heap btree rb tree; do
	for n in $sizes; do
		none="RF_CHECK=engine=none ./checked $s $n"
		# without a cache each insertion looks at everything: hours for the largest
		[ "$n" -gt 4096 ] || [ "$s$n" = set4096 ] && none="./plain $s 1"
		deep="RF_CHECK=policy=direct,depth=2 ./checked $s $n" lru="RF_CHECK=policy=lru,depth=2 ./checked $s $n"
		inf="RF_CHECK=policy=direct,depth=inf ./checked $s $n"
		[ "$s$n" != set16384 ] || continue # its copies need more than the gigabyte that GNU Prolog maps
		./measure "$runs" "./plain $s 1" "./plain $s $n" "$none" "$deep" "$lru" "$inf" \
			"RF_CHECK=policy=lru,depth=inf,size=65536 ./checked $s $n" | awk -v s="$s" -v n="$n" '
			{ t[NR] = $1 }
			END {
				base = t[2] - t[1]
				if (base <= 0) base = 1e-4
				printf "%-8s %6d %9.1f", s, n, base * 1e3
				for (i = 3; i <= 7; i++) {
					r = (t[i] - t[1]) / base
					if (r < 0.2) printf " %9s", "-"; else printf " %9.1f", r
				}
				print ""
			}'
	done
done

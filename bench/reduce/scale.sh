#!/bin/bash
# SPDX-License-Identifier: MIT
# What jobs gain, without noise: reductions in one process by a clock of their own (src/reduce/run/in_process.h), on which
# only tests take time.
#
#	bash scale.sh [--jobs=1,2,4,…] [--clocks=unit,lognormal,timeouts] [--in-order] [--tsv] [FILE…]
#
# The property is that of paper.c (seed 1). FILEs are C programs; without any, csmith programs of fixed seeds. Clocks: every
# test takes 1; lognormal durations, failures three times faster; 1, but 10 for one failure in 50. A table per clock:
# speed-up over one job, queries and tokens left as a share of one job's, geometric means over the inputs (and the largest
# share). --in-order is --deterministic. --tsv prints a line per run instead: FILE jobs rounds queries tokens speedup, and
# of the first clock only (default: unit).
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${PAPER:=$top/build/bench/paper}"
jobs=1,2,4,8,16,32,64,256 clocks=unit,lognormal,timeouts order='' tsv=''
files=()
for word in "$@"; do
	case $word in
	--jobs=*) jobs=${word#*=} ;;
	--clocks=*) clocks=${word#*=} ;;
	--in-order) order=,in-order ;;
	--tsv) tsv=1 ;;
	-*) echo "scale: unknown option '$word'" >&2; exit 2 ;;
	*) files+=("$word") ;;
	esac
done
case ,$jobs, in *,1,*) ;; *) jobs=1,$jobs ;; esac
[ -n "$tsv" ] && clocks=${clocks%%,*}
if [ ! -x "$PAPER" ]; then make -s -C "$top" build/bench/paper >&2 || exit 3; fi
if [ ${#files[@]} -eq 0 ]; then
	work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-scale.XXXXXX") || exit 3
	trap 'rm -rf "$work"' EXIT
	for shape in 1:8 12:12 4:12 2:12 8:12 1:12 10:12 11:12 2:18; do
		f=$work/csmith-${shape/:/-}.c
		timeout 120 csmith -s "${shape%:*}" --max-funcs "${shape#*:}" -o "$f" > /dev/null ||
			{ echo "scale: csmith failed" >&2; exit 3; }
		files+=("$f")
	done
fi

# runs CLOCK: FILE jobs rounds queries tokens speedup, by tabs
runs() {
	local f n line first
	for f in "${files[@]}"; do
		first=''
		for n in ${jobs//,/ }; do
			line=$("$PAPER" "$f" full full 1 - "jobs=$n,$1$order") || { echo "scale: '$f' failed" >&2; return 1; }
			# shellcheck disable=SC2086
			set -- "$1" $line
			shift
			local rounds='' queries='' tokens=''
			while [ $# -gt 1 ]; do
				case $1 in rounds) rounds=$2 ;; queries) queries=$2 ;; after) tokens=$2 ;; esac
				shift
			done
			set -- "$clock"
			first=${first:-$rounds}
			awk -v f="${f##*/}" -v n="$n" -v r="$rounds" -v q="$queries" -v t="$tokens" -v first="$first" \
				'BEGIN { printf "%s\t%d\t%.1f\t%d\t%d\t%.2f\n", f, n, r, q, t, first / r }'
		done
	done
}

table() {
	awk -F '\t' -v clock="$1" '
		$2 == 1 { q[$1] = $4; t[$1] = $5 }
		{
			n[$2]++; s[$2] += log($6); a = $4 / q[$1]; b = $5 / t[$1]; qs[$2] += log(a); ts[$2] += log(b)
			if (a > qm[$2]) qm[$2] = a
			if (b > tm[$2]) tm[$2] = b
			if (!($2 in seen)) { seen[$2] = 1; order[++k] = $2 }
		}
		END {
			printf "\n%s clock, %d inputs\n\n| jobs | speed-up | queries (most) | tokens (most) |\n|---|---|---|---|\n", clock, n[1]
			for (i = 1; i <= k; i++) {
				j = order[i]
				printf "| %d | %.2f | %.2f (%.2f) | %.3f (%.3f) |\n", j, exp(s[j] / n[j]), exp(qs[j] / n[j]), qm[j], \
					exp(ts[j] / n[j]), tm[j]
			}
		}'
}

for clock in ${clocks//,/ }; do
	case $clock in unit | lognormal | timeouts) ;; *) echo "scale: unknown clock '$clock'" >&2; exit 2 ;; esac
	if [ -n "$tsv" ]; then
		runs "$clock" || exit 1
	else
		runs "$clock" | table "$clock"
	fi
done

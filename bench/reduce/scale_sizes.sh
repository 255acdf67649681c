#!/bin/bash
# SPDX-License-Identifier: MIT
# Whether several jobs end as small as one: real bugs, reduced again and again at the same number of jobs.
#
#	bash scale_sizes.sh [-j JOBS,…] [-n RUNS] [-m MILLISECONDS] [SUBJECT…]
#
# Default: -j 2 -n 10 -m 5, subjects c-gcc12-asm, c-gcc12-warn, c-gcc12-strlen and go-ice-57309. A line for one job (which is
# run once) and one for each number of jobs: tokens of each run, and the most as a share of one job's. Verdicts are
# remembered from run to run in REMEMBER (default: a folder in /tmp that is removed), and each answer takes a random time
# on top, of that mean (scale_remember.c): ten runs cost little more than two, and no two runs go the same way.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${BUILD:=$top/build}" "${SUBJECTS:=$top/../shared/subjects}"
jobs=2 runs=10 mean=5
while getopts j:n:m: o; do case $o in j) jobs=$OPTARG ;; n) runs=$OPTARG ;; m) mean=$OPTARG ;; *) exit 2 ;; esac done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- c-gcc12-asm c-gcc12-warn c-gcc12-strlen go-ice-57309
[ -x "$BUILD/bench/scale_remember" ] || make -s -C "$top" BUILD="$BUILD" "${BUILD#"$top"/}/bench/scale_remember" >&2 || exit 3
[ -x "$BUILD/bench/count_tokens" ] || cc -O2 "$here/count_tokens.c" -o "$BUILD/bench/count_tokens" || exit 3
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-sizes.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
: "${REMEMBER:=$work/verdicts}"

reduced() { # SUBJECT JOBS: tokens
	local file
	file=$(cat "$SUBJECTS/$1/FILE")
	rm -rf "$work/run" && mkdir -p "$work/run" "$REMEMBER/$1" || return 1
	cp "$SUBJECTS/$1/$file" "$work/run/" && chmod u+w "$work/run/$file"
	printf '#!/bin/sh\nexec %s %s %s %s %s\n' "$BUILD/bench/scale_remember" "$REMEMBER/$1" "$mean" "$file" \
		"$SUBJECTS/$1/r.sh" > "$work/run/test.sh"
	chmod +x "$work/run/test.sh"
	(cd "$work/run" && "$BUILD/refrain" reduce -q -j "$2" --store=none ./test.sh "$file") >&2 || return 1
	"$BUILD/bench/count_tokens" "$work/run/$file"
}

for subject; do
	if ! one=$(reduced "$subject" 1); then
		echo "$subject: failed (is its compiler there?)" >&2
		continue
	fi
	echo "$subject: -j1 $one"
	for n in ${jobs//,/ }; do
		all=()
		for ((i = 0; i < runs; i++)); do
			all+=("$(reduced "$subject" "$n" || echo 0)")
		done
		printf '%s ' "${all[@]}" | awk -v s="$subject" -v n="$n" -v one="$one" '{
			for (i = 1; i <= NF; i++) if ($i > most) most = $i
			printf "%s: -j%d %s most / one job %.2f\n", s, n, $0, most / one }'
	done
done

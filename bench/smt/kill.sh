#!/bin/bash
# SPDX-License-Identifier: MIT
# Four processes on one SQLite store, killed at random; then no damage and no wrong answer: bash kill.sh [KILLS]
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${DATA:=$top/../shared/data/smt}" "${REFRAIN:=$top/build/refrain}"
want=${1:-100} kills=0
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
suites="httpurl jsmn picohttp cjson"
for s in $suites; do
	mkdir "$s" && zstd -dcq "$DATA/$s.tar.zst" | tar x -C "$s" || exit 3
	find "$s" -name '*.smt2' | LC_ALL=C sort > "$s.list"
done
while [ $kills -lt "$want" ]; do
	pids=
	for s in $suites; do
		xargs -a $s.list sh -c 'exec "$0" smt --store=store.db "$@" > /dev/null 2>&1' "$REFRAIN" &
		pids="$pids $!"
	done
	sleep "$(printf 0.%03d $((10 + RANDOM % 250)))" # with a full store a process ends within 0.3 s
	for p in $pids; do
		# xargs and its one child
		child=$(ps -o pid= --ppid "$p")
		kill -9 $child 2> /dev/null && kills=$((kills + 1))
	done
	wait 2> /dev/null
done 2> /dev/null
echo "kills $kills, store $(stat -c %s store.db) bytes, integrity $(sqlite3 store.db 'pragma integrity_check')"
for s in $suites; do
	zstd -dcq "$DATA/VERDICTS.tsv.zst" | awk -F '\t' -v suite=$s '$1 == suite { print $3 }' > want
	xargs -a $s.list "$REFRAIN" smt --store=store.db --json=json > got
	echo "$s: $(paste want got | awk '$1 != "unknown" && $1 != $2 { n++ } END { print n + 0 }') wrong of $(wc -l < want), reused unsat $(jq .reused_unsat json) sat $(jq .reused_sat json)"
done

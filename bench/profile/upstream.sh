#!/bin/sh
# SPDX-License-Identifier: MIT
# A commit in which somebody added a cache: does refrain find the function in the version before it, and what did the cache give?
# Build both versions with -O2 -g -fno-inline-functions-called-once or as the project does; nothing is fetched here.
# Usage: BUILD=build sh bench/profile/upstream.sh FUNCTION BEFORE AFTER INPUT ARG…
#   FUNCTION  what upstream cached; BEFORE, AFTER: the two programs; INPUT: their standard input, or - for none
set -eu
: "${BUILD:=build}" "${RUNS:=30}"
[ $# -ge 4 ] || { sed -n 's/^# Usage: //p' "$0" >&2; exit 2; }
function=$1 before=$2 after=$3 input=$4
shift 4
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
in=$input
[ "$in" = - ] && in=/dev/null
"$BUILD/refrain" profile -q --json="$work/p.json" -- "$before" "$@" < "$in" > "$work/out" 2> "$work/err"
awk -F': ' -v f="$function" '
	{ v = $2; gsub(/[",]/, "", v) }
	/"rank":/ { rank = v } /"function":/ { name = v } /"status":/ { status = v } /"saved_share":/ && name { saved = v }
	/"unsure":/ { unsure = v } /"needs_invalidation":/ { list = v == "true" ? "asks the system" : "pure"
		if (name == f) printf "%s: %s, rank %s (%s), predicted %.1f %%%s\n", f, status, rank, list, 100 * saved, unsure == "true" ? ", unsure" : "" }' "$work/p.json"
printf "upstream: "
"$BUILD/bench/paired" "$RUNS" "$input" "$before" "$after" "$@"

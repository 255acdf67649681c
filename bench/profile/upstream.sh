#!/bin/sh
# SPDX-License-Identifier: MIT
# A commit in which somebody added a cache. Is the function found in the version before it, without hints, and does the
# prediction hold for the cache that was written? SOURCE is that version, built with -O2 -g; PATCH is the commit as a diff (- for the
# cache that refrain suggests). Nothing is fetched here. Prints a row of the table in README.md. Run it where the program is to run.
# Usage: BUILD=build sh bench/profile/upstream.sh FUNCTION SOURCE PATCH BUILD-COMMAND INPUT2 PROGRAM ARG…
#   INPUT2  other arguments and redirections of the program, as shell text; standard input is that of the profiled program
set -eu
: "${BUILD:=build}" "${RUNS:=30}"
[ $# -ge 6 ] || { sed -n 's/^# Usage: //p' "$0" >&2; exit 2; }
function=$1 source=$2 patch=$3 build=$4 input2=$5
shift 5
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"$BUILD/refrain" profile -q --no-explain --json="$work/all.json" -- "$@" > "$work/out" 2> "$work/err"
[ "$patch" = - ] && set -- -- "$@" || set -- --patch "$patch" -- "$@"
"$BUILD/refrain" profile -q --runs "$RUNS" --try "$function" --source "$source" --build "$build" --input2 "$input2" --json="$work/try.json" "$@" > "$work/out" 2> "$work/err"
# the prediction too is the one made without hints: a run that follows one function alone does not see who frees what it returns
found=$(awk -F': ' -v f="$function" '
	{ v = substr($0, index($0, ": ") + 2); gsub(/[",]/, "", v) }
	/"rank":/ { rank = v } /"function":/ { name = v; sub(/[(].*/, "", name); saved = "" }
	/"saved_share":/ && saved == "" { saved = v } /"unsure":/ { unsure = v }
	/"needs_invalidation":/ && name == f {
		printf "%s%s | %.1f%s", rank, v == "true" ? " (asks the system)" : "", 100 * saved, unsure == "true" ? ", unsure" : ""
		exit
	}' "$work/all.json")
awk -F': ' -v f="$function" -v found="${found:-none | -}" '
	/"tries":/ { on = 1 }
	!on { next }
	{ v = $2; gsub(/[",]/, "", v) }
	/"refusal":/ { refusal = $2 }
	/"saved_share":/ { n++; s[n] = v } /"low":/ { low[n] = v } /"high":/ { high[n] = v } /"same_output": false/ { other = " another output" }
	function part(i) { return i > n ? "-" : sprintf("%.1f (%.1f … %.1f)", 100 * s[i], 100 * low[i], 100 * high[i]) }
	END { printf "| `%s` | %s | %s | %s |%s%s\n", f, found, part(1), part(2), refusal ? " " refusal : "", other }' "$work/try.json"

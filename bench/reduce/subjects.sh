#!/bin/bash
# SPDX-License-Identifier: MIT
# Real bugs, refrain beside C-Vise and C-Reduce: bash subjects.sh [-t TOOLS] [-c SECONDS] [-j N] [-o RESULTS] [SUBJECT…]
#
# Every tool gets the same test through the same wrapper, which logs a line when a query begins (time, digest of the variant) and
# one when it ends (with exit code and bytes; a tool may have killed it before). Queries, duplicates, sizes over time come
# from these logs, not from the tools. SUBJECTS (default ../shared/subjects) has a
# folder each: FILE (the input's name), r.sh, the input. The table is made from RESULTS, so tools can be run at different
# times; a subject and tool already in RESULTS is not run again.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${SUBJECTS:=$top/../shared/subjects}" "${REFRAIN:=$top/build/refrain}"
tools="refrain cvise creduce" cap=600 jobs=2 results=$top/build/bench/subjects
while getopts t:c:j:o: o; do case $o in t) tools=$OPTARG ;; c) cap=$OPTARG ;; j) jobs=$OPTARG ;; o) results=$OPTARG ;; *) exit 2 ;; esac done
shift $((OPTIND - 1))
mkdir -p "$results"
[ -x "$top/build/bench/count_tokens" ] || { mkdir -p "$top/build/bench" && cc -O2 "$here/count_tokens.c" -o "$top/build/bench/count_tokens" || exit 3; }
[ $# -gt 0 ] || set -- $(cd "$SUBJECTS" && ls)

one() { # SUBJECT TOOL
	local subject=$1 tool=$2 out=$results/$1.$2
	[ -f "$out/done" ] && return
	rm -rf "$out" && mkdir -p "$out"
	local file work language
	file=$(cat "$SUBJECTS/$subject/FILE")
	work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
	cp "$SUBJECTS/$subject/$file" "$work/$file" && chmod u+w "$work/$file"
	cp "$SUBJECTS/$subject/r.sh" "$work/real.sh" && chmod +x "$work/real.sh"
	cat > "$work/test.sh" <<-TEST
		#!/bin/bash
		size=\$(stat -c %s '$file'); digest=\$(sha256sum < '$file' | cut -c1-24)
		printf '%s %s\n' "\$EPOCHREALTIME" "\$digest" >> '$out/asked'
		bash '$work/real.sh'; code=\$?
		printf '%s %s %s %s\n' "\$EPOCHREALTIME" "\$digest" "\$code" "\$size" >> '$out/log'
		exit \$code
	TEST
	chmod +x "$work/test.sh"
	local start end
	start=$EPOCHREALTIME
	(
		cd "$work" || exit 3
		case $tool in
		refrain) timeout -s INT -k 20 "$cap" "$REFRAIN" reduce -j "$jobs" --json="$out/result.json" ./test.sh "$file" ;;
		cvise) case $file in *.c | *.cc | *.cpp) set -- ;; *) set -- --not-c ;; esac
			timeout -s INT -k 20 "$cap" cvise --n "$jobs" --timeout 30 "$@" ./test.sh "$file" ;;
		creduce) case $file in *.c | *.cc | *.cpp) set -- ;; *) set -- --not-c ;; esac
			timeout -s INT -k 20 "$cap" creduce --n "$jobs" --timeout 30 "$@" ./test.sh "$file" ;;
		esac
	) > "$out/output" 2>&1
	echo $? > "$out/code"
	end=$EPOCHREALTIME
	echo "$start $end" > "$out/times"
	cp "$work/$file" "$out/final"
	rm -rf "$work"
	touch "$out/done"
}

# tokens bytes queries duplicates seconds, from the log
figures() { # OUT
	local tokens bytes
	tokens=$("$top/build/bench/count_tokens" "$1/final")
	bytes=$(stat -c %s "$1/final")
	awk -v tokens="$tokens" -v bytes="$bytes" -v times="$(cat "$1/times")" '
		{ n++; if (seen[$2]++) dup++ }
		END { split(times, t, " "); printf "%d %d %d %d %.0f\n", tokens, bytes, n, dup, t[2] - t[1] }' "$1/asked"
}

# seconds until an interesting variant of at most BYTES was first seen
reached() { # OUT BYTES
	awk -v want="$2" -v times="$(cat "$1/times")" 'BEGIN { split(times, t, " ") }
		$3 == 0 && $4 <= want { printf "%.0f\n", $1 - t[1]; found = 1; exit } END { if (!found) print "-" }' "$1/log"
}

for subject in "$@"; do for tool in $tools; do
	command -v "$tool" > /dev/null 2>&1 || [ "$tool" = refrain ] || { echo "$tool is not installed" >&2; continue; }
	one "$subject" "$tool"
done; done

printf '%-20s %-8s %8s %8s %8s %6s %6s  %s\n' subject tool tokens bytes queries twice wall_s "seconds to the other tools' final bytes"
for subject in "$@"; do for tool in refrain cvise creduce; do
	out=$results/$subject.$tool
	[ -f "$out/done" ] && [ -s "$out/log" ] || continue
	read -r tokens bytes queries twice wall <<< "$(figures "$out")"
	note=
	for other in refrain cvise creduce; do
		[ "$other" != "$tool" ] && [ -f "$results/$subject.$other/done" ] || continue
		note="$note $other($(stat -c %s "$results/$subject.$other/final")): $(reached "$out" "$(stat -c %s "$results/$subject.$other/final")")"
	done
	printf '%-20s %-8s %8s %8s %8s %6s %6s %s\n' "$subject" "$tool" "$tokens" "$bytes" "$queries" "$twice" "$wall" "$note"
done; done

#!/bin/bash
# SPDX-License-Identifier: MIT
# What a verifier asks again after an edit: bash edit.sh [EDITS]
#
# A C program of 24 functions with contracts is verified by Frama-C (Debian's frama-c-base and why3), whose prover z3 is refrain
# with a store, as docs/smt.md has it: with an empty store, once more, then EDITS times (default 24) with one function edited, each
# time another and the others as they were. A row a run: goals that reached the prover, those answered without z3, calls of z3,
# goals proved as Frama-C counts them, CPU seconds of refrain for those that reached it, and of z3 alone.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${REFRAIN:=$top/build/refrain}"
edits=${1:-24}
for p in frama-c why3 z3 jq; do command -v $p > /dev/null || { echo "$p is not installed" >&2; exit 3; }; done
z3=$(command -v z3)
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export WHY3CONFIG=$work/why3.conf
mkdir "$work/bin" "$work/json" "$work/time"
# what a prover is given is kept for z3 alone
cat > "$work/bin/z3" << EOF
#!/bin/bash
for f; do [ ! -f "\$f" ] || cp "\$f" "$work/goals/\$\$.smt2"; done
"$REFRAIN" smt --json="$work/json/\$\$" --store="$work/store.db" --trust-store "\$@"
code=\$?
times > "$work/time/one.\$\$"
tail -n 1 "$work/time/one.\$\$" >> "$work/time/full"
exit \$code
EOF
chmod +x "$work/bin/z3"
PATH=$work/bin:$PATH
mkdir -p "$work/goals"
why3 config detect > "$work/detect" 2>&1 || { cat "$work/detect" >&2; exit 3; }

# The program, with function EDITED changed (0: none): six shapes, each four times with other constants.
program() { # EDITED
	awk -v edited="$1" 'BEGIN {
		for (i = 1; i <= 24; i++) {
			e = i == edited
			k = int((i - 1) / 6) + 2
			shape = i % 6
			if (shape == 0)
				printf "/*@ requires 0 <= x <= %d; assigns \\nothing; ensures 0 <= \\result <= %d; */\nint f%d(int x) { %s return x * %d; }\n", 100 * k, 100 * k * k, i, e ? "if (x > 50) return 50;" : "", k
			else if (shape == 1)
				printf "/*@ requires n >= 0 && \\valid_read(a + (0 .. n - 1)); assigns \\nothing; ensures -1 <= \\result < n; ensures \\result >= 0 ==> a[\\result] == v;\n  ensures \\result < 0 ==> \\forall integer j; 0 <= j < n ==> a[j] != v; */\nint f%d(const int *a, int n, int v)\n{\n\tint i = 0;\n\t%s/*@ loop invariant 0 <= i <= n; loop invariant \\forall integer j; 0 <= j < i ==> a[j] != v; loop assigns i; loop variant n - i; */\n\tfor (; i < n; i++)\n\t\tif (a[i] == v)\n\t\t\treturn i;\n\treturn -1;\n}\n", i, e ? "if (n == 0) return -1;\n\t" : ""
			else if (shape == 2)
				printf "/*@ requires \\valid(p) && \\valid(q); requires \\separated(p, q); requires 0 <= *p <= %d && 0 <= *q <= %d; assigns *p, *q;\n  ensures *p == \\old(*q) + %d; ensures *q == \\old(*p); */\nvoid f%d(int *p, int *q) { int t = *p; %s*p = *q + %d; *q = t; }\n", 1000 * k, 1000 * k, k, i, e ? "//@ assert t >= 0;\n\t" : "", k
			else if (shape == 3)
				printf "/*@ requires n >= 0 && \\valid(a + (0 .. n - 1)); assigns a[0 .. n - 1]; ensures \\forall integer j; 0 <= j < n ==> a[j] == %d; */\nvoid f%d(int *a, int n)\n{\n\t%s/*@ loop invariant 0 <= i <= n; loop invariant \\forall integer j; 0 <= j < i ==> a[j] == %d; loop assigns i, a[0 .. n - 1]; loop variant n - i; */\n\tfor (int i = 0; i < n; i++)\n\t\ta[i] = %d;\n}\n", k, i, e ? "//@ assert n >= 0;\n\t" : "", k, k
			else if (shape == 4)
				printf "/*@ requires 0 <= x <= %d && 0 <= y <= %d; assigns \\nothing; ensures \\result >= x && \\result >= y; ensures \\result == x || \\result == y; */\nint f%d(int x, int y)\n{\n\t%sif (x > y)\n\t\treturn x;\n\treturn y;\n}\n", k, k, i, e ? "if (x == y) return y;\n\t" : ""
			else
				printf "/*@ requires 0 <= n <= %d; assigns \\nothing; ensures \\result == %d * n; */\nint f%d(int n)\n{\n\tint s = 0;\n\t/*@ loop invariant 0 <= i <= n; loop invariant s == %d * i; loop assigns i, s; loop variant n - i; */\n\tfor (int i = 0; i < n; i++)\n\t\ts += %s;\n\treturn s;\n}\n", 1000 * k, k, i, k, e ? (k - 1) " + 1" : k
		}
	}'
}

# seconds that `times` said of children, one line a process: 0m0.010s 0m0.003s
seconds() { tr ms '  ' < "$1" | awk '{ t += 60 * $1 + $2 + 60 * $3 + $4 } END { printf "%.2f", t }'; }

row() { # NAME EDITED
	rm -f "$work"/json/* "$work"/goals/* "$work"/time/*
	: > "$work/time/full"
	program "$2" > "$work/program.c"
	frama-c -wp -wp-rte -wp-prover z3 -wp-cache none -wp-par 1 -wp-timeout 20 "$work/program.c" > "$work/frama-c" 2>&1
	proved=$(sed -n 's/.*Proved goals: *//p' "$work/frama-c" | tr -d ' ')
	cat "$work"/json/* /dev/null | jq -s -r '[(map(.queries) | add // 0), (map(.reused_unsat + .reused_sat + .decided_unsat + .decided_sat) | add // 0), (map(.solver_calls) | add // 0)] | @tsv' > "$work/counts"
	read -r goals reused calls < "$work/counts"
	for g in "$work"/goals/*.smt2; do
		bash -c '"$1" "$2" > "$3" 2>&1; times > "$3"; tail -n 1 "$3" >> "$4"' - "$z3" "$g" "$work/z3.out" "$work/time/z3"
	done
	printf '%-12s %6d %10d %6.1f%% %8d %10s %8s %8s\n' "$1" "$goals" "$reused" "$(awk "BEGIN { print $goals ? 100 * $reused / $goals : 0 }")" "$calls" "$proved" \
		"$(seconds "$work/time/full")" "$(seconds "$work/time/z3")"
	[ "$2" = 0 ] || echo "$goals $reused" >> "$work/all"
}

printf '%-12s %6s %10s %7s %8s %10s %8s %8s\n' run goals answered share z3_calls proved full_s z3_s
row empty 0
row again 0
for ((i = 1; i <= edits; i++)); do
	cp "$work/store.db" "$work/store.before"
	row "edit $i" "$i"
	cp "$work/store.before" "$work/store.db" # each edit is of the same program
done
[ ! -s "$work/all" ] || awk '{ g += $1; r += $2 } END { printf "%d edits: %d of %d goals answered from the store or without z3, %.1f %%\n", NR, r, g, 100 * r / g }' "$work/all"

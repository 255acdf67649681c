# SPDX-License-Identifier: MIT
# refrain trace record against lackey, and its options.
. "$(dirname "$0")/lib.sh"
: "${CC:=cc}"
lib=$BUILD/libexec
need_valgrind_tools "record"
cat > "$T/short.c" <<'C'
#include <stdlib.h>
#include <string.h>
typedef long __attribute__((aligned(1), may_alias)) unaligned;
__attribute__((noinline)) long walk(const int *a, int n)
{
	long s = 0;
	for (int i = 0; i < n; i++)
		s += a[a[i]];
	return s;
}
int main(void)
{
	int n = 2000, *a = malloc((size_t)n * sizeof *a);
	char *b = calloc(1, 100000);
	for (int i = 0; i < n; i++)
		a[i] = i * 7919 % n;
	memset(b + 5, 3, 50000);
	for (int i = 0; i < 99000; i += 13)
		b[i]++;
	/* what crosses into the next unit, twice in a row, and then what is in that unit alone */
	const char *edge = b + 4096 - (size_t)b % 4096 - 3;
	for (int i = 0; i < 20; i++) {
		long twice = *(const volatile unaligned *)edge + *(const volatile unaligned *)(edge - 1);
		b[1] += (char)(twice + *(const volatile char *)(edge + (i & 3)));
	}
	return (walk(a, n) + b[77]) & 1;
}
C
# static: the dynamic linker's first steps are not the same in every run
$CC -O2 -g -static "$T/short.c" -o "$T/short"
lackey=$(ls /usr/libexec/valgrind/lackey-amd64-linux /usr/lib/*/valgrind/lackey-amd64-linux 2> /dev/null | head -1)
# record OPTION…: in one small environment, because start-up code walks the environment and what it touches is recorded
record() { env -i PATH="$PATH" TMPDIR="$T" "$REFRAIN" trace record "$@"; }
# keys FILE: the trace as text
keys() { "$REFRAIN" trace convert --to=text "$1" -o -; }
section "the same references as lackey"
if [ -n "$lackey" ]; then
	# the same environment on the stack, byte for byte: the tool's folder and the launcher's name too
	cp "$lackey" "$lib/lackey-amd64-linux.$$"
	env -i VALGRIND_LIB="$lib" VALGRIND_LAUNCHER="$lib/rfcount-amd64-linux" LD_BIND_NOW=1 VALGRIND_OPTS= PATH="$PATH" TMPDIR="$T" \
		"$lib/lackey-amd64-linux.$$" --tool=lackey --command-line-only=yes -q --trace-mem=yes --basic-counts=no --vex-guest-chase=no \
		--vex-iropt-unroll-thresh=0 --log-file="$T/lackey.log" -- "$T/short" > /dev/null 2>&1
	rm -f "$lib/lackey-amd64-linux.$$"
	for what in data:page code:page both:page data:line both:line both:16; do
		kind=${what%:*} unit=${what#*:}
		record -q --access "$kind" --unit "$unit" -o "$T/$kind.rft" -- "$T/short" > /dev/null 2>&1
		keys "$T/$kind.rft" > "$T/ours"
		access=$kind
		[ "$kind" = both ] && access=all
		[ "$kind" = code ] && access=fetch
		"$REFRAIN" trace convert --format=lackey --access="$access" --unit="$unit" --to=text "$T/lackey.log" -o - | uniq > "$T/theirs"
		is "$what: as many references as lackey" "$(wc -l < "$T/ours" | tr -d ' ')" "$(wc -l < "$T/theirs" | tr -d ' ')"
		ok "$what: the same references as lackey" cmp "$T/ours" "$T/theirs"
	done
else
	absent "lackey" "not installed"
fi
section "the first references"
# half of them: how many there are depends on the environment, the C library and the processor
record -q -o "$T/all.rft" -- "$T/short" > /dev/null 2>&1
keys "$T/all.rft" > "$T/all"
half=$(($(wc -l < "$T/all") / 2))
exits "the first N references" 0 record --limit "$half" -o "$T/n.rft" -- "$T/short"
has "it says how many" "$T/err" " $half references recorded"
keys "$T/n.rft" > "$T/ours"
head -n "$half" "$T/all" > "$T/theirs"
ok "they are the first" cmp "$T/ours" "$T/theirs"
ok "there are enough of them to compare" [ "$half" -gt 1000 ]
section "limits, functions, units"
echo "int main(void) { static volatile char c[9000]; for (unsigned i = 0;; i++) c[i % 2 * 8999] = 1; }" > "$T/endless.c"
$CC -O1 -static "$T/endless.c" -o "$T/endless"
exits "a program that does not end, up to a limit" 0 timeout 60 "$REFRAIN" trace record --limit 4000 -o "$T/e.rft" -- "$T/endless"
has "it is stopped there" "$T/err" "the program was stopped"
exits "only in a function" 0 record --functions=walk -o "$T/f.rft" --json="$T/f.json" -- "$T/short"
is "the array's two pages and a little" "$("$REFRAIN" trace info "$T/f.rft" | awk '/^distinct/ { print ($2 <= 6 && $2 >= 2) }')" 1
exits "reduced on the way" 0 record --reduce 8 -o "$T/r.rft" -- "$T/short"
"$REFRAIN" trace reduce -q -k 8 "$T/all.rft" -o "$T/r2.rft" > /dev/null 2>&1
keys "$T/r.rft" > "$T/ours" 2> /dev/null
keys "$T/r2.rft" > "$T/theirs" 2> /dev/null
ok "as if reduced afterwards" cmp "$T/ours" "$T/theirs"
exits "lines" 0 record --unit=line -o "$T/line.rft" -- "$T/short"
exits "no such unit" 2 "$REFRAIN" trace record --unit=100 -o "$T/x.rft" -- "$T/short"
exits "no program" 2 "$REFRAIN" trace record -o "$T/x.rft"

section "child processes"
cat > "$T/twice.c" <<'C'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile char before[2 * 4096];
/* Runs its argument twice, then forks once without running anything; with a second argument becomes it. */
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 600; k++)
			before[k % 2 * 4096]++;
		pid_t p = fork();
		if (!p && i < 2) {
			execl("/nonexistent", "x", (char *)0);
			execl(argv[1], argv[1], (char *)0);
			_exit(9);
		}
		if (!p) {
			volatile char *c = calloc(40, 4096);
			for (int k = 0; k < 400; k++)
				c[k % 40 * 4096]++;
			_exit(0);
		}
		waitpid(p, 0, 0);
	}
	if (argc > 2)
		execl(argv[2], argv[2], (char *)0);
	return 0;
}
C
$CC -O1 -static "$T/twice.c" -o "$T/twice"
printf '#include <stdio.h>\nint main(int c, char **v) { return c < 1 || puts(v[0]) < 0; }\n' > "$T/name.c"
$CC -O1 "$T/name.c" -o "$T/name"
ln -s name "$T/other"
exits "a program of several names" 0 record -q -o "$T/x.rft" -- "$T/other"
is "has the one it was called by" "$(cat "$T/out")" "$T/other"
exits "also where PATH has it" 0 env "PATH=$T:$PATH" "$REFRAIN" trace record -q -o "$T/x.rft" -- other
is "as it was written" "$(cat "$T/out")" other
references() { "$REFRAIN" trace info "$1" | sed -n 's/^references *//p'; }
record -q -o "$T/child.rft" -- "$T/short" > /dev/null 2>&1
child=$(references "$T/child.rft")
exits "without --children" 0 record -o "$T/alone.rft" --json="$T/alone.json" -- "$T/twice" "$T/short"
has "their number is said" "$T/err" "3 child processes were not recorded"
has "in JSON too" "$T/alone.json" '"children_not_recorded": 3'
alone=$(references "$T/alone.rft")
exits "with --children" 0 record --children -o "$T/merged.rft" --json="$T/merged.json" -- "$T/twice" "$T/short"
"$REFRAIN" trace convert --to=csv "$T/merged.rft" -o "$T/merged.csv"
by_process() { sed 1d "$T/merged.csv" | cut -d, -f2 | grep -cx "$1"; }
is "the first program has what it has alone" "$(by_process 1)" "$alone"
is "the first child too" "$(by_process 3)" "$child"
is "and the second" "$(by_process 5)" "$child"
ok "a fork without exec has its own references" [ "$(by_process 6)" -ge 400 ]
is "there are no more" "$(sed 1d "$T/merged.csv" | cut -d, -f2 | sort -un | tr '\n' ' ')" "1 2 3 4 5 6 "
is "each comes when it starts" "$(sed 1d "$T/merged.csv" | cut -d, -f2 | awk '!seen[$0]++' | tr '\n' ' ')" "1 2 3 4 5 6 "
is "the first goes on after its last child" "$(sed 1d "$T/merged.csv" | awk -F, '$2 == 6 { last = 1 } last && $2 == 1 { n++ } END { print (n > 0) }')" 1
ok "but not with what it did before" [ "$(sed 1d "$T/merged.csv" | awk -F, '$2 == 6 { last = 1 } last && $2 == 1 { n++ } END { print n }')" -lt 600 ]
is "blocks of two processes are not the same block" "$(sed 1d "$T/merged.csv" | sort -u | cut -d, -f1 | sort | uniq -d | wc -l | tr -d ' ')" 0
keys "$T/child.rft" | sort -n | uniq -c > "$T/theirs"
sed 1d "$T/merged.csv" | awk -F, '$2 == 5 { print $1 - 4 * 2 ^ 36 }' | sort -n | uniq -c > "$T/ours"
ok "below the process are the same pages" cmp "$T/ours" "$T/theirs"
ok "programs are named in JSON" grep -q "\"program\": \".*short\"" "$T/merged.json"
exits "a trace for each" 0 record --children=split -o "$T/split.rft" -- "$T/twice" "$T/short"
is "of the second child" "$(references "$T/split.5.rft")" "$child"
ok "and none of all" test ! -e "$T/split.rft"
exits "reduced on the way" 0 record --children=split --reduce 8 -o "$T/rc.rft" -- "$T/twice" "$T/short"
"$REFRAIN" trace simulate --csv --size=8,50 "$T/rc.5.rft" > "$T/ours"
"$REFRAIN" trace simulate --csv --size=8,50 "$T/split.5.rft" > "$T/theirs"
ok "the misses are the same" cmp "$T/ours" "$T/theirs"
exits "the program becomes another" 0 record -o "$T/x.rft" -- "$T/twice" "$T/short" "$T/short"
has "which is said" "$T/err" "became another one (exec), which was not recorded"
exits "and recorded with --children" 0 record --children -o "$T/x.rft" --json="$T/x.json" -- "$T/twice" "$T/short" "$T/short"
is "as a seventh" "$(grep -c '"program"' "$T/x.json")" 7
has "which is complete" "$T/x.json" '"complete": true'
exits "--limit is of one process" 2 record --children --limit 5 -o "$T/x.rft" -- "$T/short"
exits "no such way" 2 record --children=both -o "$T/x.rft" -- "$T/short"
exits "several traces do not fit into one pipe" 2 record --children=split -o - -- "$T/short"
if command -v gcc > /dev/null; then
	echo 'int main(void) { return 0; }' > "$T/hello.c"
	(cd "$T" && record -q --children -o cc.rft --json=cc.json -- gcc -c hello.c)
	ok "gcc -c: the compiler proper" grep -q '"program": ".*/cc1"' "$T/cc.json"
	ok "gcc -c: the assembler" grep -q '"program": ".*as"' "$T/cc.json"
	ok "gcc -c: the object file is made" test -s "$T/hello.o"
	is "the processes add up" "$(sed -n 's/.*"references": \([0-9]*\).*/\1/p' "$T/cc.json" | awk '{ s += $1 } END { print s }')" \
		"$(references "$T/cc.rft")"
fi

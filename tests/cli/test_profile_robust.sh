# SPDX-License-Identifier: MIT
# refrain profile and trace record on programs that are not as one would like them.
. "$(dirname "$0")/lib.sh"
. "$top/tests/profile/facts.sh"
: "${CC:=cc}"
src=$top/tests/profile

need_valgrind_tools "profile"
$CC -O2 -g "$src/crash.c" -o "$T/crash"
$CC -O2 "$src/crash.c" -o "$T/plain"
cp "$T/plain" "$T/stripped" && strip "$T/stripped"
$CC -O2 -g -static "$src/crash.c" -o "$T/static" 2> /dev/null
printf '#!/bin/sh\necho hello\n' > "$T/script" && chmod +x "$T/script"
calls() { awk -F': ' '/"function": "square"/ { f = 1 } f && /"calls":/ { gsub(/,/, "", $2); print $2; exit }' "$1"; }

section "programs that cannot be profiled"
exits "no program" 2 "$REFRAIN" profile
exits "a program that is not there" 3 "$REFRAIN" profile -- "$T/nothing"
has "it is named" "$T/err" "cannot run '$T/nothing'"
exits "a script" 2 "$REFRAIN" profile -- "$T/script"
has "its interpreter is named" "$T/err" "/bin/sh"
exits "trace record of a script" 2 "$REFRAIN" trace record -- "$T/script"
exits "a text file" 2 sh -c 'echo hi > "$1/text"; chmod +x "$1/text"; exec "$2" profile -- "$1/text"' - "$T" "$REFRAIN"

printf '#include <stdio.h>\nint main(int c, char **v) { fprintf(stderr, "I am %%s\\n", c ? v[0] : ""); return 0; }\n' > "$T/name.c"
$CC -O2 -g "$T/name.c" -o "$T/name" && ln -s name "$T/other"
exits "a program of several names" 0 "$REFRAIN" profile -q -- "$T/other"
has "has the one it was called by" "$T/err" "I am $T/other"

printf 'int main(void) { return 7; }\n' > "$T/seven.c" && $CC -O2 "$T/seven.c" -o "$T/seven"
exits "a program that fails" 0 "$REFRAIN" profile -q -- "$T/seven"
has "its exit status is said" "$T/out" "exit status 7"
awk '/share of the run.s time/ { f = 1; next } f && / calls$/ { print $2 }' "$T/out" > "$T/shares"
ok "the largest share comes first" sort -rnc "$T/shares"
ok "there are some" test -s "$T/shares"

section "programs that end early or fork"
exits "a crash gives a partial report" 0 "$REFRAIN" profile --json="$T/c.json" --functions=square -- "$T/crash" c
is "calls until the crash" "$(calls "$T/c.json")" 5
has "the signal is said" "$T/out" "signal 11"
ok "no stack trace of Valgrind's" sh -c '! grep -q "==" "$1"' - "$T/err"

exits "a program that never ends" 0 "$REFRAIN" profile --json="$T/l.json" --timeout 6 --functions=square -- "$T/crash" l
has "incomplete" "$T/l.json" '"complete": false'
ok "no verdict but what was seen" grep -qE '"status": "(opportunity|undecided|not-called)"' "$T/l.json"

exits "a fork" 0 "$REFRAIN" profile --no-explain --json="$T/f.json" --functions=square -- "$T/crash" f
is "the child's calls are not counted" "$(calls "$T/f.json")" 10

section "programs without debug information"
exits "no -g" 0 "$REFRAIN" profile --min-share 0 --min-average 0 --functions=square -- "$T/plain"
has "it is said" "$T/out" "no debug information"
exits "stripped" 0 "$REFRAIN" profile --min-share 0 -- "$T/stripped"
has "it is said too" "$T/out" "no debug information"
if [ -x "$T/static" ]; then
	exits "static" 0 "$REFRAIN" profile --no-explain --json="$T/s.json" --functions=square -- "$T/static"
	is "static: exact" "$(calls "$T/s.json")" 5
else
	absent "static" "no static libc"
fi
section "memory limits"
$CC -O2 -g "$src/large.c" -o "$T/large"
exits "a small memory limit" 0 "$REFRAIN" profile --no-explain --first-limit 1000000 --max-limit 1000000 --memory 1M --json="$T/m.json" --functions=total -- "$T/large"
has "is reported, not dropped" "$T/m.json" '"status": "too-large"'
$CC -O2 -g "$src/hungry.c" -o "$T/hungry" && $CC -O2 "$src/peak.c" -o "$T/peak"
# what the tools add to the program is below the limit, as the kernel counts it; what does not fit is reported
# (the kernel counts the largest process, which under a sanitizer is refrain itself)
"$T/peak" "$T/own" "$REFRAIN" --version > /dev/null
for what in blocks:44 deep:44 touch:48 sparse:48; do
	kind=${what%:*} limit=${what#*:}
	"$T/peak" "$T/alone" "$T/hungry" "$kind" > /dev/null
	f=$kind
	[ "$kind" = sparse ] && f=touch
	exits "$kind: at most $limit MB more" 0 "$T/peak" "$T/under" "$REFRAIN" profile --no-explain --first-limit 16000000 --max-limit 16000000 --memory "${limit}M" \
		--json="$T/m.json" --functions="$f" -- "$T/hungry" "$kind"
	if [ "$(cat "$T/own")" -gt 10240 ]; then
		skip "$kind: kept" "refrain itself takes $(cat "$T/own") KB"
	else
		ok "$kind: kept ($(cat "$T/under") KB, alone $(cat "$T/alone") KB)" test "$(cat "$T/under")" -le $(($(cat "$T/alone") + limit * 1024))
	fi
	peak=$(awk -F": " '/tool_peak_bytes/ { gsub(/,/, "", $2); print $2 }' "$T/m.json")
	ok "$kind: what it says is below the limit ($peak)" test "$peak" -le $((limit * 1048576))
	[ "$kind" = sparse ] || has "$kind: said" "$T/m.json" '"status": "too-large"'
done
section "standard input"
exits "bad percentage" 2 "$REFRAIN" profile --min-share lots -- "$T/crash"
$CC -O2 -g "$src/reader.c" -o "$T/reader"
i=0
while [ $i -lt 300 ]; do echo "line $((i % 5))"; i=$((i + 1)); done > "$T/lines"
cat "$T/lines" | "$REFRAIN" profile -q --no-explain --json="$T/pipe.json" --functions=score -- "$T/reader" > "$T/out" 2> "$T/err"
is "a pipe as standard input: every pass reads it" "$(awk -F': ' '/"distinct_inputs"/ { print $2 + 0 }' "$T/pipe.json")" 5
# an input that does not end does not keep us from ending
sleep 60 | {
	"$REFRAIN" profile -q --no-explain --functions=touch -- "$T/hungry" sparse > "$T/out" 2> "$T/err"
	echo $? > "$T/code"
} &
n=0
while [ ! -s "$T/code" ] && [ $n -lt 400 ]; do sleep 0.1; n=$((n + 1)); done
is "an input without end that nobody reads" "$(cat "$T/code")" 0
section "system calls and counters"
$CC -O1 -g "$src/serve.c" -o "$T/serve"
exits "system calls and counters" 0 "$REFRAIN" profile --no-explain --functions=work,report,pure --json="$T/serve.json" -- "$T/serve"
is "the pure one comes first" "$(field "$T/serve.json" pure rank)" 1
is "the one that writes is none" "$(field "$T/serve.json" report status)" has-effects
is "a counter is new input each time" "$(field "$T/serve.json" work status)" inputs-differ
is "but for it there are four" "$(field "$T/serve.json" work hint_inputs)" 4
has "said in words" "$T/out" "only 4 different inputs but for memory"
is "system calls are counted" "$(awk -F': ' '/"system_calls"/ { print ($2 + 0 >= 500) }' "$T/serve.json")" 1

section "a part of the run"
$CC -O2 -g "$src/phases.c" -o "$T/phases"
exits "from a function on" 0 "$REFRAIN" profile -q --no-explain --from-function=serve --functions=work,serve --json="$T/part.json" -- "$T/phases"
is "counts" "$(facts "$T/part.json" | sort | cut -d' ' -f1,3,4 | tr '\n' ';')" "serve 150 3;work 300 4;"
is "percentages are of that part" "$(awk -F': ' '/^  "instructions"/ { all = $2 + 0 } /"inclusive_instructions"/ && !n++ { print ($2 > 0.95 * all) }' "$T/part.json")" 1
has "it is said" "$T/out" "a part of the run was looked at"
# on a busy machine nothing may have run in that time: then it gets more
for s in 0.3 2 10; do
	exits "a program that does not end, $s s" 0 timeout 120 "$REFRAIN" profile -q --from-function=serve --seconds $s --json="$T/part.json" -- "$T/phases" forever
	[ -z "$(field "$T/part.json" work distinct_inputs)" ] || break
done
is "is ended" "$(field "$T/part.json" work distinct_inputs)" 4
is "and the profile is whole" "$(awk -F': ' '/"complete"/ { print $2 }' "$T/part.json")" true,
exits "a function that is never called" 2 "$REFRAIN" profile -q --from-function=nobody -- "$T/phases"
has "is named" "$T/err" "no call of 'nobody' was seen"
exits "a part cannot be tried" 2 "$REFRAIN" profile -q --try work --seconds 1 -- "$T/phases"

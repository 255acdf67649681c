# SPDX-License-Identifier: MIT
# refrain profile --children: every process by itself, with exact counts; tests/profile/children.c says which.
. "$(dirname "$0")/lib.sh"
. "$top/tests/profile/facts.sh"
: "${CC:=cc}"
src=$top/tests/profile

need_valgrind_tools "profile"
compile children children.c -O2 -g -fno-ipa-cp || exit 1
compile reader reader.c -O2 -g || exit 1

# one line a process: number, parent, its program's name, forked, then each function with its calls and inputs
processes() {
	awk -F': ' '
		{ v = $2; gsub(/[",]/, "", v) }
		/"process":/ { if (line) print line; line = v; on = 1; next }
		on && /"(parent|forked)":/ { line = line " " v }
		on && /"program":/ { sub(/.*\//, "", v); line = line " " v }
		on && /"function":/ { line = line " " v }
		on && /"(calls|distinct_inputs)":/ { line = line " " v }
		END { if (line) print line }' "$1"
}
# the instructions of the N-th process
instructions() { awk -F': ' -v n="$2" '/"process":/ { k++ } k == n && /"instructions":/ { print $2 + 0; exit }' "$1"; }

section "without --children"
exits "children are not profiled" 0 "$REFRAIN" profile --no-explain --json="$T/a.json" --functions=twice -- "$T/children"
is "the first process alone" "$(facts "$T/a.json")" "twice opportunity 40 4 0 multi global"
has "their number is said" "$T/out" "3 child processes were not profiled (--children profiles them)"
has "in JSON too" "$T/a.json" '"children_not_profiled": 3'
exits "a program that becomes another" 0 "$REFRAIN" profile --no-explain --json="$T/b.json" --functions=twice -- "$T/children" become
is "up to there" "$(facts "$T/b.json")" "twice opportunity 50 5 0 multi global"
has "which is said" "$T/out" "became another one (exec), which was not profiled"
has "it is complete" "$T/b.json" '"complete": true'

section "with --children"
exits "forks, forks of forks, exec" 0 "$REFRAIN" profile --children --json="$T/c.json" --functions=twice,leaf -- "$T/children"
is "the first process" "$(awk '/"processes"/ { exit } { print }' "$T/c.json" > "$T/first"; facts "$T/first")" "twice opportunity 40 4 0 multi global"
processes "$T/c.json" > "$T/got"
cat > "$T/want" << EOF
1 null children false
2 1 children true twice 200 20
3 1 children true twice 300 30
4 3 children true twice 100 10
5 1 children true
6 5 children false leaf 500 5
EOF
ok "the others: calls and inputs" cmp "$T/got" "$T/want"
is "opportunities everywhere" "$(grep -c '"status": "opportunity"' "$T/c.json")" 5
is "each has its key, by name" "$(grep -c '"key": "a\[0\]' "$T/c.json") $(grep -c '"key": "n"' "$T/c.json")" "4 1"
is "and two calls that differ" "$(grep -c '"difference":' "$T/c.json")" 5
has "each has a title" "$T/out" "children (forked by process 3)"
has "the other program too" "$T/out" "children (took over process 5)"
"$REFRAIN" profile -q --no-explain --json="$T/leaf.json" --functions=leaf -- "$T/children" leaf > /dev/null 2>&1
own=$(awk -F': ' '/"instructions":/ { print $2 + 0; exit }' "$T/leaf.json") there=$(instructions "$T/c.json" 6)
ok "the program costs what it costs alone ($own, $there)" test $((own - there)) -lt 2000 -a $((there - own)) -lt 2000
# 200 and 300 calls of one function: their parent's instructions are not theirs
two=$(instructions "$T/c.json" 2) three=$(instructions "$T/c.json" 3) four=$(instructions "$T/c.json" 4)
ok "a fork costs what it does itself ($two, $four)" test $((two - 2 * four)) -lt 20000 -a $((2 * four - two)) -lt 20000
ok "and not what its child does ($three)" test $((three - 3 * four)) -lt 300000
is "the shares make the whole" "$(awk -F': ' '/"share":/ { s += $2 } END { printf "%.3f", s }' "$T/c.json")" 1.000
exits "a program that becomes another" 0 "$REFRAIN" profile --children --no-explain --json="$T/b.json" -- "$T/children" become
is "both are there" "$(processes "$T/b.json" | tr '\n' ' ')" "1 null children false 2 1 children false leaf 500 5 "
is "the first one too" "$(awk '/"processes"/ { exit } { print }' "$T/b.json" > "$T/first"; facts "$T/first")" "twice opportunity 50 5 0 multi global"
exits "a program without children" 0 "$REFRAIN" profile --children --no-explain --json="$T/n.json" --functions=leaf -- "$T/children" leaf
is "is one process" "$(processes "$T/n.json")" "1 null children false"

section "pipes between them"
exits "a pipeline" 0 "$REFRAIN" profile --children --no-explain --json="$T/p.json" --functions=score -- /bin/sh -c '"$1/children" lines | "$1/reader"' - "$T"
is "every pass reads what comes through it" "$(processes "$T/p.json" | sed -n 's/.* reader false score/score/p')" "score 300 5"
exits "small processes are only counted" 0 "$REFRAIN" profile --children --no-explain -v --json="$T/s.json" -- "$T/children"
ok "not those that take time" test "$(grep -c '"profiled": true' "$T/s.json")" = 5
has "and said" "$T/out" "1 process took less than 1 % of the CPU time and was only counted"

section "what it does not go with"
exits "--suggest" 2 "$REFRAIN" profile --children --suggest leaf -- "$T/children"
exits "--seconds" 2 "$REFRAIN" profile --children --seconds 1 -- "$T/children"

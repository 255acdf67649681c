# SPDX-License-Identifier: MIT
# refrain profile on programs with known numbers of calls and distinct inputs.
. "$(dirname "$0")/lib.sh"
: "${CC:=cc}"
src=$top/tests/profile

need_valgrind_tools "profile"

. "$top/tests/profile/facts.sh"

ok "the programs compile" compile truth truth.c -O2 -g
"$REFRAIN" profile -q --no-explain --json="$T/truth.json" \
	--functions=list_sum,next_number,scale,make_pair,into,write_then_read,distance,pool_sum,keep,jumps,down,deep,by_value -- "$T/truth" > "$T/out" 2> "$T/err"
is "the profile ends well" "$?" 0
facts "$T/truth.json" > "$T/facts"
while read -r want; do
	name=${want%% *}
	is "exact: $name" "$(grep "^$name " "$T/facts")" "$want"
done <<'WANT'
list_sum opportunity 20 3 0 multi global
next_number inputs-differ 10 10 0
scale opportunity 12 3 0 multi global
make_pair opportunity 12 4 0 multi global
into opportunity 10 5 0 multi global
write_then_read opportunity 8 2 0 multi global
distance inputs-differ 6 6 0
pool_sum opportunity 9 3 0 multi global
keep opportunity 8 2 0 multi global
jumps has-effects 6 2 0
down opportunity 57 11 0 multi global
deep arguments-differ 2001 2001 0
by_value opportunity 4 2 0 multi global
WANT
is "the program's output is shown once" "$(grep -c "^-*[0-9][0-9]*$" "$T/out")" 1
has "-q prints the report" "$T/out" "Opportunity 1"

section "bytes nobody wrote"
# bytes nobody wrote: left as they are they make equal inputs differ
"$REFRAIN" profile -q --no-explain --keep-padding --json="$T/pad.json" --functions=keep -- "$T/truth" > /dev/null 2>&1
case $(facts "$T/pad.json") in
"keep opportunity 8 2 "*) failed "padding matters without scrubbing" ;;
*) passed "padding matters without scrubbing" ;;
esac

compile o0 truth.c -O0 -g
"$REFRAIN" profile -q --no-explain --json="$T/o0.json" --functions=list_sum,scale,into,by_value -- "$T/o0" > /dev/null 2>&1
facts "$T/o0.json" > "$T/facts"
is "without optimisation, by the calling convention" "$(sort "$T/facts" | cut -d' ' -f1-4 | tr '\n' ';')" \
	"by_value opportunity 4 2;into opportunity 10 5;list_sum opportunity 20 3;scale opportunity 12 3;"

compile threads threads.c -O2 -g -pthread
"$REFRAIN" profile -q --no-explain --json="$T/threads.json" --functions=work,wrapper -- "$T/threads" > /dev/null 2>&1
is "two threads" "$(facts "$T/threads.json" | sort | tr '\n' ';')" "work opportunity 100 5 0 multi global;wrapper opportunity 100 5 0 multi global;"
has "several threads are mentioned" "$T/threads.json" "several threads"
is "callers and callees are one cluster" "$(grep -c '"cluster": 1' "$T/threads.json")" 2

if command -v g++ > /dev/null; then
	g++ -O2 -g "$src/throws.cc" -o "$T/throws"
	"$REFRAIN" profile -q --no-explain --json="$T/throws.json" --functions=outer,after,check -- "$T/throws" > /dev/null 2>&1
	is "exceptions" "$(facts "$T/throws.json" | sort | cut -d' ' -f1,3,4 | tr '\n' ';')" "after(int) 9 1;check(int) 9 3;outer(int) 9 3;"
	"$REFRAIN" profile -q --no-explain --json="$T/short.json" --functions=area -- "$T/throws" > /dev/null 2>&1
	is "templates in a namespace, by their short name" "$(awk -F': ' '/"function"/ { f = $2 } /"distinct_inputs"/ { print f $2 }' "$T/short.json" | sort | tr -d '\n')" \
		'"double shape::area<double>(double, double)",2,"int shape::area<int>(int, int)",2,'
else
	absent "exceptions" "no g++"
fi

section "the paper's running example"
compile paper paper.c -O2 -g
"$REFRAIN" profile --json="$T/paper.json" --log "$T/paper.log" --functions=compute,append -- "$T/paper" > "$T/out" 2> "$T/err"
is "compute: half of the calls, one global entry" "$(facts "$T/paper.json" | grep '^compute')" "compute opportunity 2 1 0 single global"
is "append is dropped" "$(facts "$T/paper.json" | grep '^append')" "append inputs-differ 2 2 0"
has "in the first memory pass" "$T/out" "memory pass 1"
has "the difference is named" "$T/out" "l->+8 was 0, then 1"
has "half of its share is saved" "$T/paper.json" '"hit_ratio": 0.5'
has "the log has the functions" "$T/paper.log" '"event":"profile.function"'
has "safety in words" "$T/paper.json" "returns new memory"

"$REFRAIN" profile -q --no-explain --keytrace "$T/keys.rft" --functions=list_sum -- "$T/truth" > /dev/null 2>&1
"$REFRAIN" trace info "$T/keys.rft" > "$T/info"
is "the key stream is a trace" "$(awk '/^references/ {print $2}' "$T/info"),$(awk '/^distinct/ {print $2}' "$T/info")" "20,3"

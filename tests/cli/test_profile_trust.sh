# SPDX-License-Identifier: MIT
# refrain profile where a wrong figure would cost its users most: programs with known answers, one rule each.
. "$(dirname "$0")/lib.sh"
. "$top/tests/profile/facts.sh"
: "${CC:=cc}"
need_valgrind_tools "profile"

section "a call that reaches the limit is a miss, no more"
ok "it compiles" compile mixed mixed.c -O2 -g
"$REFRAIN" profile -q --no-explain --max-limit 1024 --json="$T/cut.json" --functions=sum,by_mode,append,render,deepest -- "$T/mixed" > "$T/out" 2> "$T/err"
is "the calls that were not cut decide" "$(facts "$T/cut.json" | grep '^sum ')" "sum opportunity 404 8 0 multi global"
is "four calls were cut" "$(field "$T/cut.json" sum cut_calls)" 4
has "it is said" "$T/out" "4 calls touched too much memory"
"$REFRAIN" profile -q --no-explain --json="$T/all.json" --functions=sum -- "$T/mixed" > /dev/null 2>&1
is "by default nothing is cut" "$(facts "$T/all.json")" "sum opportunity 404 6 0 multi global"
is "in one memory pass" "$(awk -F': ' '/"passes"/ { print $2 + 0 }' "$T/all.json")" 2
"$REFRAIN" profile -q --no-explain --max-limit 1024 --min-hit-ratio 98.5 --json="$T/decides.json" --functions=sum -- "$T/mixed" > /dev/null 2>&1
is "too large where those that were cut would decide" "$(field "$T/decides.json" sum status)" too-large

section "names of globals"
has "the variable that was read" "$T/out" "n, pair_mode ("
ok "not the one beside it" sh -c '! grep -q pair_other "$1"' - "$T/out"

section "who is the noise, who the opportunity"
is "appending is found" "$(facts "$T/cut.json" | cut -d' ' -f1-3 | grep append)" "append opportunity 1600"
ok "its caller comes first" test "$(field "$T/cut.json" render rank)" -lt "$(field "$T/cut.json" append rank)"

section "deep below its callers"
"$REFRAIN" profile -q --no-explain --max-functions 4 --json="$T/deep.json" -- "$T/mixed" > /dev/null 2>&1
is "what has much of its own is looked at" "$(field "$T/deep.json" deepest status)" opportunity

section "asking the system"
printf 'root:0\nbin:1\n' > "$T/names"
compile world world.c -O2 -g
"$REFRAIN" profile --no-explain --json="$T/world.json" --functions=owner,missing,next_byte,tell,lazy,pure -- "$T/world" "$T/names" > "$T/out" 2> "$T/err"
facts "$T/world.json" | sort > "$T/facts"
is "counts" "$(cut -d' ' -f1-5 "$T/facts" | tr '\n' ';')" \
	"lazy opportunity 2000 6 0;missing opportunity 400 1 0;next_byte has-effects 400 1 0;owner opportunity 400 2 0;pure opportunity 400 4 0;tell has-effects 400 2 0;"
is "a list of their own" "$(for f in lazy pure owner missing; do field "$T/world.json" $f needs_invalidation; done | tr '\n' ' ')" "false false true true "
is "with ranks of their own" "$(field "$T/world.json" owner rank) $(field "$T/world.json" missing rank) $(field "$T/world.json" lazy rank)" "1 2 1"
has "what is read" "$T/out" "asks for  $T/names"
has "what is missing" "$T/out" "/nonexistent/pack/pack-1.idx"
has "how to notice a change" "$T/out" "compare what stat says"
has "an initialisation is not a habit" "$T/out" "in the first call only, an initialisation"
ok "nor does it change globals" sh -c '! grep -q "changes globals factor" "$1"' - "$T/out"
is "the kernel's time counts" "$(field "$T/world.json" missing kernel_ns | awk '{ print ($1 > 0) }')" 1

section "signal handlers are nobody's callees"
compile signals signals.c -O2 -g
"$REFRAIN" profile -q --no-explain --json="$T/signals.json" --functions=work,plain,elsewhere,jumped -- "$T/signals" > /dev/null 2>&1
is "counts" "$(facts "$T/signals.json" | sort | cut -d' ' -f1,3,4 | tr '\n' ';')" "elsewhere 3 1;jumped 4 1;plain 3 1;work 780 5;"
each=$(($(field "$T/signals.json" work inclusive_instructions) / 780))
for f in plain elsewhere; do
	ok "$f: what the handler costs is not its cost" test "$(field "$T/signals.json" $f inclusive_instructions)" -lt $((3 * 4 * each))
done

section "new memory"
compile fresh fresh.c -O2 -g
"$REFRAIN" profile --no-explain --json="$T/fresh.json" --functions=parse,tagged,count,drop -- "$T/fresh" > "$T/out" 2> "$T/err"
is "equal wherever the blocks lie" "$(facts "$T/fresh.json" | grep '^parse ')" "parse opportunity 300 3 0 multi global"
is "what is in them counts" "$(field "$T/fresh.json" tagged status)" inputs-differ
has "who goes on changing it" "$T/out" "count changes that memory later"
exits "a cache of them is not written" 1 "$REFRAIN" profile -q --suggest parse -- "$T/fresh"
has "and it says why" "$T/err" "it returns new memory"

section "what a saving is made of"
compile ranks ranks.c -O2 -g
"$REFRAIN" profile -q --json="$T/ranks.json" -- "$T/ranks" > /dev/null 2>&1
ok "counts in static data are no appended buffer" test "$(field "$T/ranks.json" counted rank)" -lt "$(field "$T/ranks.json" plain rank)"
for f in find total; do
	is "$f: a long table is not kept" "$(field "$T/ranks.json" $f key_bytes | awk '{ print ($1 > 0 && $1 < 16) }')" 1
done
is "what nobody changes is shared, not copied" \
	"$(echo "$(field "$T/ranks.json" kept saved_instructions) $(field "$T/ranks.json" changed saved_instructions)" | awk '{ print ($1 > 1.3 * $2) }')" 1
if command -v "${CXX:=c++}" > /dev/null; then
	$CXX -O2 -g "$top/tests/profile/datanames.cc" -o "$T/datanames"
	"$REFRAIN" profile -q --functions=area -- "$T/datanames" > "$T/out" 2>&1
	for name in 'shapes::(anonymous)::hidden' 'shapes::Circle::scale' 'area()::calls_so_far' shared; do
		has "$name by its name" "$T/out" "$name"
	done
	ok "none is mangled" sh -c '! grep -q "_Z" "$1"' - "$T/out"
	ok "none is libc's" sh -c '! grep -q "globals.*__libc" "$1"' - "$T/out"
else
	absent "names of C++ data" "no C++ compiler"
fi

section "a call that did not end"
compile ends ends.c -O2 -g
"$REFRAIN" profile -q --no-explain --json="$T/ends.json" --functions=work -- "$T/ends" > /dev/null 2>&1
is "is no input" "$(facts "$T/ends.json")" "work opportunity 101 4 0 multi global"
ok "and nobody jumped" sh -c '! grep -q "longjmp" "$1"' - "$T/ends.json"

if sanitized_runtime; then
	skip "what a look-up costs" "the runtime is built with a sanitizer"
else
	section "what a look-up costs"
	ok "measured" "$BUILD/libexec/rflookup"
	"$BUILD/libexec/rflookup" > "$T/costs"
	is "nine lines, hits cheaper than misses" "$(awk '$3 > 0 && $3 < $5 && $4 > 0 { n++ } END { print n + 0 }' "$T/costs")" 9
	has "and used" "$T/all.json" '"lookup_measured": true'
	$CC -O2 -g -DROUNDS=100000 -I"$top/include" "$top/tests/profile/costly.c" "$BUILD/librefrain-rt.a" -pthread -o "$T/plain"
	$CC -O2 -g -DROUNDS=100000 -DMEMO -I"$top/include" "$top/tests/profile/costly.c" "$BUILD/librefrain-rt.a" -pthread -o "$T/memo"
	instructions() {
		"$REFRAIN" trace record -q --access code --unit 1M -o "$T/count.rft" --json="$T/count.json" -- "$@" > /dev/null 2>&1
		awk -F': ' '/"instructions"/ { gsub(/,/, "", $2); print $2 }' "$T/count.json"
	}
	"$REFRAIN" profile -q --no-explain --json="$T/costly.json" --functions=work -- "$T/plain" > /dev/null 2>&1
	predicted=$(field "$T/costly.json" work saved_instructions)
	measured=$(echo "$(instructions "$T/plain") $(instructions "$T/memo")" | awk '{ print ($1 - $2) / $1 }')
	is "predicted $predicted of the instructions, measured $measured: within a tenth of the run" \
		"$(echo "$predicted $measured" | awk '{ d = $1 - $2; print (d < 0.1 && d > -0.1) }')" 1
fi

section "static programs"
if compile static truth.c -O2 -g -static; then
	compile dynamic truth.c -O2 -g
	list=list_sum,next_number,scale,make_pair,into,write_then_read,distance,pool_sum,keep,jumps,down,by_value
	for b in static dynamic; do
		"$REFRAIN" profile -q --no-explain --json="$T/$b.json" --functions=$list -- "$T/$b" > /dev/null 2>&1
		facts "$T/$b.json" | sort > "$T/$b.facts"
	done
	ok "as exact as dynamic ones" cmp "$T/static.facts" "$T/dynamic.facts"
	is "all of them" "$(wc -l < "$T/static.facts" | tr -d ' ')" 12
else
	absent "static programs" "no static libc"
fi

section "text, not what lies behind it"
compile text text.c -O2 -g
"$REFRAIN" profile -q --no-explain --json="$T/text.json" --functions=length,less,place,copy,same,split,equal,last,raw -- "$T/text" > /dev/null 2>&1
is "counts" "$(facts "$T/text.json" | sort | cut -d' ' -f1,3,4 | tr '\n' ';')" \
	"copy 200 4;equal 200 4;last 200 1;length 200 4;less 200 1;place 200 4;raw 200 4;same 200 1;split 200 4;"

section "what was inlined"
compile inlined inlined.c -O2 -g
"$REFRAIN" profile -q --no-explain --json="$T/inlined.json" -- "$T/inlined" > "$T/out" 2> "$T/err"
is "the most expensive comes first" "$(awk '/"inlined": \[/ { on = 1; next } on && /"/ { gsub(/[ ",]/, ""); print; exit }' "$T/inlined.json")" dear

section "debug information beside the program"
compile linked ends.c -O2 -g
objcopy --only-keep-debug "$T/linked" "$T/linked.debug"
objcopy --strip-debug --add-gnu-debuglink="$T/linked.debug" "$T/linked"
"$REFRAIN" profile -q --no-explain --json="$T/linked.json" --functions=work -- "$T/linked" > /dev/null 2>&1
is "is found by its link" "$(facts "$T/linked.json")" "work opportunity 101 4 0 multi global"
compile other inlined.c -O2 -g
objcopy --only-keep-debug "$T/other" "$T/linked.debug"
"$REFRAIN" profile -q --no-explain --json="$T/other.json" --functions=work -- "$T/linked" > /dev/null 2>&1
is "but not that of another build" "$(field "$T/other.json" work status)" no-signature

section "functions that cannot be worth it are dropped early"
$CC -O2 -g "$top/tests/profile/distinct.c" -o "$T/distinct"
"$REFRAIN" profile -q --no-explain --json="$T/distinct.json" -- "$T/distinct" > /dev/null 2>&1
is "as soon as too few calls can repeat" "$(facts "$T/distinct.json" | grep '^fresh')" "fresh arguments-differ 1000 501 0"
is "but not before" "$(facts "$T/distinct.json" | grep '^half' | cut -d' ' -f1-5)" "half opportunity 1000 500 0"
"$REFRAIN" profile -q --no-explain --functions=fresh --json="$T/distinct.json" -- "$T/distinct" > /dev/null 2>&1
is "and not when they are asked for" "$(facts "$T/distinct.json")" "fresh arguments-differ 1000 1000 0"

section "tables that never change"
compile tables tables.c -O2 -g
exits "a look-up in a table" 0 "$REFRAIN" profile --json="$T/t.json" --functions=word,scaled -- "$T/tables"
is "the key is the text" "$(field "$T/t.json" word key_bytes)" 4
is "and what changes of a table" "$(field "$T/t.json" scaled key_bytes)" 9
exits "without the close look" 0 "$REFRAIN" profile --no-explain --json="$T/n.json" --functions=word,scaled -- "$T/tables"
ok "all that is read has to do" awk -v a="$(field "$T/n.json" word key_bytes)" -v b="$(field "$T/n.json" word saved_instructions)" \
	-v c="$(field "$T/t.json" word saved_instructions)" 'BEGIN { exit !(a > 200 && b < c) }'

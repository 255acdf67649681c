# SPDX-License-Identifier: MIT
# refrain profile --suggest and --try where one run would deceive: what another run shows, and runs that are not the profiled one.
. "$(dirname "$0")/lib.sh"
. "$top/tests/profile/facts.sh"
: "${CC:=cc}"
need_valgrind_tools "profile"
if sanitized_runtime; then skip "profile --suggest" "the runtime is built with a sanitizer"; exit 0; fi
mkdir "$T/tree" "$T/patched"
cd "$T/tree" || exit 3

section "another run than the profiled one"
cp "$top/tests/profile/trap.c" .
echo 300 > "$T/rounds"
$CC -O2 -g trap.c -o trap
build="cc -O2 -g trap.c -o trap"
exits "a file outside the source folder" 0 "$REFRAIN" profile --try lazy --build "$build" --runs 2 --json="$T/outside.json" -- ./trap ../rounds
is "is found by the copies too" "$(awk -F': ' '/"gets"/ { print $2 + 0 }' "$T/outside.json")" 300
exits "a copy that ends otherwise" 0 "$REFRAIN" profile --try lazy --build "$build -DSTATUS=1" --runs 2 -- ./trap ../rounds
has "is no measurement" "$T/out" "not tried the copy exits with 1, the profiled run did with 0"
exits "nor one that never calls it" 0 "$REFRAIN" profile --try lazy --build "$build -DROUNDS=0" --runs 2 -- ./trap ../rounds
has "that is said too" "$T/out" "not tried the copy never looked anything up"

section "what another run would show"
wanted=$(./trap ../rounds more)
exits "one run for all; three are refused" 1 suggest_all weigh lazy report tagged -- "./trap ../rounds" hidden slow early
for f in weigh lazy report tagged; do
	ok "$f: written" test -s "$T/$f.patch"
	cp trap.c "$T/patched/"
	ok "$f: applies" patch -s -F0 -p1 -d "$T/patched" -i "$T/$f.patch"
	ok "$f: compiles" $CC -Wall -Wextra -Werror -O2 -g -I"$top/include" "$T/patched/trap.c" "$BUILD/librefrain-rt.a" -pthread -o "$T/patched/trap"
	is "$f: the same answers on more data" "$("$T/patched/trap" ../rounds more)" "$wanted"
done
has "a variable of the thread is in the key" "$T/weigh.patch" "&level"
has "what prints is not kept" "$T/report.patch" "rf_case == 1 && !("
ok "what two calls did is no rule for following a pointer" sh -c '! grep -q "rf_word == 15" "$1"' - "$T/tagged.patch"
for f in hidden slow early; do
	has "$f: the reason" "$T/refused" "no code for $f: it depends on "
done
is "no patch for these" "$(grep -c '^--- ' "$T/all.patch")" 4

section "what no argument and no variable says"
cp "$top/tests/profile/unseen.c" .
$CC -O2 -g unseen.c -o unseen -lm -pthread
exits "one run for all; four are refused" 1 suggest_all scratch between counted rounded -- ./unseen sets_mode sets_last aligned distance
for f in scratch between counted rounded; do
	ok "$f: written" test -s "$T/$f.patch"
	cp unseen.c "$T/patched/"
	ok "$f: applies" patch -s -F0 -p1 -d "$T/patched" -i "$T/$f.patch"
	ok "$f: compiles" $CC -Wall -Wextra -Werror -O2 -g -I"$top/include" "$T/patched/unseen.c" "$BUILD/librefrain-rt.a" -lm -pthread -o "$T/patched/unseen"
	is "$f: the same answers on more data" "$("$T/patched/unseen" 500)" "$(./unseen 500)"
done
has "state of a thread that is asked for" "$T/refused" "no code for sets_mode: it leaves state with libc or for its thread"
has "a pointer there" "$T/refused" "no code for sets_last: it leaves state with libc or for its thread"
has "where data lies" "$T/refused" "no code for aligned: the same data elsewhere gave different outputs"
has "how far apart" "$T/refused" "no code for distance: the same data elsewhere gave different outputs"
section "where pointers lead"
cp "$top/tests/profile/moves.c" .
$CC -O2 -g moves.c -o moves
exits "one run for all; two are refused" 1 suggest_all order pop take mul cmp mapped bytes -- ./moves apply hooked
for f in order pop take mul cmp mapped bytes; do
	ok "$f: written" test -s "$T/$f.patch"
	cp moves.c "$T/patched/"
	ok "$f: applies" patch -s -F0 -p1 -d "$T/patched" -i "$T/$f.patch"
	ok "$f: compiles" $CC -Wall -Wextra -Werror -O2 -g -I"$top/include" "$T/patched/moves.c" "$BUILD/librefrain-rt.a" -pthread -o "$T/patched/moves"
	is "$f: the same answers" "$("$T/patched/moves")" "$(./moves)"
	is "$f: and on more data" "$("$T/patched/moves" 500)" "$(./moves 500)"
done
for f in apply hooked; do
	has "$f: the reason" "$T/refused" "no code for $f: it calls what "
done
if command -v g++ > /dev/null; then
	cp "$top/tests/profile/values.cc" .
	g++ -std=c++20 -O2 -g values.cc -o values
	exits "C++: one run for all; two are refused" 1 suggest_all text view numbers perhaps both times lookup -- ./values reference virtual_call
	for f in text view numbers perhaps both times lookup; do
		ok "$f: written" test -s "$T/$f.patch"
		cp values.cc "$T/patched/"
		ok "$f: applies" patch -s -F0 -p1 -d "$T/patched" -i "$T/$f.patch"
		ok "$f: compiles" g++ -std=c++20 -Wall -Wextra -Werror -O2 -g -I"$top/include" "$T/patched/values.cc" "$BUILD/librefrain-rt.a" -pthread -o "$T/patched/values"
		is "$f: the same answers on more data" "$("$T/patched/values" 500)" "$(./values 500)"
		is "$f: hits" "$(RF_MEMO=stats "$T/patched/values" 2>&1 | awk '/^refrain memo/ { print ($6 > 100) }')" 1
	done
	has "a reference" "$T/refused" "no code for reference(Base&, int): it returns a reference"
	has "a function of the class" "$T/refused" "no code for virtual_call(Base const&, int): it calls what "
else
	absent "C++" "no g++"
fi

$CC -O2 -g -frounding-math -DROUNDING unseen.c -o unseen -lm -pthread
exits "a rounding mode" 1 "$REFRAIN" profile --suggest rounded -- ./unseen
has "is not seen" "$T/err" "the program asks for the floating-point environment, or changes it"

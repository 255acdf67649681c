# SPDX-License-Identifier: MIT
# refrain profile on what a function's arguments and globals do not show: errno and other state of libc, exceptions, and what
# C++ passes without a name. A cache that is written gives the same answers; the others are refused.
. "$(dirname "$0")/lib.sh"
. "$top/tests/profile/facts.sh"
: "${CC:=cc}" "${CXX:=c++}"
need_valgrind_tools "profile"

section "state of libc"
ok "it compiles" compile libc libc.c -O2 -g
"$REFRAIN" profile -q --json="$T/libc.json" --functions=of_errno,strict,lenient,environment,seeds,next_word -- "$T/libc" > /dev/null 2>&1
is "counts" "$(facts "$T/libc.json" | sort | cut -d' ' -f1,3-5 | tr '\n' ';')" \
	"environment 100 3 0;lenient 100 5 0;next_word 200 4 0;of_errno 100 12 0;seeds 100 2 0;strict 100 5 0;"
is "errno is part of a key" "$(field "$T/libc.json" of_errno key)" "k errno"
is "reading it is said" "$(field "$T/libc.json" of_errno safety)" "depends on globals errno"
is "writing it too" "$(field "$T/libc.json" strict safety)" "changes globals errno"
is "what is no part of the key" "$(field "$T/libc.json" environment safety)" \
	"depends on state of libc (environment locale …) that is no part of its key"

section "keys by name"
"$REFRAIN" profile -q --json="$T/named.json" --functions=in_register,in_memory,on_stack -- "$T/libc" > /dev/null 2>&1
is "two members in a register" "$(field "$T/named.json" in_register key)" "p.a p.b"
is "and in memory" "$(field "$T/named.json" in_memory key)" "p->a p->b"
is "what has no name is counted" "$(field "$T/named.json" on_stack key)" "2 places without a name"

section "functions left by an exception"
$CXX -O2 -g "$top/tests/profile/refs.cc" -o "$T/refs"
"$REFRAIN" profile -q --no-explain --json="$T/refs.json" --functions=thrown -- "$T/refs" > /dev/null 2>&1
is "counts" "$(facts "$T/refs.json" | cut -d' ' -f1,3-5)" "thrown(int) 120 6 0"
has "caught by the caller" "$T/refs.json" "sometimes left by longjmp or an exception"
is "such calls are no hits" "$(awk '/"multi_global"/ { getline; print $2 + 0 }' "$T/refs.json")" 76

if sanitized_runtime; then skip "profile --suggest" "the runtime is built with a sanitizer"; exit 0; fi

# same_answer FUNCTION COMPILER SOURCE WANTED ARG…: the patch applies, compiles without a warning and changes no answer
same_answer() {
	cached=$1 compiler=$2 source=$3 wanted=$4
	shift 4
	rm -rf "$T/patched"
	mkdir "$T/patched"
	cp "$top/tests/profile/$source" "$T/patched/"
	ok "$cached: applies" patch -s -F0 -p1 -d "$T/patched" -i "$T/$cached.patch"
	ok "$cached: compiles" $compiler -Wall -Wextra -Werror -O2 -g -I"$top/include" "$T/patched/$source" "$BUILD/librefrain-rt.a" -pthread -o "$T/patched/program"
	is "$cached: the same answers" "$("$T/patched/program" "$@")" "$wanted"
	is "$cached: and the cache is used" "$(RF_MEMO=verify "$T/patched/program" "$@" 2>&1 > /dev/null | sed -n 's/.* \([0-9]*\) hits.* \([0-9]*\) conflicts.*/\1 \2/p' | awk '{ print ($1 > 50), $2 }')" "1 0"
}

section "caches of functions that use it"
mkdir "$T/tree"
cp "$top/tests/profile/libc.c" "$top/tests/profile/refs.cc" "$T/tree/"
cd "$T/tree" || exit 3
$CC -O2 -g libc.c -o libc
exits "three are refused" 1 suggest_all of_errno strict lenient -- ./libc environment seeds next_word
for f in of_errno strict lenient; do
	same_answer $f "$CC" libc.c "$(./libc 300)" 300
done
has "the environment is no argument" "$T/refused" "no code for environment: the same input gave different outputs"
has "seeding is an effect" "$T/refused" "no code for seeds: it changes state of libc"
has "so is taking the next word" "$T/refused" "no code for next_word: it changes state of libc"

section "caches of C++ functions"
$CXX -O2 -g refs.cc -o refs
exits "two are refused" 1 suggest_all weight by_reference by_value by_pointer -- ./refs by_address applied
for f in weight by_reference by_value by_pointer; do
	same_answer $f "$CXX" refs.cc "$(./refs)"
done
has "an address is no value" "$T/refused" "it depends on the address of"
has "nor is a function that was given" "$T/refused" "it calls what f"

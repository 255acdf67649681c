# SPDX-License-Identifier: MIT
# refrain profile --suggest and --try: the patch applies, compiles and gives the same answers; what must not be cached is refused.
. "$(dirname "$0")/lib.sh"
. "$top/tests/profile/facts.sh"
: "${CC:=cc}"
need_valgrind_tools "profile"
if sanitized_runtime; then skip "profile --try" "the runtime is built with a sanitizer"; exit 0; fi
mkdir "$T/tree"
cp "$top/tests/profile/cached.c" "$T/tree/"
printf 'cached: cached.c\n\tcc -O2 -g cached.c -o cached\n' > "$T/tree/Makefile"
cd "$T/tree" || exit 3
make -s
wanted=$(./cached)

section "the patch"
exits "one run for all; some are refused" 1 suggest_all fold measure divide block value list largest wide turn worth -- ./cached copy count nothing until
for f in fold measure divide block value list largest wide turn worth; do
	ok "$f: written" test -s "$T/$f.patch"
	rm -rf "$T/patched" && mkdir "$T/patched" && cp cached.c "$T/patched/"
	ok "$f: applies" patch -s -F0 -p1 -d "$T/patched" -i "$T/$f.patch"
	ok "$f: compiles" $CC -Wall -Wextra -Werror -O2 -g -I"$top/include" "$T/patched/cached.c" "$BUILD/librefrain-rt.a" -pthread -o "$T/patched/cached"
	is "$f: the same answers" "$("$T/patched/cached")" "$wanted"
	RF_MEMO=verify "$T/patched/cached" > "$T/out" 2> "$T/err"
	is "$f: no conflicts, and hits" "$(awk '/^refrain memo/ { print ($6 > 100), /, 0 conflicts/ }' "$T/err")" "1 1"
	is "$f: on more data" "$("$T/patched/cached" 1000)" "$(./cached 1000)"
done
has "text is in the key" "$T/fold.patch" "strlen(s)"
has "the global is in the key" "$T/fold.patch" "&mode"
has "fields are in the key" "$T/measure.patch" "&p->weight"
ok "others are not" sh -c '! grep -q unread "$1"' - "$T/measure.patch"
has "what may be missing is looked at only when it is there" "$T/measure.patch" "= p->label != 0"
has "what decides is compared" "$T/value.patch" "rf_word == 14"
ok "what costs less than a look-up is not looked up" sh -c '! grep -q "rf_word == 13" "$1"' - "$T/value.patch"

section "what must not be cached"
has "copy: the reason" "$T/refused" "no code for copy: it returns new memory"
has "count: the reason" "$T/refused" "no code for count: it changes the global counter"
has "until: the reason" "$T/refused" "no code for until: only some of its calls read all of"
has "a function that does not run" "$T/refused" "no code for nothing: "
is "no patch for these" "$(grep -c '^--- ' "$T/all.patch")" 10

section "the proof"
exits "it is built and measured" 0 "$REFRAIN" profile --try fold --input2 '400 > /dev/null' --runs 3 --json="$T/try.json" -- ./cached
has "in words" "$T/out" "Tried fold"
is "verified on both inputs" "$(grep -c '"conflicts": 0,$' "$T/try.json")" 3
is "the same output" "$(grep -c '"same_output": true' "$T/try.json")" 2
is "hits as predicted" "$(awk -F': ' '/"gets"/ { g = $2 + 0 } /"hits"/ && g { print (($2 + 0) / g > 0.5); g = 0 }' "$T/try.json" | tr '\n' ' ')" "1 1 "
ok "the user's tree is as it was" cmp cached.c "$top/tests/profile/cached.c"
exits "a build that fails" 0 "$REFRAIN" profile --no-explain --try fold --patch "$T/fold.patch" --build 'exit 1' --runs 2 -- ./cached
has "is said" "$T/out" "not tried the copy does not build"
exits "a cache written by hand" 0 "$REFRAIN" profile --no-explain --try fold --patch "$T/fold.patch" --runs 2 --json="$T/patch.json" -- ./cached
is "is measured too" "$(grep -c '"same_output": true' "$T/patch.json")" 1
exits "one that does not apply" 0 "$REFRAIN" profile --no-explain --try fold --patch "$top/LICENSE" --runs 2 -- ./cached
has "is refused" "$T/out" "not tried the patch does not apply"
exits "a program from elsewhere" 2 "$REFRAIN" profile --try fold --source /etc -- ./cached

section "as long as another value says"
cp "$top/tests/profile/spans.c" "$T/tree/"
cc -O2 -g spans.c -o spans
wanted=$(./spans)
exits "data of any length, and text in a structure" 1 suggest_all hash digest total scale fold pick element whole -- ./spans squeeze peek
for f in hash digest total scale fold pick element whole; do
	rm -rf "$T/patched" && mkdir "$T/patched" && cp spans.c "$T/patched/"
	ok "$f: applies" patch -s -F0 -p1 -d "$T/patched" -i "$T/$f.patch"
	ok "$f: compiles" $CC -Wall -Wextra -Werror -O2 -g -D_FORTIFY_SOURCE=2 -I"$top/include" "$T/patched/spans.c" "$BUILD/librefrain-rt.a" -pthread -o "$T/patched/spans"
	is "$f: the same answers" "$("$T/patched/spans")" "$wanted"
	is "$f: on more data" "$("$T/patched/spans" 2000)" "$(./spans 2000)"
	RF_MEMO=verify "$T/patched/spans" > "$T/out" 2> "$T/err"
	is "$f: no conflicts, and hits" "$(awk '/^refrain memo/ { print ($6 > 100), /, 0 conflicts/ }' "$T/err")" "1 1"
done
has "the length is in the key" "$T/digest.patch" "rf_length = 0; /* b->n */"
has "elements have a size" "$T/total.patch" "4 * rf_length"
ok "one element is not an array" sh -c '! grep -q rf_length "$1" "$2"' - "$T/pick.patch" "$T/element.patch"
has "what content decides is no length: written" "$T/refused" "no code for squeeze: only some of its calls write"
has "and read" "$T/refused" "no code for peek: only some of its calls read"

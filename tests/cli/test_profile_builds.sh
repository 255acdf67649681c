# SPDX-License-Identifier: MIT
# refrain profile on programs built in other ways, with known numbers of inputs: wherever data lies, whatever C++ passes, and with debug
# information in other files. What cannot be followed is refused.
. "$(dirname "$0")/lib.sh"
. "$top/tests/profile/facts.sh"
: "${CC:=cc}" "${CXX:=c++}"
need_valgrind_tools "profile"

# counts PROGRAM FUNCTIONS: "name calls inputs;" of each, names without parameters and results
counts() {
	"$REFRAIN" profile -q --no-explain --json="$T/$1.json" --functions="$2" -- "$T/$1" > "$T/out" 2> "$T/err" || cat "$T/err"
	awk -F': ' '/"function":/ { f = $2; gsub(/[",]/, "", f); sub(/\(anonymous namespace\)::/, "", f); sub(/[[(<].*/, "", f); sub(/.* /, "", f) }
		/"status":/ && f { s = $2 } /"calls":/ && f { c = $2 + 0 }
		/"distinct_inputs":/ && f { print f, (s ~ /opportunity/ ? c " " $2 + 0 : s); f = "" }' "$T/$1.json" | tr -d '",' | sort | tr '\n' ';'
}

section "data that lies otherwise"
ok "it compiles" compile lies lies.c -O2 -g -pthread
functions=compare,text,fields,swap,of_thread,turn
is "is the same input" "$(counts lies $functions,variable)" \
	"compare 316 28;fields 390 30;of_thread 590 10;swap 390 6;text 390 5;turn 390 4;variable no-signature;"
has "variable arguments are refused" "$T/out" "it takes variable arguments"
if compile static lies.c -O2 -g -static -pthread; then
	is "in a static program too" "$(counts static $functions)" "compare 316 28;fields 390 30;of_thread 590 10;swap 390 6;text 390 5;turn 390 4;"
else
	absent "static programs" "no static libc"
fi

section "C++"
list=take_plain,take_ends,take_copied,take_derived,give_plain,give_ends,give_pointer,give_text
list=$list,template_of,unnamed,throws,catches
wanted="catches 300 6;give_ends 300 5;give_plain 300 5;give_pointer 300 5;give_text 300 5;"
wanted="${wanted}take_copied 300 6;take_derived 300 6;take_ends 300 6;take_plain 300 6;template_of 300 5;throws 300 6;unnamed 300 5;"
ok "it compiles" $CXX -O0 -g "$top/tests/profile/objects.cc" -o "$T/objects"
is "unoptimized, by the calling convention" "$(counts objects $list)" "$wanted"
cd "$T" || exit 3
# of DWARF 5 in this form Valgrind 3.19 cannot read all
ok "it compiles with debug information of its own" $CXX -O2 -g -gdwarf-4 -gsplit-dwarf "$top/tests/profile/objects.cc" -o "$T/split"
ok "which is in another file" test -n "$(find . -name '*.dwo')"
is "split debug information" "$(counts split $list)" "$wanted"

section "link-time optimization"
ok "it compiles" compile lto lies.c -O2 -g -flto -pthread
is "is no reason to doubt parameters" "$(counts lto $functions)" "compare 316 28;fields 390 30;of_thread 590 10;swap 390 6;text 390 5;turn 390 4;"

section "stripped, with debug information beside it"
objcopy --only-keep-debug "$T/lies" "$T/lies.debug"
cp "$T/lies" "$T/stripped"
strip "$T/stripped"
mkdir "$T/.debug"
mv "$T/lies.debug" "$T/.debug/"
(cd "$T/.debug" && objcopy --add-gnu-debuglink=lies.debug ../stripped)
is "in a folder .debug" "$(counts stripped $functions)" "compare 316 28;fields 390 30;of_thread 590 10;swap 390 6;text 390 5;turn 390 4;"

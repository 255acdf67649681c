# SPDX-License-Identifier: MIT
# refrain profile --method=memoizeit: the paper's definitions on programs whose tuples are known.
. "$(dirname "$0")/lib.sh"
. "$top/tests/profile/facts.sh"
: "${CC:=cc}" "${CXX:=c++}"

need_valgrind_tools "profile"
compile flatten flatten.c -O2 -g -fno-ipa-sra -fno-ipa-cp || exit 1

# one line: each function and its different tuples, by Definition 4
tuples() {
	awk -F': ' '
		/"function":/ { f = $2; gsub(/[",]/, "", f); sub(/\(.*/, "", f); sub(/.*::/, "", f) }
		/"calls":/ { calls = $2 + 0 }
		/"potential_hit_ratio":/ { print f, int(calls * (1 - $2) + 0.5) }' "$1" | sort | tr '\n' ' '
}

section "against the representation as the paper writes it"
for seed in 1 $(($(date +%s) % 100000)); do
	"$T/flatten" $seed | sort -u | cut -d: -f1 | sort -n | uniq -c | awk '{ print $2 ": visit", $1 }' > "$T/want"
	for depth in 1 2 3 4 8 64; do
		"$REFRAIN" profile -q --method=memoizeit --first-depth=$depth --min-hit-ratio 100 --functions=visit \
			--json="$T/v.json" -- "$T/flatten" $seed > /dev/null 2>&1
		echo "$depth: $(tuples "$T/v.json")" | sed 's/ $//'
	done > "$T/got"
	ok "random graphs, seed $seed: as many tuples at each depth" cmp "$T/got" "$T/want"
done

section "Algorithm 1"
all=total,label,large,tagged,unread,hidden,chain,flags
exits "depth 1, 2, 4, …" 0 "$REFRAIN" profile --method=memoizeit --json="$T/a.json" --functions=$all -- "$T/flatten"
is "tuples" "$(tuples "$T/a.json")" "chain 60 flags 6 hidden 1 label 4 large 5 tagged 3 total 3 unread 60 "
is "what repeats is a candidate" "$(facts "$T/a.json" | awk '$2 == "opportunity" { print $1 }' | sort | tr '\n' ' ')" "flags hidden label large tagged total "
is "candidates after each depth" "$(awk -F': ' '/"(depth|candidates|dropped|explored)":/ && !done { printf "%d ", $2 } /"opportunities"/ { done = 1 }' "$T/a.json")" \
	"1 8 1 6 2 1 0 0 4 1 0 0 8 1 1 0 "
has "it is said" "$T/out" "depth 8    1 functions, 1 dropped, 0 fully explored"
is "the depth of the decision" "$(field "$T/a.json" chain depth) $(field "$T/a.json" total depth)" "8 1"
has "results that differ for the same input are said" "$T/out" "it depends on more than its arguments"
has "safety is not" "$T/out" "not looked at: globals and effects"
exits "everything at once" 0 "$REFRAIN" profile --method=memoizeit --first-depth=1000 --json="$T/e.json" --functions=$all -- "$T/flatten"
is "finds the same" "$(tuples "$T/e.json")" "$(tuples "$T/a.json")"
exits "our own method" 0 "$REFRAIN" profile --no-explain --json="$T/o.json" --functions=unread,hidden,chain -- "$T/flatten"
is "sees what is read" "$(facts "$T/o.json" | sort | cut -d' ' -f1-4 | tr '\n' ';')" "chain opportunity 60 1;hidden inputs-differ 60 60;unread opportunity 60 1;"

section "C++"
if $CXX -std=c++17 -O2 -g -fno-ipa-sra -fno-ipa-cp "$top/tests/profile/flatten.cc" -o "$T/objects" 2> "$T/cc.log"; then
	exits "objects" 0 "$REFRAIN" profile --method=memoizeit --json="$T/c.json" --functions=next,measure,inherit -- "$T/objects"
	is "the target, references, a string, a base class" "$(tuples "$T/c.json")" "inherit 5 measure 3 next 4 "
else
	absent "C++" "no C++ compiler"
fi

section "what it does not go with"
exits "--suggest" 2 "$REFRAIN" profile --method=memoizeit --suggest total -- "$T/flatten"
exits "--children" 2 "$REFRAIN" profile --method=memoizeit --children -- "$T/flatten"
exits "no such method" 2 "$REFRAIN" profile --method=guess -- "$T/flatten"

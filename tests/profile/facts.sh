# SPDX-License-Identifier: MIT
# Reading the JSON document of `refrain profile` (one field per line), for the tests.

# facts FILE: one line a function: name status calls distinct conflicts [size scope]
facts() {
	awk -F': ' '
		/"function":/ { if (line) print line; line = $2; gsub(/[",]/, "", line); next }
		/"(status|calls|distinct_inputs|conflicts)":/ && line { v = $2; gsub(/[",]/, "", v); line = line " " v }
		/"(size|scope)":/ { v = $2; gsub(/[",]/, "", v); line = line " " v }
		END { if (line) print line }' "$1"
}

# field FILE FUNCTION NAME: one field of one function; its rank stands before its name
field() {
	awk -F': ' -v f="\"$2\"" -v k="\"$3\"" '
		$1 ~ /"rank"/ { rank = $2 }
		$1 ~ /"function"/ { on = index($2, f) == 1; if (on && k == "\"rank\"") $1 = k; if (on && k == "\"rank\"") $2 = rank }
		on && index($1, k) { v = $2; gsub(/[",]/, "", v); print v; exit }' "$1"
}

# compile OUT SOURCE FLAGS…: a program of tests/profile into $T
compile() {
	out=$1 source=$2
	shift 2
	$CC "$@" "$top/tests/profile/$source" -o "$T/$out" > "$T/cc.log" 2>&1 || { cat "$T/cc.log"; return 1; }
}

# suggest_all FUNCTION… -- PROGRAM [REFUSED…]: one run for all; the patches go to $T/all.patch and
# $T/FUNCTION.patch, the reasons to $T/refused
suggest_all() {
	good=
	while [ "$1" != -- ]; do
		good="$good $1"
		shift
	done
	program=$2
	shift 2
	# shellcheck disable=SC2086
	"$REFRAIN" profile -q --suggest "$(echo $good "$@" | tr ' ' ,)" -- $program > "$T/all.patch" 2> "$T/refused"
	status=$? n=0
	for f in $good; do
		n=$((n + 1))
		awk -v n=$n '/^--- / { n-- } n == 0' "$T/all.patch" > "$T/$f.patch"
	done
	return $status
}

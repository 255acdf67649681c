# SPDX-License-Identifier: MIT
# What the tests of `refrain smt` in front of other tools share, sourced after lib.sh. $caches: the values of --cache to try.

# each SCRIPT SOLVER…: every kind of solver and cache gives the lines of $SCRIPT.want
each() {
	script=$1
	shift
	for s in "$@"; do
		if ! command -v "${s%% *}" > /dev/null; then skip "$s" "not installed"; continue; fi
		for c in $caches; do
			"$REFRAIN" smt --solver="$s" --cache=$c "$script.smt2" > got 2> /dev/null
			is "$script: $s, $c" "$(cat got)" "$(cat "$script.want")"
		done
	done
}
by_z3() { z3 "$1.smt2" > "$1.want" 2> /dev/null; }

# SPDX-License-Identifier: MIT
# What the tests of `refrain trace` share, sourced after lib.sh.

r() { "$REFRAIN" trace "$@"; }
# ids ARG…: the keys on one line
ids() { r convert -q --to=text "$@" -o - | tr '\n' ' '; }
# refuses NAME TEXT ARG…: passes when refrain trace ARG… ends with exit code 2 and a message that has TEXT
refuses() {
	what=$1 text=$2
	shift 2
	exits "$what" 2 r "$@"
	has "$what: the message" "$T/err" "$text"
}

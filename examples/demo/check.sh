#!/bin/sh
# SPDX-License-Identifier: MIT
# Contracts on a search tree with a bug: found at the call that breaks it, at a cost one can leave switched on.
set -eu
: "${REFRAIN:=refrain}"
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
cp "$here/check_tree.c" "$work/tree.c"
cd "$work"
ulimit -c 0 2> /dev/null || :

echo "A search tree in C. Two comment lines say what a tree is and that insert() and remove_key() keep it one:"
sed -n '/\/\*@/,/\*\//p' tree.c | sed 's/^/    /'
cc -O2 -g tree.c -o plain
"$REFRAIN" check cc -O2 -g tree.c -o checked
echo
echo "Compiled as usual, the program runs and looks fine:"
./plain 5000 bug | sed 's/^/    /'
echo
echo "Compiled with 'refrain check cc', the same program stops at the call that damages the tree:"
{ ./checked 5000 bug 2>&1 || :; } | sed 's/^/    /'
echo
seconds() { # COMMAND…: what the program says about its own CPU time
	"$@" | sed -n "s/.* done, \\(.*\\) s of CPU time/\\1/p"
}
before_plain=$(seconds ./plain 300000)
with_marks=$(seconds ./checked 300000)
by_walking=$(RF_CHECK=engine=none seconds ./checked 4000)
echo "The cost, without the bug (CPU seconds):"
echo "    300000 operations, no checks:                         $before_plain"
echo "    300000 operations, whole tree checked at every call:  $with_marks"
echo "    4000 operations only, each check walking the tree:    $by_walking"
RF_CHECK=stats ./checked 300000 2>&1 > /dev/null | sed -n 's/^refrain: \([0-9]*\) checks, \([0-9]*\) violations, \([0-9]*\) nodes looked at.*/    \1 checks looked at \3 nodes: a store un-verifies one node, and only that is checked again./p'

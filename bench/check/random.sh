# SPDX-License-Identifier: MIT
# Ten million random operations on small structures of several types (frees, sharing, cycles, bad tags, wild pointers), with
# engine B's verdict compared after each few with a checker that knows nothing of the runtime: tests/unit/check_random.h
# and check_graph.h (`shared` types), which the unit tests run briefly. Started by run.sh.
n=${N:-$([ "$quick" ] && echo 1000000 || echo 10000000)}
lib=$(dirname "$REFRAIN")
$CC -O2 -std=gnu11 -I"$root/include" -I"$root/src" -I"$root/tests/unit" "$here/random_long.c" "$lib/librefrain-rt.a" -pthread -o "$work/random_long"
"$work/random_long" "$n"
$CC -O2 -std=gnu11 -I"$root/include" -I"$root/src" -I"$root/tests/unit" "$here/random_graph.c" "$lib/librefrain-rt.a" -pthread -o "$work/random_graph"
"$work/random_graph" "$n"

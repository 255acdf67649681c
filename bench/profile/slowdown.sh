#!/bin/sh
# Slow-down of the passes on lua 5.4 (Debian's source, -O2 -g) with a call-heavy script; CPU time of the whole process, the same run.
# Usage: BUILD=build sh bench/profile/slowdown.sh [SCRIPT-SIZE]
set -eu
: "${BUILD:=build}"
size=${1:-1000}
here=$(cd "$(dirname "$0")" && pwd)
case $BUILD in /*) ;; *) BUILD=$here/../../$BUILD ;; esac
lib=$(cd "$BUILD/libexec" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$here/fetch.sh"
fetch lua5.4
(cd "$work"/lua5.4-*/src && echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' > lua5.4-deb-multiarch.h && for f in *.c; do
	[ "$f" = luac.c ] || gcc -O2 -g -std=gnu99 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -c "$f"
done && gcc -o "$work/lua" ./*.o -Wl,-E -ldl -lm)
cp "$here/calls.lua" "$work/"
cd "$work"
export VALGRIND_LIB="$lib" VALGRIND_LAUNCHER="$lib/rfcount-amd64-linux" LD_BIND_NOW=1
common="--command-line-only=yes -q --rf-fd=9"
# the 16 functions with debug information that take most, as refrain profile finds them
"$BUILD/refrain" profile -q --no-explain --max-limit 256 --max-functions 40 --min-share 0.2 --min-average 0 --json=p.json -- ./lua calls.lua 20 > /dev/null 2>&1
awk -F': ' '/"function":/ { f = $2; gsub(/[",]/, "", f) } /"limit":/ { gsub(/,/, "", $2); if ($2 > 0) print f }' p.json | head -16 > names
n=0
while read -r f; do
	n=$((n + 1))
	echo "$n $(nm lua | awk -v f="$f" '$3 == f { print $1; exit }') 256 r5:8p,r4:8,r1:8 r0:8 - $work/lua"
done < names > list
base=$(cpu ./lua calls.lua "$size")
echo "lua calls.lua $size alone: $base s"
row() {
	name=$1; shift
	s=$(cpu "$@")
	echo "$name $s $base" | awk '{ printf "%-28s %7.2f s  %5.1f times\n", $1, $2, $2 / $3 }'
}
row counting "$lib/rfcount-amd64-linux" --tool=rfcount $common ./lua calls.lua "$size" 9> /dev/null
row "sets-of-$(wc -l < list | tr -d ' ')-functions" "$lib/rfsets-amd64-linux" --tool=rfsets $common --rf-list="$work/list" ./lua calls.lua "$size" 9> /dev/null
row recorder-data-pages "$lib/rfcount-amd64-linux" --tool=rfcount $common --rf-mode=record ./lua calls.lua "$size" 9> /dev/null
unset VALGRIND_LIB VALGRIND_LAUNCHER
row callgrind "$(command -v valgrind)" -q --tool=callgrind --callgrind-out-file=/dev/null ./lua calls.lua "$size"
row memcheck "$(command -v valgrind)" -q ./lua calls.lua "$size"

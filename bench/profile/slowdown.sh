#!/bin/sh
# SPDX-License-Identifier: MIT
# Slow-down of the passes on lua 5.4 (Debian's source, -O2 -g) with a call-heavy script; CPU time of the whole process, the same run.
# Usage: BUILD=build sh bench/profile/slowdown.sh [SCRIPT-SIZE]
set -eu
: "${BUILD:=build}"
size=${1:-1000}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/fetch.sh"
lib=$BUILD/libexec
fetch lua5.4
(cd "$work"/lua5.4-*/src && echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' > lua5.4-deb-multiarch.h && for f in *.c; do
	[ "$f" = luac.c ] || gcc -O2 -g -std=gnu99 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -c "$f"
done && gcc -o "$work/lua" ./*.o -Wl,-E -ldl -lm)
cp "$here/calls.lua" "$work/"
cd "$work"
# The 16 hottest functions that reach the first memory pass, with the lines that refrain writes for the tool: a copy of refrain beside a
# stand-in for rfsets that keeps the list (and the number of the program in its name).
mkdir bin
cp -r "$BUILD/refrain" "$lib" bin/
mv bin/libexec/rfsets-amd64-linux bin/libexec/rfsets
cat > bin/libexec/rfsets-amd64-linux <<EOF
#!/bin/sh
for a; do case \$a in --rf-list=*) cat "\${a#--rf-list=}".* > "$work/all"; ls "\${a#--rf-list=}".* | sed "s/.*\\.//" > "$work/program" ;; esac; done
exec "$work/bin/libexec/rfsets" "\$@"
EOF
chmod +x bin/libexec/rfsets-amd64-linux
bin/refrain profile -q --no-explain --max-functions 60 --min-share 0.1 --max-limit 256 --json=p.json -- ./lua calls.lua 100 > /dev/null 2>&1
bin/refrain profile -q --no-explain --max-functions 1 --min-share 0 --min-average 0 --min-calls 1 --json=calls.json -- ./lua calls.lua "$size" > /dev/null 2>&1
awk -F': ' '/"function":/ { f = $2; gsub(/[",]/, "", f) } /"inclusive_instructions":/ { print $2 + 0, f }' p.json | sort -rn | while read -r cost f; do
	a=$(nm lua | awk -v f="$f" '$3 == f { sub(/^0+/, "", $1); print $1; exit }')
	[ -z "$a" ] || awk -v a="$a" '$2 == a' all
done | head -16 > "list.$(cat program)"
export VALGRIND_LIB="$lib" VALGRIND_LAUNCHER="$lib/rfcount-amd64-linux" LD_BIND_NOW=1
common="--command-line-only=yes -q --rf-fd=9"
base=$(cpu ./lua calls.lua "$size")
awk -F': ' -v s="$base" -v n="$size" '/"calls":/ { c += $2 } END { printf "lua calls.lua %d alone: %s s, %.0f M calls, %.0f M a second\n", n, s, c / 1e6, c / 1e6 / s }' calls.json
row() {
	name=$1; shift
	s=$(cpu "$@")
	echo "$name $s $base" | awk '{ printf "%-28s %7.2f s  %5.1f times\n", $1, $2, $2 / $3 }'
}
row counting "$lib/rfcount-amd64-linux" --tool=rfcount $common ./lua calls.lua "$size" 9> /dev/null
row "sets-of-$(wc -l < "list.$(cat program)" | tr -d ' ')-functions" "$lib/rfsets-amd64-linux" --tool=rfsets $common --rf-list="$work/list" ./lua calls.lua "$size" 9> /dev/null
for kind in data code both; do
	row "recorder-$kind-pages" "$lib/rfcount-amd64-linux" --tool=rfcount $common --rf-mode=record --rf-kinds=$kind ./lua calls.lua "$size" 9> /dev/null
done
unset VALGRIND_LIB VALGRIND_LAUNCHER LD_BIND_NOW
row callgrind "$(command -v valgrind)" -q --tool=callgrind --callgrind-out-file="$work/callgrind.out" ./lua calls.lua "$size"
row memcheck "$(command -v valgrind)" -q ./lua calls.lua "$size"

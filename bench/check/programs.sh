# SPDX-License-Identifier: MIT
# Four programs that nobody here wrote (started by run.sh), from Debian's sources and built by their own build systems with
# refrain-cc, unchanged, contracts in side files (programs.d): their own tests must pass, a seeded fault must be found, and
# the cost stands beside AddressSanitizer's. SOURCES=FOLDER holds unpacked sources; what is not there is fetched with apt-get.
# PROGRAMS selects some of: mujs jansson lua libxml2.
src=${SOURCES:-$work/src}
d=$here/programs.d
mkdir -p "$src" "$work/bin" "$work/apt/parts" "$work/apt/lists/partial"
ln -s "$REFRAIN" "$work/bin/refrain-cc"
export PATH=$work/bin:$PATH ASAN_OPTIONS=detect_leaks=0
failed=0

fetch() { # PACKAGE: unpacked below $src
	set -- "$1" -q -o Dir::Etc::sourceparts="$work/apt/parts" -o Dir::Etc::sourcelist=/dev/null \
		-o Dir::State::lists="$work/apt/lists" -o Acquire::Languages=none
	if [ ! -e "$work/apt/updated" ]; then
		for f in /etc/apt/sources.list.d/*.sources; do
			sed 's/^Types: deb$/Types: deb deb-src/' "$f" > "$work/apt/parts/$(basename "$f")"
		done
		apt-get "${@:2}" update > "$work/apt.log" 2>&1 || { tail -3 "$work/apt.log" >&2; exit 3; }
		touch "$work/apt/updated"
	fi
	(cd "$src" && apt-get "${@:2}" source "$1") > "$work/apt.log" 2>&1 || { tail -3 "$work/apt.log" >&2; exit 3; }
}

# ---- each program: its package, how it is built, its tests, a seeded fault and a load

mujs_build() { make -s CC="$1" XCFLAGS="$2" LDFLAGS="$2"; }
mujs_load() { echo "build/release/mujs $d/mujs.js"; }
mujs_seed() { sed -i '/^static js_Property \*split/,/^}/s/^\t\t++node->level;//' jsproperty.c; }

# Debian's patched Makefile wants a configured libtool; the sources as released have plain rules
lua_unpack() { mkdir "$1" && tar xf "$src"/lua5.4_*.orig.tar.* -C "$1" --strip-components=1; }
lua_build() { make -s CC="$1" MYCFLAGS="-w $2" MYLDFLAGS="$2" linux; }
lua_load() { echo "src/lua $d/lua.lua"; }
lua_seed() { sed -i '/^UpVal \*luaF_findupval/,/^}/s/uplevel(p) >= level/uplevel(p) > level/' src/lfunc.c; }

jansson_build() {
	cmake -S . -B b -DCMAKE_C_COMPILER="$1" -DCMAKE_C_FLAGS="$2" -DCMAKE_BUILD_TYPE=Release -DJANSSON_BUILD_DOCS=OFF \
		-DJANSSON_EXAMPLES=OFF && make -s -C b
}
jansson_test() { (cd b && ctest 2>&1) | grep '^100% tests passed'; }
jansson_load() { echo "b/bin/json_process $work/in"; }
jansson_hunt() { echo "b/bin/test_object"; } # the load removes no key
jansson_seed() { sed -i '/^static int hashtable_do_del/,/^}/s/^    list_remove(&pair->ordered_list);//' src/hashtable.c; }

libxml2_build() {
	./configure CC="$1" CFLAGS="-g -O2 $2" --without-python --without-lzma --without-icu --without-zlib --disable-static \
		&& make -s xmllint
}
libxml2_again() { make -s xmllint; } # a seeded file does not need another configure
libxml2_test() { make -s testapi && RF_CHECK=abort ./testapi 2>&1 | grep 'Total: .* 0 errors'; }
libxml2_load() { echo ".libs/xmllint --noout $work/in.xml"; }
libxml2_seed() { sed -i '/^xmlAddChild(/,/^}/s/^\t    cur->prev = prev;//' tree.c; }

inputs() {
	n=$([ "$quick" ] && echo 500 || echo 20000)
	mkdir -p "$work/in"
	awk -v n="$n" 'BEGIN { print "["; for (i = 0; i < n; i++) printf "%s{\"id\":%d,\"name\":\"n%d\",\"tags\":[\"a\",\"b%d\"],\"at\":{\"x\":%d,\"y\":%d.5,\"z\":null},\"k%d\":true}\n", i ? "," : "", i, i, i % 7, i * 3, i, i; print "]" }' > "$work/in/input"
	awk -v n="$n" 'BEGIN { print "<r>"; for (i = 0; i < n; i++) printf "<a id=\"%d\" k=\"v\"><b>t%d</b><c/>x &amp; y<d><e/><e f=\"1\"/></d></a>\n", i, i; print "</r>" }' > "$work/in.xml"
}

has() { command -v "$1" > /dev/null 2>&1; }

# A copy of the program's sources in $work/NAME.KIND, built; the seeded one from the checked one where a program can.
build() { # NAME KIND CC FLAGS
	how="$1_build"
	if [ "$2" = seeded ] && has "$1_again"; then
		cp -a "$work/$1.checked" "$work/$1.$2"
		how="$1_again"
	elif has "$1_unpack"; then
		"$1_unpack" "$work/$1.$2"
	else
		cp -r "$src"/"$1"-*/ "$work/$1.$2"
	fi
	(cd "$work/$1.$2" && { [ "$2" != seeded ] || "$1_seed"; } && "$how" "$3" "$4") > "$work/log" 2>&1 ||
		{ echo "$1: the $2 build failed"; tail -5 "$work/log"; failed=1; return 1; }
}

# The load's command for the build KIND; libraries built with it are found.
load() { # NAME KIND
	echo "LD_LIBRARY_PATH=$work/$1.$2/.libs $work/$1.$2/$("$1_load")"
}

one() { # NAME PACKAGE
	[ "$(echo "$src"/"$2"*)" != "$src/$2*" ] || fetch "$2"
	unset RF_CHECK_OPTIONS
	build "$1" plain gcc "" && build "$1" asan gcc "-fsanitize=address" || return 0
	export RF_CHECK_OPTIONS=--contracts=$d/$1.contracts
	build "$1" checked refrain-cc "" && build "$1" seeded refrain-cc "" || return 0
	[ "$1" != jansson ] || "$work/jansson.plain/b/bin/json_process" --env < "$work/in/input" > "$work/in/output"
	echo "$1:"
	cd "$work/$1.checked"
	if has "$1_test"; then
		"$1_test" > "$work/tests" || { tail -3 "$work/tests"; echo "  some of its own tests fail"; failed=1; }
		sed 's/^/  own tests: /' "$work/tests"
	fi
	cd "$work"
	for kind in plain checked; do
		env $(load "$1" $kind) > "$work/out.$kind" 2> "$work/err.$kind" ||
			{ echo "  the load failed ($kind)"; tail -5 "$work/err.$kind"; failed=1; }
	done
	cmp -s "$work/out.plain" "$work/out.checked" || { echo "  another output than the plain program"; failed=1; }
	# in a shell of its own, which says that it aborted where nobody looks
	if (env $(has "$1_hunt" && echo "$work/$1.seeded/$("$1_hunt")" || load "$1" seeded); exit $?) > "$work/out" 2>&1 || ! grep -q '^refrain: contract violated' "$work/out"; then
		echo "  seeded fault: NOT found"
		failed=1
	else
		echo "  seeded fault:"
		grep -A3 '^refrain: contract' "$work/out" | head -4 | sed 's/^/    /'
	fi
	env RF_CHECK=stats $(load "$1" checked) 2>&1 | grep '^refrain: .* checks' | sed 's/^refrain: /  /; s/, 0 of 0.*//'
	"$work/measure" "$runs" "$(load "$1" plain)" "RF_CHECK=off $(load "$1" checked)" "$(load "$1" checked)" "$(load "$1" asan)" |
		awk '{ s[NR] = $1; k[NR] = $2 } END {
			printf "  CPU: plain %.3f s; off %.2f, checked %.2f, ASan %.2f times; memory: plain %d, checked %d, ASan %d KB\n",
				s[1], s[2] / s[1], s[3] / s[1], s[4] / s[1], k[1], k[3], k[4] }'
}

inputs
for p in ${PROGRAMS:-mujs jansson lua libxml2}; do
	case $p in lua) one lua lua5.4 ;; *) one "$p" "$p" ;; esac
done
exit $failed

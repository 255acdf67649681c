# SPDX-License-Identifier: MIT
# A program that nobody here wrote: cJSON from Debian's sources, built with its own Makefile and CC=refrain-cc, contracts in a
# side file; its own test programs must pass, a seeded bug must be found, and the cost is measured. gcc and clang. Needs the
# network once (SOURCES=FOLDER with the unpacked source avoids it). run.sh starts this.
fetch() {
	mkdir -p "$work/apt/parts" "$work/apt/lists/partial" "$work/src"
	for f in /etc/apt/sources.list.d/*.sources; do
		sed 's/^Types: deb$/Types: deb deb-src/' "$f" > "$work/apt/parts/$(basename "$f")"
	done
	(cd "$work/src" &&
		set -- -q -o Dir::Etc::sourceparts="$work/apt/parts" -o Dir::Etc::sourcelist=/dev/null -o Dir::State::lists="$work/apt/lists" \
			-o Acquire::Languages=none &&
		apt-get "$@" update && apt-get "$@" source cjson) > "$work/apt.log" 2>&1 || { tail -3 "$work/apt.log" >&2; exit 3; }
	echo "$work"/src/cjson-*/
}
src=${SOURCES:-$(fetch)}
mkdir "$work/bin"
ln -s "$REFRAIN" "$work/bin/refrain-cc"
export PATH=$work/bin:$PATH RF_CHECK_OPTIONS=--contracts=$here/real/cjson.contracts
failed=0

# The Makefile's library and test, then the Unity test programs, each as the project's CMakeLists.txt builds it.
build_and_test() { # FOLDER LOG
	cd "$1"
	make -s clean
	make -s CC=refrain-cc all > "$2" 2>&1 || { tail -5 "$2"; return 1; }
	ran=0 bad=0
	./cJSON_test > "$2" 2>&1 || bad=1
	for t in tests/*.c; do
		name=$(basename "$t" .c)
		case $name in unity_setup) continue ;; esac
		[ -z "$quick" ] || case $name in misc_tests | parse_examples | readme_examples | cjson_add | parse_with_opts) ;; *) continue ;; esac
		extra=
		grep -q 'cJSON_Utils' "$t" && extra=cJSON_Utils.c
		grep -q 'common\.h' "$t" || extra="$extra cJSON.c"
		refrain-cc -O1 -w -I. -Itests -Itests/unity/src -Itests/unity/extras/fixture/src "$t" $extra tests/unity/src/unity.c -lm -o "$work/t" \
			2> "$2" || { echo "  $name does not build"; tail -3 "$2"; bad=$((bad + 1)); continue; }
		ran=$((ran + 1))
		(cd tests && exec "$work/t") > "$2" 2>&1 || { bad=$((bad + 1)); grep -A4 '^refrain' "$2" | head -5; }
	done
	echo "  $((ran + 1)) test programs, $bad failed"
	[ "$bad" = 0 ]
}

for cc in ${COMPILERS:-gcc-12 clang-14}; do
	command -v "$cc" > /dev/null || { echo "$cc: not installed, skipped"; continue; }
	echo "cJSON, RF_CC=$cc, contracts on:"
	export RF_CC=$cc
	rm -rf "$work/cjson" "$work/seeded"
	cp -r "$src" "$work/cjson"
	build_and_test "$work/cjson" "$work/log" || failed=1

	# the seeded bug: a detached item keeps its link to the list it was taken from
	cp -r "$src" "$work/seeded"
	sed -i '/^CJSON_PUBLIC(cJSON \*) cJSON_DetachItemViaPointer/,/^}/s/^    item->next = NULL;//' "$work/seeded/cJSON.c"
	cmp -s "$src/cJSON.c" "$work/seeded/cJSON.c" && { echo "  the bug was not seeded"; failed=1; }
	refrain-cc -O1 -w -I"$work/seeded" "$here/real/cjson_load.c" "$work/seeded/cJSON.c" -o "$work/seeded_load"
	if "$work/seeded_load" 50 > "$work/log" 2>&1; then
		echo "  seeded bug: NOT found"
		failed=1
	else
		echo "  seeded bug found:"
		grep -A3 '^refrain: contract' "$work/log" | sed 's/^/    /' || failed=1
	fi

	$cc -O2 -w -I"$src" "$here/real/cjson_load.c" "$src/cJSON.c" -o "$work/load_plain"
	refrain-cc -O2 -w -I"$src" "$here/real/cjson_load.c" "$src/cJSON.c" -o "$work/load_checked"
	n=$([ "$quick" ] && echo 20000 || echo 100000)
	"$work/measure" "$runs" "$work/load_plain $n" "RF_CHECK=off $work/load_checked $n" "$work/load_checked $n" | awk -v n="$n" '{ s[NR] = $1; k[NR] = $2 } END {
		printf "  overhead, %d objects: plain %.3f s %d KB; RF_CHECK=off %.2f times; checked %.2f times, %d KB\n", n, s[1], k[1], s[2] / s[1], s[3] / s[1], k[3] }'
done
exit $failed

# SPDX-License-Identifier: MIT
# The rules of the project: layers, formatting, exported symbols, no machine paths, banned calls, both compilers, installation.
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1
# in a tarball there is no git: look at every file then
files() { git ls-files -- "$@" 2> /dev/null || find src runtime include tests -name '*.[ch]'; }

ok "no folder includes one above or beside it" sh tests/layers
wrong_include() {
	mkdir -p "$T/wrong/src/trace" && printf '#include "smt/term/dag.h"\n' > "$T/wrong/src/trace/x.h"
	LAYERS_TOP=$T/wrong sh tests/layers src | grep -q "^not allowed: src/trace/x.h"
}
ok "an engine that includes another is found" wrong_include

base_is_free() {
	bad=$(grep -nE '#include <' src/base/*.[ch] src/base/*/*.[ch] | grep -vE '<(stdbool|stddef|stdint|stdarg|limits|immintrin)\.h>')
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}
ok "base includes freestanding headers only" base_is_free

exported() { nm "$@" --defined-only | sed -n 's/.* [TDBRVW] //p' | sort -u; }
# the names that public headers mark RF_API
declared() {
	cat "$@" | tr '\n' ' ' | grep -oE 'RF_API [^;{(]*[;(]' | grep -oE 'rf_[a-z0-9_]+ *[[;(]' | tr -d ' [;(' | sort -u
}
# symbols LIBRARY HEADER…: it exports what the headers declare and nothing else, as .so and as .a
symbols() {
	lib=$1
	shift
	declared "$@" > "$T/want"
	exported -D "$BUILD/$lib.so" > "$T/so"
	exported -g "$BUILD/$lib.a" > "$T/a"
	[ -s "$T/want" ] && diff "$T/want" "$T/so" && diff "$T/want" "$T/a"
}
library_headers=$(ls include/refrain/*.h | grep -vE '/(memo|check)\.h$')
# shellcheck disable=SC2086
ok "librefrain exports what its headers declare" symbols librefrain $library_headers
case $BUILD in
*/asan) skip "librefrain-rt exports" "the sanitizer adds symbols of its own" ;;
*) ok "librefrain-rt exports what its headers declare" symbols librefrain-rt include/refrain/memo.h include/refrain/check.h ;;
esac

no_paths() {
	pattern='/(work|root|farm|home)/[a-z]'
	bad=$(files . | grep -vE '(package-lock.json|\.patch)$' | xargs grep -nIE "$pattern" 2> /dev/null | grep -v 'tests/cli/test_project.sh')
	[ -z "$bad" ] || { echo "$bad" | head; return 1; }
	# nor in what is built
	if strings -a "$BUILD/refrain" | grep -F "$top/" | head -3 | grep .; then return 1; fi
}
ok "no path of a machine in the sources or the program" no_paths

banned() {
	bad=$(files '*.c' '*.h' | xargs grep -nE '\b(strcpy|strcat|sprintf|gets|strtok|alloca)[[:space:]]*\(' 2> /dev/null)
	[ -z "$bad" ] || { echo "$bad" | head; return 1; }
}
ok "no banned functions" banned

# Python texts that the tests reduce are data
no_python() { [ -z "$(files '*.py' | grep -v '^tests/unit/samples/')" ]; }
ok "no Python" no_python

# the other compiler: the normal build is gcc's
clang_clean() {
	MAKEFLAGS= make -s -j2 BUILD="$BUILD" CLANG=clang WERROR=1 clang-syntax
}
before=$(ls --full-time "$REFRAIN" "$BUILD/internal.a")
ok "clang finds nothing to warn about" clang_clean

installs() {
	MAKEFLAGS= make -s BUILD="$BUILD" DESTDIR="$T/stage" install &&
		"$T/stage/usr/local/bin/refrain" --version && [ -L "$T/stage/usr/local/bin/refrain-z3" ] &&
		[ -f "$T/stage/usr/local/share/man/man1/refrain-help.1" ] && [ -f "$T/stage/usr/local/lib/pkgconfig/refrain-rt.pc" ] || return 1
	printf '#include <refrain/refrain.h>\n#include <stdio.h>\nint main(void){puts(rf_version());return 0;}\n' > "$T/v.c"
	cc -I"$T/stage/usr/local/include" "$T/v.c" -L"$T/stage/usr/local/lib" -lrefrain -Wl,-rpath,"$T/stage/usr/local/lib" -o "$T/v" && [ "$("$T/v")" = "$("$REFRAIN" --version | cut -d' ' -f2)" ]
}
case $BUILD in
*/asan) skip "installs" "a sanitizer build is not installed" ;;
*)
	ok "installs, and the installed library links" installs
	uninstalls() {
		MAKEFLAGS= make -s BUILD="$BUILD" DESTDIR="$T/stage" uninstall && left=$(find "$T/stage" ! -type d) && [ -z "$left" ] || { echo "$left"; return 1; }
	}
	ok "uninstalls everything" uninstalls
	;;
esac

# other tests are running it
ok "none of this rebuilt the program" [ "$before" = "$(ls --full-time "$REFRAIN" "$BUILD/internal.a")" ]

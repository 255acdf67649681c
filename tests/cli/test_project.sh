# SPDX-License-Identifier: MIT
# The rules of the project: layers, formatting, exported symbols, no machine paths, banned calls, both compilers, installation.
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1
# files PATTERN…: the files of the project; all but the built ones in a tarball, where there is no git. CI may run as
# another user than the owner of the files, which git refuses unless it is told that this is safe.
files() {
	if [ -e .git ]; then
		git -c safe.directory='*' ls-files -- "$@"
	else
		for pattern in "$@"; do
			find . \( -path ./build -o -path ./deps/node_modules \) -prune -o -type f -name "$pattern" -print
		done | sed 's|^\./||'
	fi
}
# C that we wrote: samples are the input of tests
c_files() { files '*.c' '*.h' '*.inc' | grep -v '^tests/unit/samples/'; }
section "the files of the project"
ok "they are found" [ "$(files '*.c' | grep -xc src/cmd/main.c)" -eq 1 ]

section "layers"
ok "no folder includes one above or beside it" sh tests/layers
wrong_include() {
	mkdir -p "$T/wrong/src/trace" && printf '#include "smt/term/dag.h"\n' > "$T/wrong/src/trace/x.h"
	LAYERS_TOP=$T/wrong sh tests/layers src | grep -q "^not allowed: src/trace/x.h"
}
ok "an engine that includes another is found" wrong_include
crowded() {
	mkdir -p "$T/crowded/src/trace"
	for i in $(seq 31); do printf '#include "trace/y.h"\n' > "$T/crowded/src/trace/x$i.h"; done
	LAYERS_TOP=$T/crowded sh tests/layers src | grep -q "^src/trace: 31 files"
}
ok "so is a folder with many files" crowded

# but for fdio.h, which is system calls
base_is_free() {
	bad=$(grep -nE '#include <' src/base/*.[ch] src/base/*/*.[ch] src/base/*/*/*.[ch] | grep -vE '<(stdbool|stddef|stdint|stdarg|limits|immintrin)\.h>' | grep -v "^src/base/fdio.h:")
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}
ok "base includes freestanding headers only" base_is_free

section "exported symbols"
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

section "no path of a machine"
no_paths() {
	pattern='(^|[^a-zA-Z0-9_.])/(work|root|farm|home)/[a-z]'
	bad=$(files '*' | grep -vE '(package-lock.json|\.patch)$' | xargs grep -nIE "$pattern" 2> /dev/null | grep -v 'tests/cli/test_project.sh')
	[ -z "$bad" ] || { echo "$bad" | head; return 1; }
	# nor in what is built
	if strings -a "$BUILD/refrain" | grep -F "$top/" | head -3 | grep .; then return 1; fi
}
ok "no path of a machine in the sources or the program" no_paths

section "text of the sources"
formatted() { c_files | xargs clang-format --dry-run -Werror; }
ok "all C is formatted by .clang-format" formatted
# columns as a reader sees them: tabs to 8, a character once; and never more bytes than that, for simple tools
wide() {
	bad=$(c_files | LC_ALL=C xargs awk '{
		c = 0
		for (i = 1; i <= length($0); i++) {
			ch = substr($0, i, 1)
			c += ch == "\t" ? 8 - c % 8 : (ch < "\200" || ch > "\277")
		}
		if (c > 120 || length($0) > 120)
			print FILENAME ":" FNR
	}')
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}
ok "no line above 120 columns" wide
long_functions() {
	bad=$(c_files | xargs awk '/^\{$/ { start = FNR } /^\}/ { if (start && FNR - start > 80) print FILENAME ":" start; start = 0 }')
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}
ok "no function above 80 lines" long_functions
licensed() {
	bad=$({ c_files; files '*.sh' '*.mk' '*.mjs' '*.js' '*.css' do Makefile '*/run' '*/layers'; } | grep -v '^tests/unit/samples/' | sort -u |
		xargs grep -L 'SPDX-License-Identifier: \(MIT\|GPL-2.0-or-later\)')
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}
ok "every source names its licence" licensed
strays() {
	bad=$(git -c safe.directory='*' ls-files -i -c --exclude-standard)
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}
if [ -e .git ]; then ok "nothing that .gitignore names is tracked" strays; fi
# a test's output that was added by mistake lands here
at_the_top() {
	bad=$(git -c safe.directory='*' ls-files | grep -v / |
		grep -vxE '\.(clang-format|editorconfig|gitignore)|(CHANGELOG|CONTRIBUTING|README)\.md|LICENSE|Makefile|NOTICES|do')
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}
if [ -e .git ]; then ok "no stray file at the top" at_the_top; fi
ok "every mutant applies and names tests that exist" sh tests/mutants/run --applies

banned() {
	bad=$(files '*.c' '*.h' | xargs grep -nE '\b(strcpy|strcat|sprintf|gets|strtok|alloca)[[:space:]]*\(' 2> /dev/null)
	[ -z "$bad" ] || { echo "$bad" | head; return 1; }
}
ok "no banned functions" banned

# Python texts that the tests reduce are data
no_python() { [ -z "$(files '*.py' | grep -v '^tests/unit/samples/')" ]; }
ok "no Python" no_python

section "the other compiler"
# the normal build is gcc's
clang_clean() {
	MAKEFLAGS= make -s -j2 BUILD="$BUILD" CLANG=clang WERROR=1 clang-syntax
}
before=$(ls --full-time "$REFRAIN" "$BUILD/internal.a")
ok "clang finds nothing to warn about" clang_clean

case $BUILD in
*/asan) skip "installation" "a sanitizer build is not installed" ;;
*)
	section "installation"
	stage=$T/stage/usr/local
	ok "make install" env MAKEFLAGS= make -s BUILD="$BUILD" DESTDIR="$T/stage" install
	version=$("$REFRAIN" --version | cut -d' ' -f2)
	is "the installed program" "$("$stage/bin/refrain" --version | cut -d' ' -f2)" "$version"
	ok "links and man pages" [ -L "$stage/bin/refrain-z3" -a -f "$stage/share/man/man1/refrain-z3.1" -a -L "$stage/share/bash-completion/completions/refrain-z3" ]

	# the libraries as a user finds them, by pkg-config: shared and static, from C and C++
	flags() { PKG_CONFIG_PATH=$stage/lib/pkgconfig pkg-config --define-variable=prefix="$stage" "$@"; }
	printf '#include <%s>\n' $(cd "$stage/include" && ls refrain/*.h) > "$T/v.c"
	printf '#include <stdio.h>\nint main(void) { puts(rf_version()); return 0; }\n' >> "$T/v.c"
	cp "$T/v.c" "$T/v.cc"
	uses() {
		# shellcheck disable=SC2046
		"$@" -o "$T/v" && [ "$(LD_LIBRARY_PATH=$stage/lib "$T/v")" = "$version" ]
	}
	# shellcheck disable=SC2046
	{
		ok "the shared library, from C" uses gcc -std=c99 -Wall -Wextra -Werror "$T/v.c" $(flags --cflags --libs refrain)
		ok "the shared library, from C++" uses g++ -Wall -Wextra -Werror "$T/v.cc" $(flags --cflags --libs refrain)
		mkdir "$T/static" && cp "$stage"/lib/*.a "$T/static"
		ok "the static library, with its private libraries" uses gcc "$T/v.c" $(flags --cflags refrain) -L"$T/static" \
			$(flags --static --libs refrain | sed "s|-L$stage/lib||")
	}
	ok "make uninstall" env MAKEFLAGS= make -s BUILD="$BUILD" DESTDIR="$T/stage" uninstall
	is "it leaves nothing" "$(find "$T/stage" ! -type d)" ""
	;;
esac

# other tests are running it
section "the program is left alone"
ok "none of this rebuilt the program" [ "$before" = "$(ls --full-time "$REFRAIN" "$BUILD/internal.a")" ]

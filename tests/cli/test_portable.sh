# SPDX-License-Identifier: MIT
# Other machines and other C libraries, with Debian's compilers for arm64 and for musl: every source is compiled for both,
# and librefrain-rt, which lives in other people's programs, is linked with musl and run.
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1

build() { MAKEFLAGS= make -s -j2 WERROR=1 "$@"; }

if ! command -v aarch64-linux-gnu-gcc > "$T/which"; then
	absent "compiles for arm64" "no aarch64-linux-gnu-gcc"
else
	ok "compiles for arm64" build BUILD="$BUILD" arm64-syntax
fi

if ! command -v musl-gcc > "$T/which"; then
	absent "compiles with musl" "no musl-gcc"
	exit 0
fi
ok "compiles with musl" build BUILD="$BUILD" musl-syntax

rt=$T/musl/librefrain-rt.a
ok "librefrain-rt is built with musl" build BUILD="$T/musl" CC=musl-gcc CFLAGS=-O1 "$rt"
with() { "$1" -std=gnu11 -O1 -Iinclude -Isrc -Itests/unit "$2" "$3" -pthread $5 -o "$4"; }
memo_runs() {
	with cc examples/memo/longest.c "$BUILD/librefrain-rt.a" "$T/memo" "" &&
		with musl-gcc examples/memo/longest.c "$rt" "$T/memo-musl" -static &&
		[ "$("$T/memo-musl")" = "$("$T/memo")" ]
}
case $BUILD in
*/asan) skip "a memo table works with musl" "its peer would need the sanitizer's library" ;;
*) ok "a memo table works with musl" memo_runs ;;
esac
contracts_run() {
	with musl-gcc bench/check/random_long.c "$rt" "$T/random-musl" -static && "$T/random-musl" 30000
}
ok "contracts work with musl" contracts_run

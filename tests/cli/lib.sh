# SPDX-License-Identifier: MIT
# Helpers for command-line tests, sourced by tests/cli/test_*.sh. $REFRAIN is the program, $T a scratch folder that the
# runner removes, $BUILD the build folder.
#
# A script is a list of tests, each opened by `section NAME` and made of checks (ok, is, exits, has). A check prints an
# indented TAP line; the test's own line, which the runner counts, comes when the next one starts or the script ends. A
# test without a check fails: it cannot notice anything. With FAIL_FAST set (the mutants' runner) the first failure ends
# the script.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
test_n=0 check_n=0 preamble= skipped=
test_name=
# what the open test's checks said, a file because a check may run in a subshell: "passed" and "failed", a line each
said=$T/.said

section() {
	section_end
	test_name=$1 check_n=0 preamble= skipped=
	: > "$said"
}

section_end() {
	[ -n "$test_name" ] || return 0
	# without a check: the part before the first section, and a test of which all was skipped, which was said
	[ -z "$preamble$skipped" ] || [ -s "$said" ] || return 0
	test_n=$((test_n + 1))
	if grep -q failed "$said"; then
		echo "not ok $test_n - $test_name"
	elif [ ! -s "$said" ]; then
		echo "not ok $test_n - $test_name: nothing was checked"
	else
		echo "ok $test_n - $test_name"
	fi
	test_name=
}

# the script's end, whatever ends it: a command that fails under `exit` fails the open test
at_exit() {
	status=$?
	[ -z "${servers:-}" ] || stop_servers # servers.sh
	[ $status -eq 0 ] || echo failed >> "$said"
	section_end
	trap - EXIT
	exit $status
}
trap at_exit EXIT

# passed NAME, failed NAME: one check's line
passed() {
	check_n=$((check_n + 1))
	echo passed >> "$said"
	echo "    ok $check_n - $1"
}
failed() {
	check_n=$((check_n + 1))
	echo failed >> "$said"
	echo "    not ok $check_n - $1"
}
# the lines of standard input explain a failure; with FAIL_FAST they are the last
explain() {
	sed 's/^/    # /'
	[ -z "${FAIL_FAST:-}" ] || exit 1
}

# ok NAME COMMAND…: passes when the command succeeds
ok() {
	name=$1
	shift
	if "$@" > "$T/.out" 2> "$T/.err"; then
		passed "$name"
	else
		failed "$name"
		{ echo "failed: $*"; head -20 "$T/.out" "$T/.err"; } | explain || exit 1
	fi
}

# is NAME GOT WANTED: passes when both are the same text
is() {
	if [ "$2" = "$3" ]; then
		passed "$1"
	else
		failed "$1"
		printf '%s\n' "got:" "$2" "wanted:" "$3" | explain || exit 1
	fi
}

# exits NAME CODE COMMAND…: passes when the command ends with that exit code; $T/out and $T/err have what it printed
exits() {
	name=$1 code=$2
	shift 2
	"$@" > "$T/out" 2> "$T/err"
	rc=$?
	if [ $rc -eq "$code" ]; then
		passed "$name"
	else
		failed "$name"
		{ echo "exit $rc, wanted $code: $*"; head -20 "$T/err"; } | explain || exit 1
	fi
}

# has NAME FILE TEXT: passes when the file has the fixed text
has() {
	if grep -qF -- "$3" "$2"; then
		passed "$1"
	else
		failed "$1"
		{ echo "'$3' is not in:"; head -20 "$2"; } | explain || exit 1
	fi
}

# field NAME FILE: a number, word or string at the top of the JSON document in FILE, as it stands there
field() { sed -n "s/^  \"$1\": \([^,]*\),*$/\1/p" "$2"; }

# skip NAME REASON: a test that cannot be made here, counted as skipped; the open test goes on
skip() {
	test_n=$((test_n + 1))
	skipped=1
	echo "ok $test_n - $1 # SKIP $2"
}

# absent NAME REASON: something that deps/ lists is missing. A skip, but a failure under ./do test, which installs it all.
absent() {
	if [ -z "${TEST_COMPLETE:-}" ]; then
		skip "$1" "$2"
	else
		failed "$1: $2"
	fi
}

# need_valgrind_tools NAME: ends the script if the tools that run under Valgrind were not built
need_valgrind_tools() {
	[ ! -x "$BUILD/libexec/rfcount-amd64-linux" ] || return 0
	if [ "$(uname -m)" = x86_64 ]; then
		absent "$1" "the Valgrind tools were not built (package valgrind)"
	else
		skip "$1" "the Valgrind tools are for amd64 only"
	fi
	exit 0
}

# bound COMMAND…: runs it so that the permissions of files bind it, for root too
bound() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	else
		setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search "$@"
	fi
}

# checks before the first test belong to one named after the script; without any it is none
section "$(basename "$0" .sh)"
preamble=1

# is the runtime library built with a sanitizer? A plain program cannot be linked with it then
sanitized_runtime() { [ "$(nm "$BUILD/librefrain-rt.a" 2> /dev/null | grep -c __asan_report)" -gt 0 ]; }

# le BYTES NUMBER…: little-endian integers
le() {
	w=$1; shift
	for v; do
		i=0
		while [ $i -lt "$w" ]; do
			printf "\\$(printf %03o $((v & 255)))"
			v=$((v >> 8)); i=$((i + 1))
		done
	done
}

# silent COMMAND…: it succeeds and prints nothing
silent() {
	"$@" > "$T/.said" 2>&1 && [ ! -s "$T/.said" ] || { cat "$T/.said" >&2; return 1; }
}

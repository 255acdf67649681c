# SPDX-License-Identifier: MIT
# Helpers for command-line tests, sourced by tests/cli/test_*.sh. Each check prints one TAP line.
# $REFRAIN is the program, $T a scratch folder that the runner removes, $BUILD the build folder.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
test_n=0

# ok NAME COMMAND…: passes when the command succeeds
ok() {
	name=$1; shift
	test_n=$((test_n + 1))
	if "$@" > "$T/.out" 2> "$T/.err"; then
		echo "ok $test_n - $name"
	else
		echo "not ok $test_n - $name"
		echo "# failed: $*"
		head -20 "$T/.out" "$T/.err" | sed 's/^/# /'
	fi
}

# is NAME GOT WANTED: passes when both are the same text
is() {
	test_n=$((test_n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $test_n - $1"
	else
		echo "not ok $test_n - $1"
		printf '%s\n' "got:" "$2" "wanted:" "$3" | sed 's/^/# /'
	fi
}

# exits NAME CODE COMMAND…: passes when the command ends with that exit code; $T/out and $T/err have what it printed
exits() {
	name=$1; code=$2; shift 2
	test_n=$((test_n + 1))
	"$@" > "$T/out" 2> "$T/err"
	rc=$?
	if [ $rc -eq "$code" ]; then
		echo "ok $test_n - $name"
	else
		echo "not ok $test_n - $name"
		echo "# exit $rc, wanted $code: $*"
		head -20 "$T/err" | sed 's/^/# /'
	fi
}

# has NAME FILE TEXT: passes when the file has the fixed text
has() {
	test_n=$((test_n + 1))
	if grep -qF -- "$3" "$2"; then
		echo "ok $test_n - $1"
	else
		echo "not ok $test_n - $1"
		echo "# '$3' is not in:"
		head -20 "$2" | sed 's/^/# /'
	fi
}

# skip NAME REASON: counted as passed, the reason is printed
skip() {
	test_n=$((test_n + 1))
	echo "ok $test_n - $1 # SKIP $2"
}

#!/bin/bash
# SPDX-License-Identifier: MIT
# How long cancelled tests go on, and what the reducer itself needs, both seen from outside (scale_farm.c, "watch").
#
#	bash scale_own.sh [FUNCTIONS]
#
# Tests sleep: with eight jobs for 0.1 to 1 s, so that an answer every 70 ms makes some of the others pointless, and with 64
# jobs for 100 ms.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${BUILD:=$top/build}"
functions=${1:-600}
[ -x "$BUILD/bench/scale_farm" ] || make -s -C "$top" BUILD="$BUILD" "${BUILD#"$top"/}/bench/scale_farm" >&2 || exit 3
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-own.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3

run() { # JOBS SECONDS (of the shell, for each test)
	"$BUILD/bench/scale_farm" write "$functions" > a.c
	printf '#!/bin/bash\nexec %s test %s %s a.c\n' "$BUILD/bench/scale_farm" "$functions" "$2" > t.sh
	chmod +x t.sh
	echo -n "$1 jobs: "
	"$BUILD/bench/scale_farm" watch "$work/socket.$1" "$BUILD/refrain" reduce -q -j"$1" --store=none ./t.sh a.c
}

run 8 '0.$((RANDOM % 900 + 100))'
run 64 0.1

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench/check/run.sh PART [--quick]: what contracts cost. PART is
#   paper    engine A on persistent structures: no cache, direct-mapped, LRU × sizes × depths × n, and the paper's Table 1
#   marks    engine B on structures changed in place, at each call before and after
#   random   ten million random operations, engine B's verdict against a full check (random.sh)
#   real     a real program from Debian's sources built with refrain-cc (real.sh)
#   programs four more, with their own build systems and tests (programs.sh)
#   prolog   the paper's host: its seven structures in GNU Prolog, with and without caches
# Times are CPU time (user+system) of whole processes as the kernel counts them, programs alternated, median of five
# (three with --quick). The baseline is the same program compiled by the same compiler with -O2, without checks and barrier.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
REFRAIN=${REFRAIN:-$root/build/refrain}
CC=${CC:-cc}
part=${1:-}
quick=
[ "${2:-}" = --quick ] && quick=1
runs=${RUNS:-$([ "$quick" ] && echo 3 || echo 5)}
export REFRAIN CC quick runs here root

[ -x "$REFRAIN" ] || { echo "run.sh: build $REFRAIN first (make)" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work
$CC -O2 -o "$work/measure" "$here/measure.c"

refrain_cc() {
	RF_CC=$CC "$REFRAIN" check cc "$@"
}
export -f refrain_cc

case $part in
paper | marks | prolog) bash -eu "$here/$part.sh" ;;
random | real | programs) bash -eu "$here/$part.sh" ;;
*) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

# SPDX-License-Identifier: MIT
# Sourced by scripts beside it, with $here, their folder, and $BUILD, which becomes an absolute path.
# $work is a scratch folder that goes with the script;
# fetch PACKAGE: Debian's source of it, unpacked in $work; apt's lists are private, so nothing of the system changes.
case $BUILD in /*) ;; *) BUILD=$here/../../$BUILD ;; esac
BUILD=$(cd "$BUILD" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
fetch() {
	if [ ! -d "$work/apt/lists/partial" ]; then
		mkdir -p "$work/apt/lists/partial" "$work/apt/parts"
		cp /etc/apt/sources.list.d/*.sources "$work/apt/parts/"
		sed -i 's/^Types: deb$/Types: deb deb-src/' "$work"/apt/parts/*.sources
		apt_private update > "$work/apt/log" 2>&1
	fi
	(cd "$work" && apt_private source "$1" > "$work/apt/log" 2>&1) || { tail -3 "$work/apt/log"; exit 3; }
}
apt_private() {
	apt-get -q -o Dir::Etc::sourceparts="$work/apt/parts" -o Dir::Etc::sourcelist=/dev/null -o Dir::State::lists="$work/apt/lists" "$@"
}
# cpu PROGRAM ARG…: its user + system seconds, the mean of two runs; PROGRAM is a path
cpu() {
	program=$1; shift
	"$BUILD/bench/paired" 1 - "$program" "$program" "$@" | awk '{ print ($1 + $4) / 2 }'
}

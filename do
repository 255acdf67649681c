#!/bin/sh
# SPDX-License-Identifier: MIT
# All a newcomer needs: ./do deps | build | demo | test. Each is complete by itself on a fresh Debian 12.
# POSIX sh on purpose: a fresh Debian has no make, gcc, git, python3 or npm.
set -eu
cd "$(dirname "$0")"

say() { printf '%s\n' "$*" >&2; }

usage() {
	cat << 'USAGE'
usage: ./do deps | build | demo | test

  deps    install what the others need (Debian packages, npm packages)
  build   build build/refrain and the libraries
  demo    run a real job of each engine and say what it saved
  test    run all tests; the last line is "N passed, N failed"
USAGE
}

# The packages of the given lists that are not installed (a line may name a command that does as well).
missing_packages() {
	want=
	for list in "$@"; do
		while read -r package command _; do
			case $package in '' | '#'*) continue ;; esac
			[ -n "$command" ] && command -v "$command" > /dev/null 2>&1 && continue
			want="$want $package"
		done < "$list"
	done
	# one call for all: asking package by package takes seconds
	# shellcheck disable=SC2086
	have=" $(dpkg-query -W -f='${db:Status-Status}=${Package} ' $want 2> /dev/null || :)"
	for package in $want; do
		case $have in *" installed=$package "*) ;; *) printf '%s ' "$package" ;; esac
	done
}

install_packages() {
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	line="apt-get install -y --no-install-recommends $missing"
	if [ "$(id -u)" -eq 0 ]; then
		as_root=
	elif command -v sudo > /dev/null 2>&1; then
		as_root=sudo
	else
		say "These Debian packages are missing, and only root can install them. Run as root:"
		say "  $line"
		exit 3
	fi
	say "installing: $missing"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086
	if ! $as_root $line > /dev/null 2>&1; then
		# the package lists may be missing or old
		$as_root apt-get update -q > /dev/null || { say "apt-get update failed"; exit 3; }
		$as_root $line >&2 || { say "could not install: $missing"; exit 3; }
	fi
}

# npm packages, only when the lock file changed since they were installed
install_npm() {
	now=$(cat deps/package-lock.json deps/.npmrc | cksum)
	stamp=deps/node_modules/.refrain-lock
	[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$now" ] && return 0
	say "installing npm packages"
	(cd deps && npm ci --silent >&2) || { say "npm ci failed in deps/"; exit 3; }
	printf '%s\n' "$now" > "$stamp"
}

jobs() { nproc 2> /dev/null || echo 2; }

build() { make -s -j"$(jobs)" all; }

case ${1:-} in
deps)
	install_packages deps/apt-build.txt deps/apt-test.txt
	install_npm
	;;
build)
	install_packages deps/apt-build.txt
	install_npm
	build
	;;
demo)
	install_packages deps/apt-build.txt
	install_npm
	build
	REFRAIN=$PWD/build/refrain sh examples/demo/run
	;;
test)
	install_packages deps/apt-build.txt deps/apt-test.txt
	install_npm
	make -s -j"$(jobs)" tests-built
	BUILD=build sh tests/run "${2:-}"
	;;
-h | --help | help)
	usage
	;;
*)
	usage >&2
	exit 2
	;;
esac

#!/bin/sh
# SPDX-License-Identifier: MIT
# All a newcomer needs: ./do deps | build | demo | test. Each is complete by itself on a fresh Debian 12.
# POSIX sh on purpose: a fresh Debian has no make, gcc, git, python3 or npm. What is installed already is not touched,
# so that a second run needs neither root nor a network.
set -eu
cd "$(dirname "$0")"

log=
say() { printf '%s\n' "$*" >&2; }

usage() {
	cat << 'USAGE'
usage: ./do deps | build | demo | test [PATTERN]

  deps    install what the others need (Debian packages, npm packages)
  build   build build/refrain and the libraries
  demo    follow one program through all engines and show what each saved
  test    run all tests, or those whose name matches PATTERN; the last line is "N passed, N failed"
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

new_log() {
	[ -z "$log" ] || return 0
	log=$(mktemp "${TMPDIR:-/tmp}/refrain-do.XXXXXX")
	trap 'rm -f "$log" "$log.failed"' EXIT
	trap 'exit 130' HUP INT TERM
}

# Ends the program: what failed, the end of its output, and what to run by hand.
give_up() {
	say "$1 failed; the end of its output:"
	grep -v '^\(dl\|pm\)[a-z]*:' "$log" | tail -n 20 | sed 's/^/  | /' >&2
	say "To try it by hand:"
	shift
	for line in "$@"; do say "  $line"; done
	exit 3
}

# Reads apt-get's output into the log and shows how far it is: one line rewritten on a terminal, else each quarter.
show_progress() {
	shown=
	while IFS= read -r line; do
		printf '%s\n' "$line" >> "$log"
		case $line in
		dlstatus:*) stage=downloading ;;
		pmstatus:*) stage=installing ;;
		*) continue ;;
		esac
		percent=${line#*:*:}
		percent=${percent%%[!0-9]*}
		[ -t 2 ] || percent=$((${percent:-0} / 25 * 25))
		[ "$shown" != "$stage $percent" ] || continue
		shown="$stage $percent"
		if [ -t 2 ]; then printf '\r  %s %3d%%\033[K' "$stage" "${percent:-0}" >&2; else say "  $stage $percent%"; fi
	done
	if [ -t 2 ] && [ -n "$shown" ]; then printf '\r\033[K' >&2; fi
}

# apt_get ARGUMENT…: as root and without questions. dpkg wants the sbin folders, which su does not add. Status lines
# need a descriptor of their own (with standard output a maintainer script fails), opened behind sudo, which closes it.
apt_get() {
	rm -f "$log.failed"
	{
		$as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" \
			sh -c 'exec apt-get "$@" 3>&1' apt-get "$@" -o DPkg::Use-Pty=0 \
			-o DPkg::Lock::Timeout=120 -o Acquire::Retries=3 < /dev/null 2>&1 || : > "$log.failed"
	} | show_progress
	[ ! -e "$log.failed" ]
}

update_lists() {
	say "updating the package lists"
	apt_get update || give_up "apt-get update" "$update" "$install"
}

# Says what is to come; fails if the package lists do not know all of it. The time was fitted to what two cores and a fast
# network took.
announce() {
	# shellcheck disable=SC2086
	plan=$(LC_ALL=C apt-get install -s --no-install-recommends $missing 2> /dev/null) || return 1
	count=$(printf '%s\n' "$plan" | grep -c '^Inst ')
	# shellcheck disable=SC2086
	LC_ALL=C apt-get install -y --print-uris -qq --no-install-recommends $missing 2> /dev/null |
		awk -v count="$count" '{ bytes += $3 } END {
			minutes = int((bytes / 5e6 + count / 12) / 60 + 0.5)
			printf "installing %d Debian packages: %d MB to download, about %s\n", count, (bytes + 999999) / 1e6,
				(minutes > 1 ? minutes " minutes" : "a minute") }' >&2
}

install_missing() {
	# shellcheck disable=SC2086
	apt_get install -y --no-install-recommends -o APT::Status-Fd=3 $missing
}

install_packages() {
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	missing=${missing% }
	update="apt-get update"
	install="apt-get install -y --no-install-recommends $missing"
	if ! command -v apt-get > /dev/null 2>&1; then
		say "Packages are missing and there is no apt-get. Their names in Debian are:"
		say "  $missing"
		exit 3
	elif [ "$(id -u)" -eq 0 ]; then
		as_root=
	elif command -v sudo > /dev/null 2>&1; then
		as_root=sudo
	else
		say "Debian packages are missing, and only root can install them. Run as root:"
		say "  $update"
		say "  $install"
		exit 3
	fi
	new_log
	start=$(date +%s)
	announce || { update_lists && announce; } || say "installing $missing"
	if ! install_missing; then
		update_lists # the archive may have newer versions than they say
		install_missing || give_up "apt-get install" "$update" "$install"
	fi
	say "installed in $(($(date +%s) - start)) s"
}

# npm packages, only when the lock file changed since they were installed
install_npm() {
	now=$(cat deps/package-lock.json deps/.npmrc | cksum)
	stamp=deps/node_modules/.refrain-lock
	[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$now" ] && return 0
	say "installing $(grep -c '^    "node_modules/' deps/package-lock.json) npm packages"
	new_log
	(cd deps && npm ci --loglevel=error < /dev/null > "$log" 2>&1) || give_up "npm ci" "cd deps && npm ci"
	printf '%s\n' "$now" > "$stamp"
}

jobs() { nproc 2> /dev/null || echo 2; }

# build TARGET
build() {
	[ -e build/refrain ] || say "building (the first time takes a minute or two)"
	make -s -j"$(jobs)" "$1"
}

case ${1:-} in
deps)
	install_packages deps/apt-build.txt deps/apt-test.txt
	install_npm
	;;
build)
	install_packages deps/apt-build.txt
	install_npm
	build all
	;;
demo)
	install_packages deps/apt-build.txt
	install_npm
	build all
	REFRAIN=$PWD/build/refrain sh examples/loop/run
	;;
test)
	install_packages deps/apt-build.txt deps/apt-test.txt
	install_npm
	build tests-built
	# what a test needs is installed now: that it is missing is no reason to skip the test
	BUILD=build TEST_COMPLETE=1 sh tests/run "${2:-}"
	;;
-h | --help | help)
	usage
	;;
*)
	usage >&2
	exit 2
	;;
esac

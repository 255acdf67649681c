# SPDX-License-Identifier: MIT
# ./do as it installs: what it says, what it runs, and how it fails. apt-get, dpkg-query, npm, sudo and id are stand-ins
# that write down how they were called; make and everything behind it is not reached.
. "$(dirname "$0")/lib.sh"

mkdir "$T/tree" "$T/tree/deps" "$T/bin"
cp "$top/do" "$T/tree/"
printf '%s\n' '# a comment' alpha 'beta beta-command' > "$T/tree/deps/apt-build.txt"
echo gamma > "$T/tree/deps/apt-test.txt"
printf '{\n    "node_modules/one": {},\n    "node_modules/two": {}\n}\n' > "$T/tree/deps/package-lock.json"
: > "$T/tree/deps/.npmrc"
for p in awk cat cksum date dirname env grep mktemp rm sed sh tail; do ln -s "$(command -v $p)" "$T/bin/$p"; done

# program NAME: a stand-in, its body from standard input
program() { { echo '#!/bin/sh'; cat; } > "$T/bin/$1"; chmod +x "$T/bin/$1"; }
echo 'echo "${TEST_USER:-0}"' | program id
echo 'for p in $TEST_HAVE; do printf "installed=%s " "$p"; done' | program dpkg-query
program npm << 'P'
echo npm >> "$CALLS"
[ -z "${TEST_NPM:-}" ] || { echo "npm: $TEST_NPM" >&2; exit 1; }
mkdir -p node_modules
P
ln -s "$(command -v mkdir)" "$T/bin/mkdir"
# apt-get: knows no package until it was updated; talks a lot; TEST_APT names the action that fails
program apt-get << 'P'
last= action=$1
for last; do [ "$last" = -s ] && action=simulate; [ "$last" = --print-uris ] && action=uris; done
echo "$action" >> "$CALLS"
[ "$action" = "${TEST_APT:-}" ] && { echo "E: $action does not work"; exit 100; }
case $action in
update) : > "$LISTS" ;;
simulate) [ -e "$LISTS" ] || exit 100; printf '%s\n' 'Inst alpha' 'Inst lib-of-alpha' 'Inst gamma' 'Conf alpha' ;;
uris) printf '%s\n' "'x://host/alpha.deb' alpha.deb 2000000 SHA" "'x://host/gamma.deb' gamma.deb 1000000 SHA" ;;
install)
	echo "$*" > "$CALLS.arguments"
	i=0
	while [ $i -lt 400 ]; do
		i=$((i + 1))
		echo "Get:$i something long"
		echo "dlstatus:$i:$((i / 4)).5:Retrieving" >&3
	done
	while [ $i -gt 0 ]; do
		i=$((i - 1))
		echo "Setting up $i"
		echo "pmstatus:p$i:$((100 - i / 4)).25:Configuring" >&3
	done
	;;
esac
P

# run EXIT-CODE NAME [VARIABLE=VALUE] -- ARGUMENT…: ./do in a bare environment; what it ran is in $T/calls
run() {
	code=$1 name=$2 variable=; shift 2
	[ "$1" = -- ] || { variable=$1; shift; }
	shift
	: > "$T/calls"
	exits "$name" "$code" env -i PATH="$T/bin" TMPDIR="$T" CALLS="$T/calls" LISTS="$T/lists" \
		${variable:+"$variable"} "$T/tree/do" "$@"
}
calls() { tr '\n' ' ' < "$T/calls"; }

section "usage"
run 2 "no command" --
has "shows the usage" "$T/err" "usage: ./do"
run 2 "an unknown command" -- nonsense
run 0 "help" -- --help
has "help goes to standard output" "$T/out" "usage: ./do"

section "installing as root"
run 0 "installs as root" -- deps
is "missing package lists are fetched first" "$(calls)" "simulate update simulate uris install npm "
has "says how much" "$T/err" "installing 3 Debian packages: 3 MB to download, about a minute"
has "nothing that is only recommended" "$T/calls.arguments" "install -y --no-install-recommends"
has "all of what is missing" "$T/calls.arguments" "alpha beta gamma"
has "says how many npm packages" "$T/err" "installing 2 npm packages"
has "shows how far it is" "$T/err" "  installing 75%"
ok "in a few lines" [ "$(wc -l < "$T/err")" -lt 20 ]
is "nothing of apt-get's own output" "$(grep -c 'Get:\|Setting\|status:' "$T/err")" 0
run 0 "a second time" TEST_HAVE=alpha -- deps
is "with lists nothing is fetched, and npm packages are there" "$(calls)" "simulate uris install "
echo : | program beta-command
run 0 "a command that does as well as its package" -- deps
ok "is taken" grep -q 'alpha gamma' "$T/calls.arguments"
run 0 "when all is there" TEST_HAVE="alpha gamma" -- deps
is "nothing is run" "$(calls)" ""
is "and nothing is printed" "$(cat "$T/err")" ""

section "failures"
run 3 "apt-get install fails" TEST_APT=install -- deps
has "the end of its output is shown" "$T/err" "E: install does not work"
has "with the command to try" "$T/err" "  apt-get install -y --no-install-recommends alpha gamma"
is "it was tried again with new lists" "$(calls)" "simulate uris install update install "
rm -f "$T/lists"
run 3 "apt-get update fails" TEST_APT=update -- deps
has "its output is shown" "$T/err" "E: update does not work"
: > "$T/lists"
rm -r "$T/tree/deps/node_modules"
run 3 "npm fails" TEST_NPM=unreachable -- deps
has "its output is shown" "$T/err" "npm: unreachable"
ok "and it is not taken for installed" [ ! -e "$T/tree/deps/node_modules" ]

section "users that are not root"
run 3 "a user without root and sudo" TEST_USER=1000 -- deps
is "is told both commands" "$(grep '^  ' "$T/err")" "  apt-get update
  apt-get install -y --no-install-recommends alpha gamma"
is "and nothing is run" "$(calls)" ""
printf 'echo sudo >> "$CALLS"\nexec "$@"\n' | program sudo
run 0 "a user with sudo" TEST_USER=1000 -- deps
is "only the installation is done as root" "$(calls)" "simulate uris sudo install npm "
run 0 "without standard input" -- deps <&-
rm "$T/bin/apt-get"
run 3 "no apt-get" -- deps
has "names the packages" "$T/err" "alpha gamma"
is "no file is left behind" "$(ls "$T"/refrain-do.* 2> /dev/null)" ""

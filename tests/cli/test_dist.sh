# SPDX-License-Identifier: MIT
# What is given away: NOTICES names everything that is compiled in, with its version and licence; the tarball of make dist
# has all that a build reads, and nothing else.
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1
npm=deps/node_modules

section "notices"

# the packages that are compiled in: NAME or @SCOPE/NAME
packages() {
	{
		sed -n 's/^  [a-z_]*:\([^ ]*\).*/\1/p' deps/module.mk | sed -E 's,^(@[^/]*/)?([^/]*).*,\1\2,'
		echo tree-sitter
		echo uplot
	} | sort -u
}
table() { sed -n '/^Package /,/^$/p' NOTICES | sed '1,2d;/^$/d'; }
is "NOTICES names what is compiled in" "$(table | cut -d' ' -f1 | sort)" "$(packages)"
# each with its version in the lock file
versions() {
	# shellcheck disable=SC2046
	node -e 'const of = require("./deps/package-lock.json").packages
		for (const p of process.argv.slice(1)) console.log(p, of["node_modules/" + p].version)' $(packages)
}
is "with the versions of the lock file" "$(table | awk '{print $1, $2}' | sort)" "$(versions | sort)"
# the first permission notice of a file, on one line
permission() { awk '/^Permission is/ { on = 1 } on { print } on && /SOFTWARE\.$/ { exit }' "$1" | tr -s '[:space:]' ' '; }
permission NOTICES > "$T/mit"
licence() { ls "$npm/$1"/LICENSE*; }
licences() {
	for p in $(packages); do
		permission "$(licence "$p")" | cmp -s - "$T/mit" || { echo "$p has another licence"; return 1; }
		grep -F -- "$p " NOTICES | grep -qF -- "$(grep -m1 '^Copyright' "$(licence "$p")")" ||
			{ echo "$p has another copyright notice"; return 1; }
	done
}
ok "with their licence and copyright notices" licences

section "the tarball"

if ! git rev-parse --git-dir > "$T/git" 2>&1; then
	skip "the tarball" "not in a git checkout"
	exit 0
fi
ok "make dist" env BUILD="$T" VERSION=0 sh deps/make-dist
mkdir "$T/dist" && tar -C "$T/dist" -xzf "$T/refrain-0.tar.gz"
dist=$T/dist/refrain-0
is "it has the tracked files" "$(cd "$dist" && find . -type f ! -path "./$npm/*" | sort)" "$(git ls-files | sed 's,^,./,' | sort)"

sources=$(cd "$dist" && find $npm -name '*.c' ! -path '*/vendor/*'; echo $npm/tree-sitter/vendor/tree-sitter/lib/src/lib.c)
reads() {
	cd "$dist" || return 1
	for c in $sources; do
		case $c in
		# parsers are large, and what they include is all that matters here
		*/parser.c) (cd "${c%/*}" && grep '^#include' parser.c | cc -M -I. -x c -) || return 1 ;;
		*) cc -D_GNU_SOURCE -M -I"${c%/*}" -I"${c%/*}/../include" "$c" || return 1 ;;
		esac
	done
}
ok "what is compiled of npm packages finds all it includes" reads
grammars() {
	for g in $(sed -n 's/^  [a-z_]*:\([^ ]*\).*/\1/p' deps/module.mk); do
		for f in parser.c grammar.json; do [ -f "$dist/$npm/$g/src/$f" ] || { echo "no $g/src/$f"; return 1; }; done
		[ ! -f "$npm/$g/src/scanner.c" ] || [ -f "$dist/$npm/$g/src/scanner.c" ] || { echo "no $g/src/scanner.c"; return 1; }
	done
}
ok "each grammar is there" grammars
is "nothing of npm that is neither C, grammar, uPlot nor licence" \
	"$(cd "$dist/$npm" && find . -type f | grep -vE '/(LICENSE(\.md)?|grammar\.json|uPlot\.(iife\.min\.js|min\.css)|unicode/(ICU_SHA|README\.md)|\.refrain-lock)$|\.[ch]$')" ""

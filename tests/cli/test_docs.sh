#!/bin/sh
# SPDX-License-Identifier: MIT
# The documents are true: every transcript in them (a fenced block with "$ " lines) is run and prints what is written there.
#
# The commands of one document run in one scratch folder, in order. A fenced block with a file's name behind the language,
# and `$ cat FILE` of a file that does not exist yet, create that file. In the expected output … stands for any text within
# a line, and alone on a line for any lines.
. "$(dirname "$0")/lib.sh"
mkdir "$T/bin"
for name in refrain refrain-cc refrain-z3 refrain-reduce; do ln -s "$BUILD/$name" "$T/bin/$name"; done

# split FILE: steps/N.cmd and steps/N.want for each command of its transcripts
split() {
	rm -rf "$T/steps" "$T/in" && mkdir "$T/steps" "$T/in" && awk -v dir="$T/steps" '
		/^```/ {
			inside = !inside
			step = 0
			source = inside && NF == 2 ? dir "/../in/" $2 : ""
			next
		}
		inside && source { print > source }
		inside && /^\$ / {
			if (step)
				close(file ".want")
			file = sprintf("%s/%03d", dir, ++n)
			step = 1
			print substr($0, 3) > (file ".cmd")
			close(file ".cmd")
			printf "" > (file ".want")
			next
		}
		inside && step { print > (file ".want") }' "$1"
}

# same WANT GOT: equal line by line, … matching any text
same() {
	awk -v want="$1" '
		function matches(line, form,   part, n, i, at) {
			n = split(form, part, "…")
			if (n < 2)
				return line == form
			for (i = 1; i <= n; i++) {
				at = part[i] == "" ? 1 : index(line, part[i])
				if (!at || (i == 1 && at != 1))
					return 0
				line = substr(line, at + length(part[i]))
			}
			return part[n] == "" || line == ""
		}
		BEGIN {
			while ((getline line < want) == 1)
				pattern[++n] = line
			at = 1
		}
		{
			if (pattern[at] == "…" && at <= n) {
				if (at == n || !matches($0, pattern[at + 1]))
					next
				at++
			}
			if (at > n || !matches($0, pattern[at++])) {
				bad = 1
				exit
			}
		}
		END { exit bad || at < n || (at == n && pattern[n] != "…") }' "$2"
}

# step CMD WANT: runs one command of a transcript
step() {
	command=$(cat "$1")
	case $command in
	"cat "*)
		if [ ! -e "${command#cat }" ]; then
			cp "$2" "${command#cat }"
			return
		fi
		;;
	esac
	# as on a terminal, a program prints line by line
	PATH=$T/bin:$PATH stdbuf -oL sh -c "$command" > "$T/got" 2>&1
	same "$2" "$T/got" || { echo "\$ $command"; diff "$2" "$T/got"; return 1; }
}

cd "$top" || exit 3
documents="README.md docs/*.md"
case $BUILD in */asan) documents= && skip "transcripts" "stdbuf cannot preload its library into a sanitised program" ;; esac
for doc in $documents; do
	split "$doc"
	set -- "$T"/steps/*.cmd
	[ -e "$1" ] || continue
	section "$doc"
	cd "$T/in" || exit 3
	for folder in include examples docs; do ln -s "$top/$folder" .; done
	ln -s "$BUILD" build
	for cmd; do
		ok "$(cat "$cmd")" step "$cmd" "${cmd%.cmd}.want"
	done
	cd "$top" || exit 3
done

# the tables that name files and functions: each file is there and has what is said to be in it
named() {
	sed -n 's/^| [^|]* | `\([^`]*\.[ch]\)` | `\([^`]*\)` |$/\1 \2/p' "$1" > "$T/named"
	[ "$(wc -l < "$T/named")" -ge "$2" ] || { echo "too few rows"; return 1; }
	while read -r file name; do
		grep -qE "\\b$name\\(" "$file" || { echo "$file has no $name()"; return 1; }
	done < "$T/named"
}
rows() {
	sed -n 's/.* `\([^`]*\)` in `\([^`]*\)` |$/\1 \2/p' CONTRIBUTING.md > "$T/rows"
	[ "$(wc -l < "$T/rows")" -ge 6 ] || { echo "too few rows"; return 1; }
	while read -r table file; do
		grep -qF "${table%\[\]}" "$file" || { echo "$file has no $table"; return 1; }
	done < "$T/rows"
}
section "tables of the documents"
ok "docs/ARCHITECTURE.md: where each decision is made" named docs/ARCHITECTURE.md 12
ok "CONTRIBUTING.md: where a row goes" rows

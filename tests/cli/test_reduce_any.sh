#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain reduce on what has no grammar, or not the one its name says: lines, words, characters and bytes come by
# themselves. Each test that comes to its end logs its text; none does twice, and no character of a result can go.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3


# reduces NAME FILE CONDITION [JOBS]: reduces FILE in place while the shell's CONDITION holds, with three jobs
# and with one; r.json is of the last run, which is the same each time
reduces() {
	printf '#!/bin/sh\n%s\ncode=$?\ncksum < %s >> "%s/log"\nexit $code\n' "$3" "$2" "$PWD" > t.sh
	chmod +x t.sh
	cp "$2" input
	for jobs in ${4:-3 1}; do
		cp input "$2"
		: > log
		exits "$1, $jobs jobs" 0 timeout 60 "$REFRAIN" reduce -q -j$jobs --json=r.json t.sh "$2"
		ok "$1, $jobs jobs: no text was tested twice but on purpose or cancelled" \
			test $(($(grep -c . log) - $(sort -u log | grep -c .))) -le $(($(field retests r.json) + $(field cancelled r.json)))
		is "$1, $jobs jobs: every test is counted, once" \
			$(($(field useful r.json) + $(field merged r.json) + $(field wasted r.json))) "$(field queries r.json)"
		rm -f "$2.orig"
	done
}

# minimal NAME FILE: no byte can go; the test is t.sh
minimal() {
	n=$(($(wc -c < "$2"))) i=0 gone=
	mkdir -p try
	while [ $i -lt $n ]; do
		{ head -c $i "$2"; tail -c +$((i + 2)) "$2"; } > "try/$2"
		(cd try && ../t.sh) && gone="$gone $i"
		i=$((i + 1))
	done
	is "$1: no byte can go" "$gone" ""
}

section "one long line"
awk 'BEGIN { for (i = 0; i < 4000; i++) printf "word%d %s", i, i == 2717 ? "needle " : ""; print "" }' > a.txt
reduces "words" a.txt 'grep -q needle a.txt'
is "only the word is left" "$(od -An -c a.txt | tr -d ' \n')" needle
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "%c", 97 + i % 23; printf "{[(xyzzy)]}" }' > b
reduces "one word" b 'grep -q "z.*z.*)" b'
is "its letters are tried" "$(cat b)" "zz)"

# "a b" fails as two words; that says nothing about the two letters
section "what failed as words"
printf 'x a b' > w
reduces "letters" w 'grep -Eq "ab|x.*a.*b" w'
is "are another text" "$(cat w)" ab

section "bytes"
awk 'BEGIN { srand(7); for (i = 0; i < 20000; i++) printf "%03o\n", (i * 7919 + int(rand() * 256)) % 256 }' |
	sed '12345s/.*/116\n105\n105\n104\n114\n105/' | sed 's/^/\\/' | tr -d '\n' > octal
printf "$(cat octal)" > x.bin
ok "the file is large" test "$(wc -c < x.bin)" -gt 20000
reduces "random bytes" x.bin 'grep -aq NEEDLE x.bin' 3
is "only the needle is left" "$(od -An -c x.bin | tr -d ' \n')" NEEDLE
{ head -c 30000 /dev/zero; printf needle; head -c 10000 /dev/zero; } > z.bin
reduces "zeros" z.bin 'grep -aq needle z.bin' 1
is "zeros go" "$(od -An -c z.bin | tr -d ' \n')" needle
minimal "zeros" z.bin
# what follows the needle makes a letter of UTF-8 with its last byte
{ printf "$(cat octal)"; printf '\001\377x\310\234\n\002'; printf "$(cat octal)"; } > l.bin
reduces "half a letter" l.bin 'LC_ALL=C grep -aq "$(printf "\001\377x\310")" l.bin' 1
is "a byte is a byte" "$(od -An -b l.bin | tr -d ' \n')" 001377170310

section "UTF-16"
awk 'BEGIN { for (i = 0; i < 300; i++) print "int line" i " = " i ";" }' > plain
for enc in UTF-16LE UTF-16BE; do
	{ [ $enc = UTF-16LE ] && printf '\377\376' || printf '\376\377'; iconv -f UTF-8 -t $enc plain; } > u.c
	reduces "$enc" u.c "iconv -f UTF-16 -t UTF-8 u.c 2> err | grep -q 'line217 =' && [ ! -s err ]" 1
	is "$enc: the line is left" "$(iconv -f UTF-16 -t UTF-8 u.c | tr -d '\n')" "line217 ="
done

section "trees without a grammar"
awk 'BEGIN { for (i = 0; i < 60; i++) { print "section " i ":"; for (k = 0; k < 20; k++) { print "    item " k; if (k == 7) print "        deep " i; } } }' > a.conf
reduces "indentation" a.conf 'awk "/^section 37/ { s = 1 } /^ +deep 37/ && s { f = 1 } END { exit !f }" a.conf'
ok "indentation: few lines are left" test "$(grep -c . a.conf)" -le 2
ok "indentation: subtrees go whole" test "$(field queries r.json)" -le 250
minimal "indentation" a.conf
awk 'BEGIN { for (i = 0; i < 400; i++) printf "(rule%d (and (x %d) [y {z %d}])\n   (or p q))\n", i, i, i }' > a.rules
reduces "brackets" a.rules 'grep -q "{z 311}" a.rules && [ "$(tr -cd "({[" < a.rules | wc -c)" = "$(tr -cd ")}]" < a.rules | wc -c)" ]'
is "brackets: what they enclose takes their place" "$(tr -d '\n' < a.rules)" "{z 311}"
ok "brackets: few questions" test "$(field queries r.json)" -le 150

section "SMT-LIB"
cat > a.smt2 <<'S'
; a comment (with a parenthesis
(set-logic QF_BV)
(declare-const x (_ BitVec 32))
(declare-fun |odd; name| () Bool)
(define-fun f ((a (_ BitVec 32))) (_ BitVec 32) (bvadd a #x00000001))
(assert (! (= (f x) (bvmul x #x00000003)) :named "a ) string"))
(assert (or |odd; name| (bvult x #x00000009)))
(check-sat)
S
reduces "a script" a.smt2 'grep -q "(assert (.*bvmul x" a.smt2 && grep -q "(check-sat)" a.smt2 && [ "$(tr -cd "(" < a.smt2 | wc -c)" = "$(tr -cd ")" < a.smt2 | wc -c)" ]'
is "a term stands in place of what it was in" "$(tr -d '\n' < a.smt2)" "(assert (bvmul x))(check-sat)"

section "a name that promises too much"
awk 'BEGIN { for (i = 0; i < 200; i++) print "Dear reader No. " i ": \"this\" is (surely; no: program), and it is not meant to be #" i }' > a.c
reduces "prose in a .c file" a.c 'grep -q "No. 117" a.c'
is "is reduced as text" "$(cat a.c)" "No. 117"
: > empty.json
reduces "an empty file" empty.json true
printf '\000' > nul.py
reduces "a NUL" nul.py true
is "goes" "$(wc -c < nul.py | tr -d ' ')" 0

section "white space that is a token in one place and none in another"
# an end: what is printed may be longer than what was parsed, and must not become the minimum again
cat > loop.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<root
  <item id="1" kind='a'>text &amp; more</item>
  <x:item id="2"><marker deep="yes"/><![CDATA[ a < b ]]></x:item>
</root>
XML
reduces "an XML file that does not parse" loop.xml 'tr -d "\n" < loop.xml | grep -q "\".*'"'a'"'.*>"'
ok "has the property" ./t.sh
# a result that its language reads as nothing
printf '<root>\n  <item/>\n</root>\n' > space.xml
reduces "an indentation" space.xml 'grep -q "^  " space.xml'
ok "is what is left" ./t.sh

section "a grammar with one enormous rule"
printf 'a: 1\nb: [1, 2]\n' > a.yaml
printf '#!/bin/sh\ngrep -q 2 a.yaml\n' > t.sh
# the kernel's limit; a sanitizer wants more than any
limited() {
	case $BUILD in */asan) ;; *) ulimit -v 500000 ;; esac
	"$@"
}
exits "YAML, in half a gigabyte" 0 limited "$REFRAIN" reduce -q -j1 t.sh a.yaml

section "Python that does not parse"
# where the tree says nothing about blocks, lines stay as deep as they are; indented anew no part could go
mkdir -p "$T/broken" && cd "$T/broken" || exit 3
printf 'def x(x):\n    0\n    if (x and\nx > 1):\n        x = [0\n for x in range(0)]\n        needle\n        return "a"""\n    return \\\n  0\nprint(x(4))\n' > a.py
exits "it is reduced" 0 "$REFRAIN" reduce -q -j1 --commands "grep -q '^        needle\$' a.py" a.py
is "to the line" "$(cat a.py)" "        needle"

section "names in lists"
# what a list in parentheses declares is a name: it goes with its declaration when another stands in for it
mkdir -p "$T/lists" && cd "$T/lists" || exit 3
printf '(declare-fun xx () Int)\n(declare-fun yy () Int)\n(declare-fun zz () Int)\n(assert (lt xx yy))\n(assert (lt yy zz))\n(check-sat)\n' > a.smt2
cat > t.sh <<'SH'
#!/bin/sh
# each name that lt is given is declared once
tr '\n' ' ' < a.smt2 | awk '{
	text = $0
	while (match(text, /\(declare-fun [a-z]+/)) {
		if (declared[substr(text, RSTART + 13, RLENGTH - 13)]++) exit 1
		text = substr(text, RSTART + RLENGTH)
	}
	if (!match($0, /\(lt [a-z]+ [a-z]+ ?\)/)) exit 1
	split(substr($0, RSTART + 4, RLENGTH - 5), used, " ")
	good = declared[used[1]] && declared[used[2]]
} END { exit !good }'
SH
chmod +x t.sh
exits "they are reduced" 0 "$REFRAIN" reduce -q -j1 t.sh a.smt2
is "to one" "$(grep -o declare-fun a.smt2 | wc -l | tr -d ' ')" 1
ok "with a short name" test "$(wc -c < a.smt2)" -le 30

section "one long word, and white space alone"
mkdir -p "$T/word" && cd "$T/word" || exit 3
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "xyz%d", i % 7; printf "needle"; for (i = 0; i < 900; i++) printf "z" }' > a.txt
exits "one word of 37 KB" 0 "$REFRAIN" reduce -q -j1 --json=r.json --commands 'grep -q needle a.txt' a.txt
is "is reduced" "$(cat a.txt)" needle
ok "in few questions" test "$(field queries r.json)" -le 80
for file in a.py a.c a.txt; do
	printf '\n' > $file; rm -f $file.orig
	exits "a new line in $file" 0 "$REFRAIN" reduce -q -j1 --commands "test -s $file" $file
	ok "stays" test -s $file
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain reduce from outside: results, files, exit codes, options, hostile input. Queries are counted by the tests
# themselves: each writes a line.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3

# new NAME: a fresh folder with a small C file and a test that logs the hash of each text it sees
new() {
	section "$1"
	mkdir "$T/$1" && cd "$T/$1" || exit 3
	cat > a.c <<'C'
#include <stdio.h>
static int used(int n) { return n * 2; }
static int unused(int n) { return n + 1; }
int main(void) {
	int magic = 42;
	if (magic > 3) {
		printf("%d\n", used(magic));
	}
	return 0;
}
C
	cat > t.sh <<SH
#!/bin/sh
cksum < a.c >> "$T/$1/log"
grep -q 'magic.*42' a.c
SH
	chmod +x t.sh
	cp a.c want.orig
}

new plain
exits "a reduction ends with 0" 0 "$REFRAIN" reduce -j1 --json=r.json t.sh a.c
is "what is left is what the test wants" "$(tr -d ' \n' < a.c)" "magic42"
ok "the original is kept" cmp a.c.orig want.orig
is "nothing else is left" "$(ls | tr '\n' ' ')" "a.c a.c.orig log r.json t.sh want.orig "
is "the schema is named" "$(field schema r.json)" '"refrain.reduce/1"'
is "it is complete" "$(field complete r.json)" true
is "queries and repeated tests are the lines the test logged" "$(($(field queries r.json) + $(field retests r.json)))" "$(grep -c . log)"
is "no text but the repeated ones was tested twice" "$(($(field queries r.json)))" "$(sort -u log | grep -c .)"
is "bytes after" "$(field bytes_after r.json)" "$(($(wc -c < a.c)))"
is "bytes before" "$(field bytes_before r.json)" "$(($(wc -c < want.orig)))"
is "tokens after, in the language of the file" "$(field tokens_after r.json)" 1
is "every field of the contract is there" "$(sed -n 's/^ *"\([a-z_]*\)":.*/\1/p' r.json | tr '\n' ' ')" \
	"schema complete bytes_before bytes_after tokens_before tokens_after queries retests cancelled useful merged wasted cache_hits cache_peak_bytes cache_avg_bytes cache_peak_entries wall_s test_s engine_s "
cp a.c first.c; { cat want.orig; echo "int extra;"; } > a.c
exits "a second run" 0 "$REFRAIN" reduce -j1 t.sh a.c
ok "gives the same result" cmp a.c first.c
ok "an original that is there is never overwritten" cmp a.c.orig want.orig

new caches
for c in none str zip sha cc rstr rcc-size rcc full; do
	for a in ddmin hdd perses; do
		cp want.orig a.c; : > log
		"$REFRAIN" reduce -j1 -q --store none --cache=$c --algorithm=$a --json=r.json t.sh a.c || echo "failed $c $a"
		echo "$a $(cksum < a.c) $([ $c = none ] && echo "" || echo "$(field queries r.json) $(cksum < log)")" >> seen.$c
		[ $c = none ] || sed 's/ *$//' seen.$c > s.$c
		field queries r.json >> q.$c
	done
done
for c in str zip sha cc rstr rcc-size rcc; do
	ok "cache $c asks the same questions as full with ddmin, hdd and perses" cmp s.$c s.full
done
is "without a cache the results are the same" "$(cut -d' ' -f1-3 seen.none)" "$(cut -d' ' -f1-3 seen.full)"
ok "and no fewer questions are asked" test "$(awk '{ s += $1 } END { print s }' q.none)" -ge "$(awk '{ s += $1 } END { print s }' q.full)"

new jobs
exits "four jobs" 0 "$REFRAIN" reduce -j4 --json=r.json t.sh a.c
is "four jobs find it too" "$(tr -d ' \n' < a.c)" "magic42"
ok "four jobs: tests that began are those reported, less cancelled ones" test "$(grep -c . log)" -le "$(($(field queries r.json) + $(field retests r.json)))"
ok "four jobs: and none is missing" test "$(($(grep -c . log) + $(field cancelled r.json)))" -ge "$(($(field queries r.json) + $(field retests r.json)))"
ok "four jobs: no text but the repeated ones was tested twice" test "$(($(grep -c . log) - $(sort -u log | grep -c .)))" -le "$(field retests r.json)"

cp want.orig a.c; : > log
exits "--deterministic" 0 "$REFRAIN" reduce -j4 --deterministic --store none --json=r.json t.sh a.c
is "--deterministic finds it too" "$(tr -d ' \n' < a.c)" "magic42"
is "--deterministic cancels nothing" "$(field cancelled r.json)" 0
sort log > first; cp want.orig a.c; : > log
"$REFRAIN" reduce -q -j4 --deterministic --store none --json=s.json t.sh a.c
is "--deterministic asks as many questions again" "$(field queries s.json)" "$(field queries r.json)"
is "--deterministic tests the same texts again" "$(sort -u log)" "$(sort -u first)"

# The test of "without a and b" goes on until it is killed. "Without a to d" succeeds when that one runs, which makes it
# pointless; tests that are asked after that look whether it is still there.
section "a test that has become pointless is killed"
mkdir "$T/void" && cd "$T/void" || exit 3
cat > t.sh <<'SH'
#!/bin/bash
w=WHERE
case $(tr -d ' \n' < f.txt) in
abcdefgh) ;;
cdefgh)
	echo $$ > $w/pid.new && mv $w/pid.new $w/pid
	while :; do echo "$EPOCHREALTIME" >> $w/beat; sleep 0.002; done ;;
efgh)
	until [ -s $w/pid ]; do sleep 0.01; done
	[ -s $w/void ] || echo "$EPOCHREALTIME" > $w/void ;;
*)
	[ -s $w/void ] || exit 1
	for try in $(seq 500); do kill -0 "$(cat $w/pid)" 2> /dev/null || break; sleep 0.01; done
	echo "$try" >> $w/tries
	exit 1 ;;
esac
SH
sed "s:WHERE:$T/void:" t.sh > u.sh && chmod +x u.sh
echo a b c d e f g h > f.txt
exits "a run with a test that never ends" 0 "$REFRAIN" reduce -j8 --algorithm=ddmin --language=c --json=r.json u.sh f.txt
is "its result" "$(tr -d ' \n' < f.txt)" efgh
ok "it was cancelled" test "$(field cancelled r.json)" -ge 1
ok "tests that came later found it gone" sh -c '[ -s tries ] && ! grep -q 500 tries'
awk -v from="$(cat void)" '{ to = $1 } END { printf "# it was last seen %.0f ms after it had become pointless\n", 1000 * (to - from) }' beat

new output
exits "-o" 0 "$REFRAIN" reduce -j1 -o out.c t.sh a.c
ok "-o leaves the file alone" cmp a.c want.orig
is "-o has the result" "$(tr -d ' \n' < out.c)" "magic42"
ok "-o makes no .orig" test ! -e a.c.orig
exits "-o must not be the file itself" 2 "$REFRAIN" reduce -o ./a.c t.sh a.c
exits "-o with two files must be a folder" 2 "$REFRAIN" reduce -o out.c t.sh a.c want.orig

new options
exits "--check on an interesting file" 0 "$REFRAIN" reduce --check t.sh a.c
has "--check says so" "$T/out" "interesting"
has "--check says how to run it by hand" "$T/out" "to run it by hand: d="
sh -c "$(sed -n 's/^to run it by hand: //p' "$T/out")" > hand
has "and that works" hand "exit code 0"
is "--check tested once" "$(grep -c . log)" 2
exits "--list-passes" 0 "$REFRAIN" reduce --list-passes
has "ddmin is listed" "$T/out" "ddmin"
exits "an unknown pass" 2 "$REFRAIN" reduce --skip-pass=nonsense t.sh a.c
exits "an unknown language" 2 "$REFRAIN" reduce --language=klingon t.sh a.c
exits "a bad regular expression" 2 "$REFRAIN" reduce '--keep=(' t.sh a.c
exits "no operands" 2 "$REFRAIN" reduce
exits "no file" 2 "$REFRAIN" reduce t.sh
exits "--keep" 0 "$REFRAIN" reduce -j1 --keep 'return 0' t.sh a.c
is "--keep keeps what it matches" "$(grep -c 'return 0' a.c)" 1
cp want.orig a.c
exits "--max-queries ends with 0" 0 "$REFRAIN" reduce -j1 --max-queries 5 --json=r.json t.sh a.c
is "--max-queries: not complete" "$(field complete r.json)" false
is "--max-queries: as many queries" "$(field queries r.json)" 5
has "the limit is reported" "$T/err" "stopped by --max-queries"
cp want.orig a.c; rm -f a.c.orig a.c.refrain*
printf '#!/bin/sh\nsleep 0.2\ngrep -q "magic.*42" a.c\n' > slow.sh; chmod +x slow.sh
exits "--max-queries with several jobs" 0 "$REFRAIN" reduce -j8 --max-queries 8 --json=r.json ./slow.sh a.c
is "as many queries" "$(field queries r.json)" 8
is "those that run are waited for" "$(field cancelled r.json)" 0
cp want.orig a.c; rm -f a.c.refrain*
exits "--commands" 0 "$REFRAIN" reduce -j1 --commands 'grep -q 42 a.c' a.c
is "--commands reduces" "$(tr -d ' \n' < a.c)" 42
cp want.orig a.c
exits "cvise's options" 0 "$REFRAIN" reduce --n 1 --not-c --timeout 20 t.sh a.c
cp want.orig a.c
exits "the link" 0 "$(dirname "$REFRAIN")/refrain-reduce" -j1 t.sh a.c
cp want.orig a.c
exits "lines" 0 "$REFRAIN" reduce -j1 --language=lines t.sh a.c
is "lines: the line is left" "$(cat a.c | tr -d '\t')" "int magic = 42;"
cp want.orig a.c
exits "chars" 0 "$REFRAIN" reduce -j1 --language=chars t.sh a.c
is "chars: the letters are left" "$(cat a.c)" "magic42"
cp want.orig a.c
exits "a log" 0 env RF_LOG_CHECK=1 "$REFRAIN" reduce -j1 --log run.log t.sh a.c
ok "minima are logged" grep -q '"reduce.minimum"' run.log
ok "passes are logged" grep -q '"reduce.pass"' run.log
ok "the end is logged" grep -q '"reduce.end"' run.log

new notinteresting
echo 'int main(void) {}' > a.c; cp a.c before
printf '#!/bin/sh\necho "no such luck"\ngrep -q 42 a.c\n' > t.sh
exits "not interesting to begin with" 1 "$REFRAIN" reduce --json=r.json t.sh a.c
has "its output is shown" "$T/err" "no such luck"
has "how to run it by hand is shown" "$T/err" "to run it by hand"
ok "the file is untouched" cmp a.c before
is "the JSON says that nothing was done" "$(field complete r.json) $(field queries r.json) $(($(field bytes_after r.json) - $(field bytes_before r.json)))" "false 1 0"
rm -f r.json
is "nothing is left behind" "$(ls | tr '\n' ' ')" "a.c before t.sh want.orig "
exits "--check says no" 1 "$REFRAIN" reduce --check t.sh a.c

new hostile
exits "the test is missing" 2 "$REFRAIN" reduce nosuch.sh a.c
printf '#!/bin/sh\nexit 0\n' > plain.sh
exits "the test is not executable" 2 "$REFRAIN" reduce plain.sh a.c
has "and that is said" "$T/err" "chmod +x"
mkdir folder
exits "the test is a folder" 2 "$REFRAIN" reduce ./folder a.c
exits "the file is missing" 2 "$REFRAIN" reduce t.sh nosuch.c
exits "a folder without files" 2 "$REFRAIN" reduce t.sh folder
exits "a file twice" 2 "$REFRAIN" reduce t.sh a.c ./a.c
printf '#!/nonexistent/interpreter\n' > bad.sh; chmod +x bad.sh
exits "a test that cannot be started" 3 "$REFRAIN" reduce bad.sh a.c
echo "not a store" > a.c.refrain
exits "a file in the store's place" 2 "$REFRAIN" reduce t.sh a.c
is "it is left alone" "$(cat a.c.refrain)" "not a store"
rm a.c.refrain
ok "the file is untouched by all that" cmp a.c want.orig
: > empty.c; printf '#!/bin/sh\nexit 0\n' > yes.sh; chmod +x yes.sh
exits "an empty file" 0 "$REFRAIN" reduce yes.sh empty.c
is "stays empty" "$(wc -c < empty.c | tr -d ' ')" 0
printf 'x' > one.c
exits "one token" 0 "$REFRAIN" reduce -j1 yes.sh one.c
printf 'a\000b\001c\377\n\000needle\000\n' > bin.dat
printf '#!/bin/sh\ngrep -aq needle bin.dat\n' > bt.sh; chmod +x bt.sh
exits "bytes that are no text" 0 "$REFRAIN" reduce -j1 bt.sh bin.dat
ok "are reduced" test "$(wc -c < bin.dat)" -le 9
printf 'int a = 1;\r\nint needle = 2;\r\nint c = 3;\r\n' > crlf.c
printf '#!/bin/sh\ngrep -q needle crlf.c && grep -q 3 crlf.c && [ $(grep -c . crlf.c) -eq 2 ]\n' > ct.sh; chmod +x ct.sh
printf '#!/bin/sh\ngrep -q "needle = 2;" crlf.c\n' > ct.sh
exits "line ends of another system" 0 "$REFRAIN" reduce -j1 --language=lines ct.sh crlf.c
is "survive" "$(od -An -c crlf.c | tr -d ' \n')" 'intneedle=2;\r\n'
printf 'one\ntwo needle' > noend.txt
printf '#!/bin/sh\ngrep -q needle noend.txt\n' > nt.sh; chmod +x nt.sh
exits "no new line at the end" 0 "$REFRAIN" reduce -j1 --language=lines nt.sh noend.txt
is "none is added" "$(od -An -c noend.txt | tr -d ' \n')" "twoneedle"
cp want.orig real.c; chmod 640 real.c; ln -s real.c a-link.c
printf '#!/bin/sh\ngrep -q 42 a-link.c\n' > lt.sh; chmod +x lt.sh
exits "a symbolic link" 0 "$REFRAIN" reduce -j1 lt.sh a-link.c
ok "stays one" test -h a-link.c
is "its target is reduced" "$(tr -d ' \n' < real.c)" 42
is "permissions survive" "$(stat -c %a real.c)" 640
mkdir ro; cp want.orig ro/a.c; chmod 555 ro
if bound true 2> err; then
	exits "a folder that cannot be written" 3 bound "$REFRAIN" reduce t.sh ro/a.c
	has "-o is named" "$T/err" "-o OUT writes the result elsewhere"
else
	skip "a folder that cannot be written" "root may write everywhere, and cannot give that up: $(cat err)"
fi
chmod 755 ro

new several
mkdir sub; printf 'alpha one\nbeta two\n' > x.txt; printf 'gamma\ndelta\n' > sub/y.txt
printf '#!/bin/sh\n[ "$(find . -type f | sort | tr "\\n" " ")" = "./sub/y.txt ./x.txt " ] && grep -q beta x.txt && grep -q delta sub/y.txt\n' > mt.sh; chmod +x mt.sh
exits "several files together" 0 "$REFRAIN" reduce -j1 --language=chars "$PWD/mt.sh" x.txt sub/y.txt
is "the first" "$(cat x.txt)" beta
is "the second" "$(cat sub/y.txt)" delta
mkdir p q; echo 'aa bb' > p/z.txt; echo 'cc dd' > q/z.txt
printf '#!/bin/sh\ngrep -q bb p/z.txt && grep -q cc q/z.txt\n' > pt.sh
exits "two files of one name" 0 "$REFRAIN" reduce -j1 --language=chars --commands 'grep -q bb p/z.txt && grep -q cc q/z.txt' p/z.txt q/z.txt
is "each is reduced" "$(cat p/z.txt q/z.txt)" bbcc

new dirty
printf '#!/bin/sh\n[ "$(ls)" = a.c ] && [ -n "$TMPDIR" ] && grep -q 42 a.c || exit 1\ntouch litter "$TMPDIR/more"; mkdir -p deep/er; chmod 0 deep; sleep 300 & exit 0\n' > t.sh
mkdir tmp
exits "a test that leaves files and processes" 0 env TMPDIR="$PWD/tmp" "$REFRAIN" reduce -j2 t.sh a.c
is "each test had a clean folder" "$(tr -d ' \n' < a.c)" 42
is "nothing is left in the temporary folder" "$(ls tmp)" ""

# a test that keeps a link to the file it was given: what it linked must not change when the next text is written
new linked
mkdir tmp kept
printf '#!/bin/sh\nn=$(ls "%s/kept" | grep -c .)\nln a.c "%s/kept/$n" && cksum < a.c > "%s/sum.$n"\ngrep -q "magic.*42" a.c\n' "$PWD" "$PWD" "$PWD" > t.sh
exits "a test that links its file" 0 env TMPDIR="$PWD/tmp" "$REFRAIN" reduce -j1 --algorithm=ddmin t.sh a.c
for k in kept/*; do cksum < "$k" | cmp -s - "sum.${k#kept/}" || echo "$k"; done > changed
ok "several texts were linked" test "$(ls kept | grep -c .)" -gt 5
is "no linked text was overwritten by a later test" "$(cat changed)" ""

# The first "yes" from the eighth verdict on is tested again. Here that is one which should have been a "no".
new flaky
cat > t.sh <<SH
#!/bin/sh
echo x >> "$T/flaky/log"
n=\$(grep -c . "$T/flaky/log")
[ \$n -ne 8 ] || { cp a.c "$T/flaky/text"; exit 0; }
[ \$n -ne 9 ] || exit 1
grep -q 'magic.*42' a.c
SH
exits "a flaky test" 1 "$REFRAIN" reduce -j1 --algorithm=ddmin --json=r.json t.sh a.c
ok "the text it was flaky about is not interesting" sh -c '! grep -q "magic.*42" text'
has "a flaky test is noticed" "$T/err" "the test is flaky: it said yes, then no"
is "a text that was interesting only once is not kept" "$(tr -d ' \n' < a.c)" magic42
is "and the result is complete" "$(field complete r.json)" true

# With several jobs the "yes" counts at once and is tested again when a worker is idle: here all say "no" the second
# time, as long as the input is not the result
new flaky-aside
cat > t.sh <<SH
#!/bin/sh
grep -q "magic.*42" a.c || exit 1
[ "\$(wc -c < a.c)" -gt 12 ] || exit 0
echo x >> "$T/flaky-aside/\$(cksum < a.c | tr ' ' -)"
[ "\$(grep -c . "$T/flaky-aside/\$(cksum < a.c | tr ' ' -)")" -eq 1 ]
SH
exits "a test that says yes, then no, with four jobs" 1 "$REFRAIN" reduce -j4 --json=r.json t.sh a.c
has "it is noticed although the first answer counted at once" "$T/err" "the test is flaky: it said yes, then no"
ok "and the result is one that has always been interesting" grep -q "magic.*42" a.c

# interesting when first seen, never again: the last test, which no cache answers, must say so
new final
cat > t.sh <<SH
#!/bin/sh
sum=\$(cksum < a.c)
grep -q "^\$sum\\$" "$T/final/log" && exit 1
echo "\$sum" >> "$T/final/log"
grep -q 'magic.*42' a.c
SH
: > log
exits "a result that fails its last test" 1 "$REFRAIN" reduce -j1 --algorithm=ddmin --json=r.json t.sh a.c
is "it is not complete" "$(field complete r.json)" false
has "and that is said" "$T/err" "tested again, was not interesting"
ok "where not even the input holds, the result stays" test "$(wc -c < a.c)" -lt 20

# small texts say yes, no, seven times yes, and never again: a lead of six is not enough to end with
new final-lead
cat > t.sh <<SH
#!/bin/sh
grep -q 'magic.*42' a.c || exit 1
[ "\$(wc -c < a.c)" -lt 12 ] || exit 0
name=$T/final-lead/\$(cksum < a.c | tr ' ' -)
echo x >> "\$name"
case \$(grep -c . "\$name") in 1 | [3-9]) exit 0 ;; *) exit 1 ;; esac
SH
exits "a result that is interesting seven times of many" 1 "$REFRAIN" reduce -j1 --algorithm=ddmin --json=r.json t.sh a.c
has "it is gone back" "$T/err" "went back to an earlier result that still is"
ok "to one that always is" test "$(wc -c < a.c)" -ge 12

# interesting but the fourth time that a small text is tested
new final-often
cat > t.sh <<SH
#!/bin/sh
grep -q 'magic.*42' a.c || exit 1
[ "\$(wc -c < a.c)" -lt 12 ] || exit 0
name=$T/final-often/\$(cksum < a.c | tr ' ' -)
echo x >> "\$name"
[ "\$(grep -c . "\$name")" -ne 4 ]
SH
exits "a result that fails one of its last tests" 1 "$REFRAIN" reduce -j1 --algorithm=ddmin --json=r.json t.sh a.c
has "that is said" "$T/err" "the test is flaky: 1 of"
is "the result, which mostly holds, stays" "$(tr -d ' \n' < a.c)" magic42
is "and is complete" "$(field complete r.json)" true

# stopped while the result is tested: that says nothing about the result
new final-stopped
cat > t.sh <<SH
#!/bin/sh
grep -q 'magic.*42' a.c || exit 1
[ "\$(wc -c < a.c)" -lt 12 ] || exit 0
name=$T/final-stopped/\$(cksum < a.c | tr ' ' -)
echo x >> "\$name"
[ "\$(grep -c . "\$name")" -ne 4 ] || { kill -TERM "\$(cat "$T/final-stopped/pid")"; sleep 10; }
SH
sh -c 'echo $$ > pid; exec "$0" reduce -j1 --algorithm=ddmin t.sh a.c' "$REFRAIN" > out 2>&1
is "a run that is stopped in its last tests" $? 143
is "that is not taken for a verdict" "$(grep flaky out)" ""
is "its result stays" "$(tr -d ' \n' < a.c)" magic42
exits "and can be resumed" 0 "$REFRAIN" reduce -j1 --algorithm=ddmin --resume t.sh a.c
is "with the same result" "$(tr -d ' \n' < a.c)" magic42

# A text without 42 is interesting when it is first seen: the run goes wrong there, and goes back to before that.
for jobs in 1 3; do
	new "went-back-$jobs"
	cat > t.sh <<-SH
		#!/bin/sh
		echo x >> "$PWD/asked"
		grep -q magic a.c || exit 1
		! grep -q 42 a.c || exit 0
		name=$PWD/\$(cksum < a.c | tr ' ' -)
		! test -e "\$name" && : > "\$name"
	SH
	exits "$jobs jobs: a run that took a wrong turn" 1 "$REFRAIN" reduce -j$jobs --algorithm=ddmin --json=r.json t.sh a.c
	has "$jobs jobs: it is said" "$T/err" "went back to an earlier result"
	ok "$jobs jobs: the result is interesting" sh -c 'grep -q magic a.c && grep -q 42 a.c'
	ok "$jobs jobs: it is smaller than the input" test "$(wc -c < a.c)" -lt "$(wc -c < a.c.orig)"
	is "$jobs jobs: its size is reported" "$(field bytes_after r.json)" "$(wc -c < a.c | tr -d ' ')"
	is "$jobs jobs: the run is not complete" "$(field complete r.json)" false
	ok "$jobs jobs: every test was counted" test "$(($(field queries r.json) + $(field retests r.json)))" -ge "$(grep -c . asked)"
	ok "$jobs jobs: and none that was not" test "$(($(field queries r.json) + $(field retests r.json) - $(field cancelled r.json)))" -le "$(grep -c . asked)"
done

new timeout
printf '#!/bin/sh\ngrep -q 42 a.c || exit 1\n[ "$(wc -l < a.c)" -eq 10 ] || sleep 60\n' > t.sh
exits "tests that hang are stopped" 0 "$REFRAIN" reduce -j4 --timeout 0.2 --max-queries 6 t.sh a.c

new stopped
printf '#!/bin/sh\nsleep 0.05; grep -q 42 a.c\n' > t.sh
"$REFRAIN" reduce -j1 --algorithm=ddmin t.sh a.c > out 2> err &
pid=$!
n=0
while [ ! -e a.c.orig ] && [ $n -lt 200 ]; do sleep 0.05; n=$((n + 1)); done
kill -TERM $pid; wait $pid
is "a signal ends it with 128 + signal" "$?" 143
ok "the best so far is kept" grep -q 42 a.c
has "the summary is printed" out "queries"
exits "and --resume goes on" 0 "$REFRAIN" reduce -j1 --algorithm=ddmin --resume t.sh a.c
is "to the end" "$(tr -d ' \n' < a.c)" 42

# the fourth test never ends by itself: only the key, pressed on a terminal, leads past it
new key
cat > t.sh <<SH
#!/bin/sh
echo x >> "$T/key/log"
[ "\$(grep -c . "$T/key/log")" -ne 4 ] || exec sleep 60
grep -q 'magic.*42' a.c
SH
if command -v script > /dev/null 2>&1; then
	mkfifo keys
	script -qec "$REFRAIN reduce -j1 --timeout 50 --skip-pass wash --skip-pass numbers --skip-pass bodies --skip-pass sweep --skip-pass coupled --skip-pass stubs --log run.log ./t.sh a.c" screen < keys > out 2> err &
	pid=$! n=0
	exec 4> keys
	while [ "$(grep -c . log 2> /dev/null)" != 4 ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
	printf s >&4
	wait $pid
	is "a key on the terminal: the run ends well" "$?" 0
	exec 4>&-
	is "the key skips a pass" "$(sed -n 's/.*"reduce.pass".*"pass":"\([a-z]*\)","queries":\([0-9]*\),.*/\1 \2/p' run.log | head -1)" "perses 3"
	is "and the next one does the work" "$(tr -d ' \n' < a.c)" magic42
	has "the key is shown" screen "s skips this pass"
else
	absent "a key on the terminal skips a pass" "there is no script(1)"
fi

new stubs
printf 'import sys\ndef f(a):\n    import os, sys\n    os.x(a)\nf(1)\n' > a.py
printf '#!/bin/sh\ngrep -A1 "def f.*:$" a.py | grep -Eq "^ +(pass|import os)"\n' > t.sh
# the rewriting passes would come to the same by other ways
skipped=$(printf " --skip-pass %s" blanks together params inline result merge structs simpler names rename pieces)
# shellcheck disable=SC2086
exits "Python" 0 "$REFRAIN" reduce -j1 $skipped t.sh a.py
is "a block that may not be empty becomes pass" "$(tr -s ' \n' '  ' < a.py)" "def f: pass "

# a run of tokens that is not a list element and whose length no chunk has
new windows
printf 'a b c d e f g h i j k l m n o p q r s t u v w x y z\n' > a.txt
printf '#!/bin/sh\ncase $(tr -d " \\n" < a.txt) in abcdefghijklmnopqrstuvwxyz | abjklmnopqrstuvwxyz) exit 0 ;; *) exit 1 ;; esac\n' > t.sh
exits "a run of seven tokens" 0 "$REFRAIN" reduce -j1 --language=c t.sh a.txt
is "is found at any place" "$(tr -d " \n" < a.txt)" abjklmnopqrstuvwxyz

# where line breaks have a meaning other tokens may be the same text
new texts
for f in sample.js sample.ts sample.py; do
	printf '#!/bin/sh\ncksum < %s >> "%s/log"\n[ $(grep -c . %s) -ge 4 ] && grep -q "(" %s && grep -q return %s\n' $f "$PWD" $f $f $f > t.sh
	cp "$top/tests/unit/samples/$f" $f; : > log
	exits "$f" 0 "$REFRAIN" reduce -j1 --json=r.json t.sh $f
	is "$f: no text was tested twice" "$(field queries r.json)" "$(sort -u log | grep -c .)"
done

# the key stream: every variant the cache was asked for, the original not among them; two may be the same text, cut into
# other tokens
new keys
awk 'BEGIN { for (i = 0; i < 30; i++) printf "int f%d(int a) { int b = a + %d; if (b > %d) return b; return a; }\n", i, i, i * 7 }' > a.c
printf '#!/bin/sh\ngrep -q f17 a.c && grep -q 119 a.c\n' > t.sh
exits "a key trace" 0 "$REFRAIN" reduce -j1 --json=r.json --keytrace=k.rft t.sh a.c
"$REFRAIN" trace info --json k.rft > info.json
ok "has a key for each variant that was tested" test "$(field distinct info.json)" -ge "$(($(field queries r.json) - 1))"
ok "and one for each that the cache saved" test "$(field requests info.json)" -ge "$(($(field distinct info.json) + 3))"
exits "a key trace that cannot be written" 3 "$REFRAIN" reduce --keytrace=no/such/folder/k t.sh a.c

# a test's TMPDIR is its own and empty, whatever the one before left in its own
new tmpdir
printf '#!/bin/sh\n[ -z "$(ls -A "$TMPDIR")" ] || echo dirty >> "%s/seen"\nls -ld "$TMPDIR" | grep -q ^drwx------ || echo open >> "%s/seen"\nn=$(grep -c . "%s/runs")\necho run >> "%s/runs"\n[ $((n %% 3)) -ne 1 ] || echo x > "$TMPDIR/.left"\n[ $((n %% 3)) -ne 2 ] || chmod 755 "$TMPDIR"\ngrep -q "magic.*42" a.c\n' "$PWD" "$PWD" "$PWD" "$PWD" > t.sh
: > runs; : > seen
exits "tests that leave files" 0 "$REFRAIN" reduce -j1 t.sh a.c
is "see none of each other's" "$(cat seen)" ""

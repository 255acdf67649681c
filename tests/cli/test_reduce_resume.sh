#!/bin/sh
# SPDX-License-Identifier: MIT
# kill -9 at many moments, then --resume: at one job the result is that of an undisturbed run, and no text is tested twice
# but those in flight when it was killed and those that are repeated on purpose. Nothing stays running or lying about.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
mkdir tmp w
awk 'BEGIN { for (i = 0; i < 30; i++) printf "int f%d(int a) { int b = a + %d; if (b > %d) return b; return a; }\n", i, i, i * 7; print "int main(void) { return f3(f17(2)); }" }' > in.c
cat > t.sh <<SH
#!/bin/sh
cksum < a.c >> "$T/log"
grep -q 'f17' a.c && grep -q '119' a.c && sleep 0.01
SH
chmod +x t.sh
TMPDIR=$T/tmp; export TMPDIR

section "killed many times"
cp in.c a.c; : > log
exits "an undisturbed run" 0 "$REFRAIN" reduce -j1 --json=r.json t.sh a.c
cp a.c want.c; rm -f a.c.orig
want=$(cksum < a.c) # tested several times at the end, in each run that comes so far
plain=$(grep -c . log); repeated=$(field retests r.json); distinct=$(sort -u log | grep -c .)

cp in.c a.c; : > log
kills=0 rc=1 resume=
while [ $kills -lt 12 ]; do
	"$REFRAIN" reduce -j1 $resume --json=r.json t.sh a.c > out 2> err &
	pid=$!
	sleep 0.$(( (kills * 37) % 4 + 1 ))$(( kills % 10 ))
	kill -9 $pid 2> /dev/null
	wait $pid 2> /dev/null; rc=$?
	[ $rc -eq 137 ] || break # it was over before
	[ -s log ] && [ ! -e a.c.refrain ] && rc=0 && break # it was over, but for its exit: the store goes last
	kills=$((kills + 1))
	[ -e a.c.refrain ] && resume=--resume
done
[ $rc -eq 0 ] || { "$REFRAIN" reduce -j1 $resume --json=r.json t.sh a.c > out 2> err; rc=$?; }
is "the last of $kills killed runs ends well" "$rc" 0
ok "its result is the undisturbed one" cmp a.c want.c
is "the same texts were tested" "$(sort -u log | grep -c .)" "$distinct"
twice=$(($(grep -vcxF "$want" log) + 1 - distinct))
ok "at most one text for each kill was tested twice ($twice, $kills kills, $repeated repeated on purpose)" test $twice -le $((kills + repeated))
n=0
while [ -n "$(ls tmp)" ] && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
is "nothing is left in the temporary folder" "$(ls tmp)" ""
is "nothing but the original is left beside the file" "$(ls a.c* | tr '\n' ' ')" "a.c a.c.orig "
ok "the original is the original" cmp a.c.orig in.c

section "killed after its last test"
# killed when all is tested but the program is not gone yet: it hangs at a result that nobody reads
cp in.c a.c; rm -f a.c.orig; : > log
mkfifo hang
"$REFRAIN" reduce -j1 --json=hang t.sh a.c > out 2> err &
pid=$! n=0
while [ "$(grep -c . log)" -lt "$plain" ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done
n=0
while [ -e a.c.refrain ] && [ $n -lt 10 ]; do sleep 0.1; n=$((n + 1)); done
kill -9 $pid; wait $pid 2> /dev/null
: > log
exits "resumed after its last test" 0 "$REFRAIN" reduce -j1 --resume t.sh a.c
ok "its result is the undisturbed one" cmp a.c want.c
is "and nothing but the result was tested again" "$(grep -vxF "$want" log)" ""
ok "of whose last tests the answers were known" test "$(grep -c . log)" -le 1

section "killed among its last tests"
cp in.c a.c; rm -f a.c.orig; : > log
"$REFRAIN" reduce -j1 t.sh a.c > out 2> err &
pid=$! n=0
while [ "$(grep -c . log)" -lt $((plain - 4)) ] && [ $n -lt 6000 ]; do sleep 0.01; n=$((n + 1)); done
kill -9 $pid; wait $pid 2> /dev/null
exits "resumed" 0 "$REFRAIN" reduce -j1 --resume t.sh a.c
ok "its result is the undisturbed one" cmp a.c want.c
ok "no more was tested than without ($(grep -c . log), $plain)" test "$(grep -c . log)" -le $((plain + 1))

section "a test that was flaky before"
# the eighth test says yes and its repetition no; the run is killed later, and the other one sees nothing of it
cp in.c a.c; rm -f a.c.orig; : > log
cat > f.sh <<SH
#!/bin/sh
cksum < a.c >> "$T/log"
n=\$(grep -c . "$T/log")
[ \$n -ne 8 ] || exit 0
[ \$n -ne 9 ] || exit 1
[ \$n -ne 15 ] || kill -9 "\$(cat "$T/pid")"
grep -q 'f17' a.c && grep -q '119' a.c
SH
chmod +x f.sh
exits "killed" 137 sh -c 'echo $$ > pid; exec "$0" reduce -q -j1 f.sh a.c' "$REFRAIN"
exits "resumed: the run still met a flaky test" 1 "$REFRAIN" reduce -j1 --json=r.json --resume f.sh a.c
has "and that is said" "$T/err" "the test is flaky"
is "it is complete" "$(field complete r.json)" true

section "stopped by a limit"
cp in.c a.c; rm -f a.c.orig
exits "stopped by a limit" 0 "$REFRAIN" reduce -j1 --max-queries 20 t.sh a.c
sed -i 's/119/112/' t.sh
exits "another test is refused" 2 "$REFRAIN" reduce -j1 --resume t.sh a.c
has "and it is said why" "$T/err" "another test"
sed -i 's/112/119/' t.sh
cp a.c best.c
exits "resumed and stopped at once" 0 "$REFRAIN" reduce -j1 --resume --max-time 0.001 t.sh a.c
ok "the better file stays" cmp a.c best.c
exits "the old one goes on, with two jobs" 0 "$REFRAIN" reduce -j2 --resume t.sh a.c
ok "and ends interesting" grep -q 119 a.c
exits "nothing to resume after the end" 0 "$REFRAIN" reduce -j1 --resume t.sh a.c
has "and that is said" "$T/err" "nothing to resume"

section "a shared store"
# a store that is shared by runs answers the second one
cp in.c a.c
exits "with a store of its own" 0 "$REFRAIN" reduce -j1 --store verdicts.db t.sh a.c
cp a.c first.c; cp in.c a.c; : > log
exits "a second run with the same store" 0 "$REFRAIN" reduce -j1 --store verdicts.db t.sh a.c
ok "gives the same result" cmp a.c first.c
ok "and tests next to nothing but the result" test "$(sort -u log | grep -c .)" -le 3

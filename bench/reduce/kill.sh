#!/bin/bash
# SPDX-License-Identifier: MIT
# kill -9 at random moments, each time --resume: bash kill.sh [KILLS [JOBS]]   (50 kills and one job unless said otherwise)
#
# The test logs the digest of each text when it begins, with the number of the run that asked. Against an undisturbed run at one
# job: the result must be the same bytes, the texts asked the same ones, and a text asked twice is one that was in flight at a
# kill (at most one per kill and job) or one that is repeated on purpose ("retests" of the undisturbed run). After each kill
# and at the end nothing that was started may run, nothing may lie in the temporary folder. SEED chooses the moments.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${REFRAIN:=$top/build/refrain}" "${SEED:=1}"
kills_wanted=${1:-50} jobs=${2:-1}
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-kill.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
mkdir tmp
export TMPDIR=$work/tmp
field() { sed -n "s/^ *\"$1\": \([^,]*\),*\$/\1/p" "$2"; }
# processes of the killed run that still live, less those of this script
running() { pgrep -f "$work/tmp|$work/t.sh" | grep -cv "^$$\$"; }
awk 'BEGIN { for (i = 0; i < 80; i++) printf "int f%d(int a) { int b = a + %d; if (b > %d) return b; return a; }\n", i, i, i * 7; print "int main(void) { return f3(f17(2)) + f60(1); }" }' > in.c
cat > t.sh <<TEST
#!/bin/bash
echo "\$(cat $work/run) \$(sha256sum < a.c)" >> $work/log
sleep 0.02
grep -q 'f17' a.c && grep -q '119' a.c && grep -q 'f60' a.c && [ \$(grep -o '{' a.c | wc -l) -eq \$(grep -o '}' a.c | wc -l) ]
TEST
chmod +x t.sh
texts() { cut -d' ' -f2 log | sort -u | wc -l; }

echo 0 > run; cp in.c a.c; : > log
"$REFRAIN" reduce -q -j"$jobs" --json=r.json ./t.sh a.c || exit 1
distinct=$(texts) repeated=$(field retests r.json) whole=$(field wall_s r.json)
cp a.c want.c; cp in.c a.c; rm -f a.c.orig; : > log
RANDOM=$SEED
kills=0 resume= code=1 left=0
while [ $code -ne 0 ]; do
	echo $kills > run
	"$REFRAIN" reduce -q -j"$jobs" $resume --json=r.json "$work/t.sh" a.c 2>> messages & pid=$!
	if [ $kills -lt "$kills_wanted" ]; then
		# a share of the run at a time such that all the kills fall into it
		sleep "$(awk -v r=$RANDOM -v w="$whole" -v n="$kills_wanted" 'BEGIN { printf "%.3f", 0.02 + r / 32768 * w * 2 / n }')"
		kill -9 $pid 2> /dev/null
	fi
	wait $pid 2> /dev/null; code=$?
	if [ $code -eq 137 ]; then
		kills=$((kills + 1))
		# what refrain left behind has a second to go
		for ((n = 0; n < 50; n++)); do [ -z "$(ls tmp)" ] && [ "$(running)" -eq 0 ] && break; sleep 0.02; done
		[ $n -lt 50 ] || left=$((left + 1))
		resume=--resume
		[ -s log ] && [ ! -e a.c.refrain ] && break # it was over, but for its exit: the store goes last
	elif [ $code -ne 0 ]; then
		echo "kill: a resumed run ended with $code"; cat messages; exit 1
	fi
done
twice=$(($(wc -l < log) - $(texts)))
result="other ($(wc -c < a.c) bytes, undisturbed $(wc -c < want.c))"
cmp -s a.c want.c && result=equal
echo "kill: -j$jobs, $kills kills; result $result; $(texts) texts asked (undisturbed: $distinct); $twice asked twice, $repeated of them on purpose, so $((twice - repeated)) for $kills kills; something left behind after $left kills; at the end $(ls tmp | wc -l) in the temporary folder, $(running) running; files: $(ls a.c* | tr '\n' ' ')"
grep -v "^$" messages | sort | uniq -c | head -5
[ "$jobs" -gt 1 ] || { [ $result = equal ] && [ "$(texts)" -eq "$distinct" ]; } || exit 1
[ $((twice - repeated)) -le $((kills * jobs)) ] && [ $left -eq 0 ]

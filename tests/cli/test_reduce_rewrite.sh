#!/bin/sh
# SPDX-License-Identifier: MIT
# Rewriting passes: what deletion cannot say is said, the result is interesting, nothing is asked twice (by the test's own
# log), and any number of jobs comes to an end.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3

section "a warning of the compiler"
cat > warns.sh << 'END'
#!/bin/sh
cksum < small.c >> "$LOG"
gcc -O1 -Wall -S small.c -o small.s 2> warnings && grep -q Wtautological-compare warnings &&
	! grep -q 'Wimplicit\|Wreturn-type' warnings
END
chmod +x warns.sh
if command -v gcc > /dev/null; then
	printf 'typedef long size;\nint compare(size left) { if (left == left) return 1;\nreturn 0; }\n' > small.c
	LOG=$T/log ok "one job" "$REFRAIN" reduce -j1 --store=none --json=r.json ./warns.sh small.c
	LOG=$T/after ok "the result is interesting" ./warns.sh
	ok "the type, the names and the result were put in order" grep -q '"tokens_after": *10\>' r.json
	tests=$(sed -n 's/.*"queries": *\([0-9]*\).*/\1/p' r.json)
	is "no text was asked twice" "$(sort -u log | grep -c .)" "$tests"
else
	skip "gcc" "gcc is not installed"
fi

section "several jobs"
# each use of a name needs its declaration, each argument its parameter
cat > whole.js << 'END'
function area(width, height, unit) { let both = width * height; return both + unit; }
function show(text, times) { while (times) { log(area(text, 1, 2)); times--; } }
show("a", 3);
END
cat > t.sh << 'END'
#!/bin/sh
tr -d ' \n' < small.js > flat
grep -q 'while(.*).*log(' flat || exit 1
for name in width height unit both text times; do
	! grep -q "$name" small.js || grep -q "\\(let\\|[(,]\\) *$name" small.js || exit 1
done
END
chmod +x t.sh
for jobs in 1 4; do
	cp whole.js small.js
	rm -f small.js.orig
	ok "-j$jobs" "$REFRAIN" reduce -j$jobs --store=none ./t.sh small.js
	is "-j$jobs: the loop and the call are left" "$(tr -d ' \n' < small.js | tr -d ';{}')" 'while()log('
done

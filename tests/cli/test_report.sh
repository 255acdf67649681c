# SPDX-License-Identifier: MIT
# refrain report: pages from good, cut-off, foreign and hostile logs; what a browser makes of them.
. "$(dirname "$0")/lib.sh"

start='{"event":"start","t":0,"schema":"refrain.log/1","command":"trace mrc","version":"0.1.0","started":"2026-01-01T00:00:00Z","args":["in put.rft"]}'
{
	echo "$start"
	echo '{"event":"trace.curve","t":1,"name":"a.rft","policy":"lru","requests":1000,"points":[[1,900],[2,700],[4,300],[8,290]],"knee":4}'
	echo '{"event":"trace.curve","t":1,"name":"a.rft","policy":"opt","requests":1000,"points":[[1,900],[3,300],[8,200]],"knee":3}'
	echo '{"event":"trace.histogram","t":1,"name":"a.rft","kind":"reuse distance","points":[[1,10],[2,20],[4,5]]}'
	echo '{"event":"trace.result","t":1,"name":"a.rft","policy":"lru","size":4,"requests":1000,"misses":300}'
	for p in 1 2 3 4 5 6 7 8 9; do
		echo '{"event":"trace.result","t":1,"name":"a.rft","policy":"p'$p'","size":4,"requests":1000,"misses":30'$p'}'
		echo '{"event":"trace.result","t":1,"name":"a.rft","policy":"p'$p'","size":4000,"requests":1000,"misses":3'$p'}'
	done
	echo '{"event":"end","t":2.5,"exit":0,"complete":true}'
} > "$T/trace.log"
{
	echo '{"event":"start","t":0,"schema":"refrain.log/1","command":"reduce","version":"0.1.0","args":["./test.sh","bug.c"]}'
	printf '%s\n' '{"event":"reduce.start","t":0,"file":"bug.c","language":"c","text":"int main(void) { return 0; }\n"}'
	for i in 1 2 3 4 5 6 7 8 9; do
		printf '%s\n' '{"event":"reduce.minimum","t":'$i',"queries":'$i'0,"bytes":'$((1000 - 100 * i))',"tokens":'$((300 - 30 * i))',"pass":"tree","text":"int a'$i';\n"}'
		echo '{"event":"reduce.sample","t":'$i'.5,"queries":'$i'5,"hits":'$i',"cache_bytes":'$i'000,"cache_entries":'$i',"bytes":'$((1000 - 100 * i))',"tokens":10}'
	done
	echo '{"event":"reduce.pass","t":9,"pass":"tree","queries":90,"before":1000,"after":100,"seconds":9}'
	echo '{"event":"reduce.end","t":9,"complete":true,"bytes_before":1000,"bytes_after":100,"queries":90,"cache_hits":9}'
	echo '{"event":"smt.query","t":9,"file":"x","verdict":"unsat","by":"solver","solver_s":0.5,"cache_s":0.1}'
	echo '{"event":"smt.query","t":9,"file":"x","verdict":"sat","by":"model","solver_s":0,"cache_s":0.1}'
	awk 'BEGIN { for (i = 0; i < 10000; i++)
		printf "{\"event\":\"smt.query\",\"t\":9,\"file\":\"f%d\",\"verdict\":\"sat\",\"by\":\"%s\",\"solver_s\":%s,\"cache_s\":1e-5}\n", i % 50, i % 2 ? "model" : "solver", (i * 7919 % 10000) / 1000 }'
	printf '%s\n' '{"event":"profile.function","t":9,"rank":1,"function":"parse","file":"p.c","line":3,"calls":10,"distinct_inputs":4,"hit_ratio":0.5,"key":"n, o->scale; 1 that never changed","source":"int parse(struct o *o, int n)\n{\n\treturn n * o->scale;\n}\n","curve":[[1,2],[2,3],[4,6],[8,6]],"suggestion":{"size":"n","entries":8}}'
	echo '{"event":"profile.try","t":9,"function":"parse","predicted_share":0.5,"saved_share":0.4,"low":0.3,"high":0.5,"before_s":2,"after_s":1.2,"gets":10,"hits":7,"conflicts":0,"bytes":99,"same_output":true}'
	echo '{"event":"check.stats","t":9,"program":"sorted","checks":10,"nodes":40,"lookups":9,"hits":5,"violations":0}'
	echo '{"event":"from.the.future","t":9,"x":[1]}'
	printf '{"event":"end","t":'
} > "$T/all.log"

section "a page of one log"
exits "a page is made" 0 "$REFRAIN" report "$T/trace.log" -o "$T/trace.html"
has "it says what ran" "$T/trace.html" "<b>refrain trace mrc</b> &#39;in put.rft&#39;"
has "it has the miss ratios" "$T/trace.html" '"data":[[1,2,3,4,8],[90,70,null,30,29],[90,null,30,null,20]]'
has "it has the knee" "$T/trace.html" '"mark":4'
has "it has the results" "$T/trace.html" '30.0 %'
has "it says how it ended" "$T/trace.html" '<span class="badge good">done</span>'
has "only its own script may run" "$T/trace.html" "default-src 'none'"
is "nothing is loaded" "$(sed 's/<script>.*//' "$T/trace.html" | grep -cE '(src|href)="?(https?:)?//|@import|url\(')" 0
cp "$T/trace.html" "$T/first.html"
exits "made again" 0 "$REFRAIN" report -o "$T/trace.html" "$T/trace.log"
ok "the same log gives the same page" cmp "$T/first.html" "$T/trace.html"
exits "to standard output" 0 "$REFRAIN" report "$T/trace.log" -o -
ok "it is the same page" cmp "$T/out" "$T/first.html"

section "several logs"
exits "several logs, one cut off" 0 "$REFRAIN" report "$T/trace.log" "$T/all.log" -o "$T/all.html" --json
has "JSON: schema" "$T/out" '"schema": "refrain.report/1"'
has "JSON: one is cut off" "$T/out" '"truncated": 1'
has "JSON: runs" "$T/out" '"runs": 2'
has "a message says so" "$T/err" "in the middle of a line"
for s in trace reduce smt profile check; do has "section $s" "$T/all.html" "<section id=\"$s\">"; done
has "the run without an end" "$T/all.html" "unfinished"
has "an engine's end" "$T/all.html" "Bytes after"
has "answers per stage" "$T/all.html" "Answers per stage"
has "the gain of a pass" "$T/all.html" "Gain per pass"
has "the suggestion" "$T/all.html" "size n, entries 8"
has "its source, with what the key is made of" "$T/all.html" 'return <mark>n</mark> * <mark>o</mark>-&gt;<mark>scale</mark>;'
has "its curve, as far as tables get better" "$T/all.html" '"data":[[1,2,4],[20,30,60]]'
has "nodes that were not checked again" "$T/all.html" "<td>Nodes</td><td class=\"num\">45</td><td class=\"num\">40</td><td class=\"num\">5</td>"
has "what a memo table saved, measured" "$T/all.html" "<td>Calls, measured</td><td class=\"num\">10</td><td class=\"num\">3</td><td class=\"num\">7</td>"

section "what was saved, and compared"
run() { # CACHE QUERIES HITS
	echo '{"event":"start","t":0,"schema":"refrain.log/1","command":"reduce","version":"0.1.0","args":["'$1'"]}'
	echo '{"event":"reduce.end","t":9,"cache":"'$1'","bytes_before":3000,"bytes_after":100,"queries":'$2',"retests":50,"cache_hits":'$3',"test_s":20}'
	echo '{"event":"end","t":9,"exit":0,"complete":true}'
}
run full 200 300 > "$T/full.log"
run none 500 0 > "$T/none.log"
exits "two runs of the same kind" 0 "$REFRAIN" report "$T/none.log" "$T/full.log" -o "$T/two.html" --svg="$T/svg"
has "tests not run" "$T/two.html" "<b>300</b> <span>tests not run"
has "the time they would have taken" "$T/two.html" "<b>≈ 24.0 s</b>"
has "the difference between the two" "$T/two.html" '<td class="num">500</td><td class="num">200</td><td class="num">−60 %</td>'

# of 100 queries the front asked the solver SOLVED, one of them for 9 s, the others for 10 ms
front() { # CACHE SOLVED SOLVER_S CACHE_S
	echo '{"event":"start","t":0,"schema":"refrain.log/1","command":"smt","version":"0.1.0","args":["'$1'"]}'
	awk -v solved="$2" 'BEGIN { for (i = 0; i < 100; i++)
		printf "{\"event\":\"smt.query\",\"t\":1,\"file\":\"f\",\"verdict\":\"sat\",\"by\":\"%s\",\"solver_s\":%s,\"cache_s\":0}\n",
			i < solved ? "solver" : "model", i ? (i < solved) * 0.01 : 9 }'
	echo '{"event":"smt.end","t":1,"solver":"z3","cache":"'$1'","queries":100,"sat":100,"unsat":0,"solver_calls":'$2',"solver_s":'$3',"cache_s":'$4'}'
	echo '{"event":"end","t":9,"exit":0,"complete":true}'
}
time_saved() { sed -n '/Per run/,/<\/table>/s/.*<td>Solver calls<\/td>.*<td class="num">\([^<]*\)<\/td><\/tr>.*/\1/p' "$1" | tr '\n' ' '; }
front full 1 9 0.1 > "$T/one.log"
front full 20 9.19 0.1 > "$T/twenty.log"
front none 100 9.99 0 > "$T/without.log"
front full 100 9.99 1 > "$T/loss.log"
exits "a front that asked once" 0 "$REFRAIN" report "$T/one.log" -o "$T/one.html"
is "one call says nothing about the others" "$(time_saved "$T/one.html")" "– "
exits "a front that asked twenty times" 0 "$REFRAIN" report "$T/twenty.log" -o "$T/twenty.html"
is "what was not asked was not the hardest" "$(time_saved "$T/twenty.html")" "700 ms "
exits "beside a run without" 0 "$REFRAIN" report "$T/without.log" "$T/one.log" "$T/loss.log" -o "$T/beside.html"
is "the share of a stage is one of its run" "$(sed -n 's/.*<td>without.log · solver<.*<span>\([0-9.]* %\)<.*/\1/p' "$T/beside.html")" "100.0 %"
is "the time is measured, and a loss is shown" "$(time_saved "$T/beside.html")" "0 s 890 ms −1.00 s "

section "plots as pictures"
exits "--svg alone" 0 "$REFRAIN" report "$T/all.log" "$T/trace.log" --svg="$T/svg" --json
has "JSON: how many" "$T/out" "\"plots\": $(ls "$T/svg" | wc -l | tr -d ' ')"
has "named for what they show" "$T/svg/01-miss-ratio-by-cache-size.svg" "<title>Miss ratio by cache size</title>"
if command -v xmllint > "$T/out"; then ok "they are well-formed" xmllint --noout "$T"/svg/*.svg; fi
exits "a folder that cannot be made" 3 "$REFRAIN" report "$T/all.log" --svg="$T/no/such"

section "logs that engines write"
seq 1 500 | awk '{ print $1 % 40 }' > "$T/keys"
echo '(declare-const a Int)(assert (> a 1))(check-sat)' > "$T/q.smt2"
printf 'int a;\nint BUG;\nint b;\n' > "$T/in.c"
printf '#!/bin/sh\ngrep -q BUG in.c\n' > "$T/t.sh" && chmod +x "$T/t.sh"
cat > "$T/slow.c" << 'C'
int slow(int n) { int s = 0; for (int i = 0; i < 9000; i++) s += i * n % 7; return s; }
int main(void) { int t = 0; for (int i = 0; i < 40; i++) t += slow(i & 3); return t == 1; }
C
logged() { # NAME COMMAND…
	name=$1
	shift
	"$REFRAIN" "$@" > "$T/out" 2> "$T/err" && "$REFRAIN" report "$T/$name.run" -o "$T/x.html" 2> "$T/err" || { cat "$T/err"; return 1; }
}
ok "trace simulate" logged simulate trace simulate --policy=lru --size=10 --log="$T/simulate.run" "$T/keys"
ok "trace mrc" logged mrc trace mrc --log="$T/mrc.run" "$T/keys"
ok "smt" logged smt smt --log="$T/smt.run" "$T/q.smt2"
ok "reduce" logged reduce reduce --log="$T/reduce.run" "$T/t.sh" "$T/in.c"
has "with the texts" "$T/x.html" 'int BUG'
if [ -e "$BUILD/libexec/rflaunch" ] && gcc -g -O1 -fno-inline "$T/slow.c" -o "$T/slow"; then
	ok "profile" logged profile profile --log="$T/profile.run" -- "$T/slow"
	has "with the function" "$T/x.html" '<code>slow</code>'
	has "with its source" "$T/x.html" 'int slow(int <mark>n</mark>)'
	has "with its curve" "$T/x.html" 'Hits by size of the memo table'
fi
cat > "$T/list.c" << 'C'
#include <stdlib.h>
struct list { struct list *next; int key; };
/*@ regtype list : struct list = null | { next : list, key : int(0..1) };
    pred put(l, key) : list(*l) => list(*l); */
void put(struct list **l, int key) { struct list *n = calloc(1, sizeof *n); n->next = *l, n->key = key, *l = n; }
int main(void) { struct list *l = NULL; for (int i = 0; i < 3; i++) put(&l, i); return 0; }
C
if "$REFRAIN" check cc -g "$T/list.c" -o "$T/list" 2> "$T/err"; then
	RF_CHECK=count,json="$T/check.json" "$T/list" 2> "$T/err"
	exits "what a program with contracts wrote" 0 "$REFRAIN" report "$T/check.json" -o "$T/check.html"
	has "the violation" "$T/check.html" '<td><code>put</code></td><td>at its return</td><td><code>list(*l)</code></td>'
	has "its path" "$T/check.html" '<code>(*l)-&gt;key = 2, expected 0 or 1</code>'
	has "the calls" "$T/check.html" '<td>Calls checked</td><td class="num">6</td>'
	has "what it took" "$T/check.html" '<td>CPU time of the program</td>'
	has "the run is over" "$T/check.html" '<span class="badge good">done</span>'
fi
echo '{"schema": "refrain.check/1", "checks": "six"}' > "$T/check.bad"
exits "one that is not right" 2 "$REFRAIN" report "$T/check.bad" -o "$T/x.html"
rm -f "$T/x.html"

section "bad logs"
exits "no log" 2 "$REFRAIN" report -o "$T/x.html"
exits "nothing to do" 2 "$REFRAIN" report "$T/trace.log"
exits "--port without --serve" 2 "$REFRAIN" report "$T/trace.log" -o "$T/x.html" --port=1
exits "--serve with a file" 2 "$REFRAIN" report "$T/trace.log" -o "$T/x.html" --serve
exits "a missing log" 2 "$REFRAIN" report "$T/missing.log" -o "$T/x.html"
echo 'int main(void) {}' > "$T/foreign"
exits "a file that is not a log" 2 "$REFRAIN" report "$T/foreign" -o "$T/x.html"
has "it is named with its line" "$T/err" "foreign:1"
{ echo "$start"; echo '{"event":"end",'; echo '{"event":"end","exit":0}'; } > "$T/garbage.log"
exits "garbage in the middle" 2 "$REFRAIN" report "$T/garbage.log" -o "$T/x.html"
has "it is named with its line" "$T/err" "garbage.log:2"
{ echo "$start"; echo '{"event":"end","exit":"zero"}'; } > "$T/type.log"
exits "a field of another type" 2 "$REFRAIN" report "$T/type.log" -o "$T/x.html"
ok "no partial page is left" test ! -e "$T/x.html"
exits "a folder" 2 "$REFRAIN" report "$T" -o "$T/x.html"
exits "cannot write" 3 "$REFRAIN" report "$T/trace.log" -o "$T/no/such/x.html"
exits "page and JSON on one stream" 2 "$REFRAIN" report "$T/trace.log" -o - --json

# text from outside, in every place where text can stand; \u0022 and the like are JSON's, the shell's quoting is not in it
h='<\/script><script>window.pwned=1<\/script><img src=x onerror=\"window.pwned=2\">\u2028\u2029\u0022\u0027`&amp;\u001b[31m\u202eabc]]>--><!--'
{
	echo '{"event":"start","t":0,"schema":"refrain.log/1","command":"'"$h"'","version":"'"$h"'","started":"'"$h"'","args":["'"$h"'"]}'
	echo '{"event":"trace.curve","t":1,"name":"'"$h"'","policy":"'"$h"'","requests":10,"points":[[1,9],[2,5],[3,1]],"knee":2}'
	echo '{"event":"trace.histogram","t":1,"name":"'"$h"'","kind":"'"$h"'","points":[[0,3],[1,5]]}'
	echo '{"event":"trace.result","t":1,"name":"'"$h"'","policy":"'"$h"'","size":1,"requests":10,"misses":4}'
	echo '{"event":"reduce.minimum","t":1,"queries":1,"bytes":5,"pass":"'"$h"'"}'
	echo '{"event":"reduce.pass","t":1,"queries":1,"before":5,"after":4,"pass":"'"$h"'","seconds":1}'
	echo '{"event":"reduce.end","t":1,"file":"'"$h"'","algorithm":"'"$h"'"}'
	echo '{"event":"smt.query","t":1,"file":"'"$h"'","verdict":"'"$h"'","by":"'"$h"'","solver_s":1,"cache_s":1}'
	echo '{"event":"profile.function","t":1,"rank":1,"function":"'"$h"'","file":"'"$h"'","suggestion":{"'"$h"'":"'"$h"'"},"safety":"'"$h"'","key":"'"$h"'","source":"'"$h"'","calls":2,"curve":[[1,1],"x",[2],["1","2"]]}'
	echo '{"event":"check.stats","t":1,"program":"'"$h"'","checks":1,"reports":[{"function":"'"$h"'","kind":"'"$h"'","where":"'"$h"'","caller":"'"$h"'","faults":[{"literal":"'"$h"'","fault":"'"$h"'"}]}]}'
	echo '{"event":"end","t":1,"exit":1,"complete":true}'
} > "$T/hostile.log"
exits "a hostile log" 0 "$REFRAIN" report "$T/hostile.log" "$T/trace.log" -o "$T/hostile.html"
is "no foreign tag is left in the page" "$(grep -c '<img\|<script>window' "$T/hostile.html")" 0
# the page's own blocks: data and code
is "every data block is closed by itself" "$(grep -o '</script>' "$T/hostile.html" | wc -l | tr -d ' ')" \
	"$(($(grep -o '<script type="application/json">' "$T/hostile.html" | wc -l) + 1))"

# numbers at the edge
{
	echo "$start"
	echo '{"event":"trace.curve","t":1,"name":"e","policy":"lru","requests":0,"points":[[1,9],[2],7,[],["x","y"],[3,null]],"knee":0}'
	echo '{"event":"trace.curve","t":1,"name":"none","policy":"lru","requests":5,"points":[]}'
	echo '{"event":"trace.curve","t":1,"name":"big","policy":"lru","requests":9007199254740993,"points":[[1e300,1e300],[1,5]]}'
	echo '{"event":"trace.histogram","t":1e999,"points":[[-5,1],[0,2]]}'
} > "$T/edge.log"
"$REFRAIN" report "$T/edge.log" -o "$T/edge.html" > "$T/out" 2> "$T/err"
is "numbers at the edge make a page or an error, no crash" "$([ $? -le 2 ] && echo fine)" fine

section "a page that follows its logs"
head -n 4 "$T/all.log" > "$T/live.log"
"$REFRAIN" report --serve "$T/live.log" "$T/later.log" > "$T/address" 2> "$T/err" &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s "$T/address" ] || sleep 0.2; done
address=$(cat "$T/address")
port=$(printf '%s' "$address" | sed 's,.*:\([0-9]*\)/.*,\1,')
# get PATH [OPTION…]: the status
get() { path=$1; shift; curl -s -o "$T/body" -w '%{http_code}' "$@" "http://127.0.0.1:$port$path"; }
path=${address#http://127.0.0.1:*/}
path=/${path%/}
case $path in /????????????????????????????????) ok "the address has a token" true ;; *) ok "the address has a token" false ;; esac
if command -v curl > "$T/out"; then
	is "the page" "$(get "$path/")" 200
	has "may ask for news" "$T/body" "connect-src 'self'"
	is "the version of its logs" "$(get "$path/version")" 200
	is "without the token" "$(get /)$(get /version)$(get "${path%?}x/")" 404404404
	is "another host's name" "$(get "$path/" -H 'Host: evil.example')" 403
	is "no host" "$(get "$path/" -H 'Host:')" 403
	is "localhost by name" "$(get "$path/" -H "Host: localhost:$port")" 200
	is "another method" "$(get "$path/" -X POST -d x)" 405
	is "a request that is too long" "$(get "$path/" -H "X: $(head -c 9000 /dev/zero | tr '\0' x)")" 431
	echo nonsense > "$T/later.log"
	is "a log that is none" "$(get "$path/")" 503
	rm "$T/later.log"
	is "only this machine's own address is listened on" "$(ss -ltnH "sport = :$port" 2> "$T/err" | awk '{ print $4 }')" "$(command -v ss > "$T/out" && echo "127.0.0.1:$port")"
fi

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$chromium" ] || ! command -v node > "$T/out"; then
	absent "browser" "no chromium or no node here"
elif [ ! -d "$top/deps/node_modules/playwright-core" ]; then
	absent "browser" "playwright-core is not installed"
else
	HOME=$T timeout 120 node "$top/tests/browser/report.mjs" "$top/deps/node_modules" "$chromium" "$T/all.html" "$T/hostile.html" "$address" "$T/live.log" > "$T/browser" 2> "$T/browser.err"
	rc=$?
	sed 's/^\(not ok\|ok\) [0-9]*/\1/' "$T/browser"
	sed 's/^/# /' "$T/browser.err" | head -20
	is "the browser test came to its end" "$rc" 0
fi
section "the end of the server"
kill $server
wait $server
is "it stops when told to" $? 0

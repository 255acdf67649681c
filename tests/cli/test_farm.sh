#!/bin/sh
# SPDX-License-Identifier: MIT
# Workers: the same result as one job, with workers that die, a server that dies and comes again, workers that come late, and
# none at all; a sandbox that holds; who is refused.
. "$(dirname "$0")/lib.sh"
command -v redis-server > "$T/which" && command -v redis-cli > "$T/which" || { absent "workers" "there is no redis-server"; exit 0; }
. "$(dirname "$0")/servers.sh"
cd "$T" || exit 3
mkdir tmp; TMPDIR=$T/tmp; export TMPDIR
awk 'BEGIN { for (i = 0; i < 12; i++) printf "int f%d(int a) { int b = a + %d; if (b > %d) return b; return a; }\n", i, i, i * 7; print "int main(void) { return f3(f7(2)); }" }' > in.c
cat > t.sh <<SH
#!/bin/sh
echo x >> "$T/log"
[ -n "\${FAST:-}" ] || sleep 0.02
text=\$(cat a.c)
case \$text in *'int f7(int a)'*) ;; *) exit 1 ;; esac
case \$text in *49*main*) ;; *) exit 1 ;; esac
SH
chmod +x t.sh
uri=unix:$T/redis.sock
workers=
clients() { redis-cli -s redis.sock client list 2> /dev/null | grep -c .; }
# start_worker NAME [OPTION…]: its process id is in $worker; if there is a server, it is connected to it
# (timeout would pass TERM on twice, to the worker and to its group; the second one ends a worker at once)
start_worker() {
	name=$1
	shift
	connected=$(clients)
	timeout --foreground 300 "$REFRAIN" worker "$@" "$uri" > "$name.out" 2> "$name.err" &
	worker=$!
	workers="$workers $worker"
	servers="$servers $worker"
	for _ in $(seq 100); do
		[ "$connected" -gt 0 ] && [ "$(clients)" -le "$connected" ] || break
		sleep 0.1
	done
}
stop_workers() { for w in $workers; do stop_server "$w"; done; workers=; }
reduce() { cp in.c a.c; rm -f a.c.orig; : > log; "$REFRAIN" reduce -j1 --store=none "$@" ./t.sh a.c; }
# without sleeping in tests that run here
env_fast() { FAST=1; export FAST; "$@"; status=$?; unset FAST; return $status; }
# the spawners of killed workers need a moment
empty_tmp() { await sh -c '! ls tmp | grep -q .'; }
keys() { redis-cli -s redis.sock dbsize; }
start_redis redis
exits "one job, no worker" 0 env_fast reduce
cp a.c want.c

# listens: processes of this script's tree that listen on a port, by what the kernel says of their sockets
tree() { echo "$1"; for child in $(ps -o pid= --ppid "$1"); do tree "$child"; done; }
listens() {
	for pid in $(tree $$); do ls -l "/proc/$pid/fd" 2> /dev/null; done | sed -n 's/.*socket:\[\([0-9]*\)\].*/\1/p' | sort -u > sockets
	cat /proc/net/tcp /proc/net/tcp6 2> /dev/null | awk '$4 == "0A" { print $10 }' | grep -cxFf sockets
}

section "workers"
start_worker one -j2
start_worker two -j2
: > log
( while [ "$(grep -c . log)" -lt 20 ]; do sleep 0.02; done; listens > ports ) &
looker=$!
exits "a run with two workers" 0 reduce --workers="$uri"
wait $looker
is "while it runs nobody listens on a port" "$(cat ports)" 0
ok "sockets were looked at ($(grep -c . sockets))" [ -s sockets ]
ok "has the same result" cmp a.c want.c
is "and leaves nothing on the server" "$(keys)" 0
stop_workers
ok "both worked ($(cat one.out two.out | tr '\n' ' '))" sh -c "grep -q '1 runs, [1-9]' one.out && grep -q '1 runs, [1-9]' two.out"
is "they say nothing else" "$(cat one.err two.err)" ""

section "no worker, no server"
exits "a run without workers" 0 env_fast reduce --workers="$uri"
ok "has the same result" cmp a.c want.c
exits "a run without a server" 0 env_fast reduce --workers="unix:$T/nowhere.sock"
ok "has the same result" cmp a.c want.c
has "and says so" err "running tests here until it answers"

section "workers die and come"
start_worker dies -j2
start_worker lives -j1
( while [ "$(grep -c . log)" -lt 25 ]; do sleep 0.02; done; kill -9 $(ps -o pid= --ppid "$(echo $workers | cut -d' ' -f1)"); kill -TERM "$worker"; timeout --foreground 300 "$REFRAIN" worker -j2 "$uri" > late.out 2>&1 & echo $! > late.pid; wait ) &
killer=$!
exits "a run in which one is killed, one goes and one comes" 0 reduce --workers="$uri"
ok "has the same result" cmp a.c want.c
is "and leaves nothing on the server" "$(keys)" 0
kill -TERM "$(cat late.pid)"; wait $killer
stop_workers
ok "the late one worked ($(cat late.out))" grep -q '1 runs, [1-9]' late.out
ok "no scratch folder is left" empty_tmp

section "the server dies and comes again"
start_worker one -j2
start_worker two -j1
( while [ "$(grep -c . log)" -lt 20 ]; do sleep 0.02; done; kill -9 "$(redis-cli -s redis.sock info server | sed -n 's/\r//; s/^process_id://p')"; sleep 0.7; rm -f redis.sock; exec timeout 300 redis-server --port 0 --unixsocket "$T/redis.sock" --save '' --dir "$T" > again.log 2>&1 ) &
second=$!
servers="$servers $second"
exits "a run" 0 reduce --workers="$uri"
ok "has the same result" cmp a.c want.c
has "and says what happened" err "running tests here until it answers"
ok "the second server is there" await redis-cli -s redis.sock ping
is "with nothing left on it" "$(keys)" 0
exits "workers serve the next run" 0 reduce --workers="$uri"
ok "which has the same result" cmp a.c want.c
stop_workers
ok "by then each served two runs" sh -c "grep -q '^[2-9] runs' one.out && grep -q '^[2-9] runs' two.out"

section "keys"
printf 'a key that nobody else has\n' > key; chmod 600 key
printf 'a key that somebody else has\n' > other; chmod 600 other
exits "a worker without a key at another machine's server" 2 "$REFRAIN" worker redis://192.0.2.1:6379
has "is told why" err "without a key anybody"
exits "a reduction as well" 2 reduce --workers=redis://192.0.2.1:6379
exits "a key that others may read" 2 sh -c "cp key open; chmod 644 open; '$REFRAIN' worker --key=open '$uri'"
has "is refused" err "others may read the key file"
start_worker right -j2 --key=key
start_worker wrong -j2 --key=other
exits "a run with the key" 0 reduce --workers="$uri" --key=key
ok "has the same result" cmp a.c want.c
exits "a run without" 0 reduce --workers="$uri" --max-queries=20
stop_workers
ok "the worker with the key worked ($(cat right.out))" grep -q '1 runs, [1-9]' right.out
is "the other did not" "$(cat wrong.out)" "0 runs, 0 tests, 0 cancelled, 2 messages refused"
has "and says why" wrong.err "not served: a run with a wrong signature"

section "folders and what stands beside"
mkdir -p lib/sub; tail -n 4 in.c > lib/sub/a.c; head -n 9 in.c | tail -n 2 >> lib/sub/a.c; echo 'int unused;' > lib/b.c; echo 49 > beside
cat > u.sh <<SH
#!/bin/sh
[ -n "\${FAST:-}" ] || sleep 0.02
text=\$(cat lib/sub/a.c)
case \$text in *'int f7(int a)'*) ;; *) exit 1 ;; esac
case \$text in *"\$(cat beside)"*) ;; *) exit 1 ;; esac
SH
chmod +x u.sh
cp -R lib lib.in
exits "one job" 0 env FAST=1 "$REFRAIN" reduce -j1 --store=none --with=beside ./u.sh lib
cp -R lib lib.want; rm -rf lib; cp -R lib.in lib
start_worker one -j3
exits "with a worker" 0 "$REFRAIN" reduce -j1 --store=none --workers="$uri" --with=beside ./u.sh lib
ok "the same result" sh -c "rm -f lib/*.orig lib/*/*.orig lib.want/*.orig lib.want/*/*.orig; diff -r lib lib.want"
stop_workers
ok "the worker worked ($(cat one.out))" grep -q '1 runs, [1-9]' one.out

section "sandbox"
if unshare -Urnm true 2> ns.err; then
	cat > s.sh <<SH
#!/bin/sh
[ -n "\$HERE" ] && { sleep 0.1; grep -q f7 a.c; exit; } # slow: the worker is to have its share
{ echo x > "$T/written"; echo x > "\$TMPDIR/../../../written"; mount -o remount,rw /; } 2> errors
[ ! -e "$T/written" ] && [ ! -e "\$TMPDIR/../../../written" ] || exit 1
echo x > here && echo x > "\$TMPDIR/there" || exit 1
[ "\$(cat /proc/net/dev | grep -vc 'lo:\|Inter\|face')" = 0 ] || exit 1
grep -q f7 a.c
SH
	chmod +x s.sh
	start_worker one -j2 --sandbox
	cp in.c a.c
	exits "a run" 0 env HERE=1 "$REFRAIN" reduce -j1 --store=none --workers="$uri" ./s.sh a.c
	stop_workers
	ok "whose tests ran with no network, and could write only where they should ($(cat one.out one.err))" grep -q '1 runs, [1-9]' one.out
	ok "no folder is left" empty_tmp
	exits "where the kernel allows no namespaces" 3 unshare -Ur sh -c "echo 0 > /proc/sys/user/max_user_namespaces && exec '$REFRAIN' worker --sandbox '$uri'"
	has "a worker says so and runs nothing" err "this system allows no sandbox"
else
	skip "sandbox" "namespaces are not allowed here"
fi

# SPDX-License-Identifier: MIT
# Real servers for command-line tests, sourced after lib.sh: on a socket or on loopback, stopped when the script ends, whatever ends
# it, and by themselves after ten minutes.
PATH=$PATH:/usr/sbin:/sbin
servers=

# await COMMAND…: tries for a minute until it succeeds
await() {
	tries=0
	until "$@" > "$T/.await" 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || { cat "$T/.await"; return 1; }
		sleep 0.1
	done
}

# start_redis NAME [OPTION…]: a server on the socket $T/NAME.sock, without a file; its process id is in $redis_pid
start_redis() {
	redis_name=$1
	shift
	rm -f "$T/$redis_name.sock"
	timeout 600 redis-server --port 0 --unixsocket "$T/$redis_name.sock" --save '' --dir "$T" "$@" > "$T/$redis_name.log" 2>&1 &
	redis_pid=$!
	servers="$servers $redis_pid"
	await redis-cli -s "$T/$redis_name.sock" ping || { cat "$T/$redis_name.log"; exit 3; }
}

# stop_server PID: ends it at once
stop_server() {
	kill -TERM "$1" 2> /dev/null # timeout(1) passes it on
	wait "$1" 2> /dev/null
	servers=$(echo "$servers" | sed "s/ $1\\>//")
}

# called by lib.sh when the script ends
stop_servers() {
	for pid in $servers; do stop_server "$pid"; done
}

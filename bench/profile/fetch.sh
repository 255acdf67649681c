# fetch PACKAGE: Debian's source of it, unpacked in $work; apt's lists are private, so nothing of the system changes.
fetch() {
	if [ ! -d "$work/apt/lists/partial" ]; then
		mkdir -p "$work/apt/lists/partial" "$work/apt/parts"
		cp /etc/apt/sources.list.d/*.sources "$work/apt/parts/"
		sed -i 's/^Types: deb$/Types: deb deb-src/' "$work"/apt/parts/*.sources
		apt_private update > "$work/apt/log" 2>&1
	fi
	(cd "$work" && apt_private source "$1" > "$work/apt/log" 2>&1) || { tail -3 "$work/apt/log"; exit 3; }
}
apt_private() {
	apt-get -q -o Dir::Etc::sourceparts="$work/apt/parts" -o Dir::Etc::sourcelist=/dev/null -o Dir::State::lists="$work/apt/lists" "$@"
}
# cpu COMMAND…: its user + system seconds
cpu() {
	{ TIMEFORMAT='%U %S'; time -p "$@" > /dev/null 2> /dev/null; } 2>&1 | awk '/^(user|sys)/ { s += $2 } END { print s }'
}

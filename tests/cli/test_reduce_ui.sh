# SPDX-License-Identifier: MIT
# refrain reduce --ui: the whole terminal, put back however the run ends; a live page where there is no terminal.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3

for i in 1 2 3 4 5 6 7 8; do echo "int f$i(int a) { return a + $i; }"; done > all.c
echo "int BUG;" >> all.c
printf '#!/bin/sh\nsleep 0.02\ngrep -q BUG in.c\n' > t.sh
printf '#!/bin/sh\n[ ! -e "%s" ] || sleep 30\n: > "%s"\n' "$T/started" "$T/started" > slow.sh
chmod +x t.sh slow.sh
esc=$(printf '\033')
# on_terminal SCRIPT: its output in "screen", the terminal's settings before and after in "before" and "after"
on_terminal() {
	cp all.c in.c
	rm -f in.c.orig in.c.refrain started screen pid
	: > screen
	TERM=xterm script -qfec "stty rows 24 cols 80; stty -a > before; $1; stty -a > after" screen < /dev/null > script.out 2>&1
}
# the last word of the terminal's other screen is that it is left
left_last() { [ "$(grep -ao "$esc\[?1049[hl]" screen | tail -n 1)" = "$esc[?1049l" ]; }

if command -v script > out; then
	section "a run to its end"
	on_terminal "'$REFRAIN' reduce --ui -j2 ./t.sh in.c"
	is "the result" "$(tr -d '[:space:]' < in.c)" BUG
	ok "the whole terminal was used" grep -aq "$esc\[?1049h" screen
	ok "the file was shown" grep -aq "int f1(int a)" screen
	ok "and the pass, the workers and the rate" grep -aq "pass .* queries (.*/s)" screen
	ok "it is left at the end" left_last
	ok "the settings are as before" cmp before after

	section "runs that are ended"
	# until the screen has it; ended SIGNAL then ends the run
	cat > until.sh <<- 'SH'
		i=0
		while ! grep -aq "$1" screen && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
	SH
	for signal in INT TERM KILL; do
		on_terminal "(sh until.sh 1049h; kill -$signal \$(cat pid)) & sh -c 'echo \$\$ > pid; exec $REFRAIN reduce --ui -j2 ./slow.sh in.c'; sh until.sh 1049l"
		ok "$signal: the terminal is left" left_last
		ok "$signal: the settings are as before" cmp before after
	done
else
	skip "a terminal" "there is no program script"
fi

section "a page"
cp all.c in.c
rm -f in.c.orig in.c.refrain
exits "without a terminal and a log" 2 "$REFRAIN" reduce --ui ./t.sh in.c
has "it says what is missing" err "--ui needs a terminal, or --log FILE for a live page"
exits "with a log" 0 "$REFRAIN" reduce --ui --log=run.log ./t.sh in.c
has "the address is printed" err "the run is shown at http://127.0.0.1:"
address=$(sed -n 's/.*the run is shown at //p' err)
if command -v curl > out; then
	ok "the page shows the run" sh -c "curl -s '$address' | grep -q 'Size over queries'"
	gone() { i=0; while curl -s "$address" > page; do sleep 0.2; i=$((i + 1)); [ $i -lt 100 ] || return 1; done; }
	ok "the server goes after the run" gone
fi

# SPDX-License-Identifier: MIT
# Every output can fail: each output of each command goes to a full device, below a regular file, to a full and to a
# read-only file system and (standard output) to a closed descriptor. Each time the command must end with exit code 3 and
# name what it could not write. Commands and options come from `refrain help`: an option that takes a file and is in
# neither list below fails the test.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# In a name space with mounts of our own, where that is permitted: full/ has no space left, readonly/ cannot be written
# (root may write where modes forbid it, so modes are no test).
own_user=
unshare -m true 2> /dev/null || own_user=-r # root needs none
mounts() {
	unshare $own_user -m sh -c 'mount -t tmpfs -o size=16k none full && mount -t tmpfs -o ro none readonly || exit 99
		head -c 100000 /dev/zero > full/fill 2> /dev/null
		"$@"' - "$@"
}
if [ -z "${MOUNTED-}" ]; then
	mkdir full readonly
	if mounts true 2> /dev/null; then
		MOUNTED=yes mounts sh "$top/tests/cli/test_outputs.sh"
		exit
	fi
fi

section "which options with a file are outputs; --json and --log are common to all"
outputs='reduce --output
reduce --store
reduce --keytrace
smt --store
smt --reproducer
smt --keytrace
trace record --output
trace convert --output
trace reduce --output
trace simulate --misses-to
profile --keytrace
check compile --output
report --output
report --svg
store export --output
help --man'
inputs='check compile --contracts
profile --patch
profile --source
reduce --key
reduce --with
worker --key
smt --trust-key'

# commands: all of them, "trace info" and the like as they are called; the compiler's arguments are its own
commands() {
	for c in $("$REFRAIN" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		subs=$("$REFRAIN" help "$c" | sed -n "s/^  \($c [a-z-]*\) .*/\1/p")
		echo "${subs:-$c}"
	done | grep -vx 'check cc'
}

# shellcheck disable=SC2086
file_options() { # COMMAND: its own options that take a file
	"$REFRAIN" help $1 | sed '/^Everywhere:/,$d' | grep -oE -- '--[a-z-]+\[?=(FILE|OUT|URI|PATH|FOLDER)\b' | sed 's/[=[].*//'
}
classified() {
	commands | while read -r c; do
		for o in $(file_options "$c"); do
			printf '%s\n' "$outputs" "$inputs" | grep -qxF -- "$c $o" || echo "is '$c $o' an output? say so in tests/cli/test_outputs.sh"
		done
	done | grep . && return 1
	printf '%s\n' "$outputs" "$inputs" | while read -r line; do
		file_options "${line% *}" | grep -qxF -- "${line##* }" || echo "'$line' is no option any more"
	done | grep . && return 1
	return 0
}
ok "each option that takes a file is known as an output or an input" classified

# something to do for each command
printf '1\n2\n3\n1\n2\n3\n' > trace.txt
printf '(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(assert (< x 2))(check-sat)\n' > q.smt2
printf '#!/bin/sh\ngrep -q bug bug.txt\n' > interesting
chmod +x interesting
printf 'a\nbug\nb\n' > bug.txt
printf 'struct s { struct s *n; };\n/*@ regtype t : struct s = null | { n : t }; */\nint f(struct s *p); /*@ pred f(p) : t(p); */\n' > list.h
# answers unsat and sat by turns: --verify meets a difference
cat > liar <<'LIAR'
# the first process says unsat, those that are asked later sat
answer=unsat
if [ -e lied ]; then answer=sat; fi
: > lied
while read -r line; do
	case $line in
	*check-sat*) echo $answer ;;
	*echo*) echo "$line" | sed 's/.*"\(.*\)".*/\1/' ;;
	esac
done
LIAR
cat > repeats.c <<'PROGRAM'
#include <stdio.h>
__attribute__((noinline)) static int sum(int n)
{
	volatile int s = 0;
	for (int i = 0; i < n * 1000; i++)
		s += i;
	return s;
}
int main(void)
{
	int all = 0;
	for (int i = 0; i < 20; i++)
		all += sum(i % 2 + 1);
	printf("%d\n", all);
	return 0;
}
PROGRAM
valgrind=yes
[ -x "$BUILD/libexec/rfcount-amd64-linux" ] && ${CC:-cc} -O1 -g repeats.c -o repeats || valgrind=
"$REFRAIN" trace mrc --log=run.log trace.txt > /dev/null
"$REFRAIN" smt --store=kept.db q.smt2 > /dev/null

# do_it COMMAND OPTION…: a run of the command that has every output
do_it() {
	command=$1; shift
	case $command in
	reduce) cp bug.txt work.txt && mkdir -p in && mv work.txt in/bug.txt && "$REFRAIN" reduce -j1 "$@" ./interesting in/bug.txt ;;
	smt)
		case "$*" in
		*--reproducer*) rm -f lied; "$REFRAIN" smt --cache=exact --verify --solver="sh liar" "$@" q.smt2 q.smt2 ;;
		*) "$REFRAIN" smt "$@" q.smt2 ;;
		esac
		;;
	"trace record") "$REFRAIN" trace record -o recorded.rft "$@" -- ./repeats ;;
	"trace convert") "$REFRAIN" trace convert --to=u64 -o converted "$@" trace.txt ;;
	"trace reduce") "$REFRAIN" trace reduce -k1 -o reduced.rft "$@" trace.txt ;;
	"trace simulate") "$REFRAIN" trace simulate --size=2 "$@" trace.txt ;;
	"trace "*) "$REFRAIN" ${command} "$@" trace.txt ;;
	profile) "$REFRAIN" profile --no-explain "$@" -- ./repeats ;;
	"check explain") "$REFRAIN" check explain "$@" list.h ;;
	"check compile") "$REFRAIN" check compile -o contracts.c "$@" list.h ;;
	report) "$REFRAIN" report -o page.html "$@" run.log ;;
	# ends when it is told to
	worker) timeout --foreground --preserve-status 0.5 "$REFRAIN" worker "$@" "unix:$T/no-server" ;;
	"store export") "$REFRAIN" store export -o exported "$@" kept.db ;;
	"store prune") "$REFRAIN" store prune --damaged "$@" kept.db ;;
	"store "*) "$REFRAIN" ${command} "$@" kept.db ;;
	*) "$REFRAIN" ${command} "$@" ;;
	esac
}
works() { # COMMAND: whether it can be run here
	case $1 in
	"trace record" | profile) [ "$valgrind" ] ;;
	*) true ;;
	esac
}

# the places that cannot be written
: > plain
places="plain/x${MOUNTED:+ full/x readonly/x}"
[ ! -w /dev/full ] || places="$places /dev/full"
[ "${MOUNTED-}" ] || skip "a full and a read-only file system" "mounting is not permitted here"

# fails NAME WHAT COMMAND…: the command ends with exit code 3 and a message that has WHAT
fails() {
	name=$1 what=$2; shift 2
	"$@" > "$T/.out" 2> "$T/.err"
	rc=$?
	if [ $rc -eq 3 ] && grep -q "^refrain: .*$what" "$T/.err"; then
		passed "$name"
	else
		failed "$name"
		{ echo "exit $rc, wanted 3 and a message with $what"; head -5 "$T/.err"; } | explain || exit 1
	fi
}

try() { # COMMAND OPTION: sends it to each place; the slow commands to one, the code is the same
	case $1 in
	doctor | profile) some=${places##* } ;;
	*) some=$places ;;
	esac
	for place in $some; do
		case "$1 $2 $place" in
		*" --store /dev/full" | "reduce --output /dev/full") continue ;; # only files are taken
		*" --man "* | *" --svg "*) where=${place%/x} ;;
		*) where=$place ;;
		esac
		fails "$1 $2=$where" "$where" do_it "$1" "$2=$where"
	done
}
closed() { "$@" >&-; }
full() { "$@" > /dev/full; }
try_stdout() { # NAME COMMAND…
	name=$1; shift
	fails "$name, standard output closed" "standard output" closed "$@"
	[ ! -w /dev/full ] || fails "$name, standard output full" "standard output" full "$@"
}

commands > all-commands
while read -r c <&3; do
	if ! works "$c"; then
		skip "$c" "the Valgrind tools were not built (package valgrind)"
		continue
	fi
	section "outputs of $c"
	exits "$c works" 0 do_it "$c"
	try "$c" --log
	if [ "$c" = help ]; then
		exits "help has no result for --json" 2 do_it "$c" --json
	else
		try "$c" --json
		try_stdout "$c --json" do_it "$c" --json
	fi
	for o in $(printf '%s\n' "$outputs" | sed -n "s/^$c \(--.*\)/\1/p"); do
		try "$c" "$o"
	done
done 3< all-commands

section "what goes to standard output as text or bytes"
try_stdout "--version" "$REFRAIN" --version
try_stdout "--help" "$REFRAIN" --help
try_stdout "help" "$REFRAIN" help
try_stdout "smt --help" "$REFRAIN" smt --help
try_stdout "a completion" "$REFRAIN" help --completion=bash
try_stdout "answers" do_it smt
answers_stdin() { "$REFRAIN" smt -in < q.smt2; }
try_stdout "answers to standard input" answers_stdin
try_stdout "a list of passes" "$REFRAIN" reduce --list-passes
try_stdout "the summary of a reduction" do_it reduce
try_stdout "a look at a trace" do_it "trace info"
try_stdout "a curve" do_it "trace mrc" --csv
try_stdout "a simulation" do_it "trace simulate"
try_stdout "a trace" do_it "trace convert" -o -
try_stdout "a reduced trace" do_it "trace reduce" -o -
try_stdout "a stream of misses" do_it "trace simulate" --misses-to=-
try_stdout "a page" do_it report -o -
try_stdout "generated C" do_it "check compile" -o -
try_stdout "contracts in words" do_it "check explain"
for c in info verify; do try_stdout "store $c" do_it "store $c"; done
try_stdout "store export" do_it "store export" -o -
try_stdout "store prune" do_it "store prune"
try_stdout "what works here" do_it doctor
try_stdout "what a worker did" do_it worker
[ ! "$valgrind" ] || try_stdout "a recorded trace" do_it "trace record" -o -
[ ! "$valgrind" ] || try_stdout "a profile" do_it profile

section "a reader that has seen enough"
# the reader is gone before the first byte: the pipe's other end is closed by a program that reads nothing
gone() { { sleep 1; "$REFRAIN" help --completion=bash; echo $? > code; } 2> err | true; }
gone
is "ends as by SIGPIPE" "$(cat code)" 141
is "without a word" "$(cat err)" ""

section "an error in the middle: the limit on a file's size is met as a full disk is"
limited() { (ulimit -f 8; "$@" > /dev/null); }
awk 'BEGIN { for (i = 0; i < 20000; i++) print i * 7919 % 10007 }' > long.txt
long() { "$REFRAIN" trace convert --to=u64 "$@" long.txt; }
fails "a trace that does not fit" "'long.out'" limited long -o long.out
is "leaves no part of it" "$(ls long.out* 2> /dev/null)" ""
fails "a document that does not fit" "'mrc.json'" limited "$REFRAIN" trace mrc --json=mrc.json long.txt
is "leaves no part of it" "$(ls mrc.json* 2> /dev/null)" ""
fails "a log that does not fit" "'mrc.log'" limited "$REFRAIN" trace simulate --policy=all --size=1,2,3,4,5,6,7,8 --log=mrc.log long.txt
fails "a store that cannot be made" "'small.db'" limited "$REFRAIN" smt --store=small.db q.smt2
[ ! "$valgrind" ] || fails "a recorded trace that does not fit" "'both.rft'" limited "$REFRAIN" trace record --unit=1 --access=both -o both.rft -- ./repeats
limited() { (ulimit -f 128; "$@"); }
awk 'BEGIN { print "(set-logic QF_LIA)(declare-const x Int)"
	for (i = 0; i < 100; i++) printf "(push)(assert (and (> x %d) (< (* x %d) %d)))(check-sat)(pop)\n", i, i + 2, i * i }' > many.smt2
many() { "$REFRAIN" smt "$@" many.smt2 > answers; }
fails "a store that does not fit" "'large.db'" limited many -q --store=large.db
is "all questions are answered all the same" "$(grep -c sat answers)" 100

section "a result of reduce must be a file: renaming over a pipe or device would destroy it"
mkfifo pipe
exits "reduce does not replace a pipe" 2 do_it reduce -o pipe
ok "which stays" [ -p pipe ]

section "killed in the middle, a writer leaves nothing"
if [ "$valgrind" ]; then
	mkdir killed
	printf '#include <unistd.h>\nint main(void) { write(1, "x", 1); pause(); }\n' > waits.c
	${CC:-cc} waits.c -o waits
	"$REFRAIN" trace record -o killed/r.rft -- ./waits > started 2> /dev/null &
	recorder=$!
	until [ -s started ] || ! kill -0 $recorder 2> /dev/null; do sleep 0.05; done
	kill -9 $recorder
	wait $recorder 2> /dev/null
	case $(stat -f -c %T killed) in
	ext* | tmpfs | xfs | btrfs | overlay*) is "a killed recorder leaves no file" "$(ls -A killed)" "" ;;
	*) skip "a killed recorder leaves no file" "the file system may have no nameless files" ;;
	esac
fi

section "a program that we only start keeps its own exit code"
printf 'int x = ;\n' > wrong.c
compiles_wrong() { "$REFRAIN" check cc -c wrong.c -o wrong.o; }
printf 'int x;\n' > right.c
compiles() { closed "$REFRAIN" check cc -c right.c -o right.o; }
${CC:-cc} -c wrong.c -o wrong.o 2> /dev/null
exits "the compiler's exit code is kept" $? compiles_wrong
exits "and a closed standard output is the compiler's" 0 compiles

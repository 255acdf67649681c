# SPDX-License-Identifier: MIT
# The command line's contract, whatever the subcommand.
. "$(dirname "$0")/lib.sh"
section "commands, help and version"
exits "no command is a usage error" 2 "$REFRAIN"
exits "an unknown command is a usage error" 2 "$REFRAIN" frobnicate
has "and is named" "$T/err" "frobnicate"
exits "--version" 0 "$REFRAIN" --version
has "names the program" "$T/out" "refrain "
exits "--help" 0 "$REFRAIN" --help
for c in $("$REFRAIN" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	exits "help $c" 0 "$REFRAIN" help "$c"
	cp "$T/out" "$T/help"
	exits "$c --help" 0 "$REFRAIN" "$c" --help
	ok "both say the same ($c)" cmp "$T/out" "$T/help"
	has "$c has a man page" "$BUILD/man/refrain-$c.1" ".SH SYNOPSIS"
	for s in $(sed -n "s/^  $c \([a-z-]*\) .*/\1/p" "$T/help"); do
		exits "help $c $s" 0 "$REFRAIN" help "$c" "$s"
		# a drop-in compiler passes what it does not know to the compiler
		[ "$c $s" = "check cc" ] || exits "$c $s refuses an unknown option" 2 sh -c '"$@" < /dev/null' - "$REFRAIN" "$c" "$s" --no-such-option
	done
done
section "messages"
exits "control bytes in messages are escaped" 2 "$REFRAIN" "$(printf 'a\033[31m')"
has "escaped" "$T/err" '\x1b[31m'
exits "--color=always" 2 "$REFRAIN" store info --color=always
has "colours the message" "$T/err" "$(printf '\033[1;31mrefrain:\033[0m')"
exits "--color=auto" 2 "$REFRAIN" store info
is "does not in a file" "$(head -c 8 "$T/err")" "refrain:"
exits "an unknown choice" 2 "$REFRAIN" help --color=blue
has "is named with the choices" "$T/err" "--color: invalid mode 'blue' (choices: auto, always, never)"
section "completion"
bash_syntax() { bash -n "$BUILD/completion/refrain.bash"; }
ok "the bash completion parses" bash_syntax
bash_complete() {
	bash -c '. "$1"; COMP_WORDS=(refrain hel); COMP_CWORD=1; COMP_LINE="refrain hel"; COMP_POINT=11; _refrain; [ "${COMPREPLY[*]}" = help ]' - "$BUILD/completion/refrain.bash"
}
ok "the bash completion completes a command" bash_complete
bash_option() {
	bash -c '. "$1"; COMP_WORDS=(refrain help --col); COMP_CWORD=2; COMP_LINE="refrain help --col"; COMP_POINT=18; _refrain 2>/dev/null; case " ${COMPREPLY[*]} " in *" --color="*) ;; *) exit 1 ;; esac' - "$BUILD/completion/refrain.bash"
}
ok "the bash completion completes an option" bash_option
bash_link() {
	bash -c '. "$1"; COMP_WORDS=(/usr/bin/refrain-z3 --fro); COMP_CWORD=1; COMP_LINE="refrain-z3 --fro"; COMP_POINT=16; _refrain; [ "${COMPREPLY[*]}" = --frozen ]' - "$BUILD/completion/refrain.bash"
}
ok "the bash completion knows the links" bash_link

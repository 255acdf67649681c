# SPDX-License-Identifier: MIT
# refrain doctor: here, and on a machine where little is installed.
. "$(dirname "$0")/lib.sh"

section "here"
exits "the core works here" 0 "$REFRAIN" doctor
has "it says so" "$T/out" "The core works."
has "languages are listed" "$T/out" "python"
has "SQLite's version" "$T/out" "SQLite 3."
exits "as JSON" 0 "$REFRAIN" doctor --json
has "schema" "$T/out" '"schema": "refrain.doctor/1"'
has "core" "$T/out" '"core": true'
exits "JSON in a file" 0 "$REFRAIN" doctor --json="$T/doctor.json"
is "nothing on standard output then" "$(cat "$T/out")" ""
has "the file has it" "$T/doctor.json" '"checks"'
exits "no operands" 2 "$REFRAIN" doctor x

section "where little is installed"
# a machine with a shell and an unusual z3
mkdir "$T/bin"
for p in sh sleep; do ln -s "$(command -v $p)" "$T/bin/$p"; done
printf '#!/bin/sh\necho "Z3 version 77.1.2 - 64 bit"\n' > "$T/bin/z3"
printf '#!/bin/sh\nexit 5\n' > "$T/bin/cvc5"
chmod +x "$T/bin/z3" "$T/bin/cvc5"
PATH="$T/bin" exits "the core works without the rest" 0 "$REFRAIN" doctor
has "a version is found" "$T/out" "77.1.2"
has "a program that fails" "$T/out" "does not run"
has "what to install" "$T/out" "apt install cvc5 boolector valgrind gcc"
is "each package once" "$(grep 'apt install' "$T/out" | tr ' ' '\n' | sort | uniq -d | grep -c gcc)" 0

exits "without a scratch folder" 1 env TMPDIR="$T/none" "$REFRAIN" doctor
has "it says what is wrong" "$T/out" "The core does not work here."
is "nothing is left behind" "$(ls -d "$T"/refrain* 2> /dev/null)" ""

#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command of docs/trace.md runs as written, and the demo says the truth.
. "$(dirname "$0")/lib.sh"
mkdir "$T/bin" "$T/doc"
ln -s "$REFRAIN" "$T/bin/refrain"
sed -n '/^```sh$/,/^```$/p' "$top/docs/trace.md" | sed '/^```/d' > "$T/commands"
ok "docs/trace.md has commands" test "$(wc -l < "$T/commands")" -gt 25
ok "all of them run" sh -c 'cd "$1/doc" && PATH="$1/bin:$PATH" sh -eu "$1/commands"' sh "$T"
ok "the demo runs" env REFRAIN="$REFRAIN" sh "$top/examples/demo/trace.sh"

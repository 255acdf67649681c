#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows `refrain reduce` on a small C program: a "compiler bug" stands in for a real one (a division whose divisor the
# program computes as zero). Needs a POSIX shell, cc and refrain.
set -eu
: "${REFRAIN:=refrain}"
dir=$(mktemp -d "${TMPDIR:-/tmp}/refrain-demo.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
cd "$dir"

awk 'BEGIN {
	print "#include <stdio.h>"
	for (i = 0; i < 20; i++) {
		printf "static int helper_%d(int a, int b) {\n", i
		printf "\tint sum = a + b * %d;\n\tfor (int k = 0; k < %d; k++) {\n\t\tif (sum > %d) sum -= k; else sum += a;\n\t}\n", i, i % 5 + 2, i * 11
		printf "\treturn %s;\n}\n", i == 13 ? "sum / (b - b)" : "sum"
	}
	print "int main(void) {\n\tint total = 0;"
	for (i = 0; i < 20; i++) printf "\ttotal += helper_%d(total, %d);\n", i, i + 1
	print "\tprintf(\"%d\\n\", total);\n\treturn 0;\n}"
}' > crash.c

# the test: interesting = the text still has the division that "crashes the compiler", and it is valid C
cat > test.sh <<'TEST'
#!/bin/sh
grep -q '/ *( *b *- *b *)' crash.c && cc -std=c11 -w -fsyntax-only crash.c > /dev/null 2>&1
TEST
chmod +x test.sh

lines=$(wc -l < crash.c)
echo "A C program of $lines lines makes a compiler crash. Which part of it?"
echo "The test (test.sh) exits 0 as long as a variant compiles and has the bug. Running: refrain reduce test.sh crash.c"
echo
"$REFRAIN" reduce -j1 --progress=never --json=result.json test.sh crash.c
value() { sed -n "s/^ *\"$1\": \([0-9.]*\).*/\1/p" result.json; }
echo
echo "What is left of the program:"
sed 's/^/    /' crash.c
echo
q=$(value queries) h=$(value cache_hits)
echo "The reducer made $((q + h)) variants, but ran the test on only $q of them: $h had been seen before and were answered"
echo "from the cache of failed variants, which never held more than $(value cache_peak_bytes) bytes. The original is safe in crash.c.orig."

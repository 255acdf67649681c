#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that works out the same thing again and again, and what refrain profile says about it.
set -eu
: "${REFRAIN:=refrain}" "${CC:=cc}"
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cat > "$work/dates.c" <<'C'
/* Reads lines of a table; each has a format, and for each the program asks anew whether that is a format for dates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) int is_date_format(const char *format)
{
	char plain[64];
	size_t n = 0;
	for (const char *p = format; *p && n < sizeof plain - 1; p++)
		if (*p != '\\' && *p != '"')
			plain[n++] = *p;
	plain[n] = 0;
	int score = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			score += (plain[i] == 'y') + (plain[j] == 'm') + (plain[i] == 'd' && plain[j] == 'h');
	return score > 6;
}

__attribute__((noinline)) unsigned show(unsigned row, int date)
{
	unsigned x = row;
	for (int i = 0; i < 40; i++)
		x = x * 1103515245u + (unsigned)date;
	return x;
}

int main(void)
{
	static const char *const formats[] = {"yyyy-mm-dd hh:mm", "#,##0.00", "dd/mm/yy", "0.0%"};
	unsigned sum = 0;
	for (unsigned row = 0; row < 4000; row++) {
		char *format = strdup(formats[row / 50 % 4]); /* as if read from a file: new memory each time */
		sum += show(row, is_date_format(format));
		free(format);
	}
	printf("checksum %u\n", sum);
	return 0;
}
C
"$CC" -O2 -g "$work/dates.c" -o "$work/dates"
echo "A program asks 4000 times whether one of four formats is a date. refrain profile watches it run, unchanged:"
echo
"$REFRAIN" profile --min-share 5 -- "$work/dates"

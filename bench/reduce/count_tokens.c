/* SPDX-License-Identifier: MIT */
/* Counts tokens of a program text, the same way for every tool and language: words, numbers, string and character
 * literals, and single punctuation characters; comments and white space are none. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static int peek(FILE *f)
{
	int c = getc(f);
	ungetc(c, f);
	return c;
}

static void skip_literal(FILE *f, int quote)
{
	int c;
	while ((c = getc(f)) != EOF && c != quote && c != '\n')
		if (c == '\\')
			getc(f);
}

static void skip_block_comment(FILE *f)
{
	int c, before = 0;
	while ((c = getc(f)) != EOF && !(before == '*' && c == '/'))
		before = c;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!f)
		return 2;
	unsigned long tokens = 0;
	int c;
	while ((c = getc(f)) != EOF) {
		if (isspace(c))
			continue;
		if (c == '/' && peek(f) == '/') {
			while ((c = getc(f)) != EOF && c != '\n')
				;
			continue;
		}
		if (c == '/' && peek(f) == '*') {
			getc(f);
			skip_block_comment(f);
			continue;
		}
		tokens++;
		if (c == '"' || c == '`')
			skip_literal(f, c);
		else if (isalnum(c) || c == '_')
			while (isalnum(peek(f)) || peek(f) == '_' || (isdigit(c) && peek(f) == '.'))
				getc(f);
	}
	printf("%lu\n", tokens);
	return 0;
}

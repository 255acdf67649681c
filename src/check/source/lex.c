/* SPDX-License-Identifier: MIT */
/* The annotation lexer. Positions count bytes; a tab is one column. */
#include "check/source/lex.h"

#include <ctype.h>
#include <string.h>

bool token_is(const struct token *t, const char *text)
{
	return t->kind != TOK_END && t->kind != TOK_BAD && strlen(text) == t->n && memcmp(t->s, text, t->n) == 0;
}

static void advance(struct lexer *lx, size_t n)
{
	for (; n && lx->p < lx->end; n--, lx->p++) {
		if (*lx->p == '\n') {
			lx->at.line++;
			lx->at.col = 1;
		} else {
			lx->at.col++;
		}
	}
}

static bool starts(const struct lexer *lx, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(lx->end - lx->p) >= n && memcmp(lx->p, text, n) == 0;
}

static void skip_blanks(struct lexer *lx)
{
	while (lx->p < lx->end) {
		if (isspace((unsigned char)*lx->p) || *lx->p == '@') {
			advance(lx, 1);
		} else if (starts(lx, "//")) {
			const char *eol = memchr(lx->p, '\n', (size_t)(lx->end - lx->p));
			advance(lx, (size_t)((eol ? eol : lx->end) - lx->p));
		} else if (starts(lx, "/*")) {
			const char *q = lx->p + 2;
			while (q + 1 < lx->end && !(q[0] == '*' && q[1] == '/'))
				q++;
			advance(lx, (size_t)((q + 1 < lx->end ? q + 2 : lx->end) - lx->p));
		} else {
			return;
		}
	}
}

/* 12, 0x1f, 3u, 0.5, 1e-9; "0..5" is two numbers. */
static size_t number_length(const char *s, size_t room)
{
	size_t n = 0;
	bool hex = room > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	while (n < room) {
		bool sign = (s[n] == '+' || s[n] == '-') && n && (s[n - 1] == 'e' || s[n - 1] == 'E') && !hex;
		bool point = s[n] == '.' && n + 1 < room && isdigit((unsigned char)s[n + 1]);
		if (!isalnum((unsigned char)s[n]) && !sign && !point)
			break;
		n++;
	}
	return n;
}

/* A character constant or a string on one line; 0: not closed. */
static size_t quoted_length(const char *s, size_t room)
{
	for (size_t n = 1; n < room && s[n] != '\n'; n++) {
		if (s[n] == '\\')
			n++;
		else if (s[n] == s[0])
			return n + 1;
	}
	return 0;
}

struct token lex_next(struct lexer *lx)
{
	static const char *const puncts[] = {"<<", ">>", "=>", "->", "..", "==", "!=", "<=", ">=", "&&", "||", "(",
					     ")",  "{",  "}",  "[",  "]",  ":",  ";",  ",",  "|",  "=",  ".",  "*",
					     "&",  "<",  ">",  "-",  "+",  "/",  "%",  "~",  "!",  "?"};
	skip_blanks(lx);
	struct token t = {TOK_END, lx->p, 0, lx->at};
	if (lx->p >= lx->end)
		return t;
	unsigned char c = (unsigned char)*lx->p;
	size_t n = 0, room = (size_t)(lx->end - lx->p);
	if (isalpha(c) || c == '_') {
		t.kind = TOK_NAME;
		while (n < room && (isalnum((unsigned char)lx->p[n]) || lx->p[n] == '_'))
			n++;
	} else if (isdigit(c)) {
		t.kind = TOK_NUMBER;
		n = number_length(lx->p, room);
	} else if (c == '\'' || c == '"') {
		n = quoted_length(lx->p, room);
		t.kind = !n ? TOK_BAD : c == '"' ? TOK_STRING : TOK_NUMBER;
		n += !n;
	} else {
		t.kind = TOK_BAD;
		n = 1;
		for (size_t i = 0; i < sizeof puncts / sizeof *puncts; i++)
			if (starts(lx, puncts[i])) {
				t.kind = TOK_PUNCT;
				n = strlen(puncts[i]);
				break;
			}
	}
	t.n = n;
	advance(lx, n);
	return t;
}

/* SPDX-License-Identifier: MIT */
/* Tokens of the annotation language, and of C as far as declarations need it. */
#ifndef CHECK_ANNOT_LEX_H
#define CHECK_ANNOT_LEX_H

#include "check/source/annot.h"

enum token_kind { TOK_END, TOK_NAME, TOK_NUMBER, TOK_STRING, TOK_PUNCT, TOK_BAD };

struct token {
	enum token_kind kind;
	const char *s;
	size_t n;
	struct place at;
};

struct lexer {
	const char *p, *end;
	struct place at; /* of p */
};

/* The next token; comments and blanks are skipped, an `@` is a blank (as ACSL writes it at line starts). */
struct token lex_next(struct lexer *lx);
bool token_is(const struct token *t, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* Comments that look as if they were meant for us: a misspelt keyword would otherwise switch a contract off without a
 * word. A comment is taken for one of ours if it goes on as our statements do,
 *	WORD NAME [( … )] : CTYPE = null, { or case        (regtype)
 *	WORD NAME ( … ) : or =>                            (pred)
 *	WORD NAME ( … ) =                                  (measure)
 *	WORD NAME ( … ) ; or local                         (prop)
 * and WORD resembles the keyword; for a regtype its shape, which no other tool has, is enough. */
#include "check/source/lex.h"

#include <ctype.h>
#include <string.h>

/* How many letters must be put in, taken out, replaced or swapped with their neighbour; words of up to 15 letters. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned d[17][17];
	for (size_t i = 0; i <= n; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			int x = tolower((unsigned char)a[i - 1]), y = b[j - 1];
			unsigned best = d[i - 1][j - 1] + (x != y);
			best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
			best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
			if (i > 1 && j > 1 && x == b[j - 2] && tolower((unsigned char)a[i - 2]) == y &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	return d[n][m];
}

static bool resembles(const struct token *t, const char *keyword, unsigned most)
{
	return t->kind == TOK_NAME && t->n <= 15 && distance(t->s, t->n, keyword, strlen(keyword)) <= most;
}

/* The token after the group in parentheses whose '(' was just read. */
static struct token skip_group(struct lexer *lx)
{
	struct token t;
	for (unsigned depth = 1; depth;) {
		t = lex_next(lx);
		if (t.kind == TOK_END)
			return t;
		depth = depth + token_is(&t, "(") - token_is(&t, ")");
	}
	return lex_next(lx);
}

/* After the colon of a regtype: CTYPE = and the start of a body. */
static bool body_follows(struct lexer *lx)
{
	struct token t = lex_next(lx);
	if (token_is(&t, "struct") || token_is(&t, "union"))
		t = lex_next(lx);
	if (t.kind != TOK_NAME)
		return false;
	t = lex_next(lx);
	if (!token_is(&t, "="))
		return false;
	t = lex_next(lx);
	return token_is(&t, "null") || token_is(&t, "{") || token_is(&t, "case");
}

static const char *meant(const char *text, size_t n)
{
	struct lexer lx = {text, text + n, {0}};
	struct token word = lex_next(&lx), t = lex_next(&lx);
	if (word.kind != TOK_NAME || t.kind != TOK_NAME)
		return NULL;
	t = lex_next(&lx);
	if (t.kind == TOK_NAME) /* WORD shared NAME */
		t = lex_next(&lx);
	bool group = token_is(&t, "(");
	if (group)
		t = skip_group(&lx);
	if (token_is(&t, ":") && body_follows(&lx))
		return "regtype";
	if (token_is(&t, ":") && !group && resembles(&word, "regtype", 2))
		return "regtype";
	if (group && (token_is(&t, ":") || token_is(&t, "=>")) && resembles(&word, "pred", 1))
		return "pred";
	if (group && token_is(&t, "=") && resembles(&word, "measure", 2))
		return "measure";
	if (group && (token_is(&t, ";") || token_is(&t, "local")) && resembles(&word, "prop", 1))
		return "prop";
	return NULL;
}

enum rc annot_near_miss(const char *text, size_t n, struct place at, struct err *e)
{
	const char *keyword = meant(text, n);
	if (!keyword)
		return RC_OK;
	struct lexer lx = {text, text + n, at};
	struct token t = lex_next(&lx);
	return annot_fail(e, t.at, "unknown keyword '%.*s'; did you mean '%s'?", (int)(t.n > 40 ? 40 : t.n), t.s,
			  keyword);
}

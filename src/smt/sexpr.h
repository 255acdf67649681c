/* SPDX-License-Identifier: MIT */
/* S-expressions as SMT-LIB 2.6 writes them, read without recursion.
 *
 * Two readers. The splitter finds where each top-level expression ends in text that may still be arriving, keeping
 * line and column; it never looks at a byte twice. The parser turns the text of one expression into a flat array of
 * nodes in preorder: node i's first child is i + 1 and its next sibling is node[i].next. */
#ifndef SMT_SEXPR_H
#define SMT_SEXPR_H

#include "data/err.h"
#include "data/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum sexpr_kind {
	SEXPR_LIST,
	SEXPR_SYMBOL,  /* also |quoted|: text is what is between the bars */
	SEXPR_KEYWORD, /* :name, with the colon */
	SEXPR_NUMERAL,
	SEXPR_DECIMAL,
	SEXPR_HEX,     /* #x0f, with the #x */
	SEXPR_BINARY,  /* #b01, with the #b */
	SEXPR_STRING,  /* between the outer quotes, doubled quotes still doubled */
	SEXPR_NOTHING, /* starts as a literal but is none, as 5x, #b2: no name, and solvers differ in what it is */
};

struct sexpr_node {
	uint32_t off, len; /* bytes in the parsed text */
	uint32_t next;     /* the node after this one's subtree */
	uint8_t kind;
	bool quoted; /* |symbol| that means another thing without the bars or cannot be written so; |a| is a */
};

struct sexpr {
	const char *text; /* the caller's; must stay */
	VEC_FIELDS(struct sexpr_node);
	VEC(uint32_t) open; /* scratch */
};

/* Parses the one expression in text[0 … n). line and col say where text starts, for error positions. RC_INPUT with a
 * position on anything that is not one well-formed expression, or above 4 GB. */
enum rc sexpr_parse(struct sexpr *x, const char *text, size_t n, long line, long col, struct err *e);
/* The first byte at i or later, where no string, quoted symbol or comment is open, that no token may have; n: none. */
size_t sexpr_unexpected(const char *text, size_t i, size_t n);
/* Is there a symbol with a comma? z3 has such, other solvers refuse them. */
bool sexpr_comma(const char *text, size_t n);
void sexpr_release(struct sexpr *x);

/* Moves the position of text + from to that of text + to. */
void sexpr_advance(const char *text, size_t from, size_t to, long *line, long *col);

/* A symbol that needs no bars. */
bool sexpr_plain_symbol(const char *s, size_t n);

static inline bool sexpr_is(const struct sexpr *x, uint32_t i, const char *s, size_t n)
{
	return x->at[i].len == n && __builtin_memcmp(x->text + x->at[i].off, s, n) == 0;
}
/* x's node i is the keyword s (a literal): |s| is none */
#define sexpr_is_keyword(x, i, s) ((x)->at[i].kind == SEXPR_KEYWORD && sexpr_is((x), (i), s, sizeof(s) - 1))
/* x's node i is the symbol s (a literal) */
#define sexpr_is_symbol(x, i, s) ((x)->at[i].kind == SEXPR_SYMBOL && sexpr_is((x), (i), s, sizeof(s) - 1))

/* Node i as it is written, with its bars, quotes, blanks and comments; its length goes to *n. */
const char *sexpr_written(const struct sexpr *x, uint32_t i, size_t *n);

/* The splitter. All bits zero, then line and col 1, is the start of a text. */
struct sexpr_split {
	size_t at;      /* bytes seen */
	long line, col; /* of byte at */
	size_t start;   /* of the expression being read */
	long start_line, start_col;
	bool commented; /* the line began in or after a comment, quoted symbol or string: z3 counts columns from 1 */
	size_t depth;
	uint8_t state;
};

enum sexpr_found {
	SEXPR_MORE,  /* the text ends first: call again with more (or it is the end: see sexpr_split_open) */
	SEXPR_FOUND, /* text[s->start … s->at) is an expression */
	SEXPR_STRAY, /* a closing parenthesis without its opening one, at start_line, start_col; it has been skipped */
};

/* n only grows from call to call, unless the caller drops bytes before s->start with sexpr_split_drop. eof tells that
 * no more will come, which ends an atom at the end of the text. */
enum sexpr_found sexpr_split_next(struct sexpr_split *s, const char *text, size_t n, bool eof);
/* The first `bytes` bytes of the text are gone. */
void sexpr_split_drop(struct sexpr_split *s, size_t bytes);
/* An expression has begun and not ended. */
bool sexpr_split_open(const struct sexpr_split *s);

#endif

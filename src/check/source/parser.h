/* SPDX-License-Identifier: MIT */
/* What the parts of the annotation parser share: two tokens of lookahead, one error, bounded nesting and memory. After
 * an error every function returns at once with something harmless. */
#ifndef CHECK_ANNOT_PARSER_H
#define CHECK_ANNOT_PARSER_H

#include "check/source/lex.h"

struct parser {
	struct annot_set *set;
	struct lexer lx;
	struct token tok, ahead;
	struct err *e;
	enum rc rc;
	unsigned nesting;
	struct token last; /* the token taken last */
};

void parse_next(struct parser *p);
bool parse_failed(const struct parser *p);
/* Fails with "WHAT, not 'TOKEN'". */
void parse_fail(struct parser *p, const char *what);
bool parse_at(const struct parser *p, const char *text);
bool parse_take(struct parser *p, const char *text);
void parse_want(struct parser *p, const char *text);
/* Goes one level deeper; false, with an error, when that is too deep. parse_unnest comes back, after an error too. */
bool parse_nest(struct parser *p);
void parse_unnest(struct parser *p);

/* Zeroed memory of the set's arena, counted. */
void *parse_node(struct parser *p, size_t size);
void *parse_grown(struct parser *p, void *old, size_t n, size_t size);
#define PUSH(p, arr, n, x) ((arr) = parse_grown((p), (arr), (n), sizeof *(arr)), (arr)[(n)++] = (x))

const char *parse_copy(struct parser *p, const char *s, size_t n);
const char *parse_name(struct parser *p, const char *what);
/* The text in [from, to), blanks squeezed. */
const char *parse_source(struct parser *p, const char *from, const char *to);
/* A C constant: a number, perhaps negative, or the name of one. */
const char *parse_constant(struct parser *p);
/* *t, t->root, q.head[2]: a name with a path. */
void parse_term(struct parser *p, struct term *t);

/* An expression (expr.c). A `:` or a `,` that belongs to no operator ends it. */
struct expr *parse_expr(struct parser *p);
/* A bound of a range or an array: an expression without comparisons. */
struct expr *parse_sum(struct parser *p);

#endif

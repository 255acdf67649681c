/* SPDX-License-Identifier: MIT */
/* Expressions of relations, measures, bounds and comparisons, by precedence climbing. Precedences are C's except that
 * `&` binds more tightly than a comparison, and that comparisons do not chain (a < b < c is refused: in C it
 * compares a truth value). There is no `|`, which separates alternatives in this language. */
#include "check/source/parser.h"

#include <string.h>

static const char *const compare_ops[] = {"==", "!=", "<=", ">=", "<", ">", NULL};
static const char *const or_ops[] = {"||", NULL};
static const char *const and_ops[] = {"&&", NULL};
static const char *const mask_ops[] = {"&", NULL};
static const char *const shift_ops[] = {"<<", ">>", NULL};
static const char *const add_ops[] = {"+", "-", NULL};
static const char *const mul_ops[] = {"*", "/", "%", NULL};
static const char *const *const levels[] = {or_ops, and_ops, compare_ops, mask_ops, shift_ops, add_ops, mul_ops};
enum { LEVEL_OR, LEVEL_COMPARE = 2, LEVEL_SHIFT = 4, N_LEVELS = sizeof levels / sizeof *levels };

static struct expr *new_expr(struct parser *p, enum expr_kind kind, const char *op, struct place at)
{
	struct expr *x = parse_node(p, sizeof *x);
	*x = (struct expr){.kind = kind, .op = op, .text = "", .at = at};
	return x;
}

static void set_text(struct parser *p, struct expr *x, const char *from)
{
	if (!parse_failed(p))
		x->text = parse_source(p, from, p->last.s + p->last.n);
}

/* min(a, b), max(a, b), sum(m(f)), old(e), m(f): the name is at hand, '(' comes next. */
static struct expr *call(struct parser *p)
{
	static const char *const functions[] = {"min", "max", "sum", "abs"};
	struct place at = p->tok.at;
	const char *name = parse_name(p, "expected a name");
	struct expr *x = new_expr(p, strcmp(name, "old") == 0 ? E_OLD : E_MEASURE, name, at);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (strcmp(name, functions[i]) == 0)
			x->kind = E_CALL;
	parse_want(p, "(");
	if (x->kind == E_MEASURE) {
		parse_term(p, &x->term);
	} else {
		x->kid[0] = parse_expr(p);
		if (x->kind == E_CALL && parse_take(p, ","))
			x->kid[1] = parse_expr(p);
	}
	parse_want(p, ")");
	return x;
}

static struct expr *primary(struct parser *p)
{
	struct place at = p->tok.at;
	const char *from = p->tok.s;
	struct expr *x;
	if (p->tok.kind == TOK_NUMBER) {
		x = new_expr(p, E_NUMBER, parse_copy(p, p->tok.s, p->tok.n), at);
		parse_next(p);
	} else if (parse_take(p, "(")) {
		x = parse_expr(p);
		parse_want(p, ")");
	} else if (parse_take(p, "null") || parse_take(p, "NULL") || parse_take(p, "nullptr")) {
		x = new_expr(p, E_NUMBER, "0", at);
	} else if (p->tok.kind == TOK_NAME && token_is(&p->ahead, "(")) {
		x = call(p);
	} else {
		x = new_expr(p, E_PATH, "", at);
		parse_term(p, &x->term);
	}
	set_text(p, x, from);
	return x;
}

static struct expr *unary(struct parser *p)
{
	static const char *const ops[] = {"-", "~", "!"};
	struct place at = p->tok.at;
	const char *from = p->tok.s;
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (parse_take(p, ops[i])) {
			struct expr *x = new_expr(p, E_UNARY, ops[i], at);
			x->kid[0] = parse_nest(p) ? unary(p) : x;
			parse_unnest(p);
			set_text(p, x, from);
			return x;
		}
	return primary(p);
}

static struct expr *binary(struct parser *p, unsigned level)
{
	if (level == N_LEVELS)
		return unary(p);
	struct place at = p->tok.at;
	const char *from = p->tok.s;
	struct expr *left = binary(p, level + 1);
	for (;;) {
		const char *op = NULL;
		for (const char *const *o = levels[level]; *o && !op; o++)
			if (parse_at(p, *o))
				op = *o;
		if (!op)
			return left;
		if (level == LEVEL_COMPARE && left->kind == E_BINARY && left->compares) {
			parse_fail(p, "comparisons do not chain: expected ',' or an operator");
			return left;
		}
		parse_next(p);
		struct expr *x = new_expr(p, E_BINARY, op, at);
		x->kid[0] = left;
		x->kid[1] = binary(p, level + 1);
		x->compares = level == LEVEL_COMPARE;
		set_text(p, x, from);
		left = x;
	}
}

struct expr *parse_expr(struct parser *p)
{
	struct place at = p->tok.at;
	const char *from = p->tok.s;
	struct expr *x = new_expr(p, E_NUMBER, "0", at);
	if (parse_nest(p))
		x = binary(p, LEVEL_OR);
	if (parse_take(p, "?")) {
		struct expr *c = new_expr(p, E_COND, "?", at);
		c->kid[0] = x;
		c->kid[1] = parse_expr(p);
		parse_want(p, ":");
		c->kid[2] = parse_failed(p) ? c : parse_expr(p);
		set_text(p, c, from);
		x = c;
	}
	parse_unnest(p);
	return x;
}

struct expr *parse_sum(struct parser *p)
{
	struct expr *x = new_expr(p, E_NUMBER, "0", p->tok.at);
	if (parse_nest(p))
		x = binary(p, LEVEL_SHIFT);
	parse_unnest(p);
	return x;
}

/* SPDX-License-Identifier: MIT */
/* Statements: one table, one function each. Declarations whose meaning does not show in the terms that use them are
 * kept word for word in the scope's context. */
#include "smt/term/reader.h"

#include "base/bits.h"
#include "smt/term/own.h"

#include <string.h>

void reader_init(struct reader *r)
{
	memset(r, 0, sizeof *r);
	dag_init(&r->dag);
	scope_init(&r->scope, &r->dag);
	builder_init(&r->builder, &r->scope);
}

void reader_release(struct reader *r)
{
	query_release(&r->query);
	builder_release(&r->builder);
	scope_release(&r->scope);
	dag_release(&r->dag);
	sexpr_release(&r->x);
	vec_release(&r->assertion);
}

void reader_clear(struct reader *r)
{
	vec_clear(&r->assertion);
	scope_clear(&r->scope);
}

static enum rc take_assert(struct reader *r)
{
	uint32_t t;
	if (r->x.n < 3 || r->x.at[2].next != r->x.at[0].next || builder_term(&r->builder, &r->x, 2, &t) != RC_OK)
		return RC_NO;
	vec_push(&r->assertion, t);
	return RC_OK;
}

static enum rc take_declare_fun(struct reader *r)
{
	return scope_declare_fun(&r->scope, &r->x, false);
}

static enum rc take_declare_const(struct reader *r)
{
	return scope_declare_fun(&r->scope, &r->x, true);
}

static enum rc take_define_fun(struct reader *r)
{
	return builder_define_fun(&r->builder, &r->x, false);
}

static enum rc take_define_const(struct reader *r)
{
	return builder_define_fun(&r->builder, &r->x, true);
}

static enum rc take_sort(struct reader *r)
{
	return scope_define_sort(&r->scope, &r->x);
}

static enum rc take_note(struct reader *r)
{
	scope_note(&r->scope, &r->x);
	return RC_OK;
}

static enum rc take_own(struct reader *r)
{
	scope_note(&r->scope, &r->x);
	return own_declare(&r->scope, &r->x);
}

static const struct statement statements[] = {
	{"assert", take_assert, STATEMENT_ASSERTS},
	{"declare-fun", take_declare_fun, STATEMENT_DECLARES},
	{"declare-const", take_declare_const, STATEMENT_DECLARES},
	{"define-fun", take_define_fun, STATEMENT_DECLARES},
	{"define-const", take_define_const, STATEMENT_DECLARES},
	{"define-sort", take_sort, STATEMENT_DECLARES},
	{"set-logic", take_note, 0},
	{"declare-sort", take_note, STATEMENT_DECLARES},
	{"declare-datatypes", take_own, STATEMENT_DECLARES | STATEMENT_OWN_SYMBOLS},
	{"declare-datatype", take_own, STATEMENT_DECLARES | STATEMENT_OWN_SYMBOLS},
	{"declare-codatatypes", take_own, STATEMENT_DECLARES | STATEMENT_OWN_SYMBOLS},
	{"define-fun-rec", take_own, STATEMENT_DECLARES | STATEMENT_OWN_SYMBOLS},
	{"define-funs-rec", take_own, STATEMENT_DECLARES | STATEMENT_OWN_SYMBOLS},
};

const struct statement *statement_find(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(statements); i++)
		if (strlen(statements[i].name) == n && !memcmp(statements[i].name, name, n))
			return &statements[i];
	return NULL;
}

enum rc reader_command(struct reader *r)
{
	const struct sexpr *x = &r->x;
	if (x->n < 3 || x->at[0].kind != SEXPR_LIST || x->at[1].kind != SEXPR_SYMBOL)
		return RC_NO;
	const struct statement *t = statement_find(x->text + x->at[1].off, x->at[1].len);
	return t ? t->take(r) : RC_NO;
}

void reader_query(struct reader *r)
{
	query_set(&r->query, &r->dag, r->assertion.at, r->assertion.n, buf_str(&r->scope.context), r->scope.context.n);
}

enum rc reader_text(struct reader *r, const char *text, size_t n)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	reader_clear(r);
	while (sexpr_split_next(&sp, text, n, true) == SEXPR_FOUND)
		if (sexpr_parse(&r->x, text + sp.start, sp.at - sp.start, 1, 1, NULL) != RC_OK ||
		    reader_command(r) != RC_OK)
			return RC_NO;
	reader_query(r);
	return RC_OK;
}

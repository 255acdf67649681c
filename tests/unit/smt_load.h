/* SPDX-License-Identifier: MIT */
/* A script's declarations and assertions as a query, for tests of the smt engine. */
#ifndef TESTS_SMT_LOAD_H
#define TESTS_SMT_LOAD_H

#include "smt/term/build.h"
#include "smt/term/query.h"

#include <string.h>

struct smt_load {
	struct dag dag;
	struct scope scope;
	struct builder builder;
	struct sexpr x;
	struct query query;
	VEC(uint32_t) assertion;
	char *text;
};

static inline void smt_load_init(struct smt_load *l)
{
	*l = (struct smt_load){0};
	dag_init(&l->dag);
	scope_init(&l->scope, &l->dag);
	builder_init(&l->builder, &l->scope);
}

static inline void smt_load_release(struct smt_load *l)
{
	query_release(&l->query);
	builder_release(&l->builder);
	scope_release(&l->scope);
	dag_release(&l->dag);
	sexpr_release(&l->x);
	vec_release(&l->assertion);
	free(l->text);
}

static inline bool smt_load_command(struct smt_load *l)
{
	const struct sexpr *x = &l->x;
	uint32_t t;
	if (x->n < 3 || x->at[0].kind != SEXPR_LIST)
		return false;
	if (sexpr_is_symbol(x, 1, "declare-fun") || sexpr_is_symbol(x, 1, "declare-const"))
		return scope_declare_fun(&l->scope, x) == RC_OK;
	if (sexpr_is_symbol(x, 1, "define-fun"))
		return builder_define_fun(&l->builder, x) == RC_OK;
	if (sexpr_is_symbol(x, 1, "define-sort"))
		return scope_define_sort(&l->scope, x) == RC_OK;
	if (sexpr_is_symbol(x, 1, "set-logic") || sexpr_is_symbol(x, 1, "declare-sort")) {
		scope_note(&l->scope, x);
		return true;
	}
	if (!sexpr_is_symbol(x, 1, "assert") || builder_term(&l->builder, x, 2, &t) != RC_OK)
		return false;
	vec_push(&l->assertion, t);
	return true;
}

/* False when some command is not understood. */
static inline bool smt_load_text(struct smt_load *l, const char *text)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	size_t n = strlen(text);
	free(l->text);
	l->text = mem_strdup(text);
	scope_clear(&l->scope);
	vec_clear(&l->assertion);
	while (sexpr_split_next(&sp, l->text, n, true) == SEXPR_FOUND)
		if (sexpr_parse(&l->x, l->text + sp.start, sp.at - sp.start, NULL, 1, 1, NULL) != RC_OK ||
		    !smt_load_command(l))
			return false;
	query_set(&l->query, &l->dag, l->assertion.at, l->assertion.n, buf_str(&l->scope.context), l->scope.context.n);
	return true;
}

#endif

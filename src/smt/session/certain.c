/* SPDX-License-Identifier: MIT */
/* Commands that every solver accepts without output. The solver need not see these before its answer is needed; any
 * other command is sent before something else is printed, because its output comes first (mirror_settle). */
#include "smt/session/internal.h"

#include <string.h>

/* The sorts of a macro's arguments are not looked at, nor are attributes but :named; what was given a name that nobody
 * uses is in no term, but solvers read it. */
static bool certain_reading(struct script *p)
{
	const struct builder *b = &p->reader.builder;
	for (size_t i = 0; i < b->unused.n; i++)
		if (!exact_sort(&p->exact, &p->reader.dag, b->unused.at[i]))
			return false;
	return !b->macro_steps && !b->attributes;
}

bool certain_term(struct smt_session *s, uint32_t term)
{
	struct script *p = &s->script;
	return certain_reading(p) && exact_sort(&p->exact, &p->reader.dag, term) == 1 + p->reader.dag.sort_bool;
}

static const struct symbol *declared_symbol(struct reader *r)
{
	const struct sexpr *x = &r->x;
	uint32_t y = scope_symbol(&r->scope, x->text + x->at[2].off, x->at[2].len);
	return &r->scope.symbol.at[y];
}

static bool certain_function(struct script *p, const struct label *l)
{
	struct dag *d = &p->reader.dag;
	const char *at = l->meaning, *end = l->meaning + l->meaning_len;
	if (!(p->exact.theories & THEORY_UF))
		return false;
	for (; at < end; at += strlen(at) + 1)
		if (!exact_known_sort(&p->exact, d, dag_label(d, LABEL_SORT, at, strlen(at), "", 0)))
			return false;
	return true;
}

static bool certain_declaration(struct script *p)
{
	struct reader *r = &p->reader;
	const struct symbol *y = declared_symbol(r);
	if (exact_reserved(y->name, y->len))
		return false;
	if (y->decl == DECL_VAR)
		return exact_known_sort(&p->exact, &r->dag, r->dag.term.at[y->value].sort);
	struct label l = r->dag.label.at[y->value]; /* a copy: looking up sorts may move the labels */
	return y->decl == DECL_FUN && certain_function(p, &l);
}

/* A definition without parameters. */
static bool certain_definition(struct script *p, bool constant)
{
	struct reader *r = &p->reader;
	const struct symbol *y = declared_symbol(r);
	uint32_t sort;
	if (y->decl != DECL_TERM || exact_reserved(y->name, y->len) || !certain_reading(p))
		return false;
	return scope_sort(&r->scope, &r->x, constant ? 3 : r->x.at[3].next, &sort) == RC_OK &&
	       exact_known_sort(&p->exact, &r->dag, sort) && exact_sort(&p->exact, &r->dag, y->value) == 1 + sort;
}

static bool certain_sort(struct script *p)
{
	struct reader *r = &p->reader;
	uint32_t sort;
	return r->x.n == 4 && r->x.at[2].kind == SEXPR_SYMBOL && sexpr_is(&r->x, 3, "0", 1) && !r->scope.alias.n &&
	       scope_sort(&r->scope, &r->x, 2, &sort) == RC_OK && exact_declare_sort(&p->exact, &r->dag, sort);
}

bool certain_statement(struct smt_session *s, const struct command *c)
{
	struct script *p = &s->script;
	const char *name = c->statement->name;
	if (!strcmp(name, "declare-fun") || !strcmp(name, "declare-const"))
		return certain_declaration(p);
	if (!strcmp(name, "define-fun") || !strcmp(name, "define-const"))
		return certain_definition(p, name[7] == 'c');
	return !strcmp(name, "declare-sort") && certain_sort(p);
}

bool certain_info(const struct sexpr *x)
{
	static const char *const free_text[] = {":source", ":category", ":license", ":notes", ":difficulty"};
	if (x->n != 4 || x->at[2].kind != SEXPR_KEYWORD || x->at[3].kind == SEXPR_LIST ||
	    x->at[3].kind == SEXPR_KEYWORD)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(free_text); i++)
		if (sexpr_is(x, 2, free_text[i], strlen(free_text[i])))
			return true;
	if (sexpr_is_keyword(x, 2, ":smt-lib-version"))
		return sexpr_is(x, 3, "2.6", 3);
	return sexpr_is_keyword(x, 2, ":status") &&
	       (sexpr_is_symbol(x, 3, "sat") || sexpr_is_symbol(x, 3, "unsat") || sexpr_is_symbol(x, 3, "unknown"));
}

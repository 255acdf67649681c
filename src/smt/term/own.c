/* SPDX-License-Identifier: MIT */
/* The names in declarations of datatypes and recursive functions. Solvers let them hide an operator (z3 takes a
 * recursive function named bvadd) or share a name with a function of other sorts. Neither is followed. */
#include "smt/term/own.h"

#include "smt/term/signature.h"

#include <string.h>

/* Would a term with this name be given a meaning here? */
static bool has_meaning(const char *name, size_t n)
{
	static const char *const constants[] = {"true", "false", "const"};
	for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
		if (strlen(constants[i]) == n && !memcmp(constants[i], name, n))
			return true;
	return signature_find(name, n);
}

static enum rc add_name(struct scope *s, const char *name, size_t n)
{
	uint32_t y = scope_symbol(s, name, n);
	/* two datatypes may have a selector of one name; either is the context's */
	if (s->symbol.at[y].decl == DECL_OWN)
		return RC_OK;
	return has_meaning(name, n) ? RC_NO : scope_declare(s, y, DECL_OWN, 0);
}

static enum rc add_node(struct scope *s, const struct sexpr *x, uint32_t node)
{
	if (x->at[node].kind != SEXPR_SYMBOL)
		return RC_NO;
	return add_name(s, x->text + x->at[node].off, x->at[node].len);
}

/* NAME or (NAME (SELECTOR SORT)…) */
static enum rc add_constructor(struct scope *s, const struct sexpr *x, uint32_t node)
{
	bool list = x->at[node].kind == SEXPR_LIST;
	uint32_t name = list ? node + 1 : node;
	if (list && name >= x->at[node].next)
		return RC_NO;
	enum rc rc = add_node(s, x, name);
	if (rc == RC_OK) { /* its tester, as z3 names it */
		struct buf is = {0};
		buf_str_add(&is, "is-");
		buf_add(&is, x->text + x->at[name].off, x->at[name].len);
		rc = add_name(s, is.at, is.n);
		buf_release(&is);
	}
	for (uint32_t i = x->at[name].next; list && i < x->at[node].next && rc == RC_OK; i = x->at[i].next)
		rc = x->at[i].kind == SEXPR_LIST && i + 1 < x->at[i].next ? add_node(s, x, i + 1) : RC_NO;
	return rc;
}

/* The nodes from `first` up to `end` are constructors. */
static enum rc add_constructors(struct scope *s, const struct sexpr *x, uint32_t first, uint32_t end)
{
	enum rc rc = RC_OK;
	for (uint32_t i = first; i < end && rc == RC_OK; i = x->at[i].next)
		rc = add_constructor(s, x, i);
	return rc;
}

/* (CONSTRUCTOR…) or (par (PARAMETER…) (CONSTRUCTOR…)) */
static enum rc add_datatype(struct scope *s, const struct sexpr *x, uint32_t node)
{
	uint32_t end = x->at[node].next, list = node;
	if (x->at[node].kind != SEXPR_LIST)
		return RC_NO;
	if (node + 1 < end && sexpr_is_symbol(x, node + 1, "par")) {
		list = node + 2 < end ? x->at[node + 2].next : end;
		if (list >= end || x->at[list].kind != SEXPR_LIST)
			return RC_NO;
	}
	return add_constructors(s, x, list + 1, x->at[list].next);
}

/* ((NAME ARITY)…) (DATATYPE…), or as z3 has it (PARAMETER…) ((NAME CONSTRUCTOR…)…) */
static enum rc add_datatypes(struct scope *s, const struct sexpr *x)
{
	uint32_t sorts = 2, end = x->at[0].next;
	if (x->at[sorts].kind != SEXPR_LIST || x->at[sorts].next >= end)
		return RC_NO;
	uint32_t list = x->at[sorts].next;
	bool named = sorts + 1 >= x->at[sorts].next || x->at[sorts + 1].kind != SEXPR_LIST;
	enum rc rc = x->at[list].kind == SEXPR_LIST ? RC_OK : RC_NO;
	for (uint32_t i = list + 1; i < x->at[list].next && rc == RC_OK; i = x->at[i].next) {
		if (x->at[i].kind != SEXPR_LIST)
			return RC_NO;
		rc = named ? add_constructors(s, x, i + 2, x->at[i].next) : add_datatype(s, x, i);
	}
	return rc;
}

/* ((NAME …)…) … */
static enum rc add_functions(struct scope *s, const struct sexpr *x)
{
	enum rc rc = x->at[2].kind == SEXPR_LIST ? RC_OK : RC_NO;
	for (uint32_t i = 3; rc == RC_OK && i < x->at[2].next; i = x->at[i].next)
		rc = x->at[i].kind == SEXPR_LIST && i + 1 < x->at[i].next ? add_node(s, x, i + 1) : RC_NO;
	return rc;
}

enum rc own_declare(struct scope *s, const struct sexpr *x)
{
	enum rc rc = RC_NO;
	if (x->at[0].next < 4)
		rc = RC_NO;
	else if (sexpr_is_symbol(x, 1, "define-fun-rec"))
		rc = add_node(s, x, 2);
	else if (sexpr_is_symbol(x, 1, "define-funs-rec"))
		rc = add_functions(s, x);
	else if (sexpr_is_symbol(x, 1, "declare-datatype"))
		rc = x->at[2].next < x->at[0].next ? add_datatype(s, x, x->at[2].next) : RC_NO;
	else
		rc = add_datatypes(s, x);
	s->uncacheable |= rc != RC_OK;
	return rc;
}

/* SPDX-License-Identifier: MIT */
/* Names in expressions: what is a field, what a constant, what an argument, and what has no meaning where it stands. */
#include "check/source/names.h"

#include <string.h>

static bool refers_to_others(const struct term *t)
{
	const char *p = t->path;
	p += strcmp(t->base, "this") == 0 && *p == '-' ? 2 : 0;
	return strstr(p, "->") != NULL;
}

/* The pointer that a path starts with, "left" in left->key; *n is its length. */
static const char *first_pointer(const struct term *t, const char **path, size_t *n)
{
	*path = t->path;
	if (strcmp(t->base, "this") == 0)
		*path += **path == '-' ? 2 : 1;
	*n = (size_t)(strstr(*path, "->") - *path);
	return strcmp(t->base, "this") == 0 ? "" : t->base;
}

/* Does every path to another node in x start with the same pointer as t? */
static bool same_pointer(const struct expr *x, const struct term *t)
{
	for (size_t i = 0; i < 3; i++)
		if (x->kid[i] && !same_pointer(x->kid[i], t))
			return false;
	if (x->kind != E_PATH || x->constant || !refers_to_others(&x->term))
		return true;
	const char *p, *q;
	size_t n, m;
	const char *a = first_pointer(&x->term, &p, &n), *b = first_pointer(t, &q, &m);
	return strcmp(a, b) == 0 && n == m && strncmp(p, q, n) == 0;
}

static const struct expr *some_pointer(const struct expr *x)
{
	if (x->kind == E_PATH && !x->constant && refers_to_others(&x->term))
		return x;
	const struct expr *found = NULL;
	for (size_t i = 0; i < 3 && !found; i++)
		found = x->kid[i] ? some_pointer(x->kid[i]) : NULL;
	return found;
}

static bool has_logic(const struct expr *x)
{
	bool logic =
		x->kind == E_COND || strcmp(x->op, "&&") == 0 || strcmp(x->op, "||") == 0 || strcmp(x->op, "!") == 0;
	for (size_t i = 0; i < 3 && !logic; i++)
		logic = x->kid[i] && has_logic(x->kid[i]);
	return logic;
}

static bool known_measure(const struct annot_set *s, const char *name)
{
	for (const struct measure *m = s->measures; m; m = m->next)
		if (strcmp(m->name, name) == 0)
			return true;
	return false;
}

enum rc annot_unsure(struct err *e, const struct regtype *r, const struct expr *x)
{
	return annot_fail(e, x->at, "the definition of '%s' is not in these files: write this.%s if it is a field",
			  r->ctype, x->term.base);
}

/* A name alone: a field, or a C constant. */
static enum rc lone_name(const struct names *n, struct expr *x, enum expr_place where)
{
	int member = -1;
	if (n->members)
		member = n->members->is_member(n->members->arg, n->reg->ctype, x->term.base);
	if (strcmp(x->term.base, "inf") == 0 && member != 1) {
		x->kind = E_NUMBER;
		x->op = "inf";
		return RC_OK;
	}
	if (where == IN_BOUND)
		x->constant = true;
	else if (member < 0 && n->members && n->members->exact)
		n->reg->unsure = x; /* a side file is about all files: refused where the type is used */
	else if (member < 0)
		return annot_unsure(n->e, n->reg, x);
	else
		x->constant = member == 0;
	return RC_OK;
}

static enum rc field_path(const struct names *n, struct expr *x, enum expr_place where)
{
	struct term *t = &x->term;
	if (t->stars)
		return annot_fail(n->e, x->at, "'*' has no meaning here: write this->… or FIELD->…");
	if (strcmp(t->base, "result") == 0)
		return annot_fail(n->e, x->at, "'result' has no meaning in a type");
	if (where != IN_RELATION && refers_to_others(t))
		return annot_fail(n->e, x->at, "%s may not read other nodes; give them a measure",
				  where == IN_MEASURE ? "a measure" : "a bound");
	if (strcmp(t->base, "this") == 0 || *t->path)
		return RC_OK;
	return lone_name(n, x, where);
}

enum rc names_in_type(const struct names *n, struct expr *x, enum expr_place where)
{
	for (size_t i = 0; i < 3; i++)
		if (x->kid[i] && names_in_type(n, x->kid[i], where) != RC_OK)
			return RC_INPUT;
	if (x->kind == E_OLD)
		return annot_fail(n->e, x->at, "'old' has a meaning in postconditions only");
	if (x->kind == E_MEASURE && where == IN_BOUND)
		return annot_fail(n->e, x->at, "a bound may not use a measure");
	if (x->kind == E_MEASURE && (!known_measure(n->set, x->op) || x->term.stars))
		return annot_fail(n->e, x->at, "unknown measure '%s'", x->op);
	if (x->kind == E_MEASURE && n->reg->ring)
		return annot_fail(n->e, x->at, "a ring has no first node: its nodes have no measures");
	return x->kind == E_PATH ? field_path(n, x, where) : RC_OK;
}

enum rc names_in_relation(const struct names *n, struct expr *x)
{
	if (names_in_type(n, x, IN_RELATION) != RC_OK)
		return RC_INPUT;
	const struct expr *p = some_pointer(x);
	if (p && has_logic(x) && !same_pointer(x, &p->term))
		return annot_fail(n->e, x->at,
				  "a relation with &&, || or ! may follow one pointer only: write one for each");
	return RC_OK;
}

/* ---- predicates */

static enum rc argument(const struct names *n, struct expr *x, bool post, bool old)
{
	struct term *t = &x->term;
	if (strcmp(t->base, "result") == 0) {
		if (post && !old)
			return RC_OK;
		return annot_fail(n->e, t->at, "there is no result before the call");
	}
	for (size_t i = 0; i < n->pred->n_args; i++)
		if (strcmp(n->pred->args[i], t->base) == 0)
			return RC_OK;
	if (x->kind == E_PATH && !t->stars && !*t->path) {
		x->constant = true;
		return RC_OK;
	}
	return annot_fail(n->e, t->at, "'%s' is not an argument of '%s'", t->base, n->pred->function);
}

/* The one regular type that has a measure of this name. */
static enum rc measured_type(const struct names *n, const struct expr *x)
{
	const struct regtype *r = NULL;
	for (const struct measure *m = n->set->measures; m; m = m->next) {
		if (strcmp(m->name, x->op) != 0)
			continue;
		if (r || m->reg->n_params)
			return annot_fail(n->e, x->at, "'%s' is a measure of several types: it has no meaning here",
					  x->op);
		r = m->reg;
	}
	return r ? RC_OK : annot_fail(n->e, x->at, "unknown measure '%s'", x->op);
}

enum rc names_in_pred(const struct names *n, struct expr *x, bool post, bool old)
{
	if (x->kind == E_OLD && (!post || old))
		return annot_fail(n->e, x->at, "'old' has a meaning in postconditions only");
	bool logic = strcmp(x->op, "&&") == 0 || strcmp(x->op, "||") == 0 || strcmp(x->op, "!") == 0;
	if (x->kind == E_COND || logic)
		return annot_fail(n->e, x->at, "write ',' for and, ';' for or");
	for (size_t i = 0; i < 3; i++)
		if (x->kid[i] && names_in_pred(n, x->kid[i], post, old || x->kind == E_OLD) != RC_OK)
			return RC_INPUT;
	if (x->kind == E_MEASURE && measured_type(n, x) != RC_OK)
		return RC_INPUT;
	return x->kind == E_PATH || x->kind == E_MEASURE ? argument(n, x, post, old) : RC_OK;
}

enum rc names_of_term(const struct names *n, struct expr *x, bool post)
{
	return argument(n, x, post, false);
}

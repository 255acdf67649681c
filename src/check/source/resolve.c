/* SPDX-License-Identifier: MIT */
/* Names and rules of a set of annotations: every type is known and has as many arguments as parameters, terms start
 * from an argument of the function, cases of one type do not overlap, nothing is defined twice in different ways. */
#include "check/source/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct resolver {
	struct annot_set *set;
	const struct members *members;
	struct err *e;
};

static struct regtype *find_regtype(struct annot_set *s, const char *name)
{
	for (struct regtype *r = s->regtypes; r; r = r->next)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}

static struct prop *find_prop(struct annot_set *s, const char *name)
{
	for (struct prop *r = s->props; r; r = r->next)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}

/* Type expressions nest at most as deep as the parser allows. */
static enum rc resolve_type(struct resolver *rs, struct type_expr *t, const struct regtype *in)
{
	if (t->kind != TYPE_REG)
		return RC_OK;
	for (size_t i = 0; in && i < in->n_params; i++)
		if (strcmp(in->params[i], t->name) == 0) {
			if (t->n_args)
				return annot_fail(rs->e, t->at, "parameter '%s' takes no arguments", t->name);
			t->kind = TYPE_PARAM;
			t->param = i;
			return RC_OK;
		}
	t->reg = find_regtype(rs->set, t->name);
	if (!t->reg) {
		t->prop = find_prop(rs->set, t->name);
		if (!t->prop)
			return annot_fail(rs->e, t->at, "unknown type '%s'", t->name);
		if (t->n_args)
			return annot_fail(rs->e, t->at, "property '%s' takes no arguments", t->name);
		t->kind = TYPE_PROP;
		return RC_OK;
	}
	if (t->n_args != t->reg->n_params)
		return annot_fail(rs->e, t->at, "type '%s' has %zu parameters, not %zu", t->name, t->reg->n_params,
				  t->n_args);
	for (size_t i = 0; i < t->n_args; i++)
		if (resolve_type(rs, t->args[i], in) != RC_OK)
			return RC_INPUT;
	return RC_OK;
}

/* Numbers are compared here; names of constants are left to the C compiler, which refuses equal case labels. */
static bool as_number(const char *s, long long *out)
{
	char *end;
	*out = strtoll(s, &end, 0);
	return *s && (*end == '\0' || strspn(end, "uUlL") == strlen(end)) && end != s;
}

static bool overlap(struct int_range a, struct int_range b)
{
	long long alo, ahi, blo, bhi;
	if (strcmp(a.lo, b.lo) == 0)
		return true;
	return as_number(a.lo, &alo) && as_number(a.hi ? a.hi : a.lo, &ahi) && as_number(b.lo, &blo) &&
	       as_number(b.hi ? b.hi : b.lo, &bhi) && alo <= bhi && blo <= ahi;
}

static enum rc check_range(struct resolver *rs, struct int_range r, struct place at)
{
	long long lo, hi;
	if (r.hi && *r.hi && *r.lo && as_number(r.lo, &lo) && as_number(r.hi, &hi) && lo > hi)
		return annot_fail(rs->e, at, "the range %s..%s is empty", r.lo, r.hi);
	return RC_OK;
}

static enum rc check_cases(struct resolver *rs, const struct regtype *r)
{
	size_t n = 0;
	bool has_default = false;
	for (size_t i = 0; i < r->n_arms; i++)
		n += r->arms[i].n_tags;
	if (n > 4096)
		return annot_fail(rs->e, r->at, "type '%s' has too many cases", r->name);
	for (size_t i = 0; i < r->n_arms; i++) {
		const struct arm *a = &r->arms[i];
		if (r->tag && !a->n_tags) {
			if (has_default)
				return annot_fail(rs->e, a->at, "the cases of '%s' overlap: 'default' is given twice",
						  r->name);
			has_default = true;
		}
		for (size_t k = 0; k < a->n_tags; k++) {
			if (check_range(rs, a->tags[k], a->at) != RC_OK)
				return RC_INPUT;
			for (size_t j = 0; j <= i; j++)
				for (size_t m = 0; m < (j == i ? k : r->arms[j].n_tags); m++)
					if (overlap(a->tags[k], r->arms[j].tags[m]))
						return annot_fail(rs->e, a->at, "the cases of '%s' overlap: %s",
								  r->name, a->tags[k].lo);
		}
	}
	return RC_OK;
}

static enum rc resolve_ranges(const struct names *n, struct type_expr *t)
{
	for (size_t i = 0; i < t->n_ranges; i++) {
		struct expr *x[] = {t->ranges[i].lo_expr, t->ranges[i].hi_expr};
		for (size_t j = 0; j < 2; j++)
			if (x[j] && !n->reg)
				return annot_fail(n->e, t->at, "the bounds of '%s' must be constants here", t->name);
			else if (x[j] && names_in_type(n, x[j], IN_BOUND) != RC_OK)
				return RC_INPUT;
	}
	for (size_t i = 0; i < t->n_args; i++)
		if (resolve_ranges(&(struct names){.e = n->e}, t->args[i]) != RC_OK)
			return RC_INPUT;
	return RC_OK;
}

static enum rc resolve_field(struct resolver *rs, struct regtype *r, struct field *f)
{
	struct names n = {.set = rs->set, .members = rs->members, .reg = r, .e = rs->e};
	if (f->kind == FIELD_RELATION)
		return names_in_relation(&n, f->relation);
	char first[256];
	snprintf(first, sizeof first, "%.*s", (int)strcspn(f->path, ".["), f->path);
	if (rs->members && rs->members->exact && strcmp(first, "this") != 0 &&
	    rs->members->is_member(rs->members->arg, r->ctype, first) == 0)
		return annot_fail(rs->e, f->at, "'%s' has no field '%s'", r->ctype, first);
	if (resolve_type(rs, f->type, r) != RC_OK || resolve_ranges(&n, f->type) != RC_OK)
		return RC_INPUT;
	struct expr *x[] = {f->lo, f->hi, f->mask};
	for (size_t i = 0; i < 3; i++)
		if (x[i] && names_in_type(&n, x[i], IN_BOUND) != RC_OK)
			return RC_INPUT;
	if (strcmp(f->path, "this") == 0 && f->type->kind != TYPE_PROP)
		return annot_fail(rs->e, f->at, "'this' is the node itself: it can only have a property");
	if (f->kind >= FIELD_MASKED && f->type->kind != TYPE_REG)
		return annot_fail(rs->e, f->at, "this field leads to nodes: expected a regular type, not '%s'",
				  f->type->name);
	for (size_t k = 0; k < f->type->n_ranges && f->type->kind == TYPE_INT; k++)
		if (check_range(rs, f->type->ranges[k], f->type->at) != RC_OK)
			return RC_INPUT;
	return RC_OK;
}

static enum rc resolve_regtype(struct resolver *rs, struct regtype *r)
{
	static const char *const taken[] = {"any",  "null",   "nonnull", "int",      "true",
					    "this", "result", "double",  "function", "string"};
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (strcmp(r->name, taken[i]) == 0)
			return annot_fail(rs->e, r->at, "'%s' is a reserved name", r->name);
	for (size_t i = 0; i < r->n_params; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(r->params[i], r->params[j]) == 0)
				return annot_fail(rs->e, r->at, "parameter '%s' is named twice", r->params[i]);
	for (size_t i = 0; i < r->n_arms; i++)
		for (size_t j = 0; j < r->arms[i].n_fields; j++) {
			struct field *f = &r->arms[i].fields[j];
			if (resolve_field(rs, r, f) != RC_OK)
				return RC_INPUT;
			for (size_t k = 0; k < j; k++) {
				const struct field *o = &r->arms[i].fields[k];
				if (f->kind == FIELD_PLAIN && o->kind == FIELD_PLAIN && strcmp(o->path, f->path) == 0 &&
				    strcmp(f->path, "this") != 0)
					return annot_fail(rs->e, f->at, "field '%s' is named twice", f->path);
			}
		}
	return check_cases(rs, r);
}

/* The type of each measure, their numbers; the same measure read twice counts once. */
static enum rc find_measures(struct resolver *rs)
{
	for (struct measure **at = &rs->set->measures; *at;) {
		struct measure *m = *at, *same = NULL;
		m->reg = find_regtype(rs->set, m->type);
		if (!m->reg)
			return annot_fail(rs->e, m->at, "unknown type '%s'", m->type);
		if (m->reg->ring)
			return annot_fail(rs->e, m->at, "a ring has no first node: its nodes have no measures");
		for (struct measure *o = rs->set->measures; o != m; o = o->next) {
			m->index += o->reg == m->reg;
			same = o->reg == m->reg && strcmp(o->name, m->name) == 0 ? o : same;
		}
		if (same && strcmp(same->text, m->text) != 0)
			return annot_fail(rs->e, m->at, "measure '%s' is defined twice (before at %s:%ld)", m->name,
					  same->at.file, same->at.line);
		if (same)
			*at = m->next;
		else
			at = &m->next;
	}
	return RC_OK;
}

static enum rc resolve_measures(struct resolver *rs)
{
	static const char *const taken[] = {"min", "max", "sum", "abs", "old"};
	for (struct measure *m = rs->set->measures; m; m = m->next) {
		struct names n = {.set = rs->set, .members = rs->members, .reg = m->reg, .e = rs->e};
		for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
			if (strcmp(m->name, taken[i]) == 0)
				return annot_fail(rs->e, m->at, "'%s' is a reserved name", m->name);
		if (m->reg->shared)
			return annot_fail(rs->e, m->at, "'%s' is shared: its nodes have no measures", m->type);
		if ((m->null_value && names_in_type(&n, m->null_value, IN_BOUND) != RC_OK) ||
		    names_in_type(&n, m->value, IN_MEASURE) != RC_OK)
			return RC_INPUT;
	}
	return RC_OK;
}

static enum rc resolve_formula(struct resolver *rs, const struct pred *p, struct formula *f, bool post)
{
	if (f->kind != F_LITERAL) {
		for (size_t i = 0; i < f->n_kids; i++)
			if (resolve_formula(rs, p, f->kids[i], post) != RC_OK)
				return RC_INPUT;
		return RC_OK;
	}
	struct literal *l = f->literal;
	if (l->kind == LIT_TRUE)
		return RC_OK;
	struct names n = {.set = rs->set, .pred = p, .e = rs->e};
	if (l->kind == LIT_COMPARE)
		return names_in_pred(&n, l->expr, post, false);
	struct expr x = {.kind = E_MEASURE, .term = l->term}; /* never a constant */
	if (names_of_term(&n, &x, post) != RC_OK || resolve_type(rs, l->type, NULL) != RC_OK)
		return RC_INPUT;
	return resolve_ranges(&n, l->type);
}

enum rc annot_resolve(struct annot_set *s, const struct members *members, struct err *e)
{
	struct resolver rs = {s, members, e};
	for (struct regtype **r = &s->regtypes; *r;) {
		struct regtype *first = find_regtype(s, (*r)->name);
		if (first == *r) {
			r = &(*r)->next;
			continue;
		}
		if (strcmp(first->source, (*r)->source) != 0)
			return annot_fail(e, (*r)->at, "type '%s' is defined twice (before at %s:%ld)", first->name,
					  first->at.file, first->at.line);
		*r = (*r)->next;
	}
	for (struct prop **r = &s->props; *r;) {
		struct prop *first = find_prop(s, (*r)->name);
		if (first == *r) {
			if (find_regtype(s, first->name))
				return annot_fail(e, first->at, "'%s' is already a type", first->name);
			r = &(*r)->next;
			continue;
		}
		if (strcmp(first->ctype, (*r)->ctype) != 0 || first->local != (*r)->local)
			return annot_fail(e, (*r)->at, "property '%s' is declared twice", first->name);
		*r = (*r)->next;
	}
	if (find_measures(&rs) != RC_OK)
		return RC_INPUT;
	for (struct regtype *r = s->regtypes; r; r = r->next)
		if (resolve_regtype(&rs, r) != RC_OK)
			return RC_INPUT;
	if (resolve_measures(&rs) != RC_OK)
		return RC_INPUT;
	for (struct pred *p = s->preds; p; p = p->next) {
		if ((p->pre && resolve_formula(&rs, p, p->pre, false) != RC_OK) ||
		    (p->post && resolve_formula(&rs, p, p->post, true) != RC_OK))
			return RC_INPUT;
	}
	/* the same header seen twice: the same assertion at the same place counts once */
	for (struct pred *p = s->preds; p; p = p->next)
		for (struct pred **q = &p->next; *q;) {
			bool same = strcmp((*q)->text, p->text) == 0 && (*q)->at.line == p->at.line &&
				    (*q)->at.col == p->at.col && strcmp((*q)->at.file, p->at.file) == 0;
			if (same)
				*q = (*q)->next;
			else
				q = &(*q)->next;
		}
	return RC_OK;
}

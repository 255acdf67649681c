/* SPDX-License-Identifier: MIT */
/* See macros.h. */
#include "check/macros.h"

#include <string.h>

static bool is_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The names in a constant as written: not the letters of 0x10 or 3u. */
static void add_names(struct strings *out, struct arena *a, const char *s)
{
	while (s && *s) {
		size_t n = 1;
		if (is_start(*s) || is_digit(*s))
			while (is_start(s[n]) || is_digit(s[n]))
				n++;
		if (*s == '\'' && s[1]) { /* 'x', '\n' */
			n = s[1] == '\\' && s[2] ? 3 : 2;
			n += s[n] == '\'';
		}
		if (is_start(*s)) {
			const char *name = arena_strndup(a, s, n);
			bool known = false;
			for (size_t i = 0; i < out->n && !known; i++)
				known = strcmp(out->at[i], name) == 0;
			if (!known)
				vec_push(out, name);
		}
		s += n;
	}
}

static void add_expr(struct strings *out, struct arena *a, const struct expr *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < 3; i++)
		add_expr(out, a, x->kid[i]);
	if (x->kind == E_PATH && x->constant)
		add_names(out, a, x->term.base);
}

static void add_ranges(struct strings *out, struct arena *a, const struct int_range *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (r[i].lo_expr)
			add_expr(out, a, r[i].lo_expr);
		else
			add_names(out, a, r[i].lo);
		if (r[i].hi_expr)
			add_expr(out, a, r[i].hi_expr);
		else
			add_names(out, a, r[i].hi);
	}
}

static void add_type(struct strings *out, struct arena *a, const struct type_expr *t)
{
	if (t->kind != TYPE_FUNCTION)
		add_ranges(out, a, t->ranges, t->n_ranges);
	for (size_t i = 0; i < t->n_args; i++)
		add_type(out, a, t->args[i]);
}

static void add_regtype(struct strings *out, struct arena *a, const struct regtype *r)
{
	add_names(out, a, r->mask);
	for (size_t i = 0; i < r->n_arms; i++) {
		const struct arm *arm = &r->arms[i];
		add_ranges(out, a, arm->tags, arm->n_tags);
		for (size_t j = 0; j < arm->n_fields; j++) {
			const struct field *f = &arm->fields[j];
			add_expr(out, a, f->lo);
			add_expr(out, a, f->hi);
			add_expr(out, a, f->mask);
			add_expr(out, a, f->relation);
			if (f->type)
				add_type(out, a, f->type);
		}
	}
}

/* Functions that values are compared with, properties. */
static void add_functions(struct strings *out, struct arena *a, const struct type_expr *t)
{
	for (size_t i = 0; t->kind == TYPE_FUNCTION && i < t->n_ranges; i++)
		add_names(out, a, t->ranges[i].lo);
	if (t->kind == TYPE_PROP)
		add_names(out, a, t->prop->name);
	for (size_t i = 0; i < t->n_args; i++)
		add_functions(out, a, t->args[i]);
}

void macros_named(const struct gen *g, const struct instance *in, struct strings *out)
{
	struct arena *a = &g->set->arena;
	add_regtype(out, a, in->reg);
	for (size_t i = 0; i < in->reg->n_arms; i++)
		for (size_t j = 0; j < in->reg->arms[i].n_fields; j++)
			if (in->reg->arms[i].fields[j].type)
				add_functions(out, a, in->reg->arms[i].fields[j].type);
	for (size_t i = 0; i < in->reg->n_params; i++) {
		add_type(out, a, in->args[i]);
		add_functions(out, a, in->args[i]);
	}
	for (const struct measure *m = g->set->measures; m; m = m->next)
		if (m->reg == in->reg) {
			add_expr(out, a, m->value);
			add_expr(out, a, m->null_value);
		}
}

static void add_formula(struct strings *out, struct arena *a, const struct formula *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_kids; i++)
		add_formula(out, a, f->kids[i]);
	const struct literal *l = f->kind == F_LITERAL ? f->literal : NULL;
	if (l && l->kind == LIT_COMPARE)
		add_expr(out, a, l->expr);
	if (l && l->kind == LIT_TYPE)
		add_type(out, a, l->type);
}

enum rc macros_declare(const struct gen *g, const struct macro_source *source, struct buf *out, struct err *e)
{
	struct strings names = {0}, values = {0};
	struct arena *a = &g->set->arena;
	for (size_t i = 0; i < g->instances.n; i++) {
		add_regtype(&names, a, g->instances.at[i].reg);
		for (size_t j = 0; j < g->instances.at[i].reg->n_params; j++)
			add_type(&names, a, g->instances.at[i].args[j]);
	}
	for (const struct measure *m = g->set->measures; m; m = m->next) {
		add_expr(&names, a, m->value);
		add_expr(&names, a, m->null_value);
	}
	for (const struct pred *p = g->set->preds; p; p = p->next) {
		add_formula(&names, a, p->pre);
		add_formula(&names, a, p->post);
	}
	enum rc rc = names.n ? source->expand(source->arg, &names, a, &values, e) : RC_OK;
	for (size_t i = 0; rc == RC_OK && i < values.n; i++)
		if (values.at[i][0] && strcmp(values.at[i], names.at[i]) != 0)
			buf_printf(out, "enum { %s = (%s) };\n", names.at[i], values.at[i]);
	vec_release_all(&names, &values);
	return rc;
}

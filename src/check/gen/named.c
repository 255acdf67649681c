/* SPDX-License-Identifier: MIT */
/* See named.h. */
#include "check/gen/named.h"

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

void named_expr(struct strings *out, struct arena *a, const struct expr *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < 3; i++)
		named_expr(out, a, x->kid[i]);
	if (x->kind == E_PATH && x->constant)
		add_names(out, a, x->term.base);
}

static void add_ranges(struct strings *out, struct arena *a, const struct int_range *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (r[i].lo_expr)
			named_expr(out, a, r[i].lo_expr);
		else
			add_names(out, a, r[i].lo);
		if (r[i].hi_expr)
			named_expr(out, a, r[i].hi_expr);
		else
			add_names(out, a, r[i].hi);
	}
}

void named_type(struct strings *out, struct arena *a, const struct type_expr *t)
{
	if (t->kind != TYPE_FUNCTION)
		add_ranges(out, a, t->ranges, t->n_ranges);
	for (size_t i = 0; i < t->n_args; i++)
		named_type(out, a, t->args[i]);
}

void named_regtype(struct strings *out, struct arena *a, const struct regtype *r)
{
	add_names(out, a, r->mask);
	for (size_t i = 0; i < r->n_arms; i++) {
		const struct arm *arm = &r->arms[i];
		add_ranges(out, a, arm->tags, arm->n_tags);
		for (size_t j = 0; j < arm->n_fields; j++) {
			const struct field *f = &arm->fields[j];
			named_expr(out, a, f->lo);
			named_expr(out, a, f->hi);
			named_expr(out, a, f->mask);
			named_expr(out, a, f->relation);
			if (f->type)
				named_type(out, a, f->type);
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

void gen_named(const struct gen *g, const struct instance *in, struct strings *out)
{
	struct arena *a = &g->set->arena;
	named_regtype(out, a, in->reg);
	for (size_t i = 0; i < in->reg->n_arms; i++)
		for (size_t j = 0; j < in->reg->arms[i].n_fields; j++)
			if (in->reg->arms[i].fields[j].type)
				add_functions(out, a, in->reg->arms[i].fields[j].type);
	for (size_t i = 0; i < in->reg->n_params; i++) {
		named_type(out, a, in->args[i]);
		add_functions(out, a, in->args[i]);
	}
	for (const struct measure *m = g->set->measures; m; m = m->next)
		if (m->reg == in->reg) {
			named_expr(out, a, m->value);
			named_expr(out, a, m->null_value);
		}
}

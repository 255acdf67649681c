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

static void add_ranges(struct strings *out, struct arena *a, const struct int_range *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add_names(out, a, r[i].lo);
		add_names(out, a, r[i].hi);
	}
}

static void add_type(struct strings *out, struct arena *a, const struct type_expr *t)
{
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
			add_names(out, a, f->lo);
			if (!f->hi_is_field)
				add_names(out, a, f->hi);
			add_type(out, a, f->type);
		}
	}
}

static void add_term(struct strings *out, struct arena *a, const struct pred *p, const struct term *t)
{
	for (size_t i = 0; i < p->n_args; i++)
		if (strcmp(p->args[i], t->base) == 0)
			return;
	if (strcmp(t->base, "result") != 0)
		add_names(out, a, t->base);
}

static void add_formula(struct strings *out, struct arena *a, const struct pred *p, const struct formula *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_kids; i++)
		add_formula(out, a, p, f->kids[i]);
	const struct literal *l = f->kind == F_LITERAL ? f->literal : NULL;
	if (l && l->kind == LIT_COMPARE) {
		add_term(out, a, p, &l->term);
		add_term(out, a, p, &l->right);
	}
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
	for (const struct pred *p = g->set->preds; p; p = p->next) {
		add_formula(&names, a, p, p->pre);
		add_formula(&names, a, p, p->post);
	}
	enum rc rc = names.n ? source->expand(source->arg, &names, a, &values, e) : RC_OK;
	for (size_t i = 0; rc == RC_OK && i < values.n; i++)
		if (values.at[i][0] && strcmp(values.at[i], names.at[i]) != 0)
			buf_printf(out, "enum { %s = (%s) };\n", names.at[i], values.at[i]);
	vec_release_all(&names, &values);
	return rc;
}

/* SPDX-License-Identifier: MIT */
/* See macros.h. */
#include "check/macros.h"

#include "check/gen/named.h"

#include <string.h>

static void add_formula(struct strings *out, struct arena *a, const struct formula *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_kids; i++)
		add_formula(out, a, f->kids[i]);
	const struct literal *l = f->kind == F_LITERAL ? f->literal : NULL;
	if (l && l->kind == LIT_COMPARE)
		named_expr(out, a, l->expr);
	if (l && l->kind == LIT_TYPE)
		named_type(out, a, l->type);
}

enum rc macros_declare(const struct gen *g, const struct macro_source *source, struct buf *out, struct err *e)
{
	struct strings names = {0}, values = {0};
	struct arena *a = &g->set->arena;
	for (size_t i = 0; i < g->instances.n; i++) {
		named_regtype(&names, a, g->instances.at[i].reg);
		for (size_t j = 0; j < g->instances.at[i].reg->n_params; j++)
			named_type(&names, a, g->instances.at[i].args[j]);
	}
	for (const struct measure *m = g->set->measures; m; m = m->next) {
		named_expr(&names, a, m->value);
		named_expr(&names, a, m->null_value);
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

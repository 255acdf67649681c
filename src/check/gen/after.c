/* SPDX-License-Identifier: MIT */
/* What depends on other nodes: relations that read the fields of neighbours (next->prev == this) and measures. They are
 * in a function of their own, which the runtime calls when all nodes below were found good. It returns the node's
 * measures, from which those of the node above are computed, so that after a change only the nodes on the way up are
 * looked at again, and only as far as a measure changes. */
#include "check/gen/gen.h"

#include <string.h>

size_t gen_measures(const struct gen *g, const struct regtype *r)
{
	size_t n = 0;
	for (const struct measure *m = g->set->measures; m; m = m->next)
		n += m->reg == r;
	return n;
}

/* Nodes that lie in this one by value have no record of their own: what they depend on is looked at from here. */
static enum rc emit_embedded(struct gen *g, const struct instance *in, const struct field *f, struct buf *b)
{
	struct type_expr *t = f->type ? gen_close(g, f->type, in->args) : NULL;
	if (!t || t->kind != TYPE_REG || (f->kind != FIELD_PLAIN && f->kind != FIELD_ARRAY))
		return RC_OK;
	struct gen_scope s = {.g = g, .in = in};
	struct buf v = {0}, outside = {0};
	enum rc rc = RC_OK;
	bool array = f->kind == FIELD_ARRAY;
	gen_at(b, f->at);
	if (array) {
		gen_outside(g, in->reg, f, "rf_x", &outside);
		buf_str_add(b, "\tfor (long rf_i = (long)");
		rc = gen_expr(&s, f->lo, b);
		buf_printf(b, "; !(%s) && rf_i %s (long)", buf_str(&outside), f->exclusive ? "<" : "<=");
		if (rc == RC_OK)
			rc = gen_expr(&s, f->hi, b);
		buf_str_add(b, "; rf_i++)\n");
	}
	buf_printf(&v, "rf_x->%s%s", f->path, array ? "[rf_i]" : "");
	buf_printf(b,
		   "\tif (!RF_IS_PTR(%s, %s)) {\n\t\trf_number rf_t[%zu];\n\t\tif (!rf_after%ld(&(%s), rf_b, rf_t, "
		   "rf_w))\n\t\t\treturn 0;\n\t}\n",
		   buf_str(&v), t->reg->ctype, gen_measures(g, t->reg) + 1, gen_instance(g, t), buf_str(&v));
	buf_release(&v);
	buf_release(&outside);
	gen_scope_release(&s);
	return rc;
}

static enum rc emit_relation(struct gen *g, const struct instance *in, const struct arm *a, const struct field *f,
			     struct buf *b)
{
	const struct expr *x = f->relation;
	struct gen_scope s = {.g = g, .in = in, .arm = a, .after = true};
	struct buf test = {0}, left = {0}, right = {0};
	enum rc rc = gen_expr(&s, x, &test);
	if (rc == RC_OK && x->compares)
		rc = gen_expr(&s, x->kid[0], &left);
	if (rc == RC_OK && x->compares)
		rc = gen_expr(&s, x->kid[1], &right);
	gen_at(b, f->at);
	buf_printf(b, "\tif (!(%s)) { if (rf_w) rf_why_relation(rf_w, ", s.valid.n ? buf_str(&s.valid) : "1");
	gen_string(b, x->text);
	buf_printf(b, ", 0, 0, 0); return 0; }\n\tif (%s) {\n\t\trf_bad = 0;\n\t\tif (!%s || rf_bad) { if (rf_w) ",
		   s.present.n ? buf_str(&s.present) : "1", buf_str(&test));
	buf_str_add(b, "rf_why_relation(rf_w, ");
	gen_string(b, x->text);
	if (x->compares)
		buf_printf(b, ", (long double)%s, (long double)%s, \"%s\"", buf_str(&left), buf_str(&right), x->op);
	else
		buf_str_add(b, ", 0, 0, 0");
	buf_str_add(b, "); return 0; }\n\t}\n");
	in->notes->after = true;
	buf_release(&test);
	buf_release(&left);
	buf_release(&right);
	gen_scope_release(&s);
	return rc;
}

static enum rc emit_measures(struct gen *g, const struct instance *in, struct buf *b)
{
	for (const struct measure *m = g->set->measures; m; m = m->next) {
		if (m->reg != in->reg)
			continue;
		struct gen_scope s = {.g = g, .in = in, .after = true};
		struct buf v = {0};
		enum rc rc = gen_expr(&s, m->value, &v);
		gen_at(b, m->at);
		buf_printf(
			b,
			"\trf_out[%u] = rf_clamp((%s) | 0);\n\tif (rf_bad) { if (rf_w) rf_w->bad(rf_w, \"\", -1, \"\", "
			"\"a value of the measure %s\"); return 0; }\n",
			m->index, buf_str(&v), m->name);
		in->notes->after = true;
		buf_release(&v);
		gen_scope_release(&s);
		if (rc != RC_OK)
			return rc;
	}
	return RC_OK;
}

enum rc gen_after(struct gen *g, size_t k, struct buf *b)
{
	struct instance in = g->instances.at[k];
	const struct regtype *r = in.reg;
	buf_printf(b,
		   "RF_CODE static int rf_after%zu(const void *rf_p, struct rf_below *rf_b, rf_number *rf_out, struct "
		   "rf_why "
		   "*rf_w)\n{\n\tconst %s *rf_x = (const %s *)rf_p;\n\tint rf_bad = 0;\n\t(void)rf_x, (void)rf_b, "
		   "(void)rf_out, (void)rf_w, (void)rf_bad;\n",
		   k, r->ctype, r->ctype);
	enum rc rc = emit_measures(g, &in, b);
	if (r->tag)
		buf_printf(b, "\tswitch (rf_x->%s%s%s) {\n", r->tag, r->mask ? " & " : "", r->mask ? r->mask : "");
	for (size_t i = 0; i < r->n_arms && rc == RC_OK; i++) {
		const struct arm *a = &r->arms[i];
		for (size_t j = 0; j < a->n_tags; j++)
			buf_printf(b, "\tcase %s%s%s:\n", a->tags[j].lo, a->tags[j].hi ? " ... " : "",
				   a->tags[j].hi ? a->tags[j].hi : "");
		if (r->tag)
			buf_printf(b, "%s\t{\n", a->n_tags ? "" : "\tdefault:\n");
		for (size_t j = 0; j < a->n_fields && rc == RC_OK; j++) {
			const struct field *f = &a->fields[j];
			if (f->kind == FIELD_RELATION && gen_reads_others(f->relation))
				rc = emit_relation(g, &in, a, f, b);
			else
				rc = emit_embedded(g, &in, f, b);
		}
		if (r->tag)
			buf_str_add(b, "\tbreak;\n\t}\n");
	}
	buf_printf(b, "%s\treturn 1;\n}\n", r->tag ? "\t}\n" : "");
	gen_nowhere(b);
	return rc;
}

static bool refers_to_after(struct instance *in, const struct field *f, const struct instance *to)
{
	(void)f;
	return !in->notes->after && to->notes->after && (in->notes->after = true);
}

/* A node that contains such a node by value has to look at it: whether it does is the C compiler's knowledge, so
 * every type that refers to one is taken for it. */
void gen_after_notes(struct gen *g)
{
	gen_spread(g, refers_to_after);
}

/* SPDX-License-Identifier: MIT */
/* One field of a regular type as C: in the scan function its condition, or the edge it is; in the explain function the
 * same with names; in the counting function how many edges it has beyond those the C type bounds. The three are
 * written by the same code, so that they agree on what is an edge and in which order edges come.
 *
 * Layout is left to the C compiler: _Generic tells a field that is a pointer to a node from one that holds the node by
 * value and refuses every other type; an array is told from a pointer in the same way. Elements behind a pointer
 * and beyond the end of a struct (flexible array members) are looked at each time: nothing announces that the
 * block they lie in changed its owner. */
#include "check/gen/gen.h"

#include <string.h>

struct site {
	struct gen *g;
	const struct instance *in;
	const struct arm *arm;
	struct buf *b;
	enum what what;
	const char *path;    /* of the field, after "->" */
	const char *value;   /* the C expression */
	const char *outside; /* a C constant: the value lies outside the node */
	bool indexed;        /* rf_i is its place in the array */
};

static void field_name(const struct site *s, struct buf *b)
{
	struct buf name = {0};
	buf_printf(&name, "->%s", s->path);
	gen_string(b, buf_str(&name));
	buf_release(&name);
	buf_printf(b, ", %s", s->indexed ? "rf_i" : "-1");
}

/* What a failing condition does: give up, or say so. */
static void on_fail(struct site *s, const char *how, const char *value, const char *expected)
{
	if (s->what == SCAN) {
		buf_str_add(s->b, "return 0;\n");
		return;
	}
	if (s->what == COUNT) {
		buf_str_add(s->b, "return rf_n;\n");
		return;
	}
	buf_printf(s->b, "{ %s(rf_w, ", how);
	field_name(s, s->b);
	buf_printf(s->b, ", %s, ", value);
	gen_string(s->b, expected);
	buf_str_add(s->b, "); return; }\n");
}

/* rf_c is the pointer to a node of instance k. counted: it is not among the edges that the C type bounds. */
static void edge(struct site *s, const struct type_expr *t, long k, const char *counted)
{
	const struct instance *to = &s->g->instances.at[k];
	bool nullable = (to->reg->nullable && !(to->reg->ring && to->reg == s->in->reg)) || t->optional;
	if (!nullable) {
		buf_str_add(s->b, "\t\tif (!rf_c)\n\t\t\t");
		on_fail(s, "rf_why_ptr", "rf_c", to->text);
	}
	if (s->what == COUNT) {
		buf_printf(s->b, "\t\trf_n += %s;\n", counted);
	} else if (s->what == SCAN) {
		buf_printf(s->b,
			   "\t\tif (rf_c) {\n\t\t\trf_out->node = rf_c;\n\t\t\trf_out->type = "
			   "rf_T%ld.id;\n\t\t\trf_out++;\n\t\t}\n",
			   k);
	} else {
		buf_str_add(s->b, "\t\tif (rf_c)\n\t\t\trf_w->edge(rf_w, ");
		field_name(s, s->b);
		buf_printf(s->b, ", rf_c, rf_T%ld.id);\n", k);
	}
}

/* A pointer to a node, or a node by value: here, or in a block of its own. */
static enum rc node(struct site *s, const struct type_expr *t)
{
	long k = gen_instance(s->g, t);
	if (k < 0)
		return RC_INPUT;
	const char *v = s->value, *c = t->reg->ctype;
	buf_printf(s->b,
		   "\tif (RF_IS_PTR(%s, %s) || (%s)) {\n\t\tconst void *rf_c = &(%s);\n\t\t__builtin_memcpy(&rf_c, "
		   "&(%s), RF_IS_PTR(%s, %s) ? sizeof rf_c : 0);\n",
		   v, c, s->outside, v, v, v, c);
	edge(s, t, k, s->outside);
	buf_str_add(s->b, "\t} else {\n");
	if (s->what == SCAN)
		buf_printf(s->b, "\t\trf_out = rf_scan%ld(&(%s), rf_out);\n\t\tif (!rf_out)\n\t\t\treturn 0;\n", k, v);
	else if (s->what == EXPLAIN)
		buf_printf(s->b, "\t\trf_explain%ld(&(%s), rf_w);\n", k, v);
	else
		buf_printf(s->b, "\t\trf_n += rf_count%ld(&(%s));\n", k, v);
	buf_str_add(s->b, "\t}\n");
	return RC_OK;
}

static enum rc ranges(struct site *s, const struct type_expr *t, const char *type, const char *why)
{
	struct gen_scope sc = {.g = s->g, .in = s->in, .arm = s->arm};
	struct buf text = {0};
	for (size_t i = 0; i < t->n_ranges; i++)
		for (int j = 0; j < 2; j++) { /* a variable would change without being watched */
			const char *bound = j ? t->ranges[i].hi : t->ranges[i].lo;
			const struct expr *x = j ? t->ranges[i].hi_expr : t->ranges[i].lo_expr;
			if (bound && *bound && !x && (*bound == '_' || (*bound | 32) >= 'a'))
				buf_printf(s->b,
					   "\t_Static_assert(__builtin_constant_p(%s), \"%s is not a constant\");\n",
					   bound, bound);
		}
	buf_printf(s->b, "\t{\n\t\tint rf_bad = 0;\n\t\t%s rf_v = (%s);\n\t\tif (!", type, s->value);
	enum rc rc = gen_ranges_test(&sc, s->b, "rf_v", t->ranges, t->n_ranges);
	buf_str_add(s->b, " || rf_bad)\n\t\t\t");
	gen_ranges_text(&text, t->ranges, t->n_ranges, t->kind != TYPE_DOUBLE);
	on_fail(s, why, strcmp(why, "rf_why_int") == 0 ? "(long long)rf_v" : "rf_v", buf_str(&text));
	buf_str_add(s->b, "\t}\n");
	buf_release(&text);
	gen_scope_release(&sc);
	return rc;
}

/* "it is a pointer, not an array": a C constant. */
static void is_pointer(struct buf *b, const char *v)
{
	buf_printf(b, "__builtin_types_compatible_p(__typeof__(%s), __typeof__(&(%s)[0]))", v, v);
}

static enum rc string(struct site *s, const struct type_expr *t, const struct field *f)
{
	struct gen_scope sc = {.g = s->g, .in = s->in, .arm = s->arm};
	struct buf outside = {0}, text = {0};
	bool flexible = f->kind == FIELD_PLAIN && gen_member(s->g, s->in->reg->ctype, f->path) == MEMBER_FLEXIBLE;
	if (flexible)
		buf_str_add(&outside, "1");
	else
		is_pointer(&outside, s->value);
	buf_printf(s->b,
		   "\t_Static_assert(sizeof((%s)[0]) == 1, \"not a string of characters\");\n\t{\n\t\tint rf_bad = "
		   "0;\n\t\tlong rf_v = rf_string((const void *)(%s), (%s) ? (unsigned long)-1 : %s%s%s);\n\t\tif "
		   "(rf_v < 0)\n\t\t\t",
		   s->value, s->value, buf_str(&outside), flexible ? "0" : "sizeof(", flexible ? "" : s->value,
		   flexible ? "" : ")");
	buf_clear(&outside);
	buf_printf(&outside, "(const void *)(%s)", s->value);
	on_fail(s, "rf_why_ptr", buf_str(&outside), "a string that ends in readable memory");
	enum rc rc = RC_OK;
	if (t->n_ranges) {
		buf_str_add(s->b, "\t\tif (!");
		rc = gen_ranges_test(&sc, s->b, "rf_v", t->ranges, t->n_ranges);
		buf_str_add(s->b, " || rf_bad)\n\t\t\t");
		buf_str_add(&text, "a length of ");
		gen_ranges_text(&text, t->ranges, t->n_ranges, t->kind != TYPE_DOUBLE);
		on_fail(s, "rf_why_int", "(long long)rf_v", buf_str(&text));
	}
	buf_str_add(s->b, "\t\t(void)rf_bad;\n\t}\n");
	buf_release(&text);
	buf_release(&outside);
	gen_scope_release(&sc);
	return rc;
}

static void functions(struct site *s, const struct type_expr *t)
{
	struct buf text = {0}, v = {0};
	buf_str_add(s->b, "\tif (!(");
	for (size_t i = 0; i < t->n_ranges; i++)
		buf_printf(s->b, "%s(%s) == (%s)", i ? " || " : "", s->value, t->ranges[i].lo);
	buf_str_add(s->b, "))\n\t\t");
	gen_ranges_text(&text, t->ranges, t->n_ranges, t->kind != TYPE_DOUBLE);
	buf_printf(&v, "(const void *)(%s)", s->value);
	on_fail(s, "rf_why_ptr", buf_str(&v), buf_str(&text));
	buf_release(&text);
	buf_release(&v);
}

static enum rc condition(struct site *s, const struct type_expr *t, const struct field *f)
{
	struct buf text = {0};
	enum rc rc = RC_OK;
	if (s->what == COUNT && t->kind != TYPE_REG)
		return RC_OK;
	if (t->optional && t->kind != TYPE_REG)
		buf_printf(s->b, "\tif ((%s) != 0) {\n", s->value);
	switch (t->kind) {
	case TYPE_ANY:
	case TYPE_PARAM:
		buf_printf(s->b, "\t(void)(%s);\n", s->value);
		break;
	case TYPE_NULL:
	case TYPE_NONNULL:
		buf_printf(s->b, "\tif ((%s) %s 0)\n\t\t", s->value, t->kind == TYPE_NULL ? "!=" : "==");
		buf_printf(&text, "(const void *)(unsigned long)(%s)", s->value);
		on_fail(s, "rf_why_ptr", buf_str(&text), t->kind == TYPE_NULL ? "NULL" : "not NULL");
		break;
	case TYPE_INT:
		/* "| 0" is refused by the compiler for anything but integers */
		buf_printf(s->b, "\t(void)sizeof((%s) | 0);\n", s->value);
		if (t->n_ranges)
			rc = ranges(s, t, "rf_number", "rf_why_int");
		break;
	case TYPE_DOUBLE:
		buf_printf(s->b,
			   "\t_Static_assert(__builtin_classify_type(%s) == 8, \"not a floating-point number\");\n",
			   s->value);
		if (t->n_ranges)
			rc = ranges(s, t, "long double", "rf_why_double");
		break;
	case TYPE_STRING:
		rc = string(s, t, f);
		break;
	case TYPE_FUNCTION:
		functions(s, t);
		break;
	case TYPE_PROP:
		buf_printf(s->b, "\tif (!%s(%s))\n\t\t", t->prop->name, s->value);
		buf_printf(&text, "%s to hold", t->prop->name);
		on_fail(s, "rf_w->bad", "\"\"", buf_str(&text));
		break;
	case TYPE_REG:
		rc = node(s, t);
	}
	if (t->optional && t->kind != TYPE_REG)
		buf_str_add(s->b, "\t}\n");
	buf_release(&text);
	return rc;
}

/* ---- the kinds of fields */

static enum rc array(struct site *s, const struct field *f, const struct type_expr *t)
{
	struct gen_scope sc = {.g = s->g, .in = s->in, .arm = s->arm};
	struct site whole = *s;
	whole.indexed = false;
	bool flexible = gen_member(s->g, s->in->reg->ctype, f->path) == MEMBER_FLEXIBLE;
	buf_str_add(s->b, "\t{\n\tint rf_bad = 0;\n\trf_number rf_lo = ");
	enum rc rc = gen_expr(&sc, f->lo, s->b);
	buf_str_add(s->b, ", rf_hi = ");
	if (rc == RC_OK)
		rc = gen_expr(&sc, f->hi, s->b);
	buf_printf(s->b,
		   "%s, rf_room = (%s) ? ((rf_number)1 << 46) / (int)sizeof rf_x->%s[0] : ", f->exclusive ? " - 1" : "",
		   s->outside, f->path);
	if (flexible)
		buf_str_add(s->b, "0");
	else
		buf_printf(s->b, "(rf_number)(sizeof rf_x->%s / sizeof rf_x->%s[0])", f->path, f->path);
	buf_str_add(s->b, ";\n\tif (rf_bad || (rf_hi >= rf_lo && (rf_lo < 0 || rf_hi >= rf_room)))\n\t\t");
	struct buf hi = {0};
	bool own = f->hi->kind == E_PATH && !f->hi->constant && strcmp(f->hi->term.base, "this") == 0;
	if (own) /* the bound is at fault, by its name */
		whole.path = f->hi->term.path + (f->hi->term.path[0] == '-' ? 2 : 1);
	buf_printf(&hi, "(long long)rf_hi%s", f->exclusive && own ? " + 1" : "");
	on_fail(&whole, "rf_why_int", buf_str(&hi), "a number of elements that fits the array");
	buf_release(&hi);
	whole.path = s->path;
	buf_printf(s->b,
		   "\tif ((%s) && rf_hi >= rf_lo && !rf_memory((const void *)&rf_x->%s[(long)rf_lo], (unsigned "
		   "long)(rf_hi - rf_lo + 1) * sizeof rf_x->%s[0]))\n\t\t",
		   s->outside, f->path, f->path);
	struct buf at = {0};
	buf_printf(&at, "(const void *)&rf_x->%s[0]", f->path);
	on_fail(&whole, "rf_why_ptr", buf_str(&at), "that many elements in readable memory");
	buf_release(&at);
	buf_str_add(s->b, "\tfor (long rf_i = (long)rf_lo; rf_i <= (long)rf_hi; rf_i++) {\n");
	if (rc == RC_OK)
		rc = condition(s, t, f);
	buf_str_add(s->b, "\t}\n\t}\n");
	gen_scope_release(&sc);
	return rc;
}

static enum rc masked(struct site *s, const struct field *f, const struct type_expr *t)
{
	struct gen_scope sc = {.g = s->g, .in = s->in, .arm = s->arm};
	long k = gen_instance(s->g, t);
	if (k < 0)
		return RC_INPUT;
	buf_printf(
		s->b,
		"\t{\n\t\t_Static_assert(sizeof(%s) == sizeof(void *), \"%s cannot hold a pointer\");\n\t\tint rf_bad "
		"= 0;\n\t\tconst void *rf_c = (const void *)((unsigned long)(%s) & (unsigned long)(",
		s->value, f->path, s->value);
	enum rc rc = gen_expr(&sc, f->mask, s->b);
	buf_str_add(s->b, "));\n\t\t(void)rf_bad;\n");
	edge(s, t, k, "0");
	buf_str_add(s->b, "\t}\n");
	gen_scope_release(&sc);
	return rc;
}

static enum rc container(struct site *s, const struct field *f, const struct type_expr *t)
{
	long k = gen_instance(s->g, t);
	if (k < 0)
		return RC_INPUT;
	const char *c = t->reg->ctype;
	buf_printf(s->b,
		   "\t{\n\t\t_Static_assert(__builtin_types_compatible_p(__typeof__(*%s), __typeof__(((%s *)0)->%s)), "
		   "\"%s does not lead to a %s of %s\");\n\t\tconst char *rf_l = (const char *)(%s);\n\t\tconst void "
		   "*rf_c = rf_l ? rf_l - __builtin_offsetof(%s, %s) : 0;\n",
		   s->value, c, f->member, f->path, f->member, c, s->value, c, f->member);
	edge(s, t, k, "0");
	buf_str_add(s->b, "\t}\n");
	return RC_OK;
}

static enum rc ring(struct site *s, const struct field *f, const struct type_expr *t)
{
	long k = gen_instance(s->g, t);
	if (k < 0)
		return RC_INPUT;
	const char *c = t->reg->ctype, *next = strrchr(f->path, '.') + 1;
	int n = (int)(next - 1 - f->path);
	buf_printf(s->b,
		   "\t{\n\t\t_Static_assert(__builtin_types_compatible_p(__typeof__(rf_x->%.*s), __typeof__(((%s "
		   "*)0)->%s)) && __builtin_types_compatible_p(__typeof__(*%s), __typeof__(rf_x->%.*s)), "
		   "\"%s does not lead to a %s of %s\");\n\t\tlong rf_k = rf_ring(&rf_x->%.*s, "
		   "__builtin_offsetof(__typeof__(rf_x->%.*s), %s));\n\t\tif (rf_k < 0)\n\t\t\t",
		   n, f->path, c, f->member, s->value, n, f->path, f->path, f->member, c, n, f->path, n, f->path, next);
	struct buf v = {0};
	buf_printf(&v, "(const void *)(%s)", s->value);
	on_fail(s, "rf_why_ptr", buf_str(&v), "a ring that leads back to its head");
	buf_release(&v);
	if (s->what == COUNT) {
		buf_str_add(s->b, "\t\trf_n += (unsigned long)rf_k;\n\t}\n");
		return RC_OK;
	}
	buf_printf(s->b,
		   "\t\tconst __typeof__(rf_x->%.*s) *rf_l = %s;\n\t\tfor (long rf_i = 0; rf_i < rf_k; rf_i++, rf_l = "
		   "rf_l->%s) {\n\t\tconst void *rf_c = (const char *)rf_l - __builtin_offsetof(%s, %s);\n",
		   n, f->path, s->value, next, c, f->member);
	s->indexed = true;
	edge(s, t, k, "0");
	buf_str_add(s->b, "\t\t}\n\t}\n");
	return RC_OK;
}

/* A relation among fields of the node itself. */
static enum rc relation(struct site *s, const struct expr *x)
{
	struct gen_scope sc = {.g = s->g, .in = s->in, .arm = s->arm};
	if (s->what == COUNT || gen_reads_others(x))
		return RC_OK;
	buf_str_add(s->b, "\t{\n\t\tint rf_bad = 0;\n\t\tif (!");
	enum rc rc = gen_expr(&sc, x, s->b);
	buf_str_add(s->b, " || rf_bad)\n\t\t\t");
	if (s->what == SCAN) {
		buf_str_add(s->b, "return 0;\n");
	} else {
		buf_str_add(s->b, "{ rf_why_relation(rf_w, ");
		gen_string(s->b, x->text);
		for (size_t i = 0; i < 2 && rc == RC_OK; i++) {
			buf_str_add(s->b, ", ");
			if (x->compares) {
				buf_str_add(s->b, "(long double)");
				rc = gen_expr(&sc, x->kid[i], s->b);
			} else {
				buf_str_add(s->b, "0");
			}
		}
		buf_printf(s->b, ", %s%s%s); return; }\n", x->compares ? "\"" : "", x->compares ? x->op : "0",
			   x->compares ? "\"" : "");
	}
	buf_str_add(s->b, "\t}\n");
	gen_scope_release(&sc);
	return rc;
}

void gen_outside(const struct gen *g, const struct regtype *r, const struct field *f, const char *of, struct buf *b)
{
	if (gen_member(g, r->ctype, f->path) == MEMBER_FLEXIBLE)
		buf_str_add(b, "1");
	else
		buf_printf(b, "__builtin_types_compatible_p(__typeof__(%s->%s), __typeof__(&%s->%s[0]))", of, f->path,
			   of, f->path);
}

enum rc gen_field(struct gen *g, const struct instance *in, const struct arm *arm, const struct field *f,
		  enum what what, struct buf *b)
{
	struct site s = {.g = g, .in = in, .arm = arm, .b = b, .what = what, .path = f->path, .outside = "0"};
	gen_at(b, f->at);
	if (f->kind == FIELD_RELATION)
		return relation(&s, f->relation);
	struct buf value = {0}, outside = {0};
	struct type_expr *t = gen_close(g, f->type, in->args);
	if (f->type->optional && !t->optional) { /* null | T, where T is a parameter */
		t = arena_dup(&g->set->arena, t, sizeof *t);
		t->optional = true;
	}
	if (strcmp(f->path, "this") == 0)
		buf_str_add(&value, "rf_x");
	else
		buf_printf(&value, "rf_x->%s%s", f->path, f->kind == FIELD_ARRAY ? "[rf_i]" : "");
	s.value = buf_str(&value);
	s.indexed = f->kind == FIELD_ARRAY;
	if (f->kind == FIELD_ARRAY) {
		gen_outside(g, in->reg, f, "rf_x", &outside);
		s.outside = buf_str(&outside);
	}
	enum rc rc = f->kind == FIELD_ARRAY       ? array(&s, f, t)
		     : f->kind == FIELD_MASKED    ? masked(&s, f, t)
		     : f->kind == FIELD_CONTAINER ? container(&s, f, t)
		     : f->kind == FIELD_RING      ? ring(&s, f, t)
						  : condition(&s, t, f);
	buf_release(&value);
	buf_release(&outside);
	return rc;
}

/* ---- tables */

static void field_spans(struct gen *g, const struct instance *in, const struct field *f, const struct type_expr *t,
			struct buf *spans)
{
	const struct regtype *r = in->reg;
	if (f->relation)
		gen_expr_spans(g, r, f->relation, spans);
	if (f->lo)
		gen_expr_spans(g, r, f->lo, spans);
	if (f->hi)
		gen_expr_spans(g, r, f->hi, spans);
	for (size_t i = 0; t && i < t->n_ranges; i++) {
		if (t->ranges[i].lo_expr)
			gen_expr_spans(g, r, t->ranges[i].lo_expr, spans);
		if (t->ranges[i].hi_expr)
			gen_expr_spans(g, r, t->ranges[i].hi_expr, spans);
	}
	if (t && t->kind != TYPE_ANY)
		gen_span(g, r, f->path, f->kind == FIELD_PLAIN && (t->kind == TYPE_INT || t->kind == TYPE_DOUBLE),
			 spans);
}

enum rc gen_field_tables(struct gen *g, const struct instance *in, const struct field *f, struct buf *spans,
			 struct buf *refs, struct buf *edges)
{
	const struct regtype *r = in->reg;
	struct type_expr *t = f->type ? gen_close(g, f->type, in->args) : NULL;
	struct buf *flags = &in->notes->flags;
	struct buf outside = {0}, of = {0}, v = {0}, n = {0};
	field_spans(g, in, f, t, spans);
	buf_printf(&of, "((%s *)0)", r->ctype);
	if (t && t->kind == TYPE_STRING && f->kind == FIELD_ARRAY) {
		buf_printf(&v, "%s->%s[0]", buf_str(&of), f->path);
		is_pointer(&outside, buf_str(&v));
		buf_printf(flags, "(%s ? RF_TYPE_FULL : 0) | ", buf_str(&outside));
		buf_clear(&outside);
		buf_clear(&v);
	}
	if (f->kind == FIELD_ARRAY || (t && t->kind == TYPE_STRING)) {
		gen_outside(g, r, f, buf_str(&of), &outside);
		buf_printf(flags, "(%s ? RF_TYPE_FULL : 0) | ", buf_str(&outside));
	} else {
		buf_str_add(&outside, "0");
	}
	if (f->kind == FIELD_RING || (t && t->kind == TYPE_PROP && !t->prop->local))
		buf_str_add(flags, "RF_TYPE_FULL | ");
	if (t && t->kind == TYPE_REG) {
		long k = gen_instance(g, t);
		buf_printf(&v, "((%s *)0)->%s%s", r->ctype, f->path, f->kind == FIELD_ARRAY ? "[0]" : "");
		bool flexible = gen_member(g, r->ctype, f->path) == MEMBER_FLEXIBLE;
		if (f->kind == FIELD_ARRAY && !flexible)
			buf_printf(&n, "(%s ? 0 : sizeof ((%s *)0)->%s / sizeof ((%s *)0)->%s[0])", buf_str(&outside),
				   r->ctype, f->path, r->ctype, f->path);
		else
			buf_str_add(&n, flexible || f->kind == FIELD_RING ? "0" : "1");
		if (f->kind == FIELD_PLAIN || f->kind == FIELD_ARRAY) {
			const char *c = t->reg->ctype;
			buf_printf(edges, " + (RF_IS_PTR(%s, %s) ? %s : 0)", buf_str(&v), c, buf_str(&n));
			buf_printf(refs, "{&rf_T%ld, RF_IS_PTR(%s, %s) ? 0 : %s}, ", k, buf_str(&v), c, buf_str(&n));
		} else {
			buf_printf(edges, " + %s", buf_str(&n));
			buf_printf(refs, "{&rf_T%ld, 0}, ", k);
		}
	}
	buf_release(&outside);
	buf_release(&of);
	buf_release(&v);
	buf_release(&n);
	return RC_OK;
}

/* SPDX-License-Identifier: MIT */
/* Checkers of regular types. Each instance becomes a scan function (the node's own conditions as straight code, its
 * edges appended to the caller's array), an explain function that does the same with names, a list of the bytes
 * that are read, and a descriptor. Layout is left to the C compiler: offsets by offsetof, and _Generic tells a
 * field that is a pointer to a node from one that holds the node by value and refuses every other type. */
#include "check/gen.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INSTANCES = 500 };

void gen_init(struct gen *g, struct annot_set *set, struct err *e)
{
	*g = (struct gen){.set = set, .e = e};
}

void gen_release(struct gen *g)
{
	vec_release(&g->instances);
	buf_release(&g->code);
}

void gen_string(struct buf *b, const char *s)
{
	buf_char(b, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\' || c == '?')
			buf_printf(b, "\\%c", c);
		else if (c < 32 || c > 126)
			buf_printf(b, "\\%03o", c);
		else
			buf_char(b, (char)c);
	}
	buf_char(b, '"');
}

/* 0..1 is printed as "0 or 1". */
static bool two_values(const struct int_range *r)
{
	char *end;
	if (!r->hi)
		return false;
	long lo = strtol(r->lo, &end, 10);
	if (*end)
		return false;
	long hi = strtol(r->hi, &end, 10);
	return !*end && hi == lo + 1;
}

/* "0 or 1", "3..5, 7 or 9" */
static void ranges_text(struct buf *b, const struct int_range *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_str_add(b, i == 0 ? "" : i + 1 == n ? " or " : ", ");
		buf_str_add(b, r[i].lo);
		if (r[i].hi)
			buf_printf(b, n == 1 && two_values(&r[i]) ? " or %s" : "..%s", r[i].hi);
	}
}

void gen_ranges_test(struct buf *b, const char *v, const struct int_range *r, size_t n)
{
	buf_char(b, '(');
	for (size_t i = 0; i < n; i++) {
		buf_str_add(b, i ? " || " : "");
		if (r[i].hi)
			buf_printf(b, "(%s >= (%s) && %s <= (%s))", v, r[i].lo, v, r[i].hi);
		else
			buf_printf(b, "%s == (%s)", v, r[i].lo);
	}
	buf_char(b, ')');
}

/* ---- instances */

static void type_text(struct buf *b, const struct type_expr *t)
{
	buf_str_add(b, t->name);
	if (t->n_ranges) {
		buf_char(b, '(');
		for (size_t i = 0; i < t->n_ranges; i++)
			buf_printf(b, "%s%s%s%s", i ? "|" : "", t->ranges[i].lo, t->ranges[i].hi ? ".." : "",
				   t->ranges[i].hi ? t->ranges[i].hi : "");
		buf_char(b, ')');
	}
	if (t->n_args) {
		buf_char(b, '(');
		for (size_t i = 0; i < t->n_args; i++) {
			buf_str_add(b, i ? ", " : "");
			type_text(b, t->args[i]);
		}
		buf_char(b, ')');
	}
}

/* t with its parameters filled in; args: of the regtype in which it was written. */
static struct type_expr *close_type(struct gen *g, struct type_expr *t, struct type_expr *const *args)
{
	if (t->kind == TYPE_PARAM)
		return args[t->param];
	if (!t->n_args)
		return t;
	struct type_expr *c = arena_dup(&g->set->arena, t, sizeof *t);
	c->args = arena_array(&g->set->arena, struct type_expr *, t->n_args);
	for (size_t i = 0; i < t->n_args; i++)
		c->args[i] = close_type(g, t->args[i], args);
	return c;
}

long gen_instance(struct gen *g, const struct type_expr *t)
{
	struct buf b = {0};
	type_text(&b, t);
	for (size_t i = 0; i < g->instances.n; i++)
		if (strcmp(g->instances.at[i].text, buf_str(&b)) == 0) {
			buf_release(&b);
			return (long)i;
		}
	/* a definition that uses itself with ever larger arguments never ends */
	if (g->instances.n >= MAX_INSTANCES || b.n > 4000) {
		buf_release(&b);
		annot_fail(g->e, t->at, "type '%s' is needed with too many different arguments", t->name);
		return -1;
	}
	vec_push(&g->instances, ((struct instance){t->reg, t->args, arena_strndup(&g->set->arena, b.at, b.n)}));
	buf_release(&b);
	return (long)g->instances.n - 1;
}

/* ---- one field of one node */

enum what { SCAN, EXPLAIN };

struct site {
	struct gen *g;
	struct buf *b;
	enum what what;
	const char *path;  /* of the field, after "->" */
	const char *value; /* the C expression */
	bool indexed;      /* rf_i is its place in the array */
};

static void bad_start(struct site *s, const char *how)
{
	buf_printf(s->b, "{ %s(rf_w, ", how);
	struct buf name = {0};
	buf_printf(&name, "->%s", s->path);
	gen_string(s->b, buf_str(&name));
	buf_release(&name);
	buf_printf(s->b, ", %s, ", s->indexed ? "rf_i" : "-1");
}

/* What a failing condition does: give up, or say so. */
static void on_fail(struct site *s, const char *how, const char *value, const char *expected)
{
	if (s->what == SCAN) {
		buf_str_add(s->b, "return 0;\n");
		return;
	}
	bad_start(s, how);
	buf_printf(s->b, "%s, ", value);
	gen_string(s->b, expected);
	buf_str_add(s->b, "); return; }\n");
}

static enum rc emit_node(struct site *s, const struct type_expr *t)
{
	long k = gen_instance(s->g, t);
	if (k < 0)
		return RC_INPUT;
	const struct regtype *r = t->reg;
	buf_printf(s->b,
		   "\tif (RF_IS_PTR(%s, %s)) {\n\t\tconst void *rf_c = 0;\n\t\t__builtin_memcpy(&rf_c, &(%s), "
		   "RF_IS_PTR(%s, %s) ? sizeof rf_c : 0);\n",
		   s->value, r->ctype, s->value, s->value, r->ctype);
	if (!r->nullable) {
		buf_str_add(s->b, "\t\tif (!rf_c)\n\t\t\t");
		on_fail(s, "rf_why_ptr", "rf_c", s->g->instances.at[k].text);
	}
	if (s->what == SCAN) {
		buf_printf(s->b,
			   "\t\tif (rf_c) {\n\t\t\trf_out->node = rf_c;\n\t\t\trf_out->type = "
			   "rf_T%ld.id;\n\t\t\trf_out++;\n\t\t}\n",
			   k);
		buf_printf(
			s->b,
			"\t} else {\n\t\trf_out = rf_scan%ld(&(%s), rf_out);\n\t\tif (!rf_out)\n\t\t\treturn 0;\n\t}\n",
			k, s->value);
		return RC_OK;
	}
	struct buf name = {0};
	buf_printf(&name, "->%s", s->path);
	buf_str_add(s->b, "\t\tif (rf_c)\n\t\t\trf_w->edge(rf_w, ");
	gen_string(s->b, buf_str(&name));
	buf_release(&name);
	buf_printf(s->b, ", %s, rf_c, rf_T%ld.id);\n\t} else {\n\t\trf_explain%ld(&(%s), rf_w);\n\t}\n",
		   s->indexed ? "rf_i" : "-1", k, k, s->value);
	return RC_OK;
}

static enum rc emit_condition(struct site *s, const struct type_expr *t)
{
	struct buf text = {0};
	switch (t->kind) {
	case TYPE_ANY:
	case TYPE_PARAM:
		buf_printf(s->b, "\t(void)sizeof(%s);\n", s->value);
		break;
	case TYPE_NULL:
	case TYPE_NONNULL:
		buf_printf(s->b, "\tif ((%s) %s 0)\n\t\t", s->value, t->kind == TYPE_NULL ? "!=" : "==");
		buf_printf(&text, "(const void *)(%s)", s->value);
		on_fail(s, "rf_why_ptr", buf_str(&text), t->kind == TYPE_NULL ? "NULL" : "not NULL");
		break;
	case TYPE_INT:
		/* "| 0" is refused by the compiler for anything but integers */
		buf_printf(s->b, "\t(void)sizeof((%s) | 0);\n", s->value);
		if (t->n_ranges) {
			buf_printf(s->b, "\t{\n\t\t__extension__ __int128 rf_v = (%s);\n\t\tif (!", s->value);
			gen_ranges_test(s->b, "rf_v", t->ranges, t->n_ranges);
			buf_str_add(s->b, ")\n\t\t\t");
			ranges_text(&text, t->ranges, t->n_ranges);
			on_fail(s, "rf_why_int", "(long long)rf_v", buf_str(&text));
			buf_str_add(s->b, "\t}\n");
		}
		break;
	case TYPE_PROP:
		buf_printf(s->b, "\tif (!%s(%s))\n\t\t", t->prop->name, s->value);
		buf_printf(&text, "%s to hold", t->prop->name);
		on_fail(s, "rf_w->bad", "\"\"", buf_str(&text));
		break;
	case TYPE_REG:
		return emit_node(s, t);
	}
	buf_release(&text);
	return RC_OK;
}

/* The field as C writes it, for an element rf_i when it is a part of an array. */
static void field_value(struct buf *b, const struct field *f)
{
	if (strcmp(f->path, "this") == 0)
		buf_str_add(b, "(*rf_x)");
	else
		buf_printf(b, "rf_x->%s%s", f->path, f->hi ? "[rf_i]" : "");
}

static enum rc emit_field(struct gen *g, const struct instance *in, const struct field *f, enum what what,
			  struct buf *b)
{
	struct buf value = {0};
	field_value(&value, f);
	struct type_expr *t = close_type(g, f->type, in->args);
	bool self = strcmp(f->path, "this") == 0;
	struct site s = {g, b, what, f->path, self ? "rf_x" : buf_str(&value), f->hi != NULL};
	if (f->hi) {
		buf_printf(b,
			   "\t_Static_assert(!__builtin_types_compatible_p(__typeof__(rf_x->%s), "
			   "__typeof__(&rf_x->%s[0])), \"%s is not an array\");\n",
			   f->path, f->path, f->path);
		buf_printf(b, "\tif ((long)(%s%s) >= (long)(sizeof rf_x->%s / sizeof rf_x->%s[0]))\n\t\t",
			   f->hi_is_field ? "rf_x->" : "", f->hi, f->path, f->path);
		struct site whole = s;
		struct buf bound = {0};
		buf_printf(&bound, "(long long)(%s%s)", f->hi_is_field ? "rf_x->" : "", f->hi);
		whole.indexed = false;
		whole.path = f->hi_is_field ? f->hi : f->path;
		on_fail(&whole, "rf_why_int", buf_str(&bound), "a number of elements that fits the array");
		buf_release(&bound);
		buf_printf(b, "\tfor (long rf_i = (%s); rf_i <= (long)(%s%s); rf_i++) {\n", f->lo,
			   f->hi_is_field ? "rf_x->" : "", f->hi);
	}
	enum rc rc = emit_condition(&s, t);
	if (f->hi)
		buf_str_add(b, "\t}\n");
	buf_release(&value);
	return rc;
}

/* ---- a type */

static enum rc emit_function(struct gen *g, size_t k, enum what what, struct buf *b)
{
	struct instance in = g->instances.at[k];
	const struct regtype *r = in.reg;
	const char *result = what == SCAN ? "rf_out" : "";
	if (what == SCAN)
		buf_printf(b,
			   "RF_CODE static struct rf_edge *rf_scan%zu(const void *rf_p, struct rf_edge *rf_out)\n{\n",
			   k);
	else
		buf_printf(b, "RF_CODE static void rf_explain%zu(const void *rf_p, struct rf_why *rf_w)\n{\n", k);
	buf_printf(b, "\tconst %s *rf_x = (const %s *)rf_p;\n\t(void)rf_x;\n", r->ctype, r->ctype);
	struct site s = {g, b, what, r->tag, NULL, false};
	struct buf all = {0};
	bool has_default = false;
	if (r->tag) {
		buf_printf(b, "\tswitch (rf_x->%s%s%s) {\n", r->tag, r->mask ? " & " : "", r->mask ? r->mask : "");
		VEC(struct int_range) tags = {0};
		for (size_t i = 0; i < r->n_arms; i++)
			for (size_t j = 0; j < r->arms[i].n_tags; j++)
				vec_push(&tags, r->arms[i].tags[j]);
		ranges_text(&all, tags.at, tags.n);
		vec_release(&tags);
	}
	enum rc rc = RC_OK;
	for (size_t i = 0; i < r->n_arms && rc == RC_OK; i++) {
		const struct arm *a = &r->arms[i];
		for (size_t j = 0; j < a->n_tags; j++)
			buf_printf(b, "\tcase %s%s%s:\n", a->tags[j].lo, a->tags[j].hi ? " ... " : "",
				   a->tags[j].hi ? a->tags[j].hi : "");
		if (r->tag && !a->n_tags) {
			buf_str_add(b, "\tdefault:\n");
			has_default = true;
		}
		if (r->tag)
			buf_str_add(b, "\t{\n");
		for (size_t j = 0; j < a->n_fields && rc == RC_OK; j++)
			rc = emit_field(g, &in, &a->fields[j], what, b);
		if (r->tag)
			buf_printf(b, "\treturn %s;\n\t}\n", result);
	}
	if (r->tag && !has_default) {
		struct buf v = {0};
		buf_printf(&v, "(long long)(rf_x->%s%s%s)", r->tag, r->mask ? " & " : "", r->mask ? r->mask : "");
		buf_str_add(b, "\tdefault:\n\t\t");
		on_fail(&s, "rf_why_int", buf_str(&v), buf_str(&all));
		buf_release(&v);
	}
	buf_printf(b, "%s\treturn %s;\n}\n", r->tag ? "\t}\n" : "", result);
	buf_release(&all);
	return rc;
}

static void emit_span(struct buf *b, const struct regtype *r, const char *path)
{
	if (strcmp(path, "this") == 0)
		buf_printf(b, "{0, sizeof(%s)}, ", r->ctype);
	else
		buf_printf(b, "{(unsigned)__builtin_offsetof(%s, %s), (unsigned)sizeof(((%s *)0)->%s)}, ", r->ctype,
			   path, r->ctype, path);
}

static bool is_full(struct gen *g, const struct instance *in)
{
	for (size_t i = 0; i < in->reg->n_arms; i++)
		for (size_t j = 0; j < in->reg->arms[i].n_fields; j++) {
			struct type_expr *t = close_type(g, in->reg->arms[i].fields[j].type, in->args);
			if (t->kind == TYPE_PROP && !t->prop->local)
				return true;
		}
	return false;
}

/* Spans, references and the bound on edges come from the same list of fields. */
static void emit_tables(struct gen *g, size_t k, struct buf *b)
{
	struct instance in = g->instances.at[k];
	const struct regtype *r = in.reg;
	struct buf refs = {0}, edges = {0};
	buf_printf(b, "static const struct rf_span rf_spans%zu[] = {", k);
	if (r->tag)
		emit_span(b, r, r->tag);
	for (size_t i = 0; i < r->n_arms; i++)
		for (size_t j = 0; j < r->arms[i].n_fields; j++) {
			const struct field *f = &r->arms[i].fields[j];
			struct type_expr *t = close_type(g, f->type, in.args);
			if (f->hi_is_field)
				emit_span(b, r, f->hi);
			if (t->kind != TYPE_ANY)
				emit_span(b, r, f->path);
			if (t->kind != TYPE_REG)
				continue;
			struct buf v = {0}, n = {0};
			buf_printf(&v, "((%s *)0)->%s%s", r->ctype, f->path, f->hi ? "[0]" : "");
			if (f->hi)
				buf_printf(&n, "(sizeof ((%s *)0)->%s / sizeof ((%s *)0)->%s[0])", r->ctype, f->path,
					   r->ctype, f->path);
			else
				buf_str_add(&n, "1");
			buf_printf(&edges, " + (RF_IS_PTR(%s, %s) ? %s : 0)", buf_str(&v), t->reg->ctype, buf_str(&n));
			buf_printf(&refs, "{&rf_T%ld, RF_IS_PTR(%s, %s) ? 0 : %s}, ", gen_instance(g, t), buf_str(&v),
				   t->reg->ctype, buf_str(&n));
			buf_release(&v);
			buf_release(&n);
		}
	buf_printf(b, "{0, 0}};\nstatic const struct rf_ref rf_refs%zu[] = {%s{0, 0}};\n", k, buf_str(&refs));
	buf_printf(b, "enum { rf_edges%zu = 0%s };\n", k, buf_str(&edges));
	buf_release(&refs);
	buf_release(&edges);
}

static void emit_descriptor(struct gen *g, size_t k, struct buf *b)
{
	struct instance in = g->instances.at[k];
	const struct regtype *r = in.reg;
	buf_printf(b, "static struct rf_type rf_T%zu = {", k);
	gen_string(b, in.text);
	buf_str_add(b, ", ");
	gen_string(b, r->ctype);
	buf_str_add(b, ", ");
	gen_string(b, r->source);
	buf_printf(b,
		   ", sizeof(%s), _Alignof(%s), %s%s%s0, sizeof rf_spans%zu / sizeof *rf_spans%zu, rf_edges%zu, "
		   "rf_spans%zu, rf_scan%zu, rf_explain%zu, rf_refs%zu, 0};\n",
		   r->ctype, r->ctype, r->nullable ? "RF_TYPE_NULL | " : "", r->shared ? "RF_TYPE_SHARED | " : "",
		   is_full(g, &in) ? "RF_TYPE_FULL | " : "", k, k, k, k, k, k, k);
	if (g->exported && !r->n_params)
		buf_printf(b, "struct rf_type *const rf_type_%s = &rf_T%zu;\n", r->name, k);
}

enum rc gen_types(struct gen *g, struct buf *out)
{
	struct buf body = {0};
	enum rc rc = RC_OK;
	/* emitting a function may append instances */
	for (size_t k = 0; k < g->instances.n && rc == RC_OK; k++) {
		rc = emit_function(g, k, SCAN, &body);
		if (rc == RC_OK)
			rc = emit_function(g, k, EXPLAIN, &body);
	}
	for (size_t k = 0; k < g->instances.n && rc == RC_OK; k++)
		emit_tables(g, k, &body);
	for (size_t k = 0; k < g->instances.n && rc == RC_OK; k++)
		emit_descriptor(g, k, &body);
	for (size_t k = 0; k < g->instances.n; k++)
		buf_printf(out,
			   "static struct rf_type rf_T%zu;\nRF_CODE static struct rf_edge *rf_scan%zu(const void *, "
			   "struct rf_edge *);\n"
			   "RF_CODE static void rf_explain%zu(const void *, struct rf_why *);\n",
			   k, k, k);
	buf_add(out, buf_str(&body), body.n);
	buf_str_add(out, "RF_CODE __attribute__((constructor)) static void rf_register_types(void)\n{\n");
	for (size_t k = 0; k < g->instances.n; k++)
		buf_printf(out, "\trf_type_register(&rf_T%zu);\n", k);
	buf_str_add(out, "}\n");
	buf_release(&body);
	return rc;
}

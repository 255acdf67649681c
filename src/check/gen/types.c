/* SPDX-License-Identifier: MIT */
/* Checkers of regular types. Each instance becomes a scan function (the node's own conditions as straight code, its
 * edges appended to the caller's array), an explain function that does the same with names, a list of the bytes
 * that are read, and a descriptor. The fields are in fields.c, what depends on other nodes in after.c. */
#include "check/gen/gen.h"
#include "check/gen/named.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INSTANCES = 500 };

void gen_init(struct gen *g, struct annot_set *set, struct err *e)
{
	*g = (struct gen){.set = set, .e = e};
}

void gen_release(struct gen *g)
{
	for (size_t i = 0; i < g->instances.n; i++) {
		buf_release(&g->instances.at[i].notes->flags);
		buf_release(&g->instances.at[i].notes->spans);
		buf_release(&g->instances.at[i].notes->read);
	}
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

/* Marks for the last step (contracts.c), which writes line directives. */
void gen_at(struct buf *b, struct place at)
{
	buf_printf(b, "\001%ld %s\001", at.line, at.file);
}

void gen_nowhere(struct buf *b)
{
	buf_str_add(b, "\001\001");
}

enum cmember gen_member(const struct gen *g, const char *ctype, const char *path)
{
	const char *last = strrchr(path, '.');
	enum cmember m = MEMBER_UNKNOWN;
	for (size_t i = 0; i < g->n_files && m == MEMBER_UNKNOWN; i++)
		m = csource_member(&g->files[i], ctype, last ? last + 1 : path);
	return m;
}

/* ---- instances */

static void type_text(struct buf *b, const struct type_expr *t)
{
	buf_printf(b, "%s%s", t->optional ? "null | " : "", t->name);
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

struct type_expr *gen_close(struct gen *g, struct type_expr *t, struct type_expr *const *args)
{
	if (t->kind == TYPE_PARAM)
		return args[t->param];
	if (!t->n_args)
		return t;
	struct type_expr *c = arena_dup(&g->set->arena, t, sizeof *t);
	c->args = arena_array(&g->set->arena, struct type_expr *, t->n_args);
	for (size_t i = 0; i < t->n_args; i++)
		c->args[i] = gen_close(g, t->args[i], args);
	return c;
}

long gen_instance(struct gen *g, const struct type_expr *t)
{
	struct buf b = {0};
	struct type_expr plain = *t; /* whether NULL is allowed is said where the type is used */
	plain.optional = false;
	type_text(&b, &plain);
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
	if (t->reg->unsure) {
		buf_release(&b);
		annot_unsure(g->e, t->reg, t->reg->unsure);
		return -1;
	}
	vec_push(&g->instances, ((struct instance){t->reg, t->args, arena_strndup(&g->set->arena, b.at, b.n),
						   arena_new(&g->set->arena, struct instance_notes)}));
	buf_release(&b);
	return (long)g->instances.n - 1;
}

/* ---- a type */

static void emit_head(struct buf *b, const struct regtype *r, size_t k, enum what what)
{
	if (what == SCAN)
		buf_printf(b,
			   "RF_CODE static struct rf_edge *rf_scan%zu(const void *rf_p, struct rf_edge *rf_out)\n{\n",
			   k);
	else if (what == EXPLAIN)
		buf_printf(b, "RF_CODE static void rf_explain%zu(const void *rf_p, struct rf_why *rf_w)\n{\n", k);
	else
		buf_printf(b,
			   "RF_CODE static unsigned long rf_count%zu(const void *rf_p)\n{\n\tunsigned long rf_n = 0;\n",
			   k);
	buf_printf(b, "\tconst %s *rf_x = (const %s *)rf_p;\n\t(void)rf_x;\n", r->ctype, r->ctype);
}

static void tag_text(struct buf *b, const struct regtype *r)
{
	buf_printf(b, "rf_x->%s%s%s", r->tag, r->mask ? " & " : "", r->mask ? r->mask : "");
}

/* The node's tag is none of the cases. */
static void emit_no_case(struct buf *b, const struct regtype *r, enum what what)
{
	struct buf all = {0}, v = {0};
	VEC(struct int_range) tags = {0};
	for (size_t i = 0; i < r->n_arms; i++)
		for (size_t j = 0; j < r->arms[i].n_tags; j++)
			vec_push(&tags, r->arms[i].tags[j]);
	gen_ranges_text(&all, tags.at, tags.n, true);
	vec_release(&tags);
	buf_str_add(b, "\tdefault:\n\t\t");
	if (what == EXPLAIN) {
		tag_text(&v, r);
		buf_printf(b, "rf_why_int(rf_w, \"->%s\", -1, (long long)(%s), ", r->tag, buf_str(&v));
		gen_string(b, buf_str(&all));
		buf_str_add(b, "); return;\n");
	} else {
		buf_str_add(b, what == SCAN ? "return 0;\n" : "return rf_n;\n");
	}
	buf_release(&all);
	buf_release(&v);
}

/* Is the test of a value of this type a few comparisons? */
static bool is_plain(const struct type_expr *t)
{
	for (size_t i = 0; i < t->n_ranges; i++)
		if (t->ranges[i].lo_expr || t->ranges[i].hi_expr)
			return false;
	return t->kind == TYPE_ANY || t->kind == TYPE_REG || t->kind == TYPE_INT || t->kind == TYPE_NULL ||
	       t->kind == TYPE_NONNULL;
}

/* A bound that is read without calling anything: numbers, fields of the node, sums and differences. */
static bool is_plain_bound(const struct expr *x)
{
	if (x->kind == E_BINARY)
		return (strcmp(x->op, "+") == 0 || strcmp(x->op, "-") == 0) && is_plain_bound(x->kid[0]) &&
		       is_plain_bound(x->kid[1]);
	return x->kind == E_NUMBER || (x->kind == E_PATH && !gen_reads_others(x));
}

/* May the scan functions be called between any two instructions of the program? Then they leave vector registers alone.
 * Not if one of them calls a function of the user's or calculates with fields. Relations to other nodes are no part of
 * them. */
static bool is_general(struct gen *g)
{
	for (size_t k = 0; k < g->instances.n; k++)
		for (size_t i = 0; i < g->instances.at[k].reg->n_arms; i++)
			for (size_t j = 0; j < g->instances.at[k].reg->arms[i].n_fields; j++) {
				struct instance in = g->instances.at[k];
				const struct field *f = &in.reg->arms[i].fields[j];
				if (f->kind == FIELD_RELATION && gen_reads_others(f->relation))
					continue;
				bool array = f->kind == FIELD_ARRAY && is_plain_bound(f->lo) && is_plain_bound(f->hi);
				if ((f->kind != FIELD_PLAIN && !array) || !f->type ||
				    !is_plain(gen_close(g, f->type, in.args)))
					return false;
			}
	return true;
}

static enum rc emit_function(struct gen *g, size_t k, enum what what, struct buf *b)
{
	struct instance in = g->instances.at[k];
	const struct regtype *r = in.reg;
	const char *result = what == SCAN ? "rf_out" : what == COUNT ? "rf_n" : "";
	bool has_default = false;
	gen_at(b, r->at);
	emit_head(b, r, k, what);
	if (r->tag) {
		gen_at(b, r->tag_at);
		buf_str_add(b, "\tswitch (");
		tag_text(b, r);
		buf_str_add(b, ") {\n");
	}
	enum rc rc = RC_OK;
	for (size_t i = 0; i < r->n_arms && rc == RC_OK; i++) {
		const struct arm *a = &r->arms[i];
		if (r->tag)
			gen_at(b, a->at);
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
			rc = gen_field(g, &in, a, &a->fields[j], what, b);
		if (r->tag)
			buf_printf(b, "\treturn %s;\n\t}\n", result);
	}
	if (r->tag && !has_default)
		emit_no_case(b, r, what);
	buf_printf(b, "%s\treturn %s;\n}\n", r->tag ? "\t}\n" : "", result);
	gen_nowhere(b);
	return rc;
}

/* Spans, references and the bound on edges come from the same list of fields. */
static enum rc emit_tables(struct gen *g, size_t k, struct buf *b)
{
	struct instance in = g->instances.at[k];
	const struct regtype *r = in.reg;
	struct buf refs = {0}, edges = {0}, spans = {0};
	enum rc rc = RC_OK;
	if (r->tag)
		gen_span(g, r, r->tag, true, &spans);
	for (size_t i = 0; i < r->n_arms && rc == RC_OK; i++)
		for (size_t j = 0; j < r->arms[i].n_fields && rc == RC_OK; j++)
			rc = gen_field_tables(g, &in, &r->arms[i].fields[j], &spans, &refs, &edges);
	for (const struct measure *m = g->set->measures; m; m = m->next)
		if (m->reg == r)
			gen_expr_spans(g, r, m->value, &spans);
	gen_at(b, r->at);
	buf_printf(b, "static const struct rf_span rf_spans%zu[] = {%s%s{0, 0, 0}};\n", k, buf_str(&spans),
		   buf_str(&in.notes->spans));
	buf_printf(b, "static const struct rf_ref rf_refs%zu[] = {%s{0, 0}};\n", k, buf_str(&refs));
	buf_printf(b, "enum { rf_edges%zu = 0%s };\n", k, buf_str(&edges));
	gen_nowhere(b);
	buf_release(&refs);
	buf_release(&edges);
	buf_release(&spans);
	return rc;
}

/* Measures, and the fields that nodes above read, are part of what the type is: files that disagree about them have
 * different types. */
static void emit_source(struct gen *g, const struct instance *in, struct buf *b)
{
	struct buf s = {0};
	buf_str_add(&s, in->reg->source);
	for (const struct measure *m = g->set->measures; m; m = m->next)
		if (m->reg == in->reg)
			buf_printf(&s, " ; %s", m->text);
	if (in->notes->read.n)
		buf_printf(&s, " ; read: %s", buf_str(&in->notes->read));
	gen_string(b, buf_str(&s));
	buf_release(&s);
}

/* What its names stand for; they are filled in before the type is registered. */
static void emit_values(struct gen *g, size_t k, struct buf *b, struct buf *fill)
{
	struct strings names = {0};
	gen_named(g, &g->instances.at[k], &names);
	buf_printf(b, "static unsigned long rf_values%zu[%zu];\n", k, names.n + 1);
	for (size_t i = 0; i < names.n; i++)
		buf_printf(fill,
			   "\t{\n\t\t__auto_type rf_v = %s;\n\t\t__builtin_memcpy(&rf_values%zu[%zu], &rf_v, sizeof "
			   "rf_v < 8 ? "
			   "sizeof rf_v : 8);\n\t}\n",
			   names.at[i], k, i);
	vec_release(&names);
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
	emit_source(g, &in, b);
	buf_printf(b,
		   ", sizeof(%s), _Alignof(%s), %s%s%s%s%s0, sizeof rf_spans%zu / sizeof *rf_spans%zu, rf_edges%zu, "
		   "rf_spans%zu, rf_scan%zu, rf_explain%zu, rf_refs%zu, 0, ",
		   r->ctype, r->ctype, r->nullable ? "RF_TYPE_NULL | " : "", r->shared ? "RF_TYPE_SHARED | " : "",
		   r->ring ? "RF_TYPE_RING | RF_TYPE_FULL | " : "", is_general(g) ? "RF_TYPE_GENERAL | " : "",
		   buf_str(&in.notes->flags), k, k, k, k, k, k, k);
	if (in.notes->dynamic)
		buf_printf(b, "rf_count%zu, ", k);
	else
		buf_str_add(b, "0, ");
	if (in.notes->after)
		buf_printf(b, "rf_after%zu, ", k);
	else
		buf_str_add(b, "0, ");
	buf_printf(b, "%zu, sizeof rf_values%zu / sizeof *rf_values%zu - 1, rf_values%zu};\n", gen_measures(g, r), k, k,
		   k);
	if (g->exported && !r->n_params)
		buf_printf(b, "%sstruct rf_type *const rf_type_%s = &rf_T%zu;\n",
			   g->weak ? "extern __attribute__((weak)) " : "", r->name, k);
}

void gen_spread(struct gen *g, bool (*learn)(struct instance *in, const struct field *f, const struct instance *to))
{
	for (bool more = true; more;) {
		more = false;
		for (size_t k = 0; k < g->instances.n; k++) {
			struct instance in = g->instances.at[k];
			for (size_t i = 0; i < in.reg->n_arms; i++)
				for (size_t j = 0; j < in.reg->arms[i].n_fields; j++) {
					const struct field *f = &in.reg->arms[i].fields[j];
					struct type_expr *t = f->type ? gen_close(g, f->type, in.args) : NULL;
					if (t && t->kind == TYPE_REG)
						more |= learn(&in, f, &g->instances.at[gen_instance(g, t)]);
				}
		}
	}
}

/* May the number of its edges be unbounded? Then it is counted before each scan. */
static bool is_dynamic(struct instance *in, const struct field *f, const struct instance *to)
{
	bool unbounded = f->kind == FIELD_RING || f->kind == FIELD_ARRAY || to->notes->dynamic;
	return !in->notes->dynamic && unbounded && (in->notes->dynamic = true);
}

static void declare(struct buf *out, size_t k, bool general)
{
	buf_printf(out,
		   "static struct rf_type rf_T%zu;\nRF_CODE %sstatic struct rf_edge *rf_scan%zu(const void *, "
		   "struct rf_edge *);\nRF_CODE static void rf_explain%zu(const void *, struct rf_why *);\n"
		   "RF_CODE static unsigned long rf_count%zu(const void *);\nRF_CODE static int rf_after%zu(const "
		   "void *, struct rf_below *, rf_number *, struct rf_why *);\n",
		   k, general ? "__attribute__((target(\"general-regs-only\"))) " : "", k, k, k, k);
}

enum rc gen_types(struct gen *g, struct buf *out)
{
	struct buf body = {0}, fill = {0};
	enum rc rc = RC_OK;
	/* emitting a function may append instances */
	for (size_t k = 0; k < g->instances.n && rc == RC_OK; k++) {
		rc = emit_function(g, k, SCAN, &body);
		if (rc == RC_OK)
			rc = emit_function(g, k, EXPLAIN, &body);
		if (rc == RC_OK)
			rc = emit_function(g, k, COUNT, &body);
		if (rc == RC_OK)
			rc = gen_after(g, k, &body);
	}
	if (rc == RC_OK) {
		gen_spread(g, is_dynamic);
		gen_after_notes(g);
	}
	for (size_t k = 0; k < g->instances.n && rc == RC_OK; k++)
		rc = emit_tables(g, k, &body);
	for (size_t k = 0; k < g->instances.n && rc == RC_OK; k++) {
		emit_values(g, k, &body, &fill);
		emit_descriptor(g, k, &body);
	}
	bool general = is_general(g);
	for (size_t k = 0; k < g->instances.n; k++)
		declare(out, k, general);
	buf_add(out, buf_str(&body), body.n);
	buf_str_add(out, "RF_CODE __attribute__((constructor)) static void rf_register_types(void)\n{\n");
	buf_add(out, buf_str(&fill), fill.n);
	for (size_t k = 0; k < g->instances.n; k++)
		buf_printf(out, "\trf_type_register(&rf_T%zu);\n", k);
	buf_str_add(out, "}\n");
	buf_release(&fill);
	buf_release(&body);
	return rc;
}

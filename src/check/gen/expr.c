/* SPDX-License-Identifier: MIT */
/* Expressions as C. Integers and pointers become rf_number (128 bits), so that comparisons are those of mathematics
 * whatever the C types are; floating-point values stay what they are. A division by zero and a measure that
 * cannot be computed set rf_bad. */
#include "check/gen/gen.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

#define INFINITE "((rf_number)1 << 100)"

void gen_scope_release(struct gen_scope *s)
{
	buf_release(&s->present);
	buf_release(&s->valid);
}

/* A C expression as a number. It is written several times: it must be short and without effects. */
static void number(struct buf *b, const char *v)
{
	buf_printf(b,
		   "__builtin_choose_expr(__builtin_classify_type(%s) == 8, (%s), "
		   "__builtin_choose_expr(__builtin_classify_type(%s) == 5, (rf_number)(unsigned long)(%s), "
		   "(rf_number)(%s)))",
		   v, v, v, v, v);
}

/* The field path of a term of a regular type: without "this." */
static const char *field_of(const struct gen *g, const struct term *t)
{
	struct buf b = {0};
	if (strcmp(t->base, "this") == 0)
		buf_str_add(&b, t->path + (*t->path == '-' ? 2 : *t->path == '.'));
	else
		buf_printf(&b, "%s%s", t->base, t->path);
	const char *s = arena_strndup(&g->set->arena, b.at ? b.at : "", b.n);
	buf_release(&b);
	return s;
}

static void and_add(struct buf *b, const char *text)
{
	if (b->n && strstr(buf_str(b), text))
		return;
	buf_printf(b, "%s%s", b->n ? " && " : "", text);
}

/* The field of the arm (of any arm) with this path and kind that leads to other nodes. */
static const struct field *edge_field(const struct gen_scope *s, const char *path, size_t n, enum field_kind kind)
{
	const struct regtype *r = s->in->reg;
	for (size_t i = 0; i < r->n_arms; i++) {
		if (s->arm && s->arm != &r->arms[i])
			continue;
		for (size_t j = 0; j < r->arms[i].n_fields; j++) {
			const struct field *f = &r->arms[i].fields[j];
			if (f->kind == kind && strlen(f->path) == n && strncmp(f->path, path, n) == 0 &&
			    gen_close(s->g, f->type, s->in->args)->kind == TYPE_REG)
				return f;
		}
	}
	return NULL;
}

/* The nodes of this instance are read by the node above: the field is watched, and a change is passed on. */
static void note_read(struct gen *g, long k, const char *path)
{
	struct instance *in = &g->instances.at[k];
	struct buf one = {0};
	buf_printf(&one, "%s;", path);
	if (!strstr(buf_str(&in->notes->read), buf_str(&one))) {
		buf_add(&in->notes->read, one.at, one.n);
		gen_span(g, in->reg, path, true, &in->notes->spans);
		if (!in->notes->flags.n || !strstr(buf_str(&in->notes->flags), "RF_TYPE_TRACKED"))
			buf_str_add(&in->notes->flags, "RF_TYPE_TRACKED | ");
	}
	buf_release(&one);
}

/* left->key: over an edge of this node the field is read as it is and watched there; any other way is looked at
 * each time, with the pointers on it tested. */
static enum rc follow(struct gen_scope *s, const char *path)
{
	const char *arrow = strstr(path, "->");
	const struct field *f = edge_field(s, path, (size_t)(arrow - path), FIELD_PLAIN);
	bool one_step = strstr(arrow + 2, "->") == NULL;
	struct buf p = {0};
	if (f && one_step) {
		long k = gen_instance(s->g, gen_close(s->g, f->type, s->in->args));
		if (k < 0)
			return RC_INPUT;
		note_read(s->g, k, arrow + 2);
		buf_printf(&p, "(rf_x->%.*s)", (int)(arrow - path), path);
		and_add(&s->present, buf_str(&p));
		buf_release(&p);
		return RC_OK;
	}
	struct buf *flags = &s->in->notes->flags;
	if (!flags->n || !strstr(buf_str(flags), "RF_TYPE_FULL"))
		buf_str_add(flags, "RF_TYPE_FULL | ");
	/* each pointer is read only after the one before was found good */
	struct buf chain = {0};
	unsigned depth = 0;
	for (; arrow; arrow = strstr(arrow + 2, "->"), depth++) {
		buf_printf(&p, "(rf_x->%.*s)", (int)(arrow - path), path);
		and_add(&s->present, buf_str(&p));
		buf_printf(&chain, "%s(!%s || (rf_memory((const void *)%s, sizeof *%s)", depth ? " && " : "",
			   buf_str(&p), buf_str(&p), buf_str(&p));
		buf_clear(&p);
	}
	while (depth--)
		buf_str_add(&chain, "))");
	and_add(&s->valid, buf_str(&chain));
	buf_release(&chain);
	buf_release(&p);
	return RC_OK;
}

static enum rc path_text(struct gen_scope *s, const struct expr *x, struct buf *out)
{
	struct buf v = {0};
	enum rc rc = RC_OK;
	if (x->constant) {
		buf_printf(&v, "(%s)", x->term.base);
		if (s->in) /* a variable would change without being watched; functions and arrays stay where they are */
			buf_printf(out,
				   "__extension__({ _Static_assert(__builtin_constant_p(%s) || "
				   "(__builtin_classify_type(%s) == 5 && !__builtin_types_compatible_p(__typeof__(%s), "
				   "__typeof__(%s + 0))), \"not a constant\"); ",
				   buf_str(&v), buf_str(&v), buf_str(&v), buf_str(&v));
	} else if (!s->in) {
		rc = s->term(s->arg, x, &v, &s->valid);
	} else if (strcmp(x->term.base, "this") == 0 && !*x->term.path) {
		buf_str_add(&v, "((const void *)rf_x)");
	} else {
		const char *path = field_of(s->g, &x->term);
		if (strstr(path, "->"))
			rc = follow(s, path);
		buf_printf(&v, "rf_x->%s", path);
	}
	if (rc == RC_OK)
		number(out, buf_str(&v));
	if (rc == RC_OK && x->constant && s->in)
		buf_str_add(out, "; })");
	buf_release(&v);
	return rc;
}

static const struct measure *find_measure(const struct gen *g, const char *name, const struct regtype *r)
{
	for (const struct measure *m = g->set->measures; m; m = m->next)
		if (strcmp(m->name, name) == 0 && m->reg == r)
			return m;
	return NULL;
}

/* The measure of the node that C pointer rf_c leads to, into rf_v. */
static enum rc measure_lookup(struct gen_scope *s, const struct measure *m, long k, struct buf *out)
{
	buf_str_add(out, "rf_number rf_v = ");
	if (!m->null_value)
		buf_str_add(out, "0");
	else if (gen_expr(&(struct gen_scope){.g = s->g, .in = s->in}, m->null_value, out) != RC_OK)
		return RC_INPUT;
	buf_printf(out,
		   "; if (rf_c) { const rf_number *rf_m = rf_below(rf_b, rf_c, rf_T%ld.id); if (rf_m) rf_v = rf_m[%u]; "
		   "else rf_bad = 1; } ",
		   k, m->index);
	return RC_OK;
}

/* size(left), and over the elements of an array sum(size(kid)), min(…), max(…). */
static enum rc measure_text(struct gen_scope *s, const struct expr *x, const char *over, struct buf *out)
{
	if (!s->in)
		return s->term(s->arg, x, out, &s->valid);
	if (strcmp(x->term.base, "this") == 0 && !*x->term.path) {
		const struct measure *own = find_measure(s->g, x->op, s->in->reg);
		if (!own || !s->arm)
			return annot_fail(s->g->e, x->at, "'%s' is not a measure of '%s' that can be used here", x->op,
					  s->in->reg->name);
		buf_printf(out, "rf_out[%u]", own->index);
		return RC_OK;
	}
	const char *path = field_of(s->g, &x->term);
	const struct field *f = edge_field(s, path, strlen(path), over ? FIELD_ARRAY : FIELD_PLAIN);
	if (!f)
		return annot_fail(s->g->e, x->at, "'%s' is not %s of a regular type here", path,
				  over ? "an array" : "a field");
	const struct type_expr *t = gen_close(s->g, f->type, s->in->args);
	const struct measure *m = find_measure(s->g, x->op, t->reg);
	if (!m)
		return annot_fail(s->g->e, x->at, "'%s' is not a measure of '%s'", x->op, t->reg->name);
	long k = gen_instance(s->g, t);
	if (k < 0)
		return RC_INPUT;
	struct buf v = {0}, outside = {0};
	buf_printf(&v, "rf_x->%s%s", path, over ? "[rf_i]" : "");
	if (over)
		gen_outside(s->g, s->in->reg, f, "rf_x", &outside);
	else
		buf_str_add(&outside, "0");
	enum rc rc = RC_OK;
	if (over) {
		bool sum = strcmp(over, "sum") == 0;
		buf_printf(out, "__extension__({ rf_number rf_s = %s; for (long rf_i = (long)(",
			   sum                        ? "0"
			   : strcmp(over, "min") == 0 ? INFINITE
						      : "-" INFINITE);
		rc = gen_expr(s, f->lo, out);
		buf_printf(out, "); rf_i %s (long)(", f->exclusive ? "<" : "<=");
		if (rc == RC_OK)
			rc = gen_expr(s, f->hi, out);
		buf_str_add(out, "); rf_i++) { ");
	} else {
		buf_str_add(out, "__extension__({ ");
	}
	buf_printf(out,
		   "_Static_assert(RF_IS_PTR(%s, %s) || (%s), \"a measure needs a pointer to a node\"); const void "
		   "*rf_c = 0; __builtin_memcpy(&rf_c, &(%s), RF_IS_PTR(%s, %s) ? sizeof rf_c : 0); "
		   "if (!RF_IS_PTR(%s, %s)) rf_c = &(%s); ",
		   buf_str(&v), t->reg->ctype, buf_str(&outside), buf_str(&v), buf_str(&v), t->reg->ctype, buf_str(&v),
		   t->reg->ctype, buf_str(&v));
	if (rc == RC_OK)
		rc = measure_lookup(s, m, k, out);
	if (!over)
		buf_str_add(out, "rf_v; })");
	else if (strcmp(over, "sum") == 0)
		buf_str_add(out, "rf_s += rf_v; } rf_s; })");
	else
		buf_printf(out, "if (rf_v %c rf_s) rf_s = rf_v; } rf_s; })", strcmp(over, "min") == 0 ? '<' : '>');
	buf_release(&v);
	buf_release(&outside);
	return rc;
}

/* Two operands in variables, so that each is written and evaluated once. */
static enum rc two(struct gen_scope *s, const struct expr *x, const char *result, struct buf *out)
{
	buf_str_add(out, "__extension__({ __auto_type rf_m = ");
	if (gen_expr(s, x->kid[0], out) != RC_OK)
		return RC_INPUT;
	buf_str_add(out, "; __auto_type rf_n = ");
	if (gen_expr(s, x->kid[1], out) != RC_OK)
		return RC_INPUT;
	buf_printf(out, "; %s; })", result);
	return RC_OK;
}

static enum rc binary_text(struct gen_scope *s, const struct expr *x, struct buf *out)
{
	static const struct {
		const char *op, *result;
	} rows[] = {
		{"*", "__builtin_choose_expr(__builtin_classify_type(rf_m) == 8 || __builtin_classify_type(rf_n) == 8, "
		      "rf_m * rf_n, rf_multiply((rf_number)rf_m, (rf_number)rf_n))"},
		{"/", "rf_n == 0 ? (rf_bad = 1, rf_m) : rf_m / rf_n"},
		{"%", "rf_n == 0 ? (rf_bad = 1, rf_m) : rf_m % rf_n"},
		/* times or divided by a power of two; `&` makes the compiler refuse all but integers */
		{"<<", "(void)(rf_m & rf_n); rf_n < 0 || rf_n > 100 ? (rf_bad = 1, (rf_number)0) "
		       ": rf_multiply((rf_number)rf_m, (rf_number)1 << (int)rf_n)"},
		{">>", "(void)(rf_m & rf_n); rf_n < 0 || rf_n > 100 ? (rf_bad = 1, (rf_number)0) "
		       ": (rf_number)rf_m >> (int)rf_n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(x->op, rows[i].op) == 0)
			return two(s, x, rows[i].result, out);
	buf_char(out, '(');
	if (gen_expr(s, x->kid[0], out) != RC_OK)
		return RC_INPUT;
	buf_printf(out, " %s ", x->op);
	if (gen_expr(s, x->kid[1], out) != RC_OK)
		return RC_INPUT;
	buf_char(out, ')');
	return RC_OK;
}

static enum rc call_text(struct gen_scope *s, const struct expr *x, struct buf *out)
{
	if (strcmp(x->op, "abs") == 0 && !x->kid[1]) {
		buf_str_add(out, "__extension__({ __auto_type rf_m = ");
		enum rc rc = gen_expr(s, x->kid[0], out);
		buf_str_add(out, "; rf_m < 0 ? -rf_m : rf_m; })");
		return rc;
	}
	if (x->kid[1] && strcmp(x->op, "sum") != 0 && strcmp(x->op, "abs") != 0)
		return two(s, x, strcmp(x->op, "min") == 0 ? "rf_m < rf_n ? rf_m : rf_n" : "rf_m > rf_n ? rf_m : rf_n",
			   out);
	if (!x->kid[1] && x->kid[0]->kind == E_MEASURE && s->in)
		return measure_text(s, x->kid[0], x->op, out);
	return annot_fail(s->g->e, x->at, "'%s' takes two values, or one measure of the elements of an array", x->op);
}

enum rc gen_expr(struct gen_scope *s, const struct expr *x, struct buf *out)
{
	enum rc rc = RC_OK;
	switch (x->kind) {
	case E_NUMBER: {
		if (strcmp(x->op, "inf") == 0) {
			buf_str_add(out, INFINITE);
			return RC_OK;
		}
		bool hex = strncmp(x->op, "0x", 2) == 0 || strncmp(x->op, "0X", 2) == 0;
		buf_printf(out, !hex && x->op[0] != '\'' && strpbrk(x->op, ".eE") ? "(%s)" : "((rf_number)(%s))",
			   x->op);
		return RC_OK;
	}
	case E_PATH:
		return path_text(s, x, out);
	case E_MEASURE:
		return measure_text(s, x, NULL, out);
	case E_OLD:
		return s->term(s->arg, x, out, &s->valid);
	case E_UNARY:
		buf_printf(out, "(%s", x->op);
		rc = gen_expr(s, x->kid[0], out);
		buf_char(out, ')');
		return rc;
	case E_BINARY:
		return binary_text(s, x, out);
	case E_CALL:
		return call_text(s, x, out);
	case E_COND:
		for (size_t i = 0; i < 3 && rc == RC_OK; i++) {
			buf_str_add(out, i == 0 ? "(" : i == 1 ? " ? " : " : ");
			rc = gen_expr(s, x->kid[i], out);
		}
		buf_char(out, ')');
	}
	return rc;
}

/* number: it is none of the node's edges. A member that is no arithmetic type may still be one. */
void gen_span(const struct gen *g, const struct regtype *r, const char *path, bool number, struct buf *out)
{
	const char *last = strrchr(path, '.');
	bool bits = false;
	for (size_t i = 0; i < g->n_files && !bits; i++)
		bits = csource_has_bits(&g->files[i], last ? last + 1 : path);
	if (bits || strcmp(path, "this") == 0)
		buf_printf(out, "{0, sizeof(%s), 0}, ", r->ctype);
	else if (gen_member(g, r->ctype, path) == MEMBER_FLEXIBLE)
		return; /* its elements are outside the node */
	else
		buf_printf(out,
			   "{(unsigned)__builtin_offsetof(%s, %s), (unsigned)sizeof(((%s *)0)->%s), "
			   "%d && (__builtin_classify_type(((%s *)0)->%s) == 1 || "
			   "__builtin_classify_type(((%s *)0)->%s) == 8)}, ",
			   r->ctype, path, r->ctype, path, number, r->ctype, path, r->ctype, path);
}

void gen_expr_spans(const struct gen *g, const struct regtype *r, const struct expr *x, struct buf *out)
{
	for (size_t i = 0; i < 3; i++)
		if (x->kid[i])
			gen_expr_spans(g, r, x->kid[i], out);
	bool self = strcmp(x->term.base ? x->term.base : "", "this") == 0 && !*x->term.path;
	if (x->kind != E_PATH || x->constant || self)
		return;
	const char *path = field_of(g, &x->term), *arrow = strstr(path, "->");
	gen_span(g, r, arrow ? arena_strndup(&g->set->arena, path, (size_t)(arrow - path)) : path, true, out);
}

bool gen_reads_others(const struct expr *x)
{
	if (x->kind == E_MEASURE)
		return true;
	if (x->kind == E_PATH && !x->constant) {
		const char *p = x->term.path;
		p += strcmp(x->term.base, "this") == 0 && *p == '-' ? 2 : 0;
		return strstr(p, "->") != NULL;
	}
	for (size_t i = 0; i < 3; i++)
		if (x->kid[i] && gen_reads_others(x->kid[i]))
			return true;
	return false;
}

/* ---- ranges */

static enum rc bound(struct gen_scope *s, struct buf *b, const char *text, const struct expr *x)
{
	if (x)
		return gen_expr(s, x, b);
	buf_printf(b, "(%s)", text);
	return RC_OK;
}

enum rc gen_ranges_test(struct gen_scope *s, struct buf *b, const char *v, const struct int_range *r, size_t n)
{
	buf_char(b, '(');
	for (size_t i = 0; i < n; i++) {
		enum rc rc = RC_OK;
		buf_str_add(b, i ? " || (" : "(");
		if (!r[i].hi || *r[i].lo) {
			buf_printf(b, "%s %s ", v, r[i].hi ? ">=" : "==");
			rc = bound(s, b, r[i].lo, r[i].lo_expr);
		}
		if (rc == RC_OK && r[i].hi && *r[i].hi) {
			buf_printf(b, "%s%s <= ", *r[i].lo ? " && " : "", v);
			rc = bound(s, b, r[i].hi, r[i].hi_expr);
		}
		if (rc != RC_OK)
			return rc;
		buf_char(b, ')');
	}
	buf_char(b, ')');
	return RC_OK;
}

/* 0..1 is printed as "0 or 1". */
static bool two_values(const struct int_range *r)
{
	char *end;
	if (!r->hi || !*r->hi || !*r->lo)
		return false;
	long lo = strtol(r->lo, &end, 10);
	if (*end)
		return false;
	long hi = strtol(r->hi, &end, 10);
	return !*end && hi == lo + 1;
}

void gen_ranges_text(struct buf *b, const struct int_range *r, size_t n, bool integers)
{
	for (size_t i = 0; i < n; i++) {
		buf_str_add(b, i == 0 ? "" : i + 1 == n ? " or " : ", ");
		if (r[i].hi && !*r[i].hi)
			buf_printf(b, "at least %s", r[i].lo);
		else if (r[i].hi && !*r[i].lo)
			buf_printf(b, "at most %s", r[i].hi);
		else if (r[i].hi)
			buf_printf(b, integers && n == 1 && two_values(&r[i]) ? "%s or %s" : "%s..%s", r[i].lo,
				   r[i].hi);
		else
			buf_str_add(b, r[i].lo);
	}
}

/* SPDX-License-Identifier: MIT */
/* Wrappers, after the transformation of the paper's Example 1: all predicates of one function together. Every literal
 * of the preconditions is evaluated once, before the call; equal preconditions share one status; the calls condition is
 * that one of them holds. After the call a postcondition is evaluated only where its own precondition held, again each
 * literal once; nothing known of memory before the call is used. Conditions that are trivially true give no code. */
#include "check/gen/gen.h"

#include <stdio.h>
#include <string.h>

struct old {
	struct buf guard, value;
};

struct status {
	const struct literal *lit;
	struct buf guard; /* pointers on the way are readable; empty: none */
	struct buf value; /* the term as C; of a comparison its left side */
	struct buf right; /* of a comparison */
	struct buf test;
	struct buf need; /* postconditions: when it has to be evaluated; empty: always */
};

struct wrapper {
	struct gen *g;
	const char *function;      /* as annotated */
	const char *real;          /* what the wrapper calls */
	const struct cfunction *f; /* its declaration */
	const char *const *args;   /* names in the predicate under work */
	size_t n_args;
	VEC(struct status) pre, post;
	VEC(struct old) olds; /* values from before the call */
};

static bool trivial(const struct formula *f)
{
	if (!f)
		return true;
	if (f->kind == F_LITERAL)
		return f->literal->kind == LIT_TRUE ||
		       (f->literal->kind == LIT_TYPE && f->literal->type->kind == TYPE_ANY);
	bool all = true, any = false;
	for (size_t i = 0; i < f->n_kids; i++) {
		bool t = trivial(f->kids[i]);
		all &= t;
		any |= t;
	}
	return f->kind == F_AND ? all : any;
}

/* ---- terms */

static void base_text(const struct wrapper *w, const struct term *t, struct buf *b)
{
	for (size_t i = 0; i < w->n_args; i++)
		if (strcmp(w->args[i], t->base) == 0) {
			buf_printf(b, "rf_a%zu", i);
			return;
		}
	buf_str_add(b, strcmp(t->base, "result") == 0 ? "rf_result" : t->base);
}

static void add_guard(struct buf *guard, const char *pointer)
{
	buf_printf(guard, "%srf_readable((const void *)(%s), sizeof *(%s))", guard->n ? " && " : "", pointer, pointer);
}

/* The term as a C expression, and the pointers that must be readable for it. */
static void term_text(const struct wrapper *w, const struct term *t, struct buf *value, struct buf *guard)
{
	struct buf e = {0};
	base_text(w, t, &e);
	for (const char *p = t->path; *p;) {
		size_t n = strcspn(p + 1 + (p[0] == '-'), "-.[") + 1 + (p[0] == '-');
		if (*p == ' ') {
			p++;
			continue;
		}
		if (*p == '-') {
			add_guard(guard, buf_str(&e));
		} else if (*p == '[') {
			struct buf at = {0};
			buf_printf(&at, "&%s%.*s", buf_str(&e), (int)n, p);
			add_guard(guard, buf_str(&at));
			buf_release(&at);
		}
		buf_add(&e, p, n);
		p += n;
	}
	for (unsigned i = 0; i < t->stars; i++) {
		struct buf star = {0};
		add_guard(guard, buf_str(&e));
		buf_printf(&star, "(*%s)", buf_str(&e));
		buf_release(&e);
		e = star;
	}
	buf_add(value, buf_str(&e), e.n);
	buf_release(&e);
}

/* The pointer that a term of a regular type stands for: its value, or its address if it is a struct. */
static void pointer_of(struct buf *b, const char *value, const char *ctype)
{
	buf_printf(b,
		   "__extension__({ const void *rf_c = 0; __builtin_memcpy(&rf_c, &(%s), RF_IS_PTR(%s, %s) ? sizeof "
		   "rf_c : 0); RF_IS_PTR(%s, %s) ? rf_c : (const void *)&(%s); })",
		   value, value, ctype, value, ctype, value);
}

/* Paths, old values and measures in a comparison. */
static enum rc compare_term(void *arg, const struct expr *x, struct buf *value, struct buf *valid)
{
	struct wrapper *w = arg;
	if (x->kind == E_PATH) {
		term_text(w, &x->term, value, valid);
		return RC_OK;
	}
	if (x->kind == E_OLD) {
		struct gen_scope s = {.g = w->g, .arg = w, .term = compare_term};
		struct old o = {0};
		enum rc rc = gen_expr(&s, x->kid[0], &o.value);
		o.guard = s.valid;
		buf_printf(value, "rf_o%zu", w->olds.n);
		buf_printf(valid, "%srf_og%zu", valid->n ? " && " : "", w->olds.n);
		vec_push(&w->olds, o);
		return rc;
	}
	const struct measure *m = w->g->set->measures;
	while (m && strcmp(m->name, x->op) != 0)
		m = m->next;
	struct type_expr *t = arena_new(&w->g->set->arena, struct type_expr);
	*t = (struct type_expr){.kind = TYPE_REG, .at = x->at, .name = m->reg->name, .reg = m->reg};
	long k = gen_instance(w->g, t);
	if (k < 0)
		return RC_INPUT;
	struct buf v = {0};
	struct gen_scope s = {.g = w->g};
	enum rc rc = RC_OK;
	term_text(w, &x->term, &v, valid);
	buf_str_add(value, "__extension__({ const void *rf_q = ");
	pointer_of(value, buf_str(&v), m->reg->ctype);
	buf_printf(value, "; rf_q ? rf_measure(rf_q, &rf_T%ld, %u, &rf_bad) : ", k, m->index);
	if (m->null_value)
		rc = gen_expr(&s, m->null_value, value);
	else
		buf_char(value, '0');
	buf_str_add(value, "; })");
	buf_release(&v);
	return rc;
}

static enum rc compare_test(struct wrapper *w, struct status *s)
{
	const struct expr *x = s->lit->expr;
	struct gen_scope sc = {.g = w->g, .arg = w, .term = compare_term};
	if (gen_expr(&sc, x->kid[0], &s->value) != RC_OK || gen_expr(&sc, x->kid[1], &s->right) != RC_OK)
		return RC_INPUT;
	s->guard = sc.valid;
	buf_printf(&s->test, "(rf_bad = 0, (%s %s %s) && !rf_bad)", buf_str(&s->value), x->op, buf_str(&s->right));
	return RC_OK;
}

/* The end of a statement expression that has the value in rf_v. */
static enum rc range_test(struct gen_scope *sc, struct status *s)
{
	enum rc rc = gen_ranges_test(sc, &s->test, "rf_v", s->lit->type->ranges, s->lit->type->n_ranges);
	buf_str_add(&s->test, "; })");
	return rc;
}

/* A number of the type's kind, whatever its value; or the beginning of the test of its ranges. */
static void number_text(struct status *s, const char *v)
{
	bool integer = s->lit->type->kind == TYPE_INT;
	if (s->lit->type->n_ranges)
		buf_printf(&s->test,
			   integer ? "__extension__({ rf_number rf_v = (%s) | 0; "
				   : "__extension__({ long double rf_v = (%s); ",
			   v);
	else
		buf_printf(&s->test, integer ? "(sizeof((%s) | 0) != 0)" : "(__builtin_classify_type(%s) == 8)", v);
}

static enum rc status_test(struct wrapper *w, struct status *s)
{
	const struct literal *l = s->lit;
	const char *v;
	if (l->kind == LIT_COMPARE)
		return compare_test(w, s);
	term_text(w, &l->term, &s->value, &s->guard);
	v = buf_str(&s->value);
	struct gen_scope sc = {.g = w->g};
	long k;

	switch (l->type->kind) {
	case TYPE_REG:
		k = gen_instance(w->g, l->type);
		if (k < 0)
			return RC_INPUT;
		buf_str_add(&s->test, "rf_literal(");
		pointer_of(&s->test, v, l->type->reg->ctype);
		buf_printf(&s->test, ", &rf_T%ld)", k);
		return RC_OK;
	case TYPE_INT:
	case TYPE_DOUBLE:
		number_text(s, v);
		return l->type->n_ranges ? range_test(&sc, s) : RC_OK;
	case TYPE_STRING:
		buf_printf(
			&s->test,
			"__extension__({ long rf_v = rf_string((const void *)(%s), (unsigned long)-1); rf_v >= 0 && ",
			v);
		if (l->type->n_ranges)
			return range_test(&sc, s);
		buf_str_add(&s->test, "1; })");
		return RC_OK;
	case TYPE_FUNCTION:
		for (size_t i = 0; i < l->type->n_ranges; i++)
			buf_printf(&s->test, "%s(%s) == (%s)", i ? " || " : "(", v, l->type->ranges[i].lo);
		buf_char(&s->test, ')');
		return RC_OK;

	case TYPE_NULL:
	case TYPE_NONNULL:
		buf_printf(&s->test, "((%s) %s 0)", v, l->type->kind == TYPE_NULL ? "==" : "!=");
		return RC_OK;
	case TYPE_PROP:
		buf_printf(&s->test, "(%s(%s) != 0)", l->type->prop->name, v);
		return RC_OK;
	default:
		buf_str_add(&s->test, "1");
		return RC_OK;
	}
}

/* ---- formulas */

static void status_release(struct status *s)
{
	buf_release(&s->guard);
	buf_release(&s->value);
	buf_release(&s->right);
	buf_release(&s->test);
	buf_release(&s->need);
}

/* The number of the literal among those of the pre- or postconditions; equal tests share one. */
static long find_status(struct wrapper *w, bool post, const struct literal *l, const char *need)
{
	struct status s = {.lit = l};
	if (status_test(w, &s) != RC_OK) {
		status_release(&s);
		return -1;
	}
	struct status *all = post ? w->post.at : w->pre.at;
	size_t n = post ? w->post.n : w->pre.n;
	for (size_t i = 0; i < n; i++)
		if (strcmp(buf_str(&all[i].test), buf_str(&s.test)) == 0 &&
		    strcmp(buf_str(&all[i].guard), buf_str(&s.guard)) == 0) {
			status_release(&s);
			if (need && all[i].need.n)
				buf_printf(&all[i].need, " | %s", need);
			return (long)i;
		}
	if (need)
		buf_str_add(&s.need, need);
	if (post)
		vec_push(&w->post, s);
	else
		vec_push(&w->pre, s);
	return (long)n;
}

static enum rc formula_text(struct wrapper *w, const struct formula *f, bool post, const char *need, struct buf *b)
{
	if (trivial(f)) {
		buf_str_add(b, "1");
		return RC_OK;
	}
	if (f->kind == F_LITERAL) {
		long k = find_status(w, post, f->literal, need);
		if (k < 0)
			return RC_INPUT;
		buf_printf(b, "rf_%c%ld", post ? 's' : 'r', k);
		return RC_OK;
	}
	buf_char(b, '(');
	for (size_t i = 0; i < f->n_kids; i++) {
		buf_str_add(b, i == 0 ? "" : f->kind == F_AND ? " & " : " | ");
		if (formula_text(w, f->kids[i], post, need, b) != RC_OK)
			return RC_INPUT;
	}
	buf_char(b, ')');
	return RC_OK;
}

static void emit_statuses(struct buf *b, const struct status *s, size_t n, char letter)
{
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "\tint rf_%c%zu = ", letter, i);
		if (s[i].need.n)
			buf_printf(b, "!(%s) || ", buf_str(&s[i].need));
		if (s[i].guard.n)
			buf_printf(b, "(%s && %s);\n", buf_str(&s[i].guard), buf_str(&s[i].test));
		else
			buf_printf(b, "(%s);\n", buf_str(&s[i].test));
	}
}

/* ---- failures */

static void emit_failed(struct gen *g, struct buf *b, const struct status *s, char letter, size_t i)
{
	const struct literal *l = s->lit;
	buf_printf(b, "\t\tif (!rf_%c%zu) {\n\t\t\tif (%s)\n\t\t\t\t", letter, i,
		   s->guard.n ? buf_str(&s->guard) : "1");
	struct buf term = {0}, args = {0};
	buf_printf(&term, l->term.stars ? "(%s)" : "%s", l->kind == LIT_COMPARE ? l->expr->kid[0]->text : l->term.text);
	gen_string(&args, l->text);
	buf_str_add(&args, ", ");
	gen_string(&args, buf_str(&term));
	if (l->kind == LIT_TYPE && l->type->kind == TYPE_REG) {
		buf_printf(b, "rf_failed_literal(%s, ", buf_str(&args));
		pointer_of(b, buf_str(&s->value), l->type->reg->ctype);
		buf_printf(b, ", &rf_T%ld);\n", gen_instance(g, l->type));
	} else if (l->kind == LIT_COMPARE) {
		const struct expr *r = l->expr->kid[1];
		buf_printf(b, "rf_failed_compare(%s, (long double)(%s), ", buf_str(&args), buf_str(&s->value));
		if (r->kind == E_NUMBER || r->kind == E_UNARY || r->constant)
			buf_str_add(b, "0");
		else
			gen_string(b, r->text);
		buf_printf(b, ", (long double)(%s));\n", buf_str(&s->right));
	} else if (l->type->kind == TYPE_INT) {
		buf_printf(b, "rf_failed_int(%s, (long long)(%s));\n", buf_str(&args), buf_str(&s->value));
	} else {
		buf_printf(b, "rf_failed_literal(%s, 0, 0);\n", buf_str(&args));
	}
	buf_printf(b, "\t\t\telse\n\t\t\t\trf_failed_literal(%s, 0, 0);\n\t\t}\n", buf_str(&args));
	buf_release(&term);
	buf_release(&args);
}

static void mark_literals(const struct wrapper *w, const struct formula *f, bool post, bool *used)
{
	if (f->kind != F_LITERAL) {
		for (size_t i = 0; i < f->n_kids; i++)
			mark_literals(w, f->kids[i], post, used);
		return;
	}
	for (size_t i = 0; i < (post ? w->post.n : w->pre.n); i++) {
		const struct status *s = post ? &w->post.at[i] : &w->pre.at[i];
		used[i] |= s->lit == f->literal || strcmp(s->lit->text, f->literal->text) == 0;
	}
}

/* A condition that does not hold, and which of the statuses may be why. */
struct violation {
	const char *kind, *text;
	struct place at;
	bool post;        /* a postcondition's: the statuses are w->post */
	const bool *used; /* per status */
};

static void emit_violation(struct wrapper *w, struct buf *b, const struct violation *v)
{
	struct buf where = {0};
	buf_printf(&where, "%s:%ld:%ld", v->at.file, v->at.line, v->at.col);
	buf_str_add(b, " {\n\t\tstatic const struct rf_condition rf_cond = {");
	gen_string(b, w->function);
	buf_printf(b, ", \"%s\", ", v->kind);
	gen_string(b, v->text);
	buf_str_add(b, ", ");
	gen_string(b, buf_str(&where));
	buf_str_add(b, "};\n\t\trf_begin_failure(&rf_cond, __builtin_return_address(0));\n");
	for (size_t i = 0; i < (v->post ? w->post.n : w->pre.n); i++)
		if (v->used[i])
			emit_failed(w->g, b, v->post ? &w->post.at[i] : &w->pre.at[i], v->post ? 's' : 'r', i);
	buf_str_add(b, "\t\trf_end_failure();\n\t}\n");
	buf_release(&where);
}

/* A piece of a parameter's declaration. In brackets, f(int n, int a[n]), the parameters before it have new names. */
static void declaration(struct buf *b, const struct cfunction *f, size_t k, const char *text, const char *param)
{
	unsigned depth = 0;
	bool tag = false;
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " "), i = 0;
		depth = depth + (*p == '[') - (*p == ']' && depth);
		while (i < k && (!n || strlen(f->params[i].name) != n || strncmp(f->params[i].name, p, n) != 0))
			i++;
		if (depth && !tag && i < k)
			buf_printf(b, "%s%zu", param, i);
		else
			buf_add(b, p, n);
		tag = (n == 6 && strncmp(p, "struct", n) == 0) || (n == 5 && strncmp(p, "union", n) == 0) ||
		      (n == 4 && strncmp(p, "enum", n) == 0) || (n == 1 && *p == '.');
		p += n;
		if (*p)
			buf_char(b, *p++);
	}
}

/* int f(x) struct d *x; as it was written: the arguments are passed as callers without a prototype pass them. */
static void old_style(struct buf *b, const struct cfunction *f, const char *param)
{
	for (size_t i = 0; param && i < f->n_params; i++)
		buf_printf(b, "%s%s%zu", i ? ", " : "", param, i);
	buf_char(b, ')');
	for (size_t i = 0; param && i < f->n_params; i++)
		buf_printf(b, " %s %s%zu %s;", f->params[i].before, param, i, f->params[i].after);
}

void gen_prototype(struct buf *b, const struct cfunction *f, const char *name, const char *param)
{
	buf_printf(b, "%s %s(", f->head, name);
	if (f->old_style) {
		old_style(b, f, param);
		return;
	}
	for (size_t i = 0; i < f->n_params; i++) {
		buf_str_add(b, i ? ", " : "");
		declaration(b, f, i, f->params[i].before, param ? param : "rf_p");
		buf_printf(b, " %s%zu ", param ? param : "rf_p", i);
		declaration(b, f, i, f->params[i].after, param ? param : "rf_p");
	}
	buf_str_add(b, f->n_params ? ")" : "void)");
}

/* ---- the whole */

struct group {
	const struct pred *pred;
	struct buf pre; /* as statuses; "1" when trivial */
	struct buf post;
	size_t slot; /* which rf_p */
	bool first;  /* the first with this precondition */
};

static void emit_calls(struct wrapper *w, struct buf *b, struct group *gr, size_t n)
{
	struct buf text = {0};
	bool *used = arena_zalloc(&w->g->set->arena, w->pre.n + 1);
	bool any = false;
	buf_str_add(b, "\tif (!(");
	for (size_t i = 0; i < n; i++) {
		if (gr[i].first)
			buf_printf(b, "%srf_p%zu", any ? " | " : "", gr[i].slot);
		any = true;
		mark_literals(w, gr[i].pred->pre, false, used);
		buf_printf(&text, "%s%s", i ? " | " : "", gr[i].pred->text);
	}
	buf_str_add(b, "))");
	emit_violation(w, b, &(struct violation){"calls", buf_str(&text), gr[0].pred->at, false, used});
	buf_release(&text);
}

static void emit_call(const struct wrapper *w, struct buf *b, const char *lead)
{
	buf_printf(b, "%s%s(", lead, w->real);
	for (size_t i = 0; i < w->f->n_params; i++)
		buf_printf(b, "%srf_a%zu", i ? ", " : "", i);
	buf_str_add(b, ")");
}

static void emit_olds(const struct wrapper *w, struct buf *b)
{
	for (size_t i = 0; i < w->olds.n; i++) {
		const struct old *o = &w->olds.at[i];
		const char *v = buf_str(&o->value);
		buf_printf(b, "\t__typeof__(%s) rf_o%zu = 0;\n\tint rf_og%zu = %s;\n", v, i, i,
			   o->guard.n ? buf_str(&o->guard) : "1");
		buf_printf(b, "\tif (rf_og%zu) {\n\t\trf_bad = 0;\n\t\trf_o%zu = %s;\n\t\trf_og%zu = !rf_bad;\n\t}\n",
			   i, i, v, i);
	}
}

static void emit_body(struct wrapper *w, struct buf *b, struct group *gr, size_t n)
{
	bool is_void = w->f->is_void;
	bool calls = true, posts = false;
	for (size_t i = 0; i < n; i++) {
		calls &= strcmp(buf_str(&gr[i].pre), "1") != 0;
		posts |= !trivial(gr[i].pred->post);
	}
	buf_str_add(b, "{\n\tif (__builtin_expect(rf_check_on != 1, 0) && (!rf_check_on || rf_check_skip())) {\n");
	emit_call(w, b, is_void ? "\t\t" : "\t\treturn ");
	buf_printf(b, ";\n%s\t}\n", is_void ? "\t\treturn;\n" : "");
	buf_str_add(b, "\tint rf_bad = 0;\n\t(void)rf_bad;\n");
	if (calls || posts)
		emit_olds(w, b);
	if (calls || posts)
		emit_statuses(b, w->pre.at, w->pre.n, 'r');
	for (size_t i = 0; i < n && (calls || posts); i++)
		if (gr[i].first)
			buf_printf(b, "\tint rf_p%zu = %s;\n\t(void)rf_p%zu;\n", gr[i].slot, buf_str(&gr[i].pre),
				   gr[i].slot);
	if (calls)
		emit_calls(w, b, gr, n);
	if (is_void) {
		emit_call(w, b, "\t");
	} else {
		emit_call(w, b, "\t__typeof__(");
		emit_call(w, b, ") rf_result = ");
	}
	buf_str_add(b, ";\n");
	emit_statuses(b, w->post.at, w->post.n, 's');
	for (size_t i = 0; i < n; i++) {
		if (trivial(gr[i].pred->post))
			continue;
		bool *used = arena_zalloc(&w->g->set->arena, w->post.n + 1);
		mark_literals(w, gr[i].pred->post, true, used);
		buf_printf(b, "\tif (rf_p%zu & !(%s))", gr[i].slot, buf_str(&gr[i].post));
		emit_violation(w, b, &(struct violation){"success", gr[i].pred->text, gr[i].pred->at, true, used});
	}
	buf_str_add(b, is_void ? "}\n" : "\treturn rf_result;\n}\n");
}

static enum rc collect(struct wrapper *w, struct group *gr, size_t *n)
{
	*n = 0;
	for (const struct pred *p = w->g->set->preds; p; p = p->next) {
		if (strcmp(p->function, w->function) != 0)
			continue;
		struct group *x = &gr[(*n)++];
		*x = (struct group){.pred = p, .slot = *n - 1, .first = true};
		w->args = p->args;
		w->n_args = p->n_args;
		if (!p->pre)
			buf_str_add(&x->pre, "1");
		else if (formula_text(w, p->pre, false, NULL, &x->pre) != RC_OK)
			return RC_INPUT;
		for (size_t i = 0; i + 1 < *n; i++)
			if (strcmp(buf_str(&gr[i].pre), buf_str(&x->pre)) == 0) {
				x->slot = gr[i].slot;
				x->first = false;
				break;
			}
		char need[32];
		snprintf(need, sizeof need, "rf_p%zu", x->slot);
		if (!trivial(p->post) && formula_text(w, p->post, true, need, &x->post) != RC_OK)
			return RC_INPUT;
	}
	return RC_OK;
}

static enum rc check_signature(struct gen *g, const struct pred *p, const struct cfunction *f)
{
	if (f->variadic)
		return annot_fail(g->e, p->at, "'%s' is variadic: its calls cannot be wrapped", p->function);
	if (p->n_args != f->n_params)
		return annot_fail(g->e, p->at, "'%s' has %zu arguments, not %zu", p->function, f->n_params, p->n_args);
	return RC_OK;
}

static void release(struct status *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		status_release(&s[i]);
	}
}

enum rc gen_wrapper(struct gen *g, const char *function, const struct cfunction *f, const char *real,
		    const char *wrapper)
{
	struct wrapper w = {.g = g, .function = function, .real = real, .f = f};
	size_t n = 0, k = 0;
	for (const struct pred *p = g->set->preds; p; p = p->next) {
		if (strcmp(p->function, function) != 0)
			continue;
		if (check_signature(g, p, f) != RC_OK)
			return RC_INPUT;
		n++;
	}
	struct group *gr = arena_array(&g->set->arena, struct group, n + 1);
	enum rc rc = collect(&w, gr, &k);
	if (rc == RC_OK) {
		gen_at(&g->code, gr[0].pred->at);
		buf_str_add(&g->code, "RF_CODE __attribute__((noinline)) ");
		gen_prototype(&g->code, f, wrapper, "rf_a");
		buf_char(&g->code, '\n');
		emit_body(&w, &g->code, gr, n);
		gen_nowhere(&g->code);
	}
	for (size_t i = 0; i < k; i++) {
		buf_release(&gr[i].pre);
		buf_release(&gr[i].post);
	}
	release(w.pre.at, w.pre.n);
	release(w.post.at, w.post.n);
	for (size_t i = 0; i < w.olds.n; i++) {
		buf_release(&w.olds.at[i].guard);
		buf_release(&w.olds.at[i].value);
	}
	vec_release_all(&w.pre, &w.post, &w.olds);
	return rc;
}

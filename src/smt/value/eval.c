/* SPDX-License-Identifier: MIT */
/* The evaluator: post-order over the DAG with an explicit stack, each term once. */
#include "smt/value/eval.h"

#include "base/invariant.h"
#include "smt/term/literal.h"

#include <string.h>

void eval_release(struct eval *e)
{
	arena_release(&e->mem);
	vec_release_all(&e->value, &e->op, &e->frame, &e->args);
}

void eval_begin(struct eval *e, const struct terms *t, size_t n_terms)
{
	arena_clear(&e->mem);
	vec_clear(&e->value);
	vec_clear(&e->op);
	eval_grow(e, t, n_terms);
}

void eval_grow(struct eval *e, const struct terms *t, size_t n_terms)
{
	e->t = *t;
	if (n_terms > e->value.n) {
		vec_reserve(&e->value, n_terms - e->value.n);
		memset(e->value.at + e->value.n, 0, (n_terms - e->value.n) * sizeof *e->value.at);
		e->value.n = n_terms;
	}
	if (t->n_labels > e->op.n) {
		vec_reserve(&e->op, t->n_labels - e->op.n);
		memset(e->op.at + e->op.n, 0xff, (t->n_labels - e->op.n) * sizeof *e->op.at);
		e->op.n = t->n_labels;
	}
}

bool eval_has(const struct eval *e, uint32_t term)
{
	return e->value.at[term].type != VALUE_NONE;
}

void eval_set(struct eval *e, uint32_t var, struct value v)
{
	INVARIANT(var < e->value.n && e->t.term[var].kind == TERM_VAR);
	e->value.at[var] = v;
}

static bool leaf(struct eval *e, const struct term *x, struct value *out)
{
	const struct label *l = &e->t.label[x->label];
	uint64_t limbs[VALUE_MAX_BITS / 64];
	if (x->kind != TERM_VALUE)
		return false;
	if (l->len == 4 && !memcmp(l->text, "true", 4)) {
		*out = (struct value){.type = VALUE_BOOL, .u = 1};
		return true;
	}
	if (l->len == 5 && !memcmp(l->text, "false", 5)) {
		*out = (struct value){.type = VALUE_BOOL};
		return true;
	}
	uint32_t w = literal_read_bits(l->text, l->len, limbs, sizeof limbs / sizeof *limbs);
	if (!w)
		return false;
	*out = (struct value){.type = VALUE_BITS, .width = w, .u = limbs[0]};
	if (w > 64)
		out->limbs = arena_dup(&e->mem, limbs, value_limbs(w) * sizeof *limbs);
	return true;
}

static bool apply(struct eval *e, const struct term *x, struct value *out)
{
	struct value_op op = value_op_of(&e->op.at[x->label], &e->t.label[x->label]);
	vec_clear(&e->args);
	for (uint32_t i = 0; i < x->n_args; i++)
		vec_push(&e->args, e->value.at[e->t.arg[x->args + i]]);
	return value_apply(&e->mem, op, e->args.at, x->n_args, out);
}

enum rc eval_term(struct eval *e, uint32_t root, struct value *out)
{
	vec_clear(&e->frame);
	vec_push(&e->frame, (uint64_t)root << 32);
	while (e->frame.n) {
		uint64_t *f = &vec_last(&e->frame);
		uint32_t i = (uint32_t)(*f >> 32), k = (uint32_t)*f;
		const struct term *x = &e->t.term[i];
		if (e->value.at[i].type != VALUE_NONE) {
			(void)vec_pop(&e->frame);
		} else if (x->kind != TERM_APP) {
			if (!leaf(e, x, &e->value.at[i]))
				return RC_NO;
		} else if (k < x->n_args) {
			uint32_t a = e->t.arg[x->args + k];
			++*f;
			if (e->value.at[a].type == VALUE_NONE)
				vec_push(&e->frame, (uint64_t)a << 32);
		} else {
			struct value v = {0};
			if (!apply(e, x, &v))
				return RC_NO;
			e->value.at[i] = v;
		}
	}
	*out = e->value.at[root];
	return RC_OK;
}

enum rc eval_marked(struct eval *e, const uint8_t *marked, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct term *x = &e->t.term[i];
		struct value v = {0};
		if (!marked[i] || e->value.at[i].type != VALUE_NONE)
			continue;
		if (x->kind == TERM_APP ? !apply(e, x, &v) : !leaf(e, x, &v))
			return RC_NO;
		e->value.at[i] = v;
	}
	return RC_OK;
}

bool eval_zero(struct eval *e, const struct terms *t, uint32_t sort, struct value *out)
{
	const struct label *l = &t->label[sort];
	if (l->len == 4 && !memcmp(l->text, "Bool", 4)) {
		*out = (struct value){.type = VALUE_BOOL};
		return true;
	}
	if (l->width && l->width <= VALUE_MAX_BITS) {
		*out = (struct value){.type = VALUE_BITS, .width = l->width};
		if (l->width > 64)
			out->limbs = arena_zalloc(&e->mem, value_limbs(l->width) * sizeof(uint64_t));
		return true;
	}
	struct value elem;
	if (!l->elem || t->label[l->elem].elem || !t->label[l->index].width || !eval_zero(e, t, l->elem, &elem))
		return false;
	*out = value_const_array(&e->mem, &elem);
	return true;
}

static void print_scalar(struct buf *out, const struct value *v)
{
	if (v->type == VALUE_BOOL)
		buf_str_add(out, v->u ? "true" : "false");
	else
		literal_print_bits(out, v->width > 64 ? v->limbs : &v->u, v->width);
}

void eval_print(struct buf *out, const struct value *v, const char *sort)
{
	if (v->type != VALUE_ARRAY) {
		print_scalar(out, v);
		return;
	}
	const struct array_value *a = v->array;
	for (size_t i = 0; i < a->length; i++)
		buf_str_add(out, "(store ");
	/* innermost write first: collect the chain, then write it from its end */
	VEC(const struct array_value *) chain = {0};
	for (; a->base; a = a->base)
		vec_push(&chain, a);
	buf_printf(out, "((as const %s) ", sort);
	print_scalar(out, &a->elem);
	buf_char(out, ')');
	while (chain.n) {
		const struct array_value *w = vec_pop(&chain);
		buf_char(out, ' ');
		print_scalar(out, &w->index);
		buf_char(out, ' ');
		print_scalar(out, &w->elem);
		buf_char(out, ')');
	}
	vec_release(&chain);
}

/* SPDX-License-Identifier: MIT */
/* The evaluator: post-order over the DAG with an explicit stack, each term once. */
#include "smt/value/eval.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "smt/term/literal.h"
#include "smt/value/number.h"

#include <string.h>

void eval_release(struct eval *e)
{
	arena_release(&e->mem);
	vec_release_all(&e->value, &e->op, &e->frame, &e->args);
	vec_release_all(&e->functions.function, &e->functions.point, &e->functions.arg);
	table_release(&e->functions.index);
}

static void clear_functions(struct eval_functions *f)
{
	if (!f->on)
		return;
	f->on = false;
	vec_clear(&f->function);
	vec_clear(&f->point);
	vec_clear(&f->arg);
	table_clear(&f->index);
}

void eval_begin(struct eval *e, const struct terms *t, size_t n_terms)
{
	arena_clear(&e->mem);
	vec_clear(&e->value);
	vec_clear(&e->op);
	clear_functions(&e->functions);
	e->whole = e->elements = false;
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
	if (e->elements && !strncmp(l->text, "(as @", 5)) {
		*out = (struct value){.type = VALUE_ELEMENT, .u = (uint64_t)1 << 32 | x->label};
		return true;
	}
	if (number_read(l->text, l->len, out))
		return number_whole(out) || !e->whole;
	uint32_t w = literal_read_bits(l->text, l->len, limbs, sizeof limbs / sizeof *limbs);
	if (!w)
		return false;
	*out = (struct value){.type = VALUE_BITS, .width = w, .u = limbs[0]};
	if (w > 64)
		out->limbs = arena_dup(&e->mem, limbs, value_limbs(w) * sizeof *limbs);
	return true;
}

static uint64_t point_hash(uint32_t label, const struct value *args, uint32_t n)
{
	uint64_t h = mix64(label);
	for (uint32_t i = 0; i < n; i++)
		h = mix64_pair(h, value_hash_bits(&args[i]));
	return h;
}

static const struct eval_point *find_point(const struct eval_functions *f, uint64_t hash, uint32_t label,
					   const struct value *args, uint32_t n)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&f->index, hash); (r = table_next(&f->index, &p)) != TABLE_NONE;) {
		const struct eval_point *at = &f->point.at[r];
		uint32_t same = 0;
		while (at->hash == hash && at->label == label && same < n &&
		       value_equal_bits(&f->arg.at[at->args + same], &args[same]))
			same++;
		if (same == n)
			return at;
	}
	return NULL;
}

void eval_set_function(struct eval *e, uint32_t label, struct value otherwise)
{
	e->functions.on = true;
	vec_push(&e->functions.function, ((struct eval_function){label, otherwise}));
}

void eval_set_point(struct eval *e, uint32_t label, const struct value *args, uint32_t n, struct value v)
{
	struct eval_functions *f = &e->functions;
	uint64_t hash = point_hash(label, args, n);
	INVARIANT(f->on && n);
	if (find_point(f, hash, label, args, n))
		return;
	vec_push(&f->point, ((struct eval_point){hash, label, (uint32_t)f->arg.n, v}));
	for (uint32_t i = 0; i < n; i++)
		vec_push(&f->arg, args[i]);
	table_insert(&f->index, hash, (uint32_t)f->point.n - 1);
}

/* The zero of the sort that a function's rank ends with. */
static bool zero_of_rank(struct eval *e, const struct label *l, struct value *out)
{
	const char *sort = l->meaning, *end = l->meaning + l->meaning_len;
	for (const char *p = sort; p < end; p += strlen(p) + 1)
		sort = p;
	for (uint32_t i = 0; i < e->t.n_labels; i++)
		if (e->t.label[i].kind == LABEL_SORT && !strcmp(e->t.label[i].text, sort))
			return eval_zero(e, &e->t, i, out);
	return false;
}

/* A declared function of e->args. */
static bool call(struct eval *e, uint32_t label, uint32_t n, struct value *out)
{
	const struct eval_functions *f = &e->functions;
	for (uint32_t i = 0; i < n; i++)
		if (e->args.at[i].type == VALUE_ARRAY)
			return false;
	const struct eval_point *p = find_point(f, point_hash(label, e->args.at, n), label, e->args.at, n);
	if (p) {
		*out = p->value;
		return true;
	}
	for (size_t i = 0; i < f->function.n; i++)
		if (f->function.at[i].label == label && f->function.at[i].otherwise.type != VALUE_NONE) {
			*out = f->function.at[i].otherwise;
			return true;
		}
	return zero_of_rank(e, &e->t.label[label], out);
}

static bool apply(struct eval *e, const struct term *x, struct value *out)
{
	struct value_op op = value_op_of(&e->op.at[x->label], &e->t.label[x->label]);
	vec_clear(&e->args);
	for (uint32_t i = 0; i < x->n_args; i++)
		vec_push(&e->args, e->value.at[e->t.arg[x->args + i]]);
	bool known = e->functions.on && e->t.label[x->label].kind == LABEL_FUN
			     ? call(e, x->label, x->n_args, out)
			     : value_apply(&e->mem, op, e->args.at, x->n_args, out);
	return known && !(e->whole && out->type == VALUE_NUMBER && !number_whole(out));
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
	if (!strcmp(l->text, "Int") || !strcmp(l->text, "Real")) {
		*out = (struct value){.type = VALUE_NUMBER, .width = 1};
		return true;
	}
	struct value elem;
	if (!l->elem || t->label[l->elem].elem || t->label[l->index].elem || !eval_zero(e, t, l->elem, &elem))
		return false;
	*out = value_const_array(&e->mem, &elem);
	return true;
}

static bool print_scalar(struct buf *out, const struct value *v, const char *sort)
{
	bool whole = !strcmp(sort, "Int");
	if (v->type == VALUE_BOOL)
		buf_str_add(out, v->u ? "true" : "false");
	else if (v->type == VALUE_BITS)
		literal_print_bits(out, v->width > 64 ? v->limbs : &v->u, v->width);
	else if (v->type == VALUE_NUMBER && (whole || !strcmp(sort, "Real")))
		number_print(out, v, !whole);
	else
		return false;
	return true;
}

bool eval_print(struct buf *out, const struct value *v, const struct terms *t, uint32_t sort)
{
	const struct label *l = &t->label[sort];
	if (v->type != VALUE_ARRAY)
		return print_scalar(out, v, l->text);
	if (!l->elem)
		return false;
	const char *index = t->label[l->index].text, *elem = t->label[l->elem].text;
	const struct array_value *a = v->array;
	for (size_t i = 0; i < a->length; i++)
		buf_str_add(out, "(store ");
	/* innermost write first: collect the chain, then write it from its end */
	VEC(const struct array_value *) chain = {0};
	for (; a->base; a = a->base)
		vec_push(&chain, a);
	buf_printf(out, "((as const %s) ", l->text);
	bool ok = print_scalar(out, &a->elem, elem);
	buf_char(out, ')');
	while (chain.n) {
		const struct array_value *w = vec_pop(&chain);
		buf_char(out, ' ');
		ok &= print_scalar(out, &w->index, index);
		buf_char(out, ' ');
		ok &= print_scalar(out, &w->elem, elem);
		buf_char(out, ')');
	}
	vec_release(&chain);
	return ok;
}

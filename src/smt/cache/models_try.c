/* SPDX-License-Identifier: MIT */
/* A model tried on a query: its text becomes values at the first look, these go to the query's variables and functions
 * where they fit their sorts, and every conjunct is evaluated. */
#include "smt/cache/models_internal.h"

#include "smt/cache/model_text.h"
#include "smt/value/number.h"
#include "smt/value/pack.h"

/* Does the query's context declare the sort, so that its elements may be anything? */
static bool sort_declared(struct models *m, const struct query *q, uint32_t sort)
{
	const struct label *l = &q->t.label[sort];
	struct buf line = {0};
	if (m->declared == 1 + sort)
		return true;
	buf_printf(&line, "(declare-sort %s 0)\n", l->text);
	const char *end = q->context + q->context_len, *at = q->context;
	while (at && at < end && (at = memmem(at, (size_t)(end - at), line.at, line.n)) && at > q->context &&
	       at[-1] != '\n')
		at++;
	bool found = at && at < end;
	buf_release(&line);
	if (found)
		m->declared = 1 + sort;
	return found;
}

static bool scalar_fits(struct models *m, const struct query *q, uint32_t sort, const struct value *v)
{
	const struct label *l = &q->t.label[sort];
	switch (v->type) {
	case VALUE_BOOL:
		return !strcmp(l->text, "Bool");
	case VALUE_BITS:
		return l->width && v->width == l->width;
	case VALUE_NUMBER:
		return number_whole(v) ? !strcmp(l->text, "Int") || !strcmp(l->text, "Real")
				       : !m->eval.whole && !strcmp(l->text, "Real");
	case VALUE_ELEMENT:
		return sort_declared(m, q, sort);
	default:
		return false;
	}
}

static bool value_fits(struct models *m, const struct query *q, uint32_t sort, const struct value *v)
{
	const struct label *l = &q->t.label[sort];
	if (v->type != VALUE_ARRAY)
		return scalar_fits(m, q, sort, v);
	for (const struct array_value *a = l->elem ? v->array : NULL; a; a = a->base)
		if (!scalar_fits(m, q, l->elem, &a->elem) || (a->base && !scalar_fits(m, q, l->index, &a->index)))
			return false;
	return l->elem;
}

/* Turns the entry's text into values. What the text says nothing of has none; a text that is not understood leaves
 * packed NULL. */
static void pack_entry(struct models *m, struct entry *e)
{
	struct buf out = {0}, text = {.at = e->text, .n = e->n}, names = {.at = e->names, .n = e->names_n};
	bool ok = model_text_pack(&m->reader, &m->values, &text, &names, &out);
	m->bytes -= entry_bytes(e);
	if (ok) {
		free(e->text);
		e->text = NULL;
		e->n = 0;
		e->packed_n = out.n;
		e->packed = mem_dup(buf_str(&out), out.n + 1);
	}
	e->unread = !ok;
	m->bytes += entry_bytes(e);
	if (m->bytes > m->peak)
		m->peak = m->bytes;
	buf_release(&out);
}

/* A name of an entry's and how many stand before it. */
struct name_place {
	const char *at;
	size_t place;
};

/* Where name stands among the entry's names: most often at *p, which moves on. SIZE_MAX: nowhere. */
static size_t find_name(const struct entry *e, struct name_place *p, const char *name)
{
	const char *end = e->names + e->names_n;
	if (p->at >= end || strcmp(p->at, name))
		for (p->at = e->names, p->place = 0; p->at < end && strcmp(p->at, name); p->place++)
			p->at += strlen(p->at) + 1;
	if (p->at >= end)
		return SIZE_MAX;
	p->at += strlen(p->at) + 1;
	return p->place++;
}

/* Is there a sort with integers in it? Then fractions have no values: see eval.h. */
static bool has_integers(const struct terms *t)
{
	for (uint32_t i = 0; i < t->n_labels; i++)
		if (t->label[i].kind == LABEL_SORT && strstr(t->label[i].text, "Int"))
			return true;
	return false;
}

static size_t begin_eval(struct models *m, const struct query *q)
{
	size_t terms = 0;
	for (size_t i = 0; i < q->conj.n; i++)
		if (q->conj.at[i] >= terms)
			terms = (size_t)q->conj.at[i] + 1;
	eval_begin(&m->eval, &q->t, terms);
	m->eval.whole = true;
	m->declared = 0;
	return terms;
}

/* The label of the sort with that text; 0: there is none (no sort has the first label). */
static uint32_t sort_of_text(const struct terms *t, const char *text)
{
	for (uint32_t i = 1; i < t->n_labels; i++)
		if (t->label[i].kind == LABEL_SORT && !strcmp(t->label[i].text, text))
			return i;
	return 0;
}

enum { MAX_PARAMS = 16 };

/* The sorts of a function's rank, the result last; 0: not followed, or not that many parameters. */
static bool rank_sorts(const struct terms *t, const struct label *f, uint32_t n_params, uint32_t *sort)
{
	const char *p = f->meaning, *end = f->meaning + f->meaning_len;
	uint32_t n = 0;
	for (; p <= end && n <= n_params && n <= MAX_PARAMS; p += strlen(p) + 1)
		if (!(sort[n++] = sort_of_text(t, p)))
			return false;
	return n == n_params + 1 && p == end + 1;
}

/* Gives the query's function with that label the values of f. */
static bool set_function(struct models *m, const struct query *q, uint32_t label, const struct model_function *f)
{
	uint32_t sort[MAX_PARAMS + 1];
	struct value args[MAX_PARAMS], v;
	const char *at = f->points;
	if (!rank_sorts(&q->t, &q->t.label[label], f->n_params, sort) ||
	    !value_fits(m, q, sort[f->n_params], &f->otherwise))
		return false;
	eval_set_function(&m->eval, label, f->otherwise);
	for (uint32_t i = 0; i < f->n_points; i++) {
		for (uint32_t k = 0; k < f->n_params; k++) {
			at = unpack_value(&m->eval.mem, at, &args[k]);
			if (args[k].type == VALUE_ARRAY || !value_fits(m, q, sort[k], &args[k]))
				return false;
		}
		at = unpack_value(&m->eval.mem, at, &v);
		if (!value_fits(m, q, sort[f->n_params], &v))
			return false;
		eval_set_point(&m->eval, label, args, f->n_params, v);
	}
	return true;
}

/* The functions of an entry, which stand at `at`. False: one does not fit the query's. */
static bool set_functions(struct models *m, const struct query *q, const char *at)
{
	struct model_function f;
	struct value v;
	for (uint32_t n = model_functions(&at); n > 0; n--) {
		model_function_next(&m->eval.mem, &at, &f);
		for (uint32_t i = 0; i < f.n_points * (f.n_params + 1); i++)
			at = unpack_value(&m->eval.mem, at, &v);
		for (uint32_t l = 0; l < q->t.n_labels; l++)
			if (q->t.label[l].kind == LABEL_FUN && !strcmp(q->t.label[l].text, f.name) &&
			    !set_function(m, q, l, &f))
				return false;
	}
	m->eval.functions.on = true;
	return true;
}

/* Every conjunct under the values that the variables have been given. */
static enum outcome holds(struct models *m, const struct query *q, size_t terms)
{
	if (eval_marked(&m->eval, q->seen.at, terms) != RC_OK)
		return UNDECIDED;
	for (size_t i = 0; i < q->conj.n; i++) {
		struct value v;
		if (eval_term(&m->eval, q->conj.at[i], &v) != RC_OK || v.type != VALUE_BOOL)
			return UNDECIDED;
		if (!v.u)
			return FAILS;
	}
	return HOLDS;
}

enum outcome models_try(struct models *m, struct entry *e, const struct query *q, bool by_name)
{
	if (e->text && !e->unread)
		pack_entry(m, e);
	if (!e->packed)
		return UNDECIDED;
	size_t terms = begin_eval(m, q), names = 0;
	bool number = false;
	vec_clear(&m->value);
	for (size_t i = 0; i < e->names_n; i++)
		names += !e->names[i];
	const char *at = e->packed;
	for (size_t i = 0; i < names; i++) {
		at = unpack_value(&m->eval.mem, at, vec_add(&m->value));
		number |= vec_last(&m->value).type == VALUE_NUMBER;
	}
	if (m->sorted || (number && !has_integers(&q->t)))
		m->eval.whole = false;
	if (!set_functions(m, q, at))
		return FAILS;
	struct name_place p = {e->names, 0};
	for (size_t i = 0; i < q->var.n; i++) {
		const struct term *var = &q->t.term[q->var.at[i]];
		size_t k = by_name ? find_name(e, &p, q->t.label[var->label].text) : i;
		struct value v = {0};
		if (k < m->value.n)
			v = m->value.at[k];
		else if (!by_name)
			return FAILS;
		if (v.type == VALUE_NONE ? !eval_zero(&m->eval, &q->t, var->sort, &v)
					 : !value_fits(m, q, var->sort, &v))
			return FAILS;
		eval_set(&m->eval, q->var.at[i], v);
	}
	return holds(m, q, terms);
}

enum rc models_believe(struct models *m, const struct query *q,
		       bool (*value)(void *user, uint32_t var, struct arena *mem, struct value *out), void *user)
{
	size_t terms = begin_eval(m, q);
	for (size_t i = 0; i < q->var.n; i++) {
		struct value v = {0};
		uint32_t var = q->var.at[i];
		if (!value(user, var, &m->eval.mem, &v) || !value_fits(m, q, q->t.term[var].sort, &v))
			return RC_NO;
		eval_set(&m->eval, var, v);
	}
	return holds(m, q, terms) == HOLDS ? RC_OK : RC_NO;
}

/* SPDX-License-Identifier: MIT */
/* The value that tells rows apart best: least entropy left, then fewest branches, then fewest values. */
#include "profile/suggest/discern.h"

#include "base/bits.h"

#include <math.h>
#include <stdlib.h>

static int sample_order(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->kind != y->kind ? x->kind < y->kind ? -1 : 1 : 0;
}

bool discern_value(const struct maker *m, uint32_t row, uint32_t node, unsigned half, bool null, uint32_t *out)
{
	unsigned c = class_of(m, row, node, 0);
	if (null) {
		*out = c == VG_CLASS_POINTER;
		return c == VG_CLASS_POINTER || c == VG_CLASS_ZERO;
	}
	if (c == VG_CLASS_ZERO) {
		*out = 0;
		return true;
	}
	const struct profile_half *v = m->value[2 * node + half];
	unsigned k = class_of(m, row, node, half);
	if (c == VG_CLASS_POINTER || k < VG_CLASS_VALUE || k == VG_CLASS_MANY || !v || k - VG_CLASS_VALUE >= v->n)
		return false;
	*out = v->at[k - VG_CLASS_VALUE];
	return true;
}

/* Entropy, in bits and calls, of the kinds in samples [from, to). */
static double entropy(const struct sample *s, size_t from, size_t to)
{
	double all = 0, sum = 0;
	for (size_t i = from; i < to; i++)
		all += (double)s[i].calls;
	for (size_t i = from; i < to;) {
		double n = 0;
		size_t k = i;
		for (; k < to && s[k].kind == s[i].kind; k++)
			n += (double)s[k].calls;
		sum -= n * log2(n / all);
		i = k;
	}
	return sum;
}

uint64_t discern_kinds(const struct sample *s, size_t from, size_t to)
{
	uint64_t h = 0;
	for (size_t i = from; i < to; i++)
		if (i == from || s[i].kind != s[i - 1].kind)
			h += mix64(s[i].kind);
	return h;
}

size_t discern_same_value(const struct test *t, size_t from)
{
	size_t to = from;
	while (to < t->n && t->at[to].value == t->at[from].value)
		to++;
	return to;
}

static bool try_test(const struct maker *m, const struct rowset *rows, const struct path *p, uint32_t node,
		     unsigned half, struct test *t)
{
	bool null = p->of[node].kind == KEY_IS_NULL;
	*t = (struct test){.node = node, .half = half};
	for (size_t i = 0; i < rows->n; i++) {
		struct sample s = {0, rows->at[i], m->kind[rows->at[i]], m->f->rows.at[rows->at[i]].calls};
		if (!discern_value(m, rows->at[i], node, half, null, &s.value)) {
			vec_release(t);
			return false;
		}
		vec_push(t, s);
	}
	qsort(t->at, t->n, sizeof *t->at, sample_order);
	VEC(uint64_t) seen = {0};
	for (size_t i = 0; i < t->n; i = discern_same_value(t, i)) {
		uint64_t h = discern_kinds(t->at, i, discern_same_value(t, i));
		size_t k = 0;
		while (k < seen.n && seen.at[k] != h)
			k++;
		if (k == seen.n)
			vec_push(&seen, h);
		t->left += entropy(t->at, i, discern_same_value(t, i));
		t->values++;
	}
	t->groups = seen.n;
	vec_release(&seen);
	return true;
}

static double whole_entropy(const struct maker *m, const struct rowset *rows)
{
	struct test t = {0};
	for (size_t i = 0; i < rows->n; i++) {
		struct sample s = {0, rows->at[i], m->kind[rows->at[i]], m->f->rows.at[rows->at[i]].calls};
		vec_push(&t, s);
	}
	if (t.n)
		qsort(t.at, t.n, sizeof *t.at, sample_order);
	double e = entropy(t.at, 0, t.n);
	vec_release(&t);
	return e;
}

static bool better(const struct test *a, const struct test *b, double whole)
{
	double same = 0.02 * whole;
	if (a->left < b->left - same || a->left > b->left + same)
		return a->left < b->left;
	if (a->groups != b->groups)
		return a->groups < b->groups;
	return a->values < b->values;
}

/* Are all bytes of the half's values in the key, one behind the other? */
static bool has_bytes(const struct maker *m, const struct collected *c, uint32_t node, unsigned half)
{
	const struct profile_half *v = m->value[2 * node + half];
	if (!v)
		return false;
	unsigned first = (unsigned)__builtin_ctz(v->bits), last = 31 - (unsigned)__builtin_clz(v->bits);
	for (unsigned k = first; k <= last; k++)
		if (!(c->have >> (4 * half + k) & 1) || c->byte[4 * half + k] != c->byte[4 * half + first] + k - first)
			return false;
	return true;
}

bool discern(const struct maker *m, const struct rowset *rows, const struct path *p, struct test *best)
{
	double whole = whole_entropy(m, rows);
	bool found = false;
	/* nothing is looked at behind a pointer that may be NULL before that is known */
	for (uint32_t i = 1; i <= m->nodes; i++)
		if (p->of[i].done && p->of[i].kind == KEY_IS_NULL && !p->of[i].tested &&
		    try_test(m, rows, p, i, 0, best))
			return true;
	for (uint32_t i = 1; i <= m->nodes && whole > 0; i++)
		for (unsigned h = 0; h < 2; h++) {
			struct test t = {0};
			bool null = p->of[i].kind == KEY_IS_NULL;
			bool bytes = p->of[i].kind == KEY_BYTES && has_bytes(m, &p->of[i], i, h);
			if (!p->of[i].done || (null ? h : !bytes) || !try_test(m, rows, p, i, h, &t))
				continue;
			if (t.left < whole * (1 - 1e-9) && (!found || better(&t, best, whole))) {
				if (found)
					vec_release(best);
				*best = t;
				found = true;
			} else {
				vec_release(&t);
			}
		}
	return found;
}

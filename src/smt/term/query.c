/* SPDX-License-Identifier: MIT */
/* Queries. Flattening and the walk over reachable terms use one explicit stack. Order of first appearance is the
 * preorder of the text: it is what canonical renaming numbers variables by. */
#include "smt/term/query.h"

#include "base/invariant.h"
#include "data/digest.h"

#include <string.h>

void query_release(struct query *q)
{
	vec_release_all(&q->flat, &q->conj, &q->var, &q->atom, &q->number, &q->seen, &q->todo);
}

static bool is_op(const struct term *t, uint32_t label)
{
	return t->kind == TERM_APP && t->label == label;
}

/* A conjunction met again is not opened again: its conjuncts are all there already. That also bounds the work on a
 * DAG whose tree is exponential. flat then has fewer entries than a reader without sharing would count. */
static void flatten(struct query *q, const struct dag *d, uint32_t root)
{
	vec_push(&q->todo, root);
	while (q->todo.n) {
		uint32_t i = vec_pop(&q->todo);
		const struct term *t = &d->term.at[i];
		if (is_op(t, d->op_and)) {
			if (q->seen.at[i])
				continue;
			q->seen.at[i] = 2;
			for (uint32_t k = t->n_args; k-- > 0;)
				vec_push(&q->todo, d->arg.at[t->args + k]);
			continue;
		}
		vec_push(&q->flat, i);
		if (q->seen.at[i] == 0 && !(t->kind == TERM_VALUE && t->label == d->op_true)) {
			q->seen.at[i] = 2;
			vec_push(&q->conj, i);
		}
	}
}

static void visit(struct query *q, uint32_t root)
{
	vec_push(&q->todo, root);
	while (q->todo.n) {
		uint32_t i = vec_pop(&q->todo);
		if (q->seen.at[i])
			continue;
		q->seen.at[i] = 1;
		const struct term *t = &q->t.term[i];
		if (t->kind == TERM_VAR)
			vec_push(&q->var, i);
		if (t->kind == TERM_VAR || t->read) {
			vec_push(&q->atom, i);
			q->number.at[i] = (uint32_t)q->atom.n;
		}
		q->quantified |= t->kind == TERM_BINDER;
		vec_reserve(&q->todo, t->n_args);
		for (uint32_t k = t->n_args; k-- > 0;) {
			uint32_t a = q->t.arg[t->args + k];
			if (q->seen.at[a])
				continue;
			if (q->t.term[a].kind == TERM_VALUE) /* takes no part in the order */
				q->seen.at[a] = 1;
			else
				q->todo.at[q->todo.n++] = a;
		}
	}
}

void query_set(struct query *q, const struct dag *d, const uint32_t *roots, size_t n, const char *context,
	       size_t context_len)
{
	q->t = dag_terms(d);
	q->n_terms = d->term.n;
	vec_clear_all(&q->flat, &q->conj, &q->var, &q->atom, &q->todo, &q->seen, &q->number);
	vec_reserve(&q->seen, d->term.n + 1);
	vec_reserve(&q->number, d->term.n + 1);
	memset(q->seen.at, 0, d->term.n);
	memset(q->number.at, 0, d->term.n * sizeof *q->number.at);
	q->quantified = false;
	for (size_t i = 0; i < n; i++)
		flatten(q, d, roots[i]);
	memset(q->seen.at, 0, d->term.n);
	for (size_t i = 0; i < q->conj.n; i++)
		visit(q, q->conj.at[i]);
	INVARIANT(q->conj.n <= q->flat.n && q->var.n <= q->atom.n);
	q->context = context;
	q->context_len = context_len;
	q->context_hash = hash64(context, context_len);
}

void query_index_build(struct query_index *x, const struct query *q, unsigned kinds)
{
	size_t n = q->conj.n * (size_t)__builtin_popcount(kinds);
	size_t cells = ceil_pow2(n * 2 + 8);
	vec_clear(&x->cell);
	vec_reserve(&x->cell, cells);
	vec_clear(&x->next);
	vec_reserve(&x->next, q->conj.n * 3 + 1);
	memset(x->cell.at, 0xff, cells * sizeof *x->cell.at);
	x->mask = cells - 1;
	for (unsigned kind = 0; kind < 3; kind++) {
		if (!(kinds >> kind & 1))
			continue;
		for (size_t i = q->conj.n; i-- > 0;) {
			const struct term *t = &q->t.term[q->conj.at[i]];
			uint64_t key = query_key(q->context_hash, kind, query_term_hash(t, kind));
			size_t at = key & x->mask;
			while (x->cell.at[at].first != TERM_NONE && x->cell.at[at].key != key)
				at = (at + 1) & x->mask;
			uint32_t entry = (uint32_t)(3 * i + kind);
			x->next.at[entry] = x->cell.at[at].first;
			x->cell.at[at] = (struct query_group){key, entry};
		}
	}
}

uint32_t query_index_find(const struct query_index *x, uint64_t key)
{
	size_t at = key & x->mask;
	while (x->cell.at[at].first != TERM_NONE) {
		if (x->cell.at[at].key == key)
			return x->cell.at[at].first;
		at = (at + 1) & x->mask;
	}
	return TERM_NONE;
}

void query_index_release(struct query_index *x)
{
	vec_release_all(&x->cell, &x->next);
}

uint64_t query_exact_key(const struct query *q)
{
	uint64_t sum = q->context_hash;
	for (size_t i = 0; i < q->conj.n; i++)
		sum += mix64(q->t.term[q->conj.at[i]].named);
	return mix64(sum);
}

uint64_t query_renamed_key(const struct query *q, struct u64s *h)
{
	size_t n = 0;
	for (size_t i = 0; i < q->conj.n; i++)
		if (q->conj.at[i] >= n)
			n = (size_t)q->conj.at[i] + 1;
	vec_clear(h);
	vec_reserve(h, n + 1);
	for (size_t i = 0; i < q->var.n; i++)
		h->at[q->var.at[i]] = mix64_pair(q->t.term[q->var.at[i]].shape, i + 1);
	for (size_t i = 0; i < n; i++) {
		const struct term *t = &q->t.term[i];
		if (!q->seen.at[i] || t->kind == TERM_VAR)
			continue;
		if (!t->n_args) {
			h->at[i] = t->named;
			continue;
		}
		uint64_t sum = mix64_pair(q->t.label[t->label].hash, t->n_args + 16 * t->kind);
		for (uint32_t k = 0; k < t->n_args; k++)
			sum = mix64_pair(sum, h->at[q->t.arg[t->args + k]]);
		h->at[i] = sum;
	}
	uint64_t key = q->context_hash;
	for (size_t i = 0; i < q->conj.n; i++)
		key = mix64_pair(key, h->at[q->conj.at[i]]);
	return key;
}

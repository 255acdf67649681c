/* SPDX-License-Identifier: MIT */
/* Sets of base tokens: see spans.h. Everything is linear in the number of spans, not of tokens. */
#include "reduce/model/spans.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

void spans_join(struct spans *v, struct span s)
{
	if (s.from >= s.to)
		return;
	if (v->n && vec_last(v).to >= s.from) {
		if (vec_last(v).to < s.to)
			vec_last(v).to = s.to;
	} else {
		vec_push(v, s);
	}
}

void spans_copy(struct spans *out, const struct spans *in)
{
	vec_clear(out);
	for (size_t i = 0; i < in->n; i++)
		vec_push(out, in->at[i]);
}

void spans_sort(struct spans *out, const struct spans *in)
{
	spans_copy(out, in);
	if (out->n > 1)
		qsort(out->at, out->n, sizeof *out->at, by_start);
	size_t n = out->n;
	out->n = 0;
	/* the joined set never grows past what was read */
	for (size_t i = 0; i < n; i++)
		spans_join(out, out->at[i]);
}

bool spans_have(const struct spans *v, uint32_t i)
{
	size_t lo = 0, hi = v->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (v->at[mid].to <= i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < v->n && v->at[lo].from <= i;
}

bool spans_within(const struct spans *a, const struct spans *b)
{
	size_t j = 0;
	for (size_t i = 0; i < a->n; i++) {
		while (j < b->n && b->at[j].to <= a->at[i].from)
			j++;
		if (j == b->n || b->at[j].from > a->at[i].from || b->at[j].to < a->at[i].to)
			return false;
	}
	return true;
}

uint32_t spans_weight(const struct spans *a, const struct model *m)
{
	uint32_t n = 0;
	for (size_t i = 0; i < a->n; i++)
		n += model_count(m, a->at[i].from, a->at[i].to);
	return n;
}

uint32_t spans_overlap(const struct spans *a, const struct spans *b, const struct model *m)
{
	uint32_t n = 0;
	if (!a->n || !b->n || a->at[0].from >= vec_last(b).to || b->at[0].from >= vec_last(a).to)
		return 0;
	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		uint32_t from = a->at[i].from > b->at[j].from ? a->at[i].from : b->at[j].from;
		uint32_t to = a->at[i].to < b->at[j].to ? a->at[i].to : b->at[j].to;
		if (from < to)
			n += model_count(m, from, to);
		if (a->at[i].to < b->at[j].to)
			i++;
		else
			j++;
	}
	return n;
}

void spans_map(struct spans *v, const uint32_t *rank, uint32_t n)
{
	size_t count = v->n;
	v->n = 0;
	for (size_t i = 0; i < count; i++) {
		struct span s = v->at[i];
		spans_join(v, (struct span){rank[s.from < n ? s.from : n], rank[s.to < n ? s.to : n]});
	}
}

void rewrites_map(struct rewrites *v, const uint32_t *rank)
{
	size_t n = 0;
	for (size_t i = 0; i < v->n; i++)
		if (rank[v->at[i].token + 1] != rank[v->at[i].token])
			v->at[n++] = (struct rewrite){rank[v->at[i].token], v->at[i].sym};
	v->n = n;
}

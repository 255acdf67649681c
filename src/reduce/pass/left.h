/* SPDX-License-Identifier: MIT */
/* The items of a sweep that are still there: numbers, ascending, with a place up to which the sweep has come. Items are
 * taken out by number, not by place, because what was asked about has moved when its outcome comes late. */
#ifndef REDUCE_PASS_LEFT_H
#define REDUCE_PASS_LEFT_H

#include "data/mem.h"
#include "reduce/pass/pass.h"

#include <stdlib.h>
#include <string.h>

struct left {
	uint32_t *at;
	uint32_t n;
};

/* 0 … n−1. */
static inline void left_init(struct left *l, uint32_t n)
{
	l->at = mem_alloc(mem_mul((size_t)n + 1, sizeof *l->at));
	l->n = n;
	for (uint32_t i = 0; i < n; i++)
		l->at[i] = i;
}

static inline void left_release(struct left *l)
{
	free(l->at);
	*l = (struct left){0};
}

/* The place of the first item that is not below `item`. */
static inline uint32_t left_find(const struct left *l, uint32_t item)
{
	uint32_t lo = 0, hi = l->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (l->at[mid] < item)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Takes out the items first … last; *place still stands before the item it stood before, or where that was. */
static inline void left_remove(struct left *l, uint32_t first, uint32_t last, uint32_t *place)
{
	uint32_t from = left_find(l, first), to = left_find(l, last + 1);
	if (*place > from)
		*place -= (*place < to ? *place : to) - from;
	memmove(l->at + from, l->at + to, (l->n - to) * sizeof *l->at);
	l->n -= to - from;
}

/* What the state of such a sweep begins with; its candidates have their items in from … to. */
struct left_state {
	struct pass_state pass;
	struct left left;
	uint32_t at; /* the place */
};

static inline void left_result(void *state, const struct candidate *c, bool success)
{
	struct left_state *s = state;
	if (success)
		left_remove(&s->left, c->from, c->to, &s->at);
}

#endif

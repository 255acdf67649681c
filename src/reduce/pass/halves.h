/* SPDX-License-Identifier: MIT */
/* Asking for many independent edits at once: all of them, then each half of what failed, down to single ones. A
 * search in which nothing succeeds is given up after about as many failures as it takes to get down to one. */
#ifndef REDUCE_PASS_HALVES_H
#define REDUCE_PASS_HALVES_H

#include "data/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct halves_part {
	uint32_t from, to;
};

struct halves {
	struct {
		VEC_FIELDS(struct halves_part);
	} todo;
	struct halves_part asked;
	unsigned failures, successes;
	unsigned patience; /* failures before the first success */
	unsigned limit;    /* questions at most; 0: any */
};

static inline void halves_start(struct halves *h, uint32_t n)
{
	h->todo.n = 0;
	h->failures = h->successes = h->limit = 0;
	h->patience = 3;
	for (uint32_t k = n; k; k /= 2)
		h->patience++;
	if (n)
		vec_push(&h->todo, ((struct halves_part){0, n}));
}

/* The next part to ask about, in h->asked; false: no more. */
static inline bool halves_next(struct halves *h)
{
	if (!h->todo.n)
		return false;
	h->asked = vec_pop(&h->todo);
	return true;
}

static inline void halves_result(struct halves *h, bool success)
{
	uint32_t from = h->asked.from, to = h->asked.to, middle = from + (to - from) / 2;
	h->successes += success;
	h->failures += !success;
	if (success)
		return;
	if ((!h->successes && h->failures >= h->patience) || (h->limit && h->failures + h->successes >= h->limit)) {
		h->todo.n = 0;
	} else if (middle > from) {
		vec_push(&h->todo, ((struct halves_part){middle, to}));
		vec_push(&h->todo, ((struct halves_part){from, middle}));
	}
}

static inline void halves_release(struct halves *h)
{
	vec_release(&h->todo);
}

#endif

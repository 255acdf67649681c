/* SPDX-License-Identifier: MIT */
/* See steps_lfu.h. */
#include "trace/simulate/steps_lfu.h"

#include "data/bigmem.h"

void lfu_young_grow(struct lfu_queue *q)
{
	uint64_t room = q->room ? 2 * q->room : 16, n = q->end - q->first;
	struct lfu_young *bigger = bigmem_alloc(room * sizeof *bigger);
	for (uint64_t i = 0; i < n; i++)
		bigger[i] = q->young[(q->first + i) & (q->room - 1)];
	bigmem_free(q->young, q->room * sizeof *q->young);
	q->young = bigger;
	q->first = 0;
	q->end = n;
	q->room = room;
}

static bool less(const struct lfu_old *a, const struct lfu_old *b)
{
	return a->count != b->count ? a->count < b->count : a->last < b->last;
}

static struct lfu_old as_it_is(const struct lfu_young *x, const struct lfu_use *use)
{
	return (struct lfu_old){use[x->id].times - x->before, use[x->id].last, *x};
}

void lfu_grow_old(struct lfu_queue *q, const struct lfu_young *x, const struct lfu_use *use)
{
	struct lfu_old new = as_it_is(x, use);
	if (q->n == q->old_room) {
		uint64_t room = q->old_room ? 2 * q->old_room : 16;
		q->old = bigmem_grow(q->old, q->old_room * sizeof *q->old, room * sizeof *q->old);
		q->old_room = room;
	}
	uint64_t i = q->n++;
	for (; i && less(&new, &q->old[(i - 1) / 2]); i = (i - 1) / 2)
		q->old[i] = q->old[(i - 1) / 2];
	q->old[i] = new;
}

/* Puts x where it belongs, from the root down. */
static void sink(struct lfu_queue *q, const struct lfu_old *x)
{
	uint64_t i = 0;
	for (uint64_t c; (c = 2 * i + 1) < q->n; i = c) {
		c += c + 1 < q->n && less(&q->old[c + 1], &q->old[c]);
		if (!less(&q->old[c], x))
			break;
		q->old[i] = q->old[c];
	}
	q->old[i] = *x;
}

/* The least of the heap, put right. */
static const struct lfu_old *least(struct lfu_queue *q, const struct lfu_use *use)
{
	for (;;) {
		struct lfu_old now = as_it_is(&q->old[0].block, use);
		if (now.last == q->old[0].last)
			return &q->old[0];
		sink(q, &now);
	}
}

struct lfu_young lfu_least(struct lfu_queue *q, const struct lfu_use *use)
{
	struct lfu_young x = least(q, use)->block;
	struct lfu_old end = q->old[--q->n];
	if (q->n)
		sink(q, &end);
	return x;
}

struct lfu_young lfu_least_with(struct lfu_queue *q, const struct lfu_young *x, const struct lfu_use *use)
{
	struct lfu_old now = as_it_is(x, use);
	const struct lfu_old *top = q->n ? least(q, use) : &now;
	if (!less(top, &now))
		return *x;
	struct lfu_young out = top->block;
	sink(q, &now);
	return out;
}

void lfu_queue_release(struct lfu_queue *q)
{
	bigmem_free(q->young, q->room * sizeof *q->young);
	bigmem_free(q->old, q->old_room * sizeof *q->old);
}

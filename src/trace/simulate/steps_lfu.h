/* SPDX-License-Identifier: MIT */
/* LFU among the caches of steps.c. How often a block was used since it came to a cache is how often it was used at
 * all, less what that was when it came; when it was used last is the same in all caches. So a hit changes nothing in
 * any cache, and only an eviction looks at what became of a block.
 *
 * Blocks that came and were not seen to be used again are young, in order of arrival: the oldest that was not used
 * goes first, for its count is 1. One that was used meanwhile moves to the heap, by count and last use as they are
 * then. They only rise, so the least of the heap is the least of all once it is put right. */
#ifndef TRACE_STEPS_LFU_H
#define TRACE_STEPS_LFU_H

#include "base/bits.h"

#include <stdbool.h>
#include <stddef.h>

/* Of a block, in all caches. */
struct lfu_use {
	uint64_t times, last;
};

struct lfu_young {
	uint32_t id;
	uint64_t before; /* how often it was used before it came */
	uint64_t size;
};

struct lfu_old {
	uint64_t count, last; /* as of when it was looked at */
	struct lfu_young block;
};

/* Of one cache. young[i & (room - 1)] for i from first to end, oldest first; old[0 … n - 1] is a heap. */
struct lfu_queue {
	struct lfu_young *young;
	uint64_t first, end, room;
	struct lfu_old *old;
	uint64_t n, old_room;
};

/* Room for one more. */
void lfu_young_grow(struct lfu_queue *q);
void lfu_queue_release(struct lfu_queue *q);
/* A block that was young. */
void lfu_grow_old(struct lfu_queue *q, const struct lfu_young *x, const struct lfu_use *use);
/* Takes the least used block out of the heap, which is not empty. */
struct lfu_young lfu_least(struct lfu_queue *q, const struct lfu_use *use);
/* The same with one block more in it, the last that was young. */
struct lfu_young lfu_least_with(struct lfu_queue *q, const struct lfu_young *x, const struct lfu_use *use);

static inline void lfu_add(struct lfu_queue *q, uint32_t id, uint64_t before, uint64_t size)
{
	if (UNLIKELY(q->end - q->first == q->room))
		lfu_young_grow(q);
	q->young[q->end++ & (q->room - 1)] = (struct lfu_young){id, before, size};
}

#endif

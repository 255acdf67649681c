/* SPDX-License-Identifier: MIT */
/* LRU: the block unused for longest goes. One list, most recent first. */
#include "base/policy/drivers.h"

QUEUE_POLICY(lru)

static inline void lru_prefetch(struct lru *st, uint32_t slot)
{
	__builtin_prefetch(&st->link[slot], 1);
}

static inline void lru_hit(struct lru *st, uint32_t slot)
{
	if (st->link[slot].prev == st->free.cap)
		return;
	slot_unlink(st->link, slot);
	slot_insert(st->link, st->free.cap, slot);
}

static inline uint32_t lru_admit(struct lru *st, uint64_t key)
{
	(void)key;
	return slot_admit(&st->free, st->link);
}

static inline uint32_t lru_victim(struct lru *st)
{
	return st->link[st->free.cap].prev;
}

static void *lru_list(void *state)
{
	return ((struct lru *)state)->link;
}

POLICY_EVICT(lru)
POLICY(lru, policy_lru, "lru", .summary = "least recently used", .flags = POLICY_STACK, .evict = lru_evict,
       .list = lru_list);

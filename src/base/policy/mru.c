/* SPDX-License-Identifier: MIT */
/* MRU: the block used last goes. Good for loops that are a little too large. */
#include "base/policy/drivers.h"

QUEUE_POLICY(mru)

static inline void mru_prefetch(struct mru *st, uint32_t slot)
{
	__builtin_prefetch(&st->link[slot], 1);
}

static inline void mru_hit(struct mru *st, uint32_t slot)
{
	slot_unlink(st->link, slot);
	slot_insert(st->link, st->free.cap, slot);
}

static inline uint32_t mru_admit(struct mru *st, uint64_t key)
{
	uint32_t s, head = st->free.cap;
	(void)key;
	/* the slot used last is the first already */
	if (!slot_take(&st->free, st->link, &s))
		return st->link[head].next;
	slot_insert(st->link, head, s);
	return s;
}

static inline uint32_t mru_victim(struct mru *st)
{
	return st->link[st->free.cap].next;
}

POLICY_EVICT(mru)
POLICY(mru, policy_mru, "mru", .summary = "most recently used is evicted first", .evict = mru_evict);

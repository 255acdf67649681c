/* SPDX-License-Identifier: MIT */
/* LRU: the block unused for longest goes. One list, most recent first. */
#include "base/policy/drivers.h"

struct lru {
	struct slot_supply free;
	struct slot_link link[]; /* cap slots and the head */
};

static size_t lru_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? sizeof(struct lru) + ((size_t)cap + 1) * sizeof(struct slot_link) : 0;
}

static void lru_init(void *state, uint32_t cap, uint64_t seed)
{
	struct lru *st = state;
	(void)seed;
	st->free = (struct slot_supply){.cap = cap};
	slot_list_init(st->link, cap);
}

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

static inline void lru_drop(struct lru *st, uint32_t slot)
{
	slot_drop(&st->free, st->link, slot);
}

static uint32_t lru_evict(void *state)
{
	struct lru *st = state;
	return slot_drop(&st->free, st->link, st->link[st->free.cap].prev);
}

#ifdef RF_INVARIANTS
static void lru_check(void *state, const bool *used)
{
	struct lru *st = state;
	slot_queue_check(&st->free, st->link, used);
}
#endif

POLICY_DRIVERS(lru)

const struct policy policy_lru = {
	POLICY_ROW(lru, "lru"),
	.summary = "least recently used",
	.flags = POLICY_STACK,
	.evict = lru_evict,
};

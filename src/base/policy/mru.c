/* SPDX-License-Identifier: MIT */
/* MRU: the block used last goes. Good for loops that are a little too large. */
#include "base/policy/drivers.h"

struct mru {
	struct slot_supply free;
	struct slot_link link[]; /* cap slots and the head; most recent first */
};

static size_t mru_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? sizeof(struct mru) + ((size_t)cap + 1) * sizeof(struct slot_link) : 0;
}

static void mru_init(void *state, uint32_t cap, uint64_t seed)
{
	struct mru *st = state;
	(void)seed;
	st->free = (struct slot_supply){.cap = cap};
	slot_list_init(st->link, cap);
}

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

static inline void mru_drop(struct mru *st, uint32_t slot)
{
	slot_drop(&st->free, st->link, slot);
}

static uint32_t mru_evict(void *state)
{
	struct mru *st = state;
	return slot_drop(&st->free, st->link, st->link[st->free.cap].next);
}

#ifdef RF_INVARIANTS
static void mru_check(void *state, const bool *used)
{
	struct mru *st = state;
	slot_queue_check(&st->free, st->link, used);
}
#endif

POLICY_DRIVERS(mru)

const struct policy policy_mru = {POLICY_ROW(mru, "mru"), .summary = "most recently used goes", .evict = mru_evict};

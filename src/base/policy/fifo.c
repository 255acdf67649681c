/* SPDX-License-Identifier: MIT */
/* FIFO: the block that came first goes, however often it was used since. */
#include "base/policy/drivers.h"

struct fifo {
	struct slot_supply free;
	struct slot_link link[]; /* cap slots and the head; newest first */
};

static size_t fifo_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? sizeof(struct fifo) + ((size_t)cap + 1) * sizeof(struct slot_link) : 0;
}

static void fifo_init(void *state, uint32_t cap, uint64_t seed)
{
	struct fifo *st = state;
	(void)seed;
	st->free = (struct slot_supply){.cap = cap};
	slot_list_init(st->link, cap);
}

static inline void fifo_prefetch(struct fifo *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline void fifo_hit(struct fifo *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline uint32_t fifo_admit(struct fifo *st, uint64_t key)
{
	(void)key;
	return slot_admit(&st->free, st->link);
}

static inline void fifo_drop(struct fifo *st, uint32_t slot)
{
	slot_drop(&st->free, st->link, slot);
}

static uint32_t fifo_evict(void *state)
{
	struct fifo *st = state;
	return slot_drop(&st->free, st->link, st->link[st->free.cap].prev);
}

#ifdef RF_INVARIANTS
static void fifo_check(void *state, const bool *used)
{
	struct fifo *st = state;
	slot_queue_check(&st->free, st->link, used);
}
#endif

POLICY_DRIVERS(fifo)

const struct policy policy_fifo = {
	POLICY_ROW(fifo, "fifo"),
	.summary = "first in, first out",
	.evict = fifo_evict,
};

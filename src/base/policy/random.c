/* SPDX-License-Identifier: MIT */
/* Random: any block may go. at[0 … n) are the slots in use in no particular order, place[] says where each stands. */
#include "base/policy/drivers.h"

struct random {
	struct rng rng;
	struct slot_supply free;
	uint32_t n;
	struct slot_link link[]; /* prev: the slot's place in at[]; next: chains free slots. Then at[] */
};

static inline uint32_t *random_at(struct random *st)
{
	return (uint32_t *)(st->link + st->free.cap);
}

static size_t random_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP
		       ? sizeof(struct random) + (size_t)cap * (sizeof(struct slot_link) + sizeof(uint32_t))
		       : 0;
}

static void random_init(void *state, uint32_t cap, uint64_t seed)
{
	struct random *st = state;
	st->rng = (struct rng){seed};
	st->free = (struct slot_supply){.cap = cap};
	st->n = 0;
}

static inline void random_prefetch(struct random *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline void random_hit(struct random *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline uint32_t random_admit(struct random *st, uint64_t key)
{
	uint32_t s;
	(void)key;
	if (!slot_take(&st->free, st->link, &s))
		return random_at(st)[rng_below(&st->rng, st->n)];
	random_at(st)[st->n] = s;
	st->link[s].prev = st->n++;
	return s;
}

static inline void random_drop(struct random *st, uint32_t slot)
{
	uint32_t at = st->link[slot].prev, last = random_at(st)[--st->n];
	random_at(st)[at] = last;
	st->link[last].prev = at;
	slot_give_back(&st->free, st->link, slot);
}

static uint32_t random_evict(void *state)
{
	struct random *st = state;
	uint32_t s = random_at(st)[rng_below(&st->rng, st->n)];
	random_drop(st, s);
	return s;
}

#ifdef RF_INVARIANTS
static void random_check(void *state, const bool *used)
{
	struct random *st = state;
	INVARIANT(slot_supply_check(&st->free, st->link, used) == st->n);
	for (uint32_t i = 0; i < st->n; i++) {
		uint32_t s = random_at(st)[i];
		INVARIANT(s < st->free.used && used[s] && st->link[s].prev == i);
	}
}
#endif

POLICY(random, policy_random, "random", .summary = "a random block is evicted", .evict = random_evict);

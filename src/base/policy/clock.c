/* SPDX-License-Identifier: MIT */
/* CLOCK: slots in a ring with a mark each. A hit sets the mark; the hand takes the first unmarked slot and clears the
 * marks it passes. A slot that was given back is filled where it stands. */
#include "base/policy/drivers.h"

enum { CLOCK_COLD, CLOCK_HOT, CLOCK_FREE };

struct clock {
	struct slot_supply free;
	uint32_t hand;
	/* cap links (only their next is used, by the supply), then cap bytes of marks */
	struct slot_link link[];
};

static inline uint8_t *clock_mark(struct clock *st)
{
	return (uint8_t *)(st->link + st->free.cap);
}

static size_t clock_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? sizeof(struct clock) + (size_t)cap * (sizeof(struct slot_link) + 1) : 0;
}

static void clock_init(void *state, uint32_t cap, uint64_t seed)
{
	struct clock *st = state;
	(void)seed;
	st->free = (struct slot_supply){.cap = cap};
	st->hand = 0;
}

static inline void clock_prefetch(struct clock *st, uint32_t slot)
{
	__builtin_prefetch(&clock_mark(st)[slot], 1);
}

static inline void clock_hit(struct clock *st, uint32_t slot)
{
	clock_mark(st)[slot] = CLOCK_HOT;
}

/* The slot the hand stops at; the hand moves behind it. Some slot must be in use. */
static inline uint32_t clock_victim(struct clock *st)
{
	uint8_t *mark = clock_mark(st);
	for (;;) {
		uint32_t s = st->hand;
		st->hand = s + 1 == st->free.used ? 0 : s + 1;
		if (mark[s] == CLOCK_COLD)
			return s;
		if (mark[s] == CLOCK_HOT)
			mark[s] = CLOCK_COLD;
	}
}

static inline uint32_t clock_admit(struct clock *st, uint64_t key)
{
	uint32_t s;
	(void)key;
	if (!slot_take(&st->free, st->link, &s))
		s = clock_victim(st);
	clock_mark(st)[s] = CLOCK_COLD;
	return s;
}

static inline void clock_drop(struct clock *st, uint32_t slot)
{
	clock_mark(st)[slot] = CLOCK_FREE;
	slot_give_back(&st->free, st->link, slot);
}

#ifdef RF_INVARIANTS
static void clock_check(void *state, const bool *used)
{
	struct clock *st = state;
	slot_supply_check(&st->free, st->link, used);
	INVARIANT(!st->hand || st->hand < st->free.used);
	for (uint32_t s = 0; s < st->free.used; s++)
		INVARIANT(clock_mark(st)[s] <= CLOCK_FREE && used[s] == (clock_mark(st)[s] != CLOCK_FREE));
}
#endif

POLICY_EVICT(clock)
POLICY(clock, policy_clock, "clock", .summary = "second chance: a ring with a mark per slot and a hand",
       .evict = clock_evict);

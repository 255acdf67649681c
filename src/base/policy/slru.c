/* SPDX-License-Identifier: MIT */
/* SLRU: two LRU lists. A new block is on probation; a hit there makes it protected; protected blocks above 80 % of the
 * cache go back to probation, the least recent first. The least recent on probation goes. */
#include "base/policy/segments.h"

enum { SLRU_PROBATION, SLRU_PROTECTED };

struct slru {
	uint32_t protect, pad[3]; /* most protected blocks */
	struct segments g;
};

static size_t slru_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? round16(sizeof(struct slru)) + segments_size(cap) : 0;
}

static void slru_init(void *state, uint32_t cap, uint64_t seed)
{
	struct slru *st = state;
	(void)seed;
	st->protect = (uint32_t)((uint64_t)cap * 4 / 5);
	segments_init(&st->g, cap);
}

static inline void slru_prefetch(struct slru *st, uint32_t slot)
{
	__builtin_prefetch(&segments_link(&st->g)[slot], 1);
	__builtin_prefetch(&segments_where(&st->g)[slot], 1);
}

static inline void slru_hit(struct slru *st, uint32_t slot)
{
	segments_move(&st->g, st->protect ? SLRU_PROTECTED : SLRU_PROBATION, slot);
	if (st->g.n[SLRU_PROTECTED] > st->protect)
		segments_move(&st->g, SLRU_PROBATION, segments_last(&st->g, SLRU_PROTECTED));
}

static inline uint32_t slru_admit(struct slru *st, uint64_t key)
{
	uint32_t s;
	(void)key;
	if (!segments_take(&st->g, &s)) {
		s = segments_last(&st->g, st->g.n[SLRU_PROBATION] ? SLRU_PROBATION : SLRU_PROTECTED);
		segments_unlink(&st->g, s);
	}
	segments_push(&st->g, SLRU_PROBATION, s);
	return s;
}

#ifdef RF_INVARIANTS
static void slru_check(void *state, const bool *used)
{
	struct slru *st = state;
	segments_check(&st->g, used);
	INVARIANT(st->g.n[SLRU_PROTECTED] <= st->protect);
}
#endif

SEGMENTS_DROP(slru)
POLICY(slru, policy_slru, "slru", .summary = "segmented LRU: probation and 80 % protected");

/* SPDX-License-Identifier: MIT */
/* SLRU: two LRU lists. A new block is on probation; a hit there makes it protected; protected blocks above 80 % of the
 * cache go back to probation, the least recent first. The least recent on probation goes. */
#include "base/policy/parts/segments.h"

enum { SLRU_PROBATION = 1, SLRU_PROTECTED };

struct slru {
	struct policy_core core;
	uint64_t protect; /* most that is protected */
	uint64_t sum[SEGMENTS + 1];
};

#define slru_node seg_node

NO_EXTRA(slru)
NO_MISS(slru)
SEGMENT_POLICY(slru, SLRU_PROTECTED)
LIST_FETCH(slru)

static void slru_start(struct slru *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)bytes, (void)seed;
	st->protect = limit - (limit + 4) / 5;
}

INLINE void slru_hit(AT(slru), uint32_t x)
{
	(void)pool;
	seg_move(st->sum, nd, size, SLRU_PROTECTED, x);
	while (st->sum[SLRU_PROTECTED] > st->protect)
		seg_move(st->sum, nd, size, SLRU_PROBATION, seg_last(nd, SLRU_PROTECTED));
}

INLINE uint32_t slru_out(AT(slru), uint64_t w)
{
	(void)w;
	uint32_t x = seg_last(nd, seg_empty(nd, SLRU_PROBATION) ? SLRU_PROTECTED : SLRU_PROBATION);
	slru_leave(PASS, x);
	return x;
}

INLINE void slru_add(AT(slru), uint32_t x, uint64_t w)
{
	(void)pool, (void)w;
	seg_push(st->sum, nd, size, SLRU_PROBATION, x);
}

SEGMENT_CHECK(slru, st->sum[SLRU_PROTECTED] <= st->protect)
TOGETHER(slru, n->where == SLRU_PROTECTED)
POLICY(slru, policy_slru, "slru", "segmented LRU: probation and 80 % protected", 0);

/* SPDX-License-Identifier: MIT */
/* ARC (Megiddo, Modha): t1 holds blocks used once lately, t2 those used again; b1 and b2 remember keys evicted from
 * each. A hit in b1 enlarges t1's share p, a hit in b2 shrinks it; the step is at least 1, else the quotient of the
 * ghosts' weights. With sizes each of the paper's counts is a sum of bytes, and its case IV is repeated for each block
 * that must go. */
#include "base/policy/parts/segments.h"

enum { ARC_T1 = 1, ARC_T2, ARC_B1, ARC_B2 };

struct arc {
	struct policy_core core;
	double p;
	uint64_t sum[SEGMENTS + 1];
	uint64_t was; /* the list of ghosts in which the block that comes was; 0: none */
};

#define arc_node seg_node

SEGMENT_POLICY(arc, ARC_T2)
LIST_FETCH(arc)

static size_t arc_extra(uint64_t limit, bool bytes)
{
	return bytes || limit <= POLICY_MAX_CAP / 2 ? 0 : SIZE_MAX;
}

static uint32_t arc_ghosts(uint32_t cap)
{
	return cap;
}

static void arc_start(struct arc *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)limit, (void)bytes, (void)seed;
	st->p = 0;
}

INLINE void arc_hit(AT(arc), uint32_t x)
{
	(void)pool;
	seg_move(st->sum, nd, size, ARC_T2, x);
}

INLINE double arc_step(uint64_t other, uint64_t mine)
{
	return mine && other > mine ? (double)other / (double)mine : 1;
}

INLINE void arc_miss(AT(arc), uint32_t x, uint64_t key)
{
	(void)pool, (void)key;
	double limit = (double)st->core.limit;
	uint64_t b1 = st->sum[ARC_B1], b2 = st->sum[ARC_B2];
	st->was = nd[x].where;
	if (!st->was)
		return;
	if (st->was == ARC_B1) {
		st->p += arc_step(b2, b1);
		st->p = st->p < limit ? st->p : limit;
	} else {
		st->p -= arc_step(b1, b2);
		st->p = st->p > 0 ? st->p : 0;
	}
	seg_remove(st->sum, nd, size, x);
}

/* The paper's REPLACE: from t1 or t2, remembered. */
INLINE uint32_t arc_replace(AT(arc))
{
	(void)pool;
	double t1 = (double)st->sum[ARC_T1];
	bool from_t1 = t1 > 0 && (t1 > st->p || (t1 == st->p && st->was == ARC_B2));
	from_t1 = !seg_empty(nd, ARC_T1) && (from_t1 || !st->sum[ARC_T2]);
	uint32_t x = seg_last(nd, from_t1 ? ARC_T1 : ARC_T2);
	seg_move(st->sum, nd, size, from_t1 ? ARC_B1 : ARC_B2, x);
	__builtin_prefetch(&nd[seg_last(nd, from_t1 ? ARC_T1 : ARC_T2)], 1);
	return x;
}

INLINE uint32_t arc_out(AT(arc), uint64_t w)
{
	const uint64_t *sum = st->sum;
	uint64_t l1 = sum[ARC_T1] + sum[ARC_B1], limit = st->core.limit;
	if (st->was)
		return arc_replace(PASS);
	if (l1 + w > limit) {
		if (!sum[ARC_B1]) {
			uint32_t x = seg_last(nd, ARC_T1);
			arc_leave(PASS, x);
			return x;
		}
		seg_forget_last(st->sum, nd, size, pool, ARC_B1);
	} else if (l1 + sum[ARC_T2] + sum[ARC_B2] >= 2 * limit && sum[ARC_B2]) {
		seg_forget_last(st->sum, nd, size, pool, ARC_B2);
	}
	return arc_replace(PASS);
}

INLINE void arc_add(AT(arc), uint32_t x, uint64_t w)
{
	(void)w;
	seg_push(st->sum, nd, size, st->was ? ARC_T2 : ARC_T1, x);
	if (size)
		return;
	/* where the caller took blocks out there was room, and nothing was forgotten above */
	while (st->sum[ARC_T1] + st->sum[ARC_B1] > st->core.limit && st->sum[ARC_B1])
		seg_forget_last(st->sum, nd, size, pool, ARC_B1);
	while (st->sum[ARC_T1] + st->sum[ARC_B1] + st->sum[ARC_T2] + st->sum[ARC_B2] > 2 * st->core.limit)
		seg_forget_last(st->sum, nd, size, pool, ARC_B2);
}

#ifdef RF_INVARIANTS
static void arc_check(AT(arc), uint32_t n_nodes)
{
	const uint64_t *sum = st->sum;
	uint64_t l1 = sum[ARC_T1] + sum[ARC_B1], all = l1 + sum[ARC_T2] + sum[ARC_B2], c = st->core.limit;
	(void)pool;
	seg_check(sum, nd, size, n_nodes);
	INVARIANT(st->p >= 0 && st->p <= (double)c);
	INVARIANT(size || (l1 <= c && all <= 2 * c));
}
#endif

TOGETHER(arc, n->where == ARC_T2)
POLICY_POOLED(arc, policy_arc, "arc", "ARC: adapts to recency and frequency");

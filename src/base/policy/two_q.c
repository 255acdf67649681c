/* SPDX-License-Identifier: MIT */
/* 2Q (Johnson, Shasha): new blocks enter a FIFO (a1in, a quarter of the cache); those that leave it are remembered by
 * key only (a1out, half the cache); a key asked for again while remembered enters the LRU list (am). */
#include "base/policy/parts/segments.h"

enum { TWOQ_IN = 1, TWOQ_MAIN, TWOQ_OUT };

struct twoq {
	struct policy_core core;
	uint64_t kin, kout;
	uint64_t sum[SEGMENTS + 1];
	uint64_t known; /* the block that comes was remembered */
};

#define twoq_node seg_node

NO_EXTRA(twoq)
SEGMENT_POLICY(twoq, TWOQ_MAIN)
LIST_FETCH(twoq)

static uint32_t twoq_ghosts(uint32_t cap)
{
	return cap / 2 ? cap / 2 : 1;
}

static void twoq_start(struct twoq *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)bytes, (void)seed;
	st->kin = limit / 4 ? limit / 4 : 1;
	st->kout = limit / 2 ? limit / 2 : 1;
}

INLINE void twoq_hit(AT(twoq), uint32_t x)
{
	(void)pool;
	if (nd[x].where == TWOQ_MAIN)
		seg_move(st->sum, nd, size, TWOQ_MAIN, x);
}

INLINE void twoq_miss(AT(twoq), uint32_t x, uint64_t key)
{
	(void)pool, (void)key;
	st->known = nd[x].where == TWOQ_OUT;
	if (st->known)
		seg_remove(st->sum, nd, size, x);
}

INLINE uint32_t twoq_out(AT(twoq), uint64_t w)
{
	uint32_t x;
	(void)w;
	if (st->sum[TWOQ_IN] > st->kin || seg_empty(nd, TWOQ_MAIN)) {
		x = seg_last(nd, TWOQ_IN);
		seg_move(st->sum, nd, size, TWOQ_OUT, x);
		while (st->sum[TWOQ_OUT] > st->kout)
			seg_forget_last(st->sum, nd, size, pool, TWOQ_OUT);
	} else {
		x = seg_last(nd, TWOQ_MAIN);
		twoq_leave(PASS, x);
	}
	return x;
}

INLINE void twoq_add(AT(twoq), uint32_t x, uint64_t w)
{
	(void)pool, (void)w;
	seg_push(st->sum, nd, size, st->known ? TWOQ_MAIN : TWOQ_IN, x);
}

SEGMENT_CHECK(twoq, st->sum[TWOQ_OUT] <= st->kout)
TOGETHER(twoq, n->where == TWOQ_IN || n->where == TWOQ_MAIN)
POLICY_POOLED(twoq, policy_2q, "2q", "2Q: FIFO for new blocks, LRU for those that return");

/* SPDX-License-Identifier: MIT */
/* S3-FIFO: a small FIFO (a tenth of the cache) for newcomers, a main FIFO, and the keys that left the small one
 * unused (as much as main holds). A count up to 3 per block. A block leaves the small FIFO for main if it was used
 * at least twice, else it goes; a block at main's end that was used goes round again with its count less one. */
#include "base/policy/parts/segments.h"

enum { S3_SMALL = 1, S3_MAIN, S3_GHOSTS };

struct s3fifo {
	struct policy_core core;
	uint64_t main, ghosts; /* most in main before blocks go from there, and of ghosts */
	uint64_t sum[SEGMENTS + 1];
	uint64_t known; /* the block that comes is a ghost */
};

#define s3fifo_node seg_node

NO_EXTRA(s3fifo)
SEGMENT_POLICY(s3fifo, S3_MAIN)
NO_FETCH(s3fifo)

static uint64_t s3fifo_main(uint64_t limit)
{
	return limit - (limit / 10 ? limit / 10 : 1);
}

static uint32_t s3fifo_ghosts(uint32_t cap)
{
	return cap > 1 ? (uint32_t)s3fifo_main(cap) : 1;
}

static void s3fifo_start(struct s3fifo *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)bytes, (void)seed;
	st->main = s3fifo_main(limit);
	st->ghosts = st->main ? st->main : 1;
}

INLINE void s3fifo_hit(AT(s3fifo), uint32_t x)
{
	UNUSED_AT;
	nd[x].count = (uint8_t)(nd[x].count + (nd[x].count < 3));
}

INLINE void s3fifo_miss(AT(s3fifo), uint32_t x, uint64_t key)
{
	(void)pool, (void)key;
	st->known = nd[x].where == S3_GHOSTS;
	if (st->known)
		seg_remove(st->sum, nd, size, x);
}

static inline uint32_t s3fifo_out_main(AT(s3fifo))
{
	for (;;) {
		uint32_t x = seg_last(nd, S3_MAIN);
		if (!nd[x].count) {
			s3fifo_leave(PASS, x);
			__builtin_prefetch(&nd[seg_last(nd, S3_MAIN)], 1);
			return x;
		}
		nd[x].count--;
		seg_move(st->sum, nd, size, S3_MAIN, x);
	}
}

INLINE uint32_t s3fifo_out(AT(s3fifo), uint64_t w)
{
	(void)w;
	if (st->sum[S3_MAIN] > st->main)
		return s3fifo_out_main(PASS);
	while (!seg_empty(nd, S3_SMALL)) {
		uint32_t x = seg_last(nd, S3_SMALL);
		if (nd[x].count < 2) {
			seg_move(st->sum, nd, size, S3_GHOSTS, x);
			while (st->sum[S3_GHOSTS] > st->ghosts)
				seg_forget_last(st->sum, nd, size, pool, S3_GHOSTS);
			__builtin_prefetch(&nd[seg_last(nd, S3_SMALL)], 1);
			return x;
		}
		nd[x].count = 0;
		seg_move(st->sum, nd, size, S3_MAIN, x);
	}
	return s3fifo_out_main(PASS);
}

INLINE void s3fifo_add(AT(s3fifo), uint32_t x, uint64_t w)
{
	(void)pool, (void)w;
	nd[x].count = 0;
	seg_push(st->sum, nd, size, st->known ? S3_MAIN : S3_SMALL, x);
}

#ifdef RF_INVARIANTS
static void s3fifo_check(AT(s3fifo), uint32_t n_nodes)
{
	(void)pool;
	seg_check(st->sum, nd, size, n_nodes);
	INVARIANT(st->sum[S3_GHOSTS] <= st->ghosts);
	for (uint32_t x = POLICY_FIRST_NODE; x < n_nodes; x++)
		INVARIANT(nd[x].count <= 3);
}
#endif

ONE_BY_ONE(s3fifo)
POLICY_POOLED(s3fifo, policy_s3fifo, "s3fifo", "S3-FIFO: small and main FIFO, ghosts");

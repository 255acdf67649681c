/* SPDX-License-Identifier: MIT */
/* W-TinyLFU: a small LRU window (1 % of the cache) in front of an SLRU main part. What leaves the window enters main
 * only if it was asked for more often than main's next victim. How often is estimated by a sketch that is halved after
 * ten times as many references as the cache has blocks. */
#include "base/policy/parts/tinylfu.h"

struct wtinylfu {
	struct policy_core core;
	struct tinylfu t;
};

#define wtinylfu_node seg_node
TINYLFU_POLICY(wtinylfu)

static void wtinylfu_start(struct wtinylfu *st, uint64_t limit, bool bytes, uint64_t seed)
{
	tinylfu_start(&st->t, limit, bytes, seed, limit / 100);
}

INLINE void wtinylfu_adapt(AT(wtinylfu), unsigned n, bool hit)
{
	UNUSED_AT, (void)n, (void)hit;
}

INLINE bool wtinylfu_steady(const struct wtinylfu *st, uint64_t n, uint64_t blocks)
{
	(void)st, (void)n, (void)blocks;
	return true;
}

POLICY_POOLED(wtinylfu, policy_wtinylfu, "wtinylfu", "W-TinyLFU: LRU window, admission by frequency");

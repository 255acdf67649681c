/* SPDX-License-Identifier: MIT */
/* GDSF (Cherkasova): a block's rank is L + uses / size, where L is the rank of the last block that was evicted: small
 * objects that are used often stay, and what was used long ago is overtaken by L. Uses are per million bytes, as
 * in libCacheSim; a size of 0 counts as 1. Blocks of equal size make it LFU with aging. */
#include "base/policy/parts/rank.h"

struct gdsf {
	struct policy_core core;
	uint64_t n, now, hole;
	double last; /* L */
};

#define gdsf_node rank_node

static void gdsf_start(struct gdsf *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)limit, (void)bytes, (void)seed;
	st->last = 0;
}

NO_EXTRA(gdsf)

INLINE struct rank_key gdsf_key(const struct gdsf *st, const struct rank_node *n)
{
	(void)st;
	return (struct rank_key){0, n->m, n->when};
}

INLINE void gdsf_use(AT(gdsf), uint32_t x)
{
	(void)pool;
	uint64_t w = weight_of(size, x);
	nd[x].count += 1;
	nd[x].m = st->last + nd[x].count * 1e6 / (double)(w ? w : 1);
}

INLINE void gdsf_gone(struct gdsf *st, const struct rank_key *key)
{
	st->last = key->m;
}

RANK_POLICY(gdsf)
SETTLED(gdsf, n->link.next != 0)

/* Of its uses only their number counts, and which was the last. */
INLINE void gdsf_hits(AT(gdsf), uint32_t x, unsigned times)
{
	nd[x].count += times - 1;
	gdsf_hit(PASS, x);
}

POLICY(gdsf, policy_gdsf, "gdsf", "greedy dual: uses per byte, aged by evictions", 0);

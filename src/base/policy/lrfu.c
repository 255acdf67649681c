/* SPDX-License-Identifier: MIT */
/* LRFU (Lee et al.): each use of a block counts (1/2)^(age / 1024), its age in references; the block with the smallest
 * sum goes. What is computed of it is in lrfu.h; the powers of two are made once and kept behind the struct. */
#include "base/policy/parts/lrfu.h"

struct lrfu {
	struct policy_core core;
	uint64_t n, now, hole, pad;
};

#define lrfu_node rank_node

static size_t lrfu_extra(uint64_t limit, bool bytes)
{
	(void)limit, (void)bytes;
	return LRFU_PERIOD * sizeof(double);
}

INLINE double *lrfu_powers(const struct lrfu *st)
{
	return (double *)((char *)(uintptr_t)st + round16(sizeof *st));
}

static void lrfu_start(struct lrfu *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)limit, (void)bytes, (void)seed;
	lrfu_make_powers(lrfu_powers(st));
}

/* count: the sum at the last use; 0: there was none. */
INLINE void lrfu_use(AT(lrfu), uint32_t x)
{
	UNUSED_AT;
	nd[x].count = 1 + (nd[x].count > 0 ? nd[x].count * lrfu_decay(lrfu_powers(st), st->now - nd[x].when) : 0);
}

INLINE struct rank_key lrfu_key(const struct lrfu *st, const struct rank_node *n)
{
	return lrfu_rank(lrfu_powers(st), n->count, n->when);
}

INLINE void lrfu_gone(struct lrfu *st, const struct rank_key *key)
{
	(void)st, (void)key;
}

RANK_POLICY(lrfu)
ONE_BY_ONE(lrfu)
POLICY(lrfu, policy_lrfu, "lrfu", "LRFU: uses, each counting half after 1024 references", 0);

/* SPDX-License-Identifier: MIT */
/* LRFU (Lee et al.): each use of a block counts (1/2)^(age / 1024), its age in references; the block with the smallest
 * sum goes. Sums fall alike as time passes, so their order does not change: a block is ranked by its sum at its last
 * use, times 2^(time of that use / 1024). Powers of two of whole 1024ths are products of ten constants: no libm. */
#include "base/policy/rank.h"

enum { LRFU_BITS = 10, LRFU_PERIOD = 1 << LRFU_BITS };

struct lrfu {
	struct policy_core core;
	uint64_t n, now;
};

#define lrfu_node rank_node

static void lrfu_start(struct lrfu *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)st, (void)limit, (void)bytes, (void)seed;
}

/* 2^(k / 1024), k below 1024. */
INLINE double lrfu_power(uint64_t k)
{
	static const double root[LRFU_BITS] = {
		1.0006771306930664, 1.0013547198921082, 1.0027112750502025, 1.0054299011128027, 1.0108892860517005,
		1.0218971486541166, 1.0442737824274138, 1.0905077326652577, 1.189207115002721,  1.4142135623730951};
	double p = 1;
	for (unsigned bit = 0; bit < LRFU_BITS; bit++)
		p *= k >> bit & 1 ? root[bit] : 1;
	return p;
}

/* (1/2)^(age / 1024) */
INLINE double lrfu_decay(uint64_t age)
{
	uint64_t halvings = age >> LRFU_BITS;
	if (halvings >= 1000)
		return 0;
	union {
		uint64_t bits;
		double value;
	} half = {.bits = (1023 - halvings) << 52};
	return half.value / lrfu_power(age & (LRFU_PERIOD - 1));
}

/* count: the sum at the last use; 0: there was none. */
INLINE void lrfu_rank(AT(lrfu), uint32_t x)
{
	UNUSED_AT;
	nd[x].count = 1 + (nd[x].count > 0 ? nd[x].count * lrfu_decay(st->now - nd[x].when) : 0);
	nd[x].e = (int64_t)(st->now >> LRFU_BITS);
	nd[x].m = nd[x].count * lrfu_power(st->now & (LRFU_PERIOD - 1));
	for (; nd[x].m >= 2; nd[x].e++)
		nd[x].m /= 2;
}

INLINE void lrfu_gone(struct lrfu *st, const struct rank_node *x)
{
	(void)st, (void)x;
}

RANK_POLICY(lrfu)
ONE_BY_ONE(lrfu)
POLICY(lrfu, policy_lrfu, "lrfu", "LRFU: uses, each counting half after 1024 references", 0);

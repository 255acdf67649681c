/* SPDX-License-Identifier: MIT */
/* LRFU (Lee et al.): each use of a block counts (1/2)^(age / 1024), its age in references; the block with the smallest
 * sum goes. Sums fall alike as time passes, so their order does not change: a block is ranked by its sum at its last
 * use, times 2^(time of that use / 1024). Powers of two of whole 1024ths are products of ten constants (no libm), made
 * once and kept behind the struct. */
#include "base/policy/rank.h"

enum { LRFU_BITS = 10, LRFU_PERIOD = 1 << LRFU_BITS };

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

/* 2^(k / 1024), k below 1024. */
INLINE double *lrfu_powers(const struct lrfu *st)
{
	return (double *)((char *)(uintptr_t)st + round16(sizeof *st));
}

static void lrfu_start(struct lrfu *st, uint64_t limit, bool bytes, uint64_t seed)
{
	static const double root[LRFU_BITS] = {
		1.0006771306930664, 1.0013547198921082, 1.0027112750502025, 1.0054299011128027, 1.0108892860517005,
		1.0218971486541166, 1.0442737824274138, 1.0905077326652577, 1.189207115002721,  1.4142135623730951};
	(void)limit, (void)bytes, (void)seed;
	for (unsigned k = 0; k < LRFU_PERIOD; k++) {
		double p = 1;
		for (unsigned bit = 0; bit < LRFU_BITS; bit++)
			p *= k >> bit & 1 ? root[bit] : 1;
		lrfu_powers(st)[k] = p;
	}
}

union lrfu_double {
	double value;
	uint64_t bits;
};
enum { LRFU_FRACTION = 52, LRFU_BIAS = 1023 };

/* (1/2)^(age / 1024) */
INLINE double lrfu_decay(const struct lrfu *st, uint64_t age)
{
	uint64_t halvings = age >> LRFU_BITS;
	if (UNLIKELY(halvings >= 1000))
		return 0;
	union lrfu_double half = {.bits = (LRFU_BIAS - halvings) << LRFU_FRACTION};
	return half.value / lrfu_powers(st)[age & (LRFU_PERIOD - 1)];
}

/* count: the sum at the last use; 0: there was none. */
INLINE void lrfu_use(AT(lrfu), uint32_t x)
{
	UNUSED_AT;
	nd[x].count = 1 + (nd[x].count > 0 ? nd[x].count * lrfu_decay(st, st->now - nd[x].when) : 0);
}

/* m is at least 1 and below 2. */
INLINE struct rank_key lrfu_key(const struct lrfu *st, const struct rank_node *n)
{
	union lrfu_double m = {n->count * lrfu_powers(st)[n->when & (LRFU_PERIOD - 1)]};
	int64_t e = (int64_t)(m.bits >> LRFU_FRACTION) - LRFU_BIAS;
	m.bits -= (uint64_t)e << LRFU_FRACTION;
	return (struct rank_key){(int64_t)(n->when >> LRFU_BITS) + e, m.value, n->when};
}

INLINE void lrfu_gone(struct lrfu *st, const struct rank_key *key)
{
	(void)st, (void)key;
}

RANK_POLICY(lrfu)
ONE_BY_ONE(lrfu)
POLICY(lrfu, policy_lrfu, "lrfu", "LRFU: uses, each counting half after 1024 references", 0);

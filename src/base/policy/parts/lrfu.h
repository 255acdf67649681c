/* SPDX-License-Identifier: MIT */
/* What LRFU computes of a block. The sums of uses fall alike as time passes, so their order does not change: a block is
 * ranked by its sum at its last use, times 2^(time of that use / 1024). Powers of two of whole 1024ths are products of
 * ten constants (no libm). */
#ifndef BASE_POLICY_LRFU_H
#define BASE_POLICY_LRFU_H

#include "base/policy/parts/rank.h"

enum { LRFU_BITS = 10, LRFU_PERIOD = 1 << LRFU_BITS };
enum { LRFU_FRACTION = 52, LRFU_BIAS = 1023 };

union lrfu_double {
	double value;
	uint64_t bits;
};

/* powers[k] is 2^(k / 1024), k below LRFU_PERIOD. */
static inline void lrfu_make_powers(double *powers)
{
	static const double root[LRFU_BITS] = {
		1.0006771306930664, 1.0013547198921082, 1.0027112750502025, 1.0054299011128027, 1.0108892860517005,
		1.0218971486541166, 1.0442737824274138, 1.0905077326652577, 1.189207115002721,  1.4142135623730951};
	for (unsigned k = 0; k < LRFU_PERIOD; k++) {
		double p = 1;
		for (unsigned bit = 0; bit < LRFU_BITS; bit++)
			p *= k >> bit & 1 ? root[bit] : 1;
		powers[k] = p;
	}
}

/* (1/2)^(age / 1024) */
INLINE double lrfu_decay(const double *powers, uint64_t age)
{
	uint64_t halvings = age >> LRFU_BITS;
	if (UNLIKELY(halvings >= 1000))
		return 0;
	union lrfu_double half = {.bits = (LRFU_BIAS - halvings) << LRFU_FRACTION};
	return half.value / powers[age & (LRFU_PERIOD - 1)];
}

/* Of the sum at the last use and when that was; m is at least 1 and below 2. */
INLINE struct rank_key lrfu_rank(const double *powers, double count, uint64_t when)
{
	union lrfu_double m = {count * powers[when & (LRFU_PERIOD - 1)]};
	int64_t e = (int64_t)(m.bits >> LRFU_FRACTION) - LRFU_BIAS;
	m.bits -= (uint64_t)e << LRFU_FRACTION;
	return (struct rank_key){(int64_t)(when >> LRFU_BITS) + e, m.value, when};
}

#endif

/* SPDX-License-Identifier: MIT */
/* The paper's compact encoding (Algorithm 4): a subsequence p of a program as intervals of it, the leftmost ones. */
#ifndef REDUCE_CACHE_COMPACT_H
#define REDUCE_CACHE_COMPACT_H

#include "data/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* first, one past the last, first, …; counted from 1 as in the paper. */
struct encoding {
	VEC_FIELDS(uint32_t);
};

/* CompactEncode. False when p is not a subsequence of min (out is then undefined). */
bool compact_encode(const uint32_t *min, uint32_t n_min, const uint32_t *p, uint32_t n, struct encoding *out);
/* CompactDecode: writes the symbols to out, returns how many. */
uint32_t compact_decode(const uint32_t *min, const uint32_t *encoding, size_t n, uint32_t *out);

#endif

/* SPDX-License-Identifier: MIT */
/* Simulated memo caches over one function's calls: the four of the paper's Table 1, LRU at every size, direct-mapped
 * at powers of two. A hit needs the same input and the same output, of a call that a cache can stand for; the same
 * input with another output is an
 * invalidation: a miss that replaces the entry. */
#ifndef PROFILE_CACHES_H
#define PROFILE_CACHES_H

#include "profile/calls.h"

enum { CACHES_SIZES = 17 }; /* 1, 2, 4, … 65536 */

struct cache_result {
	uint64_t hits, invalidations;
	uint64_t entries;      /* held at the end when nothing is evicted; per instance: the largest */
	uint64_t saved;        /* instructions of calls that need not run */
	uint64_t saved_kernel; /* nanoseconds in the kernel of the same calls */
	uint64_t asking;       /* hits on calls that ask the world */
};

struct caches {
	bool strict; /* which names were believed */
	uint64_t calls, distinct, conflicts;
	struct cache_result single_global, single_instance, multi_global, multi_instance;
	uint64_t lru_hits[CACHES_SIZES], direct_hits[CACHES_SIZES];
	uint64_t lru_enough;  /* smallest LRU size with 98 % of the hits of an unbounded one */
	uint64_t half_enough; /* the same for the first half of the calls: does the working set grow with the run? */
};

void caches_simulate(const struct calls *c, struct caches *out);
/* The number of the input of call i under the believed names. */
uint32_t caches_key(const struct calls *c, const struct caches *s, size_t i);

#endif

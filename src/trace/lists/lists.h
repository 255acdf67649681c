/* SPDX-License-Identifier: MIT */
/* Up to 64 caches of one policy and different sizes in blocks, simulated in step, for policies that keep their
 * blocks in lists by recency or arrival: SLRU, 2Q, ARC, LIRS, W-TinyLFU and its adaptive kind. In which list a cache
 * has a block is a bit, the bits of all caches are words beside the block, and a hit that only makes a block the
 * most recent of its list costs the same for one cache and for all of them. They count what simulate.h counts. */
#ifndef TRACE_LISTS_H
#define TRACE_LISTS_H

#include "base/policy.h"

enum { LISTS_MOST = 64 };

struct lists;

/* Whether n caches of the policy over so many distinct blocks can be simulated so, and faster than one by one. */
bool lists_can(const struct policy *p, size_t n, bool by_bytes, uint32_t distinct);
/* n sizes (1 … LISTS_MOST). */
struct lists *lists_new(const struct policy *p, const uint64_t *size, unsigned n, uint64_t seed);
/* All ids are below n_ids, which never falls. */
void lists_run(struct lists *s, const struct policy_refs *refs, uint32_t n_ids);
struct misses lists_misses(const struct lists *s, unsigned i);
void lists_free(struct lists *s);
/* Where invariants are on: the words, the sums and the queues agree. */
void lists_check(const struct lists *s);

#endif

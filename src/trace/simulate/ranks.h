/* SPDX-License-Identifier: MIT */
/* Up to 64 caches of GDSF or LRFU, of different sizes in blocks, simulated in step. When a block was used last is the
 * same in all caches that have it, and what a use adds to its count is too: the counts of a block in all caches stand
 * side by side, and a reference changes all of them with a few vector operations, also those of caches that do not have
 * the block, where they mean nothing. Only a miss is a matter of one cache. They count what simulate.h counts. */
#ifndef TRACE_RANKS_H
#define TRACE_RANKS_H

#include "base/policy.h"

enum { RANKS_MOST = 64 };

struct ranks;

/* Whether n caches of the policy over so many distinct blocks can be simulated so, and faster than with simulate.h:
 * that is where what is known of all blocks stays in the processor's caches. */
bool ranks_can(const struct policy *p, size_t n, bool by_bytes, uint32_t distinct);
/* n sizes (1 … RANKS_MOST). */
struct ranks *ranks_new(const struct policy *p, const uint64_t *size, unsigned n);
/* As sim_run. */
void ranks_run(struct ranks *s, const struct policy_refs *refs, uint32_t n_ids);
struct misses ranks_misses(const struct ranks *s, unsigned i);
void ranks_free(struct ranks *s);

#endif

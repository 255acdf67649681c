/* SPDX-License-Identifier: MIT */
/* Up to 64 caches of one policy and different sizes, simulated in step: what a cache knows of a block is a bit, and the
 * bits of all caches are words beside the block, so a hit costs the same for one cache and for all of them. For
 * policies that do not move a block when it is used: FIFO, CLOCK, SIEVE, S3-FIFO, LFU, random. They count what
 * simulate.h counts. */
#ifndef TRACE_STEPS_H
#define TRACE_STEPS_H

#include "base/policy.h"

enum { STEPS_MOST = 64 };

struct steps;

/* Whether n caches of the policy can be simulated so, and faster than with simulate.h. */
bool steps_can(const struct policy *p, size_t n);
/* n sizes (1 … STEPS_MOST), in blocks or bytes. */
struct steps *steps_new(const struct policy *p, const uint64_t *size, unsigned n, bool by_bytes, uint64_t seed);
/* As sim_run. */
void steps_run(struct steps *s, const struct policy_refs *refs, uint32_t n_ids);
struct misses steps_misses(const struct steps *s, unsigned i);
void steps_free(struct steps *s);
void steps_check(const struct steps *s);

#endif

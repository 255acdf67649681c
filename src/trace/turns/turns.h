/* SPDX-License-Identifier: MIT */
/* Some of many caches over the same trace, with many distinct blocks: the sizes take turns, one or a few at a time go
 * through the whole trace. A cache is simulated with less memory than simulate.h needs, because equal blocks are
 * enough here and the trace is known: GDSF and LRFU keep their blocks by rank (buckets.c), W-TinyLFU and its adaptive
 * kind in order of their places in the trace (tinylfu.c). They count what simulate.h counts. */
#ifndef TRACE_TURNS_H
#define TRACE_TURNS_H

#include "base/policy.h"

/* The whole trace. */
struct turns_trace {
	uint64_t references;
	uint32_t distinct;
	const uint32_t *id;
	const uint32_t *next; /* where the block is used next, UINT32_MAX: nowhere; NULL: nobody found out */
};

enum { TURNS_MOST = 4 };

struct turns;

/* Whether the policy needs `next`, for so many distinct blocks. */
bool turns_by_place(const struct policy *p, uint32_t distinct);
/* Finds it; freed by the caller. NULL where places do not fit. */
uint32_t *turns_next(const uint32_t *id, size_t n, uint32_t distinct);
/* Whether n caches of the policy can be simulated so, and faster than with simulate.h. */
bool turns_can(const struct policy *p, size_t n, bool by_bytes, const struct turns_trace *t);
/* How many of n sizes that rise are one turn: up to TURNS_MOST. */
unsigned turns_together(const struct policy *p, const uint64_t *size, size_t n);
struct turns *turns_new(const struct policy *p, const uint64_t *size, unsigned n, const struct turns_trace *t,
			uint64_t seed);
/* The next references of the trace. */
void turns_run(struct turns *s, const struct policy_refs *refs);
struct misses turns_misses(const struct turns *s, unsigned i);
void turns_free(struct turns *s);

#endif

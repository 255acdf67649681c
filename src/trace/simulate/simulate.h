/* SPDX-License-Identifier: MIT */
/* One simulated cache: a policy, a size and what it counts. Fed with blocks of dense ids; several caches can be fed
 * with the same blocks, by different threads. Used by `refrain trace simulate` and by whoever sizes a cache. */
#ifndef TRACE_SIMULATE_H
#define TRACE_SIMULATE_H

#include "base/policy.h"
#include "data/err.h"

#include <stdbool.h>

struct sim_spec {
	const struct policy *policy;
	uint64_t size;  /* blocks, or bytes when by_bytes */
	uint64_t front; /* blocks of a plain LRU front; the policy has the other size − front. 0: none */
	bool by_bytes;  /* the size is in bytes: blocks are evicted until the new one fits; references need sizes */
	uint64_t seed;
};

struct sim;

/* RC_INPUT when the policy cannot have that size (or that front, or a size in bytes). */
enum rc sim_check(const struct sim_spec *spec, struct err *e);
enum rc sim_new(struct sim **out, const struct sim_spec *spec, struct err *e);
/* n_ids: all ids in the block are below it; it never falls. */
/* Whether it is faster with references cut into windows. */
bool sim_takes_windows(const struct sim *s);
void sim_run(struct sim *s, const struct policy_refs *refs, uint32_t n_ids);
struct misses sim_misses(const struct sim *s);
void sim_free(struct sim *s);

#endif

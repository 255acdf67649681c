/* SPDX-License-Identifier: MIT */
/* Does a policy hold the slots that its cache holds? For the walkers of run-time caches, which exist only where
 * invariants are on. A copy of the state is asked to give up one slot after the other: it must name each slot in use
 * once. Policies without evict keep no order and have nothing to compare. */
#ifndef BASE_POLICY_AGREES_H
#define BASE_POLICY_AGREES_H

#include "base/policy.h"

struct policy_slots {
	const struct policy *policy;
	const void *state;
	uint32_t cap, n_used;
	bool (*used)(const void *cache, uint32_t slot);
	const void *cache;
};

/* copy: room for the state, aligned as it; seen: cap bytes. */
static inline bool policy_agrees(const struct policy_slots *s, void *copy, unsigned char *seen)
{
	if (!s->policy->evict)
		return true;
	__builtin_memcpy(copy, s->state, s->policy->state_size(s->cap));
	__builtin_memset(seen, 0, s->cap);
	for (uint32_t i = 0; i < s->n_used; i++) {
		uint32_t slot = s->policy->evict(copy);
		if (slot >= s->cap || seen[slot] || !s->used(s->cache, slot))
			return false;
		seen[slot] = 1;
	}
	return true;
}

#endif

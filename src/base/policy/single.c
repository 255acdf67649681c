/* SPDX-License-Identifier: MIT */
/* One slot: the last key. The smallest cache there is, and often enough. */
#include "base/policy/drivers.h"

struct single {
	uint32_t unused;
};

static size_t single_state_size(uint32_t cap)
{
	return cap == 1 ? sizeof(struct single) : 0;
}

static void single_init(void *state, uint32_t cap, uint64_t seed)
{
	(void)state, (void)cap, (void)seed;
}

static inline void single_prefetch(struct single *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline void single_hit(struct single *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline uint32_t single_admit(struct single *st, uint64_t key)
{
	(void)st, (void)key;
	return 0;
}

static inline void single_drop(struct single *st, uint32_t slot)
{
	(void)st, (void)slot;
}

#ifdef RF_INVARIANTS
static void single_check(void *state, const bool *used)
{
	(void)state, (void)used; /* it keeps nothing */
}
#endif

POLICY(single, policy_single, "single", .summary = "one slot that holds the last key", .flags = POLICY_STACK);

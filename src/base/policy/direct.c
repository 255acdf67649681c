/* SPDX-License-Identifier: MIT */
/* Direct-mapped: a key lives in slot key mod cap or nowhere. No order to keep; two keys of one slot push each other
 * out. */
#include "base/policy/parts/placed.h"

static uint32_t direct_place(void *state, uint64_t key)
{
	return (uint32_t)(key % ((struct placed *)state)->core.limit);
}

static void direct_hit(void *state, uint32_t slot)
{
	(void)state, (void)slot;
}

static uint32_t direct_admit(void *state, uint64_t key)
{
	return direct_place(state, key);
}

static void direct_drop(void *state, uint32_t slot)
{
	(void)state, (void)slot;
}

static size_t direct_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? sizeof(struct placed) : 0;
}

static void direct_init(void *state, uint32_t cap, uint64_t seed)
{
	(void)seed;
	((struct placed *)state)->core.limit = cap;
}

static void direct_run(const struct policy_sim *s, const struct policy_refs *r)
{
	placed_run(s, r, direct_hit, direct_admit);
}

#ifdef RF_INVARIANTS
static void direct_check(void *state, const bool *used)
{
	(void)used; /* it does not know which slots are in use */
	INVARIANT(((struct placed *)state)->core.limit);
}
#endif

static size_t direct_sim_size(uint64_t limit, bool bytes)
{
	return placed_sim_size(limit, bytes, direct_state_size);
}

static void direct_sim_init(void *state, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)bytes;
	direct_init(state, (uint32_t)limit, seed);
	placed_sim_start(state, sizeof(struct placed));
}

const struct policy policy_direct = {.name = "direct",
				     .summary = "direct-mapped: a key's slot is key mod size",
				     .flags = POLICY_PLACED,
				     .ways = 1,
				     .sim_size = direct_sim_size,
				     .sim_init = direct_sim_init,
				     .run = direct_run,
				     PLACED_ROW,
				     .state_size = direct_state_size,
				     .init = direct_init,
				     .place = direct_place,
				     .hit = direct_hit,
				     .admit = direct_admit,
				     .drop = direct_drop,
				     .check = POLICY_CHECK(direct_check)};

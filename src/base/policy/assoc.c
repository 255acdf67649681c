/* SPDX-License-Identifier: MIT */
/* Set-associative: size / ways sets, a key's set is key mod sets, LRU within it. A stamp per slot says when it was used
 * last; 0: free. */
#include "base/policy/parts/placed.h"

static void assoc_hit(void *state, uint32_t slot)
{
	struct placed *st = state;
	st->stamp[slot] = ++st->now;
}

static uint32_t assoc_place(const struct placed *st, uint64_t key, uint32_t ways)
{
	return (uint32_t)(key % (st->core.limit / ways)) * ways;
}

static inline uint32_t assoc_admit(struct placed *st, uint64_t key, uint32_t ways)
{
	uint32_t first = assoc_place(st, key, ways), s = first;
	for (uint32_t i = first + 1; i < first + ways; i++)
		if (st->stamp[i] < st->stamp[s])
			s = i;
	st->stamp[s] = ++st->now;
	return s;
}

static void assoc_drop(void *state, uint32_t slot)
{
	((struct placed *)state)->stamp[slot] = 0;
}

static void assoc_init(void *state, uint32_t cap, uint64_t seed)
{
	(void)seed;
	((struct placed *)state)->core.limit = cap;
}

static void assoc_sim_init(void *state, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)bytes;
	assoc_init(state, (uint32_t)limit, seed);
	placed_sim_start(state, sizeof(struct placed) + (size_t)limit * sizeof(uint64_t));
}

#ifdef RF_INVARIANTS
static void assoc_check(void *state, const bool *used)
{
	struct placed *st = state;
	for (uint32_t s = 0; s < st->core.limit; s++)
		INVARIANT(st->stamp[s] <= st->now && used[s] == (st->stamp[s] != 0));
}
#endif

#define ASSOC(WAYS)                                                                                                    \
	static size_t assoc##WAYS##_state_size(uint32_t cap)                                                           \
	{                                                                                                              \
		bool fits = cap && cap <= POLICY_MAX_CAP && cap % WAYS == 0;                                           \
		return fits ? sizeof(struct placed) + (size_t)cap * sizeof(uint64_t) : 0;                              \
	}                                                                                                              \
	static size_t assoc##WAYS##_sim_size(uint64_t limit, bool bytes)                                               \
	{                                                                                                              \
		return placed_sim_size(limit, bytes, assoc##WAYS##_state_size);                                        \
	}                                                                                                              \
	static uint32_t assoc##WAYS##_place(void *state, uint64_t key)                                                 \
	{                                                                                                              \
		return assoc_place(state, key, WAYS);                                                                  \
	}                                                                                                              \
	static uint32_t assoc##WAYS##_admit(void *state, uint64_t key)                                                 \
	{                                                                                                              \
		return assoc_admit(state, key, WAYS);                                                                  \
	}                                                                                                              \
	static void assoc##WAYS##_run(const struct policy_sim *s, const struct policy_refs *r)                         \
	{                                                                                                              \
		placed_run(s, r, assoc_hit, assoc##WAYS##_admit);                                                      \
	}                                                                                                              \
	const struct policy policy_assoc##WAYS = {                                                                     \
		.name = "assoc" #WAYS,                                                                                 \
		.summary = "set-associative, " #WAYS " ways, LRU in each set",                                         \
		.flags = POLICY_PLACED,                                                                                \
		.ways = WAYS,                                                                                          \
		.sim_size = assoc##WAYS##_sim_size,                                                                    \
		.sim_init = assoc_sim_init,                                                                            \
		.run = assoc##WAYS##_run,                                                                              \
		PLACED_ROW,                                                                                            \
		.state_size = assoc##WAYS##_state_size,                                                                \
		.init = assoc_init,                                                                                    \
		.place = assoc##WAYS##_place,                                                                          \
		.hit = assoc_hit,                                                                                      \
		.admit = assoc##WAYS##_admit,                                                                          \
		.drop = assoc_drop,                                                                                    \
		.check = POLICY_CHECK(assoc_check),                                                                    \
	}

ASSOC(2);
ASSOC(4);
ASSOC(8);
ASSOC(16);

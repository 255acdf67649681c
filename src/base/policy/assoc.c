/* SPDX-License-Identifier: MIT */
/* Set-associative: size / ways sets, a key's set is key mod sets, LRU within it. A stamp per slot says when it was used
 * last; 0: free. */
#include "base/policy/drivers.h"

struct assoc {
	uint64_t now;
	uint32_t sets, ways;
	uint64_t stamp[];
};

static inline void assoc_hit(struct assoc *st, uint32_t slot)
{
	st->stamp[slot] = ++st->now;
}

static uint32_t assoc_place(void *state, uint64_t key)
{
	struct assoc *st = state;
	return (uint32_t)(key % st->sets) * st->ways;
}

static inline uint32_t assoc_admit(struct assoc *st, uint64_t key)
{
	uint32_t first = assoc_place(st, key), s = first;
	for (uint32_t i = first + 1; i < first + st->ways; i++)
		if (st->stamp[i] < st->stamp[s])
			s = i;
	st->stamp[s] = ++st->now;
	return s;
}

static inline void assoc_drop(struct assoc *st, uint32_t slot)
{
	st->stamp[slot] = 0;
}

static void assoc_run(void *state, struct policy_index *ix, const struct policy_refs *r)
{
	struct assoc *st = state;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t id = r->id[i], s = ix->slot_of[id];
		if (s) {
			assoc_hit(st, s - 1);
			continue;
		}
		ix->misses++;
		ix->miss_bytes += r->size ? r->size[i] : 0;
		policy_place(ix, id, assoc_admit(st, r->key[i]));
	}
}

#ifdef RF_INVARIANTS
static void assoc_check(void *state, const bool *used)
{
	struct assoc *st = state;
	for (uint32_t s = 0; s < st->sets * st->ways; s++) {
		INVARIANT(st->stamp[s] <= st->now && used[s] == (st->stamp[s] != 0));
		for (uint32_t other = s / st->ways * st->ways; other < s; other++)
			INVARIANT(!st->stamp[s] || st->stamp[s] != st->stamp[other]);
	}
}
#endif

POLICY_RUNTIME(assoc)

#define ASSOC(WAYS)                                                                                                    \
	static size_t assoc##WAYS##_state_size(uint32_t cap)                                                           \
	{                                                                                                              \
		bool fits = cap && cap <= POLICY_MAX_CAP && cap % WAYS == 0;                                           \
		return fits ? sizeof(struct assoc) + (size_t)cap * sizeof(uint64_t) : 0;                               \
	}                                                                                                              \
	static void assoc##WAYS##_init(void *state, uint32_t cap, uint64_t seed)                                       \
	{                                                                                                              \
		(void)seed;                                                                                            \
		*(struct assoc *)state = (struct assoc){.sets = cap / WAYS, .ways = WAYS};                             \
	}                                                                                                              \
	const struct policy policy_assoc##WAYS = {                                                                     \
		.name = "assoc" #WAYS,                                                                                 \
		.summary = "set-associative, " #WAYS " ways, LRU in each set",                                         \
		.flags = POLICY_PLACED,                                                                                \
		.ways = WAYS,                                                                                          \
		.state_size = assoc##WAYS##_state_size,                                                                \
		.init = assoc##WAYS##_init,                                                                            \
		.place = assoc_place,                                                                                  \
		.hit = assoc_hit_row,                                                                                  \
		.admit = assoc_admit_row,                                                                              \
		.drop = assoc_drop_row,                                                                                \
		.run = assoc_run,                                                                                      \
		.check = POLICY_CHECK(assoc),                                                                          \
	}

ASSOC(2);
ASSOC(4);
ASSOC(8);
ASSOC(16);

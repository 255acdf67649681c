/* SPDX-License-Identifier: MIT */
/* Direct-mapped: a key lives in slot key mod cap or nowhere. No order to keep; two keys of one slot push each other
 * out. */
#include "base/policy/drivers.h"

struct direct {
	uint32_t cap;
};

static size_t direct_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? sizeof(struct direct) : 0;
}

static void direct_init(void *state, uint32_t cap, uint64_t seed)
{
	(void)seed;
	*(struct direct *)state = (struct direct){cap};
}

static uint32_t direct_place(void *state, uint64_t key)
{
	return (uint32_t)(key % ((struct direct *)state)->cap);
}

static inline void direct_hit(struct direct *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline uint32_t direct_admit(struct direct *st, uint64_t key)
{
	return (uint32_t)(key % st->cap);
}

static inline void direct_drop(struct direct *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static void direct_run(void *state, struct policy_index *ix, const struct policy_refs *r)
{
	struct direct *st = state;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t id = r->id[i];
		if (ix->slot_of[id])
			continue;
		ix->misses++;
		ix->miss_bytes += r->size ? r->size[i] : 0;
		policy_place(ix, id, direct_admit(st, r->key[i]));
	}
}

#ifdef RF_INVARIANTS
static void direct_check(void *state, const bool *used)
{
	(void)used; /* it does not know which slots are in use */
	INVARIANT(((struct direct *)state)->cap);
}
#endif

POLICY_RUNTIME(direct)

const struct policy policy_direct = {POLICY_ROW(direct, "direct"),
				     .summary = "direct-mapped: a key's slot is key mod size", .flags = POLICY_PLACED,
				     .ways = 1, .place = direct_place};

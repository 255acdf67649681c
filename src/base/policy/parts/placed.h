/* SPDX-License-Identifier: MIT */
/* The simulator of policies whose keys have fixed places: ids know their slot, slots their id, which is kept behind the
 * policy's run-time state. */
#ifndef BASE_POLICY_PLACED_H
#define BASE_POLICY_PLACED_H

#include "base/policy/parts/drivers.h"

struct placed {
	struct policy_core core;
	uint64_t now;     /* assoc: counts references */
	uint64_t id_in;   /* simulator: bytes from here to the ids + 1 of slots */
	uint64_t stamp[]; /* assoc: when each slot was used last; 0: free */
};

/* slot + 1; 0: not in the cache */
struct placed_node {
	uint32_t slot;
};

static inline size_t placed_sim_size(uint64_t limit, bool bytes, size_t (*state_size)(uint32_t))
{
	size_t state = bytes || limit > POLICY_MAX_CAP ? 0 : state_size((uint32_t)limit);
	return state ? round16(state) + (size_t)limit * sizeof(uint32_t) : 0;
}

static inline void placed_sim_start(struct placed *st, size_t state_size)
{
	st->id_in = round16(state_size);
}

INLINE void placed_run(const struct policy_sim *s, const struct policy_refs *r, void (*hit)(void *, uint32_t),
		       uint32_t (*admit)(void *, uint64_t))
{
	struct placed *st = s->state;
	struct placed_node *nd = s->node;
	uint32_t *id_in = (uint32_t *)(void *)((char *)st + st->id_in);
	for (size_t i = 0; i < r->n; i++) {
		struct placed_node *x = &nd[r->id[i] + POLICY_FIRST_NODE];
		if (x->slot) {
			hit(st, x->slot - 1);
			continue;
		}
		st->core.misses++;
		st->core.miss_bytes += r->size ? r->size[i] : 0;
		if (r->missed)
			r->missed[i] = 1;
		uint32_t slot = admit(st, r->key[i]);
		if (id_in[slot])
			nd[id_in[slot] - 1 + POLICY_FIRST_NODE].slot = 0;
		id_in[slot] = r->id[i] + 1;
		x->slot = slot + 1;
	}
}

static inline bool placed_sim_has(const struct policy_sim *s, uint32_t id)
{
	return ((const struct placed_node *)s->node)[id + POLICY_FIRST_NODE].slot != 0;
}

#ifdef RF_INVARIANTS
/* Ids and slots know each other. */
static inline void placed_sim_check(const struct policy_sim *s, uint32_t n_nodes)
{
	struct placed *st = s->state;
	const struct placed_node *nd = s->node;
	const uint32_t *id_in = (const uint32_t *)(const void *)((const char *)st + st->id_in);
	for (uint32_t x = POLICY_FIRST_NODE; x < n_nodes; x++)
		INVARIANT(!nd[x].slot || id_in[nd[x].slot - 1] == x - POLICY_FIRST_NODE + 1);
	for (uint32_t slot = 0; slot < st->core.limit; slot++)
		INVARIANT(!id_in[slot] || nd[id_in[slot] - 1 + POLICY_FIRST_NODE].slot == slot + 1);
}
#endif

#define PLACED_ROW                                                                                                     \
	.node_size = sizeof(struct placed_node), .sim_has = placed_sim_has, .sim_check = POLICY_CHECK(placed_sim_check)

#endif

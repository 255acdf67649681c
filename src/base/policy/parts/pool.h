/* SPDX-License-Identifier: MIT */
/* Run-time caches of policies that know keys or remember evicted ones. Their nodes are more than their slots: a block
 * that is evicted and remembered keeps its node, its slot goes to the new block. A node has a key as long as the body
 * knows it; the body says pool_release when it no longer does. Ghosts are found by their key through chains.
 *
 * In the simulator, where a node is an id and ids are never released, the pool is NULL and all this vanishes. */
#ifndef BASE_POLICY_POOL_H
#define BASE_POLICY_POOL_H

#include "base/policy/parts/drivers.h"

/* Followed by n_nodes of struct pool_node, cap node numbers by slot, and mask + 1 chains. */
struct pool {
	uint32_t cap, n_nodes, mask;
	uint32_t taken, freed; /* nodes ever used; the last one released, chained through `chain` */
	uint32_t pad[3];
};

struct pool_node {
	uint64_t key;
	uint32_t slot; /* number + 1; 0: a ghost */
	uint32_t chain;
};

INLINE struct pool_node *pool_nodes(struct pool *p)
{
	return (struct pool_node *)(p + 1);
}

INLINE uint32_t *pool_node_at(struct pool *p)
{
	return (uint32_t *)(pool_nodes(p) + p->n_nodes);
}

INLINE uint32_t *pool_chain(struct pool *p, uint64_t key)
{
	return pool_node_at(p) + p->cap + (mix64(key) & p->mask);
}

static inline size_t pool_size(uint32_t cap, uint32_t n_nodes)
{
	return round16(sizeof(struct pool) + (size_t)n_nodes * sizeof(struct pool_node) +
		       ((size_t)cap + ceil_pow2(n_nodes)) * sizeof(uint32_t));
}

static inline void pool_init(struct pool *p, uint32_t cap, uint32_t n_nodes)
{
	*p = (struct pool){.cap = cap, .n_nodes = n_nodes, .mask = (uint32_t)ceil_pow2(n_nodes) - 1};
	p->taken = POLICY_FIRST_NODE;
}

/* The key of a block; an id is its own. */
INLINE uint64_t key_of(struct pool *p, uint32_t x)
{
	return p ? pool_nodes(p)[x].key : x - POLICY_FIRST_NODE;
}

/* Two keys of the caller may have the same number, so a block in a slot is not what we look for. */
static inline uint32_t pool_find(struct pool *p, uint64_t key)
{
	uint32_t x = *pool_chain(p, key);
	while (x && (pool_nodes(p)[x].key != key || pool_nodes(p)[x].slot))
		x = pool_nodes(p)[x].chain;
	return x;
}

static inline uint32_t pool_take(struct pool *p, uint64_t key)
{
	uint32_t x = p->freed, *chain = pool_chain(p, key);
	if (x)
		p->freed = pool_nodes(p)[x].chain;
	else
		x = p->taken++;
	INVARIANT(x < p->n_nodes);
	pool_nodes(p)[x] = (struct pool_node){key, 0, *chain};
	*chain = x;
	return x;
}

/* The body no longer knows x. Its slot stays known until the driver has given it to another block. */
static inline void pool_release(struct pool *p, uint32_t x)
{
	if (!p)
		return;
	uint32_t *at = pool_chain(p, pool_nodes(p)[x].key);
	while (*at != x)
		at = &pool_nodes(p)[*at].chain;
	*at = pool_nodes(p)[x].chain;
	pool_nodes(p)[x].chain = p->freed;
	p->freed = x;
}

INLINE void pool_seat(struct pool *p, uint32_t x, uint32_t slot)
{
	pool_nodes(p)[x].slot = slot + 1;
	pool_node_at(p)[slot] = x;
}

/* The slot of a block that goes. */
INLINE uint32_t pool_unseat(struct pool *p, uint32_t x)
{
	uint32_t slot = pool_nodes(p)[x].slot - 1;
	pool_nodes(p)[x].slot = 0;
	return slot;
}

INLINE bool pool_free_slot(struct pool *p, struct policy_core *c, uint32_t *slot)
{
	if (c->freed) {
		*slot = c->freed - 1;
		c->freed = pool_node_at(p)[*slot];
		return true;
	}
	if (c->taken == c->cap)
		return false;
	*slot = c->taken++;
	return true;
}

INLINE void pool_give_back(struct pool *p, struct policy_core *c, uint32_t slot)
{
	pool_node_at(p)[slot] = c->freed;
	c->freed = slot + 1;
}

#ifdef RF_INVARIANTS
/* Nodes given out are known by their key, all others are free. */
static inline void pool_check(struct pool *p, const struct policy_core *c, const bool *used)
{
	uint32_t in_chains = 0, freed = 0, seated = 0, n_used = 0;
	for (uint32_t h = 0; h <= p->mask; h++)
		for (uint32_t x = (pool_node_at(p) + p->cap)[h]; x; x = pool_nodes(p)[x].chain, in_chains++) {
			INVARIANT((mix64(pool_nodes(p)[x].key) & p->mask) == h && in_chains < p->n_nodes);
			uint32_t slot = pool_nodes(p)[x].slot;
			seated += slot != 0;
			INVARIANT(!slot || (used[slot - 1] && pool_node_at(p)[slot - 1] == x));
		}
	for (uint32_t x = p->freed; x; x = pool_nodes(p)[x].chain, freed++)
		INVARIANT(x < p->taken && freed < p->n_nodes);
	for (uint32_t s = 0; s < p->cap; s++)
		n_used += used[s];
	INVARIANT(in_chains + freed + POLICY_FIRST_NODE == p->taken && seated == n_used && n_used == c->n);
}
#define POOL_CHECK(NAME)                                                                                               \
	static void NAME##_pool_check(void *state, const bool *used)                                                   \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		struct pool *pool = NAME##_pool(st);                                                                   \
		pool_check(pool, &st->core, used);                                                                     \
		for (uint32_t s = 0; s < st->core.cap; s++)                                                            \
			INVARIANT(!used[s] || NAME##_in(&NAME##_nodes(st)[pool_node_at(pool)[s]]));                    \
		NAME##_walk(st, NAME##_nodes(st), NULL, pool, pool->n_nodes);                                          \
	}
#else
#define POOL_CHECK(NAME)
#endif

/* The run-time driver. NAME_ghosts(cap) says how many blocks the body remembers beside those in the cache. */
#define POLICY_POOL(NAME)                                                                                              \
	static uint32_t NAME##_n_nodes(uint32_t cap)                                                                   \
	{                                                                                                              \
		return cap + NAME##_ghosts(cap) + 1 + POLICY_FIRST_NODE;                                               \
	}                                                                                                              \
	POLICY_NODES(NAME, nodes_init)                                                                                 \
	static struct pool *NAME##_pool(struct NAME *st)                                                               \
	{                                                                                                              \
		return (struct pool *)((char *)NAME##_nodes(st) +                                                      \
				       round16(NAME##_n_nodes(st->core.cap) * sizeof(struct NAME##_node)));            \
	}                                                                                                              \
	static size_t NAME##_pool_size(uint32_t cap)                                                                   \
	{                                                                                                              \
		size_t state = cap <= POLICY_MAX_CAP ? NAME##_sim_size(cap, false) : 0;                                \
		if (!state)                                                                                            \
			return 0;                                                                                      \
		return state + round16(NAME##_n_nodes(cap) * sizeof(struct NAME##_node)) +                             \
		       pool_size(cap, NAME##_n_nodes(cap));                                                            \
	}                                                                                                              \
	static void NAME##_pool_init(void *state, uint32_t cap, uint64_t seed)                                         \
	{                                                                                                              \
		NAME##_nodes_init(state, cap, seed);                                                                   \
		pool_init(NAME##_pool(state), cap, NAME##_n_nodes(cap));                                               \
	}                                                                                                              \
	static void NAME##_pool_hit(void *state, uint32_t slot)                                                        \
	{                                                                                                              \
		struct pool *pool = NAME##_pool(state);                                                                \
		NAME##_hit(state, NAME##_nodes(state), NULL, pool, pool_node_at(pool)[slot]);                          \
	}                                                                                                              \
	static uint32_t NAME##_pool_admit(void *state, uint64_t key)                                                   \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		struct NAME##_node *nd = NAME##_nodes(st);                                                             \
		struct pool *pool = NAME##_pool(st);                                                                   \
		uint32_t x = pool_find(pool, key), slot;                                                               \
		if (!x)                                                                                                \
			x = pool_take(pool, key);                                                                      \
		NAME##_miss(st, nd, NULL, pool, x, key);                                                               \
		if (pool_free_slot(pool, &st->core, &slot)) {                                                          \
			st->core.used++;                                                                               \
			st->core.n++;                                                                                  \
		} else {                                                                                               \
			slot = pool_unseat(pool, NAME##_out(st, nd, NULL, pool, 1));                                   \
		}                                                                                                      \
		NAME##_add(st, nd, NULL, pool, x, 1);                                                                  \
		pool_seat(pool, x, slot);                                                                              \
		return slot;                                                                                           \
	}                                                                                                              \
	static void NAME##_pool_drop(void *state, uint32_t slot)                                                       \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		struct pool *pool = NAME##_pool(st);                                                                   \
		uint32_t x = pool_node_at(pool)[slot];                                                                 \
		st->core.used--;                                                                                       \
		st->core.n--;                                                                                          \
		NAME##_leave(st, NAME##_nodes(st), NULL, pool, x);                                                     \
		pool_give_back(pool, &st->core, pool_unseat(pool, x));                                                 \
	}                                                                                                              \
	static uint32_t NAME##_pool_evict(void *state)                                                                 \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		struct pool *pool = NAME##_pool(st);                                                                   \
		uint32_t slot = pool_unseat(pool, NAME##_out(st, NAME##_nodes(st), NULL, pool, 1));                    \
		st->core.used--;                                                                                       \
		st->core.n--;                                                                                          \
		pool_give_back(pool, &st->core, slot);                                                                 \
		return slot;                                                                                           \
	}                                                                                                              \
	POOL_CHECK(NAME)

#define POLICY_POOLED(NAME, SYMBOL, TITLE, SUMMARY)                                                                    \
	POLICY_SIM(NAME)                                                                                               \
	POLICY_SIM_DROP(NAME)                                                                                          \
	POLICY_POOL(NAME)                                                                                              \
	const struct policy SYMBOL = {.name = TITLE,                                                                   \
				      .summary = SUMMARY,                                                              \
				      .flags = POLICY_GHOSTS,                                                          \
				      POLICY_SIM_ROW(NAME),                                                            \
				      POLICY_RUNTIME_ROW(NAME, pool)}

#endif

/* SPDX-License-Identifier: MIT */
/* Engine A: the paper's bounded cache of (address, type), Algorithm 1, for data that is not changed after it was
 * built. LRU or direct-mapped (base/policy.h), 1 … 65536 entries; verdicts are inserted below a depth limit only
 * (depth counts from 0, so that limit 2 keeps a node and its arguments); atomic values are not cached. Entries go when
 * their memory is freed or forgotten.
 *
 * The walk keeps its own stack. A node at a depth that is not cached needs no frame of its own: its edges are simply
 * appended, so a long list costs no stack. After many steps without an end the walk is left to full.c, which
 * ends on cycles and visits shared parts once; sharing is allowed here, as in the paper, whose terms share.
 *
 * Invariant: a slot in use (node != 0) is, with LRU, in the chain of its node's bucket and there once, otherwise the
 * slot that the policy gives its key; a pair (node, type) has one slot. */
#include "base/invariant.h"
#include "base/policy.h"
#include "base/policy_agrees.h"
#include "runtime/check/inside/rt.h"

#include <string.h>

enum { STEP_LIMIT = 1 << 20 };

struct entry {
	uintptr_t node;
	uint32_t type;
	uint32_t next; /* LRU: 1 + next slot in the same bucket */
};

static struct {
	const struct policy *policy;
	void *state;
	size_t state_bytes;
	struct entry *slot;
	uint32_t *bucket; /* LRU: 1 + first slot */
	uint32_t cap, mask;
} cache;

static struct rt_vec work; /* struct item */

struct item {
	const void *node;
	uint32_t type;
	uint32_t depth; /* LEAVE: all arguments were checked, insert */
};
#define LEAVE UINT32_MAX

static bool cache_start(void)
{
	const struct policy *p = rt_config.policy;
	uint32_t cap = rt_config.size;
	cache.state_bytes = p->state_size(cap);
	cache.mask = (uint32_t)ceil_pow2((uint64_t)cap * 2) - 1;
	cache.slot = rt_map(cap * sizeof *cache.slot);
	cache.bucket = rt_map(((size_t)cache.mask + 1) * sizeof *cache.bucket);
	cache.state = rt_map(cache.state_bytes ? cache.state_bytes : 16);
	if (!cache.slot || !cache.bucket || !cache.state || !cache.state_bytes)
		return false;
	p->init(cache.state, cap, 1);
	cache.cap = cap;
	cache.policy = p;
	return true;
}

void rt_cache_drop(void)
{
	if (!cache.policy)
		return;
	/* a new configuration may have another size: the old arrays stay mapped, they are small */
	cache.policy = NULL;
}

/* Both are the same for all addresses in one granule, so that a freed block finds its entries by granule. */
static uint64_t key_of(uintptr_t node, uint32_t type)
{
	return (node >> 4) + (node >> 12) + (uint64_t)type * 7;
}

static uint32_t bucket_of(uintptr_t node)
{
	return (uint32_t)mix64(node >> GRANULE_BITS) & cache.mask;
}

static bool lookup(uintptr_t node, uint32_t type)
{
	rt_stats.lookups++;
	if (cache.policy->flags & POLICY_PLACED) {
		uint32_t s = cache.policy->place(cache.state, key_of(node, type));
		if (cache.slot[s].node != node || cache.slot[s].type != type)
			return false;
		cache.policy->hit(cache.state, s);
		rt_stats.hits++;
		return true;
	}
	for (uint32_t s = cache.bucket[bucket_of(node)]; s; s = cache.slot[s - 1].next)
		if (cache.slot[s - 1].node == node && cache.slot[s - 1].type == type) {
			cache.policy->hit(cache.state, s - 1);
			rt_stats.hits++;
			return true;
		}
	return false;
}

static void unchain(uint32_t s)
{
	uint32_t *at = &cache.bucket[bucket_of(cache.slot[s].node)];
	while (*at != s + 1) {
		INVARIANT(*at != 0);
		at = &cache.slot[*at - 1].next;
	}
	*at = cache.slot[s].next;
}

static void insert(uintptr_t node, uint32_t type)
{
	bool placed = cache.policy->flags & POLICY_PLACED;
	uint32_t s = cache.policy->admit(cache.state, key_of(node, type));
	if (s == POLICY_BYPASS)
		return;
	INVARIANT(s < cache.cap);
	if (!placed && cache.slot[s].node)
		unchain(s);
	cache.slot[s] = (struct entry){node, type, 0};
	if (!placed) {
		uint32_t *b = &cache.bucket[bucket_of(node)];
		cache.slot[s].next = *b;
		*b = s + 1;
	}
}

static void drop_slot(uint32_t s)
{
	INVARIANT(cache.slot[s].node != 0);
	if (!(cache.policy->flags & POLICY_PLACED))
		unchain(s);
	cache.policy->drop(cache.state, s);
	cache.slot[s] = (struct entry){0};
}

void rt_cache_forget(uintptr_t a, size_t n)
{
	if (!cache.policy)
		return;
	bool placed = cache.policy->flags & POLICY_PLACED;
	size_t probes = (n / 8 + 1) * (placed ? rt_n_types : 1);
	if (probes > cache.cap) {
		for (uint32_t s = 0; s < cache.cap; s++)
			if (cache.slot[s].node >= a && cache.slot[s].node - a < n)
				drop_slot(s);
		return;
	}
	for (uintptr_t x = a & ~(uintptr_t)7; x < a + n; x += 8) {
		for (unsigned t = 1; placed && t <= rt_n_types; t++) {
			uint32_t s = cache.policy->place(cache.state, key_of(x, t));
			if (cache.slot[s].node - x < 8)
				drop_slot(s);
		}
		for (uint32_t s = placed ? 0 : cache.bucket[bucket_of(x)], next; s; s = next) {
			next = cache.slot[s - 1].next;
			if (cache.slot[s - 1].node - x < 8)
				drop_slot(s - 1);
		}
	}
}

/* Turns a node into items for its edges, in place on the work list. */
static bool expand(struct item it)
{
	const struct rf_type *d = rt_desc(it.type);
	static struct rt_vec edges;
	if (!rt_vec_reserve(&edges, rt_types[it.type].max_edges + 1, sizeof(struct rf_edge)))
		return false;
	struct rf_edge *from = &VEC_AT(edges, struct rf_edge, 0), *to = d->scan(it.node, from);
	if (!to)
		return false;
	rt_stats.nodes++;
	if (it.depth > rt_stats.max_depth)
		rt_stats.max_depth = it.depth;
	bool keep = rt_config.engine == ENGINE_CACHE && (!rt_config.depth || it.depth < rt_config.depth);
	if (keep && to == from) {
		insert((uintptr_t)it.node, it.type);
		return true;
	}
	if (!rt_vec_reserve(&work, (size_t)(to - from) + 1, sizeof it))
		return false;
	if (keep)
		VEC_AT(work, struct item, work.n++) = (struct item){it.node, it.type, LEAVE};
	/* the last edge is looked at first otherwise */
	while (to > from) {
		to--;
		VEC_AT(work, struct item, work.n++) = (struct item){to->node, to->type, it.depth + 1};
	}
	return true;
}

int rt_cache_check(const void *p, unsigned type)
{
	if (!p)
		return (rt_desc(type)->flags & RF_TYPE_NULL) != 0;
	if (rt_types[type].full || rt_types[type].measured)
		return rt_full(p, type, false);
	if (rt_config.engine == ENGINE_CACHE && !cache.policy && !cache_start())
		return -1;
	rt_check_brk();
	work.n = 0;
	if (!rt_vec_reserve(&work, 1, sizeof(struct item)))
		return -1;
	VEC_AT(work, struct item, work.n++) = (struct item){p, type, 0};
	for (uint64_t steps = 0; work.n; steps++) {
		if (steps > STEP_LIMIT)
			return rt_full(p, type, false);
		struct item it = VEC_AT(work, struct item, --work.n);
		if (it.depth == LEAVE) {
			insert((uintptr_t)it.node, it.type);
			continue;
		}
		if (rt_node_fault(it.node, &rt_types[it.type]) != FAULT_NONE)
			return 0;
		if (rt_config.engine == ENGINE_CACHE && lookup((uintptr_t)it.node, it.type))
			continue;
		if (!expand(it))
			return 0;
	}
	return 1;
}

#ifdef RF_INVARIANTS
static bool is_used(const void *unused, uint32_t slot)
{
	(void)unused;
	return cache.slot[slot].node != 0;
}

void rt_cache_walk(void)
{
	static struct rt_vec copy, seen;
	uint32_t in_use = 0, chained = 0;
	if (!cache.policy)
		return;
	bool placed = cache.policy->flags & POLICY_PLACED;
	for (uint32_t s = 0; s < cache.cap; s++) {
		const struct entry *e = &cache.slot[s];
		in_use += e->node != 0;
		INVARIANT(!e->node || (e->type >= 1 && e->type <= rt_n_types));
		INVARIANT(!e->node || !placed || cache.policy->place(cache.state, key_of(e->node, e->type)) == s);
	}
	for (uint32_t b = 0; !placed && b <= cache.mask; b++)
		for (uint32_t s = cache.bucket[b]; s; s = cache.slot[s - 1].next) {
			const struct entry *e = &cache.slot[s - 1];
			chained++;
			INVARIANT(e->node && bucket_of(e->node) == b && chained <= in_use);
			for (uint32_t o = e->next; o; o = cache.slot[o - 1].next)
				INVARIANT(cache.slot[o - 1].node != e->node || cache.slot[o - 1].type != e->type);
		}
	INVARIANT(placed || chained == in_use);
	struct policy_slots s = {cache.policy, cache.state, cache.cap, in_use, is_used, NULL};
	copy.n = seen.n = 0;
	INVARIANT(rt_vec_reserve(&copy, cache.state_bytes, 1) && rt_vec_reserve(&seen, cache.cap, 1));
	INVARIANT(policy_agrees(&s, copy.at, (unsigned char *)seen.at));
}
#endif

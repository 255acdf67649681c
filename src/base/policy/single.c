/* SPDX-License-Identifier: MIT */
/* One slot: the last key. The smallest cache there is, and often enough. */
#include "base/policy/parts/drivers.h"

struct single {
	struct policy_core core;
	uint32_t last, pad[3];
};

/* link.next: 1 while the block is in the cache. */
struct single_node {
	struct node_link link;
};

NO_START(single)
NO_MISS(single)
NO_HIT(single)
IN_IF_LINKED(single)

static size_t single_extra(uint64_t limit, bool bytes)
{
	return limit == 1 && !bytes ? 0 : SIZE_MAX;
}

INLINE void single_leave(AT(single), uint32_t x)
{
	UNUSED_AT;
	nd[x].link.next = 0;
}

INLINE uint32_t single_out(AT(single), uint64_t w)
{
	(void)w;
	single_leave(PASS, st->last);
	return st->last;
}

INLINE void single_add(AT(single), uint32_t x, uint64_t w)
{
	UNUSED_AT, (void)w;
	nd[x].link.next = 1;
	st->last = x;
}

#ifdef RF_INVARIANTS
static void single_check(AT(single), uint32_t n_nodes)
{
	(void)size, (void)pool;
	INVARIANT(!st->core.n || (st->last < n_nodes && single_in(&nd[st->last])));
}
#endif

ONE_BY_ONE(single)
POLICY(single, policy_single, "single", "one slot that holds the last key", POLICY_STACK);

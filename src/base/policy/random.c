/* SPDX-License-Identifier: MIT */
/* Random: any block may go. The nodes double as two tables: at[0 … n) are the blocks in the cache in no particular
 * order, place says where each stands. */
#include "base/policy/parts/drivers.h"

struct random {
	struct policy_core core;
	struct rng rng;
	uint64_t n; /* as core.n, but right at every moment */
};

/* at: of node FIRST_NODE + i, the i-th block. link.next: 1 while the block is in the cache. */
struct random_node {
	struct node_link link;
	uint32_t place, at;
};

NO_EXTRA(random)
NO_MISS(random)
NO_HIT(random)
IN_IF_LINKED(random)

static void random_start(struct random *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)limit, (void)bytes;
	st->rng = (struct rng){seed};
}

INLINE void random_leave(AT(random), uint32_t x)
{
	UNUSED_AT;
	uint32_t place = nd[x].place, last = nd[POLICY_FIRST_NODE + --st->n].at;
	nd[POLICY_FIRST_NODE + place].at = last;
	nd[last].place = place;
	nd[x].link.next = 0;
}

INLINE uint32_t random_out(AT(random), uint64_t w)
{
	uint32_t x = nd[POLICY_FIRST_NODE + rng_below(&st->rng, st->n)].at;
	(void)w;
	random_leave(PASS, x);
	return x;
}

INLINE void random_add(AT(random), uint32_t x, uint64_t w)
{
	UNUSED_AT, (void)w;
	nd[x].place = (uint32_t)st->n;
	nd[x].link.next = 1;
	nd[POLICY_FIRST_NODE + st->n++].at = x;
}

#ifdef RF_INVARIANTS
static void random_check(AT(random), uint32_t n_nodes)
{
	(void)size, (void)pool;
	INVARIANT(st->n == st->core.n);
	for (uint32_t i = 0; i < st->n; i++) {
		uint32_t x = nd[POLICY_FIRST_NODE + i].at;
		INVARIANT(x >= POLICY_FIRST_NODE && x < n_nodes && random_in(&nd[x]) && nd[x].place == i);
	}
}
#endif

TOGETHER(random, n->link.next != 0)
POLICY(random, policy_random, "random", "a random block is evicted", 0);

/* SPDX-License-Identifier: MIT */
/* SIEVE: a queue by arrival, a mark per block, a hand that moves from the oldest towards the newest, clears marks and
 * takes the first unmarked block; blocks never move. The list is newest first; the hand is a block, or HEAD: start at
 * the oldest. */
#include "base/policy/parts/drivers.h"

MARK_POLICY(sieve)

static void sieve_start(struct sieve *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)limit, (void)bytes, (void)seed;
	st->hand = HEAD;
}

/* Leaves the hand before it. */
INLINE void sieve_leave(AT(sieve), uint32_t x)
{
	UNUSED_AT;
	if (st->hand == x)
		st->hand = nd[x].link.prev;
	list_unlink(nd, x);
}

INLINE uint32_t sieve_out(AT(sieve), uint64_t w)
{
	uint32_t x = st->hand == HEAD ? list_last(nd, HEAD) : st->hand;
	(void)w;
	while (nd[x].mark) {
		nd[x].mark = 0;
		x = nd[x].link.prev;
		if (x == HEAD)
			x = list_last(nd, HEAD);
	}
	return sieve_take(PASS, x);
}

INLINE void sieve_add(AT(sieve), uint32_t x, uint64_t w)
{
	UNUSED_AT, (void)w;
	if (UNLIKELY(!nd[HEAD].link.next))
		list_start(nd, HEAD);
	list_insert(nd, HEAD, x);
	nd[x].mark = 0;
}

#ifdef RF_INVARIANTS
static void sieve_check(AT(sieve), uint32_t n_nodes)
{
	(void)size, (void)pool;
	INVARIANT(nd[HEAD].link.next ? list_check(nd, HEAD, n_nodes) == st->core.n : !st->core.n);
	INVARIANT(st->hand == HEAD || (st->hand < n_nodes && sieve_in(&nd[st->hand])));
	for (uint32_t x = POLICY_FIRST_NODE; x < n_nodes; x++)
		INVARIANT(nd[x].mark <= 1);
}
#endif

TOGETHER(sieve, n->link.next != 0)
POLICY(sieve, policy_sieve, "sieve", "FIFO with marks and a hand that leaves blocks in place", 0);

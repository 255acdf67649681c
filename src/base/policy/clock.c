/* SPDX-License-Identifier: MIT */
/* CLOCK: blocks in a ring, in order of arrival, with a mark each. A hit sets the mark; the hand takes the first
 * unmarked block and clears the marks it passes, which makes these the newest. A new block enters behind the hand, as
 * the newest of all: this is FIFO with a second chance. next leads to the newer block; the newest one's next is the
 * oldest, where the hand is; a hand of 0: the ring is empty. */
#include "base/policy/parts/drivers.h"

MARK_POLICY(clock)
NO_START(clock)

INLINE void clock_leave(AT(clock), uint32_t x)
{
	UNUSED_AT;
	uint32_t newer = nd[x].link.next;
	if (st->hand == x)
		st->hand = newer == x ? 0 : newer;
	list_unlink(nd, x);
}

INLINE uint32_t clock_out(AT(clock), uint64_t w)
{
	uint32_t x = st->hand;
	(void)w;
	for (; nd[x].mark; x = nd[x].link.next)
		nd[x].mark = 0;
	return clock_take(PASS, x);
}

INLINE void clock_add(AT(clock), uint32_t x, uint64_t w)
{
	UNUSED_AT, (void)w;
	nd[x].mark = 0;
	if (st->hand) {
		list_insert(nd, nd[st->hand].link.prev, x);
	} else {
		list_start(nd, x);
		st->hand = x;
	}
}

#ifdef RF_INVARIANTS
static void clock_check(AT(clock), uint32_t n_nodes)
{
	uint32_t x = st->hand;
	(void)size, (void)pool;
	INVARIANT((x == 0) == (st->core.n == 0));
	for (uint64_t i = 0; i < st->core.n; i++, x = nd[x].link.next) {
		INVARIANT(x >= POLICY_FIRST_NODE && x < n_nodes && nd[x].mark <= 1);
		INVARIANT(nd[nd[x].link.next].link.prev == x);
	}
	INVARIANT(x == st->hand);
}
#endif

TOGETHER(clock, n->link.next != 0)
POLICY(clock, policy_clock, "clock", "second chance: a ring with a mark per block and a hand", 0);

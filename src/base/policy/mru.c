/* SPDX-License-Identifier: MIT */
/* MRU: the block used last goes. Good for loops that are a little too large. */
#include "base/policy/parts/drivers.h"

QUEUE_POLICY(mru)
HIT_TO_FRONT(mru)

INLINE uint32_t mru_out(AT(mru), uint64_t w)
{
	UNUSED_AT, (void)w;
	uint32_t x = nd[HEAD].link.next;
	list_unlink(nd, x);
	return x;
}

TOGETHER(mru, n->link.next != 0)
POLICY(mru, policy_mru, "mru", "most recently used is evicted first", POLICY_STACK);

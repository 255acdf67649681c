/* SPDX-License-Identifier: MIT */
/* LRU: the block unused for longest goes. One list, most recent first. */
#include "base/policy/drivers.h"

QUEUE_POLICY(lru)

INLINE void lru_fetch(AT(lru), uint32_t x)
{
	UNUSED_AT;
	list_fetch(nd, x);
}

INLINE void lru_hit(AT(lru), uint32_t x)
{
	UNUSED_AT;
	list_to_front(nd, HEAD, x);
}

INLINE uint32_t lru_out(AT(lru), uint64_t w)
{
	UNUSED_AT, (void)w;
	uint32_t x = list_last(nd, HEAD);
	list_unlink(nd, x);
	__builtin_prefetch(&nd[list_last(nd, HEAD)], 1); /* goes next */
	return x;
}

TOGETHER(lru, n->link.next != 0)
POLICY(lru, policy_lru, "lru", "least recently used", POLICY_STACK);

void *policy_lru_nodes(void *state)
{
	return lru_nodes(state);
}

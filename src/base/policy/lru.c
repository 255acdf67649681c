/* SPDX-License-Identifier: MIT */
/* LRU: the block unused for longest goes. One list, most recent first. */
#include "base/policy/parts/drivers.h"

QUEUE_POLICY(lru)
HIT_TO_FRONT(lru)
LAST_OUT(lru)
TOGETHER(lru, n->link.next != 0)
POLICY(lru, policy_lru, "lru", "least recently used", POLICY_STACK);

void *policy_lru_nodes(void *state)
{
	return lru_nodes(state);
}

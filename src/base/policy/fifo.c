/* SPDX-License-Identifier: MIT */
/* FIFO: the block that came first goes, however often it was used since. */
#include "base/policy/drivers.h"

QUEUE_POLICY(fifo)

INLINE void fifo_fetch(AT(fifo), uint32_t x)
{
	UNUSED_AT, (void)x;
}

INLINE void fifo_hit(AT(fifo), uint32_t x)
{
	UNUSED_AT, (void)x;
}

INLINE uint32_t fifo_out(AT(fifo), uint64_t w)
{
	UNUSED_AT, (void)w;
	uint32_t x = list_last(nd, HEAD);
	list_unlink(nd, x);
	__builtin_prefetch(&nd[list_last(nd, HEAD)], 1); /* goes next */
	return x;
}

TOGETHER(fifo, n->link.next != 0)
POLICY(fifo, policy_fifo, "fifo", "first in, first out", 0);

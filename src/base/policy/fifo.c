/* SPDX-License-Identifier: MIT */
/* FIFO: the block that came first goes, however often it was used since. */
#include "base/policy/drivers.h"

QUEUE_POLICY(fifo)

static inline void fifo_prefetch(struct fifo *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline void fifo_hit(struct fifo *st, uint32_t slot)
{
	(void)st, (void)slot;
}

static inline uint32_t fifo_admit(struct fifo *st, uint64_t key)
{
	(void)key;
	return slot_admit(&st->free, st->link);
}

static inline uint32_t fifo_victim(struct fifo *st)
{
	return st->link[st->free.cap].prev;
}

POLICY_EVICT(fifo)
POLICY(fifo, policy_fifo, "fifo", .summary = "first in, first out", .evict = fifo_evict);

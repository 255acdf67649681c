/* SPDX-License-Identifier: MIT */
/* FIFO: the block that came first goes, however often it was used since. */
#include "base/policy/parts/drivers.h"

QUEUE_POLICY(fifo)
NO_HIT(fifo)
LAST_OUT(fifo)
TOGETHER(fifo, n->link.next != 0)
POLICY(fifo, policy_fifo, "fifo", "first in, first out", 0);

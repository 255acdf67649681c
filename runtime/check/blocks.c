/* SPDX-License-Identifier: MIT */
/* Memory outside a node that its conditions read: arrays behind pointers, strings, rings. Nothing is remembered of it.
 * Called from scan functions, with the lock held, and from wrappers, without. */
#include "runtime/check/inside/rt.h"

static inline bool good(uintptr_t a, size_t n)
{
	return a && a + n >= a && rt_readable(a, n) && !rt_freed(a) && !rt_freed(a + n - 1);
}

int rf_memory(const void *p, size_t n)
{
	bool entered = rt_enter();
	bool ok = n && good((uintptr_t)p, n);
	if (entered)
		rt_leave();
	return ok;
}

long rf_string(const void *p, size_t max)
{
	bool entered = rt_enter();
	uintptr_t a = (uintptr_t)p;
	long n = -1;
	for (size_t i = 0; p && i < max; i++) {
		/* a new page, or a granule that may be the first of a freed block */
		if ((i == 0 || ((a + i) & 7) == 0) && !good(a + i, 1))
			break;
		if (!((const char *)p)[i]) {
			n = (long)i;
			break;
		}
	}
	if (entered)
		rt_leave();
	return n;
}

/* How long the rings of the node are that a walk counts the edges of, and then scans: nothing is written in between. */
static struct ring {
	const void *head;
	size_t next;
	long length;
} rings[4];
static unsigned n_rings;
static bool keep_rings;

void rt_rings_keep(void)
{
	n_rings = 0;
	keep_rings = true;
}

void rt_rings_forget(void)
{
	keep_rings = false;
}

/* Brent's way to notice a cycle that does not lead through the head. */
static long ring_length(const void *head, size_t next)
{
	uintptr_t tortoise = 0, at = (uintptr_t)head;
	long n = 0, power = 1, steps = 0;
	for (;;) {
		uintptr_t to = *(const uintptr_t *)(at + next);
		if (to == (uintptr_t)head)
			return n;
		if ((to & (sizeof to - 1)) || !good(to + next, sizeof to) || to == tortoise)
			return -1;
		if (++steps == power) {
			tortoise = to;
			power *= 2;
			steps = 0;
		}
		at = to;
		n++;
	}
}

long rf_ring(const void *head, size_t next)
{
	if (rt_enter()) { /* not from a walk */
		long n = ring_length(head, next);
		rt_leave();
		return n;
	}
	for (unsigned i = 0; keep_rings && i < n_rings; i++)
		if (rings[i].head == head && rings[i].next == next)
			return rings[i].length;
	long n = ring_length(head, next);
	if (keep_rings && n_rings < ARRAY_LEN(rings))
		rings[n_rings++] = (struct ring){head, next, n};
	return n;
}

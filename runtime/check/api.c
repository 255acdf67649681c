/* SPDX-License-Identifier: MIT */
/* Entry points of the contract runtime: lock, dispatch to the engine, the paranoid comparison.
 *
 * Threads: a structure may be used by several threads if the program orders its accesses (a lock held around the
 * annotated functions); different structures may be used at the same time. The marks have one lock of their own. A
 * check does not read nodes that another thread has changed and not yet checked: while there are such, it walks its
 * own value in full. */
#include "marks.h"
#include "measure.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__thread struct rt_here rt_here;
static unsigned threads_seen;
static bool fast; /* engine B, and nothing else wants to see every check */
int rf_check_on = 1;

void rt_lock(void)
{
	pthread_mutex_lock(&lock);
	rt_here.locked = true;
}

void rt_unlock(void)
{
	rt_here.locked = false;
	pthread_mutex_unlock(&lock);
}

unsigned rt_thread_new(void)
{
	return rt_here.thread = ++threads_seen;
}

void rt_out_of_memory(void)
{
	if (rf_check_on)
		rt_say("refrain: out of memory: contracts are no longer checked\n");
	rf_check_on = 0;
	rf_shadow_planes = 0;
}

static bool as_tree(void)
{
	return rt_config.engine == ENGINE_MARKS;
}

/* Compares a verdict with a full walk. They differ if something wrote without the barrier. */
static int compare(const void *p, unsigned type, int verdict)
{
	if (verdict < 0)
		return verdict;
	int full = rt_full(p, type, as_tree());
	if (full < 0 || full == verdict)
		return verdict;
	rt_stale(p, type);
	if (rt_config.engine == ENGINE_MARKS)
		rt_marks_drop();
	else
		rt_cache_drop();
	return full;
}

static void prepare(void)
{
	if (LIKELY(!rt_types_changed)) /* set again by every registration, so also before the first check */
		return;
	rt_start();
	rt_marks_drop();
	rt_types_seal();
	fast = rt_config.engine == ENGINE_MARKS && !rt_config.keys[0] && !rt_config.paranoid;
}

static int verdict(const void *p, unsigned type)
{
	int r;
	prepare();
	rt_stats.checks++;
	if (UNLIKELY(rt_config.keys[0]))
		rt_key(p, type);
	if (rt_config.engine == ENGINE_MARKS) {
		r = rt_marks_check(p, type);
		if (UNLIKELY(rt_types[type].measured) && r == 1 && p && !rt_types[type].full)
			r = rt_measures_check(p, type);
	} else {
		r = rt_cache_check(p, type);
	}
	if (UNLIKELY(rt_config.paranoid) && rt_stats.checks % rt_config.paranoid == 0)
		r = compare(p, type, r);
	if (r < 0) {
		rt_out_of_memory();
		return 1;
	}
	return r;
}

/* Nothing changed since the last check and the value is verified: the answer verdict() would give. */
static inline bool surely(const void *p, unsigned type)
{
	if (UNLIKELY(rt_types[type].measured))
		return false;
	return fast && !rt_types_changed && rt_marks_settled() && rt_marks_is_verified((uintptr_t)p, type);
}

static __attribute__((noinline)) int literal_slow(const void *p, unsigned type)
{
	/* already inside: a user's predicate calls a function with contracts */
	if (!rt_enter())
		return 1;
	int r = 1;
	if (UNLIKELY(!RT_ALONE) && surely(p, type)) { /* with one thread rf_literal has looked already */
		rt_stats.checks++;
	} else {
		int keep = errno;
		r = verdict(p, type);
		errno = keep;
	}
	rt_leave();
	return r;
}

int rf_literal(const void *p, const struct rf_type *type)
{
	/* a type beyond the table is not checked */
	unsigned id = type->id;
	if (!id || !rf_check_on)
		return 1;
	/* there is no other thread: no lock is needed to look */
	if (RT_ALONE && !rt_here.inside && surely(p, id)) {
		rt_stats.checks++;
		return 1;
	}
	return literal_slow(p, id);
}

int rf_check(const void *p, const struct rf_type *type)
{
	return rf_literal(p, type);
}

int rf_check_full(const void *p, const struct rf_type *type)
{
	if (!type->id || !rt_enter())
		return 1;
	prepare();
	int r = rt_full(p, type->id, as_tree());
	rt_leave();
	return r != 0;
}

static __attribute__((noinline)) int readable_slow(const void *p, size_t n)
{
	if (!rt_enter())
		return 1;
	bool r = p && rt_readable((uintptr_t)p, n);
	rt_leave();
	return r;
}

int rf_readable(const void *p, size_t n)
{
	return LIKELY(rt_known_readable((uintptr_t)p, n)) || readable_slow(p, n);
}

/* ---- memory */

static void set_freed_long(uintptr_t from, uintptr_t to, bool freed)
{
	while (from < to) {
		struct shadow_leaf *l = shadow_leaf(from << GRANULE_BITS);
		size_t i = from & (LEAF_CELLS - 1), room = LEAF_CELLS - i, count = to - from < room ? to - from : room;
		from += count;
		if (!l)
			continue;
		while (count) {
			size_t bit = i & 63, k = count < 64 - bit ? count : 64 - bit;
			uint64_t mask = (k == 64 ? ~(uint64_t)0 : ((uint64_t)1 << k) - 1) << bit,
				 *w = &l->freed[i >> 6];
			*w = freed ? *w | mask : *w & ~mask;
			i += k;
			count -= k;
		}
	}
}

/* The whole granules inside the block. */
static inline void set_freed(uintptr_t a, size_t n, bool freed)
{
	uintptr_t from = (a + 7) >> GRANULE_BITS, to = (a + n) >> GRANULE_BITS;
	struct shadow_leaf *l = shadow_leaf(from << GRANULE_BITS);
	if (UNLIKELY(from >= to) || UNLIKELY((from >> 6) != ((to - 1) >> 6))) {
		set_freed_long(from, to, freed);
	} else if (l) { /* small blocks mostly lie in one word */
		uint64_t mask = (~(uint64_t)0 >> (64 - (to - from))) << (from & 63),
			 *w = &l->freed[(from & (LEAF_CELLS - 1)) >> 6];
		*w = freed ? *w | mask : *w & ~mask;
	}
}

static void gone(const void *p, size_t n, bool freed)
{
	uintptr_t a = (uintptr_t)p;
	if (!p || !n || !rf_check_on || a >> ADDRESS_BITS || (a + n) >> ADDRESS_BITS)
		return;
	/* nothing was ever recorded near it */
	if (!shadow_leaf(a) && !shadow_leaf(a + n - 1) && n < (size_t)1 << LEAF_BITS)
		return;
	if (!rt_enter()) {
		rt_marks_suspect = true;
		return;
	}
	int keep = errno;
	if (rt_config.engine == ENGINE_MARKS)
		rt_marks_forget(a, n);
	else
		rt_cache_forget(a, n);
	if (freed) {
		set_freed(a, n, true);
		if (n >= 1 << 16) /* the allocator may give it back to the kernel */
			rt_forget_pages(a, n);
	}
	errno = keep;
	rt_leave();
}

void rf_freed(const void *p, size_t n)
{
	gone(p, n, true);
}

void rf_forget(const void *p, size_t n)
{
	gone(p, n, false);
}

void rf_alloced(const void *p, size_t n)
{
	uintptr_t a = (uintptr_t)p;
	if (!p || !n || (a + n) >> ADDRESS_BITS ||
	    (!shadow_leaf(a) && !shadow_leaf(a + n - 1) && n < (size_t)1 << LEAF_BITS))
		return;
	if (LIKELY(RT_ALONE)) {
		set_freed(a, n, false);
		return;
	}
	bool in = rt_enter();
	set_freed(a, n, false);
	if (in)
		rt_leave();
}

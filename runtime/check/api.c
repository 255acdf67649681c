/* SPDX-License-Identifier: MIT */
/* Entry points of the contract runtime: lock, dispatch to the engine, the paranoid comparison.
 *
 * Threads: a structure may be used by several threads if the program orders its accesses (a lock held around the
 * annotated functions); different structures may be used at the same time. The marks have one lock of their own. A
 * check does not read nodes that another thread has changed and not yet checked: while there are such, it walks its
 * own value in full. */
#include "runtime/check/marks/marks.h"
#include "runtime/check/marks/measure.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

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
	if (UNLIKELY(rt_types[type].measured) && !rt_measures_known(p, type))
		return false;
	return fast && !rt_types_changed && !rt_here.n_outside && !__atomic_load_n(&rt_aliens, __ATOMIC_ACQUIRE) &&
	       rt_family->n == rt_family_seen && rt_marks_settled() && rt_marks_is_verified((uintptr_t)p, type);
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
	if (UNLIKELY(marks.open < MARKS_FEW))
		marks_reopen();
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

/* Is a node recorded in the block? */
static RT_UNLOCKED bool holds_nodes(uintptr_t a, size_t n)
{
	if (n > 4096)
		return true;
	for (uintptr_t at = a & ~(uintptr_t)31; at < a + n; at += 32) { /* the cells of four granules */
		struct shadow_leaf *l = shadow_leaf(at);
		for (unsigned p = 0; l && p < RT_GET(rf_shadow_planes); p++)
			if (*(const watch_eight *)&l->cell[p][shadow_index(at)])
				return true;
	}
	return false;
}

static void forget(uintptr_t a, size_t n, bool pages)
{
	bool marks_engine = rt_config.engine == ENGINE_MARKS;
	if (marks_engine && !pages && !holds_nodes(a, n))
		return;
	if (!rt_enter()) {
		RT_SET(rt_marks_suspect, true);
		return;
	}
	int keep = errno;
	if (marks_engine)
		rt_marks_forget(a, n);
	else
		rt_cache_forget(a, n);
	if (UNLIKELY(marks.open < MARKS_FEW))
		marks_reopen();
	if (pages)
		rt_forget_pages(a, n);
	errno = keep;
	rt_leave();
}

static inline bool is_range(uintptr_t a, size_t n)
{
	return a && n && rf_check_on && !((a + n) >> ADDRESS_BITS) && a + n > a;
}

/* Has anything been recorded near it? */
static inline bool is_known(uintptr_t a, size_t n)
{
	return shadow_leaf(a) || shadow_leaf(a + n - 1) || n >= (size_t)1 << LEAF_BITS;
}

static void gone(const void *p, size_t n, int live, bool freed)
{
	uintptr_t a = (uintptr_t)p;
	if (!is_range(a, n) || !is_known(a, n))
		return;
	forget(a, n, freed && n >= 1 << 16); /* the allocator may give it back to the kernel */
	if (freed)
		rt_set_live(a, n, live, true);
}

void rf_freed(const void *p, size_t n)
{
	gone(p, n, -1, true);
}

void rf_forget(const void *p, size_t n)
{
	gone(p, n, -1, false);
}

void rf_alloced(const void *p, size_t n)
{
	uintptr_t a = (uintptr_t)p;
	if (is_range(a, n) && is_known(a, n))
		rt_set_live(a, n, -1, false);
}

/* Small blocks mostly lie in one word of bits. */
static inline struct shadow_bits *one_word(uintptr_t a, size_t n, uint64_t *mask)
{
	uintptr_t from = a >> GRANULE_BITS, count = n >> GRANULE_BITS;
	struct shadow_leaf *l = (a + n) >> ADDRESS_BITS ? NULL : shadow_leaf(a);
	if (!l || !RT_ALONE || (a & 7) || count - 1 >= 64 - (from & 63))
		return NULL;
	*mask = (~(uint64_t)0 >> (64 - count)) << (from & 63);
	return &l->bits[(from & (LEAF_CELLS - 1)) >> 6];
}

void rf_given(const void *p, size_t n)
{
	uint64_t mask;
	struct shadow_bits *w = one_word((uintptr_t)p, n, &mask);
	if (UNLIKELY(rt_n_kept) && rt_is_kept((uintptr_t)p, n)) {
		rf_alloced(p, n);
		return;
	}
	if (LIKELY(w != NULL)) {
		w->live |= mask;
		w->freed &= ~mask;
		return;
	}
	if (is_range((uintptr_t)p, n))
		rt_set_live((uintptr_t)p, n, 1, false);
}

/* The usual block that is freed: it is one verified node, in the only plane, and this is the only thread. */
static inline bool forget_one(uintptr_t a, size_t n)
{
	uint16_t *c = &shadow_leaf(a)->cell[0][shadow_index(a)];
	if (rf_shadow_planes != 1 || rt_here.inside || (*c & (C_START | C_INTERIOR | C_BLACK)) != (C_START | C_BLACK))
		return false;
	for (size_t i = 1; i < n >> GRANULE_BITS; i++)
		if (c[i] && c[i] != (C_INTERIOR | i)) /* another node's */
			return false;
	return marks_touch(a, c, 16);
}

void rf_given_back(const void *p, size_t n)
{
	uint64_t mask;
	struct shadow_bits *w = one_word((uintptr_t)p, n, &mask);
	if (UNLIKELY(!w) || rt_config.engine != ENGINE_MARKS) {
		gone(p, n, 0, true);
		return;
	}
	if (!forget_one((uintptr_t)p, n))
		forget((uintptr_t)p, n, false);
	w->live &= ~mask;
	w->freed |= mask;
}

static bool mixed, started;

void rf_mixed(void)
{
	mixed = true;
	RT_SET(rt_full_only, true);
	rt_everything();
}

/* The program was linked with the barrier: before everything else. */
void rf_barrier_start(void)
{
	rt_positive = true;
	RT_SET(rt_full_only, !started); /* constructors of objects without the barrier run between those with it */
	if (!rt_watch_start()) {
		rt_say("refrain: cannot reserve 512 MB of address space at 0x%x for the watch map\n", WATCH_BASE);
		_exit(3);
	}
	rt_family_start();
}

void rf_barrier_started(void)
{
	rf_resumed(0); /* the loader has called us: what constructors called is over */
	started = true;
	RT_SET(rt_full_only, mixed);
}

/* It may be given another protection: what is there is asked again. */
void rf_unreadable(const void *p, size_t n)
{
	if (is_range((uintptr_t)p, n) && is_known((uintptr_t)p, n))
		forget((uintptr_t)p, n, true);
}

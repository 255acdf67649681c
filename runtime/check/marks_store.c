/* SPDX-License-Identifier: MIT */
/* Engine B, the program's side: what a store, a free or a reset arena does to the marks.
 *
 * Called before the memory changes. A verified node that overlaps is un-verified and queued; its edges, still readable,
 * stop counting, and the nodes they led to are flagged C_SNAP ("was below a queued node") and logged with their old
 * parent. Nothing above the node is touched: a regular type is a conjunction of conditions on single nodes. */
#include "marks.h"
#include "measure.h"

#include "base/invariant.h"

#include <string.h>

struct marks marks;
bool rt_marks_suspect;

static inline void unverify(uintptr_t y, unsigned type, uint16_t *c, const struct rf_edge *e, size_t n, bool enqueue)
{
	INVARIANT(marks_is(c, type) && (*c & C_BLACK));
	rt_stats.dirtied++;
	if (UNLIKELY(rt_types[type].measured))
		rt_measures_touch(y, type);
	size_t first = marks.below.n;
	struct rf_edge *to = &VEC_AT(marks.below, struct rf_edge, first);
	for (const struct rf_edge *end = e + n; e < end; e++) {
		const struct rt_type *t = &rt_types[e->type];
		uint16_t *k = marks_cell(t->plane, (uintptr_t)e->node);
		/* an edge to a `shared` node is one of many: that node stays "referenced" until marks are dropped */
		if (!k || !marks_is(k, e->type) || t->shared)
			continue;
		*k = (uint16_t)((*k & ~C_HASP) | C_SNAP);
		*to++ = *e;
	}
	marks.below.n = (size_t)(to - &VEC_AT(marks.below, struct rf_edge, 0));
	*c = (uint16_t)((*c & ~C_BLACK) | C_DIRTY);
	if (enqueue) {
		unsigned me = rt_thread();
		marks.mixed |= marks.queue.n && marks.thread != me;
		marks.thread = me;
		VEC_AT(marks.queue, struct queued, marks.queue.n) =
			(struct queued){y, c, type, (uint32_t)(marks.below.n - first), first};
		marks.queue.n++;
	}
}

void marks_unverify(uintptr_t y, unsigned type, uint16_t *c, const struct rf_edge *e, size_t n, bool enqueue)
{
	if (rt_vec_reserve(&marks.queue, 1, sizeof(struct queued)) &&
	    rt_vec_reserve(&marks.below, n, sizeof(struct rf_edge)))
		unverify(y, type, c, e, n, enqueue);
	else
		rt_out_of_memory();
}

long marks_edges(uintptr_t y, unsigned type)
{
	const struct rt_type *t = &rt_types[type];
	marks.scratch.n = 0;
	if (!rt_vec_reserve(&marks.scratch, t->max_edges + 1, sizeof(struct rf_edge))) {
		rt_out_of_memory();
		return -1;
	}
	struct rf_edge *from = &VEC_AT(marks.scratch, struct rf_edge, 0), *to = t->scan((const void *)y, from);
	return to ? (long)(to - from) : -1;
}

void marks_erase(uintptr_t y, unsigned type)
{
	const struct rt_type *t = &rt_types[type];
	uint16_t *c = marks_cell(t->plane, y);
	size_t room = LEAF_CELLS - shadow_index(y);
	for (unsigned i = 0; i < t->n_granules; i++) {
		size_t d = t->granule[i];
		uint16_t *k = LIKELY(c && d < room) ? c + d : marks_cell(t->plane, y + (d << GRANULE_BITS));
		if (k && *k == (C_INTERIOR | d))
			*k = 0;
	}
	if (c && marks_is(c, type))
		*c = 0;
}

/* The start of the verified node that a granule with cell k belongs to, if it has to be told of a change there; NULL if
 * none. whole: the block goes away, so every byte of a node counts. */
static inline uint16_t *verified_at(unsigned plane, struct shadow_leaf *l, size_t i, bool whole, uintptr_t *y)
{
	uint16_t *k = &l->cell[plane][i], *c = k;
	uintptr_t back = 0;
	if (*k & C_INTERIOR) {
		back = (uintptr_t)(*k & C_DISTANCE) << GRANULE_BITS;
		c = LIKELY((*k & C_DISTANCE) <= i) ? k - (*k & C_DISTANCE) : marks_cell(plane, *y - back);
		if (UNLIKELY(!c) || UNLIKELY(!(*c & C_START))) {
			*k = 0;
			return NULL;
		}
	}
	*y -= back;
	return !(*c & C_BLACK) || (c == k && !whole && !rt_types[*c & C_TYPE].watch_start) ? NULL : c;
}

/* Verified node y is about to change: it is queued, and its edges no longer count. */
static inline void touch_node(uintptr_t y, uint16_t *c)
{
	unsigned type = *c & C_TYPE;
	const struct rt_type *t = &rt_types[type];
	if (UNLIKELY(marks.unstable.n) && rt_unstable(y))
		return;
	if (!rt_vec_reserve(&marks.queue, 1, sizeof(struct queued)) ||
	    !rt_vec_reserve(&marks.below, t->max_edges + 1, sizeof(struct rf_edge))) {
		rt_out_of_memory();
		return;
	}
	/* the edges go to where they will be logged */
	struct rf_edge *from = &VEC_AT(marks.below, struct rf_edge, marks.below.n),
		       *to = t->scan((const void *)y, from);
	if (UNLIKELY(!to)) {
		/* its conditions broke without a store that we saw: what its edges were is lost */
		rt_marks_suspect = true;
		return;
	}
	unverify(y, type, c, from, (size_t)(to - from), true);
}

/* From a on, which is the start of a granule, within one leaf. */
static inline void touch_plane(unsigned plane, struct shadow_leaf *l, uintptr_t a, uintptr_t end, bool whole)
{
	const uint16_t *cell = l->cell[plane];
	size_t i = shadow_index(a), n = i + ((end - a + 7) >> GRANULE_BITS);
	while (i < n) {
		uint64_t four;
		memcpy(&four, &cell[i & ~(size_t)3], sizeof four);
		if (!four) { /* nothing in four granules */
			i = (i | 3) + 1;
			continue;
		}
		if (cell[i]) {
			uintptr_t y = (a & ~((uintptr_t)LEAF_CELLS * 8 - 1)) + (i << GRANULE_BITS);
			uint16_t *c = verified_at(plane, l, i, whole, &y);
			if (c)
				touch_node(y, c);
		}
		i++;
	}
}

static void touch_range(uintptr_t a, size_t n, bool whole)
{
	struct shadow_leaf *first = shadow_leaf(a);
	if (!n || a >> ADDRESS_BITS)
		return;
	if (LIKELY(n <= ((size_t)1 << LEAF_BITS) - (a & (((size_t)1 << LEAF_BITS) - 1)))) { /* within one leaf */
		for (unsigned p = 0; first && p < rf_shadow_planes; p++)
			touch_plane(p, first, a & ~(uintptr_t)7, a + n, whole);
		return;
	}
	uintptr_t end = a + n < a || (a + n) >> ADDRESS_BITS ? (uintptr_t)1 << ADDRESS_BITS : a + n;
	for (a &= ~(uintptr_t)7; a < end;) {
		struct shadow_leaf *l = shadow_leaf(a);
		uintptr_t leaf_end = ((a >> LEAF_BITS) + 1) << LEAF_BITS, to = end < leaf_end ? end : leaf_end;
		if (!l) {
			a = leaf_end;
			continue;
		}
		for (unsigned p = 0; p < rf_shadow_planes; p++)
			touch_plane(p, l, a, to, whole);
		a = to;
	}
}

/* Does a store to this granule concern a verified node? No lock is needed to ask. */
static inline bool watched(uintptr_t a)
{
	struct shadow_leaf *l = shadow_leaf(a);
	size_t i = shadow_index(a);
	for (unsigned p = 0; l && p < rf_shadow_planes; p++) {
		uint16_t k = l->cell[p][i];
		if (k & C_INTERIOR) {
			size_t d = k & C_DISTANCE;
			uint16_t *c = LIKELY(d <= i) ? &l->cell[p][i - d]
						     : marks_cell(p, (a & ~(uintptr_t)7) - (d << GRANULE_BITS));
			if (!c || !(*c & C_START) || (*c & C_BLACK))
				return true;
		} else if (k & C_BLACK) {
			return true;
		}
	}
	return false;
}

static __attribute__((noinline)) void store(uintptr_t a, size_t n)
{
	if (!rf_shadow_planes || (!rt_here.inside && (a & 7) + n <= 8 && !watched(a)))
		return;
	if (!rt_enter()) {
		/* a signal handler, or a predicate, writes while we work */
		rt_marks_suspect = true;
		return;
	}
	touch_range(a, n, false);
	rt_leave();
}

/* The same for what nearly all calls are: a store inside one granule, by the only thread. */
static __attribute__((noinline)) void store_node(uintptr_t y, uint16_t *c)
{
	rt_here.inside = true;
	__asm__ volatile("" ::: "memory");
	touch_node(y, c);
	__asm__ volatile("" ::: "memory");
	rt_here.inside = false;
}

/* A node of the first plane, if there is one, and those of the planes above. */
static __attribute__((noinline)) void store_planes(uintptr_t a, struct shadow_leaf *l, uintptr_t first,
						   uint16_t *first_c)
{
	if (first_c)
		store_node(first, first_c);
	for (unsigned p = 1; p < rf_shadow_planes; p++) {
		uintptr_t y = a & ~(uintptr_t)7;
		uint16_t *c = verified_at(p, l, shadow_index(a), false, &y);
		if (c)
			store_node(y, c);
	}
}

void rf_store_slow(uintptr_t a, size_t n)
{
	struct shadow_leaf *l = shadow_leaf(a);
	if (UNLIKELY(!rf_shadow_planes) || UNLIKELY(!l) || UNLIKELY((a & 7) + n > 8) || UNLIKELY(rt_here.inside) ||
	    UNLIKELY(!RT_ALONE)) {
		store(a, n);
		return;
	}
	uintptr_t y = a & ~(uintptr_t)7;
	uint16_t *c = verified_at(0, l, shadow_index(a), false, &y);
	if (UNLIKELY(rf_shadow_planes > 1))
		store_planes(a, l, y, c);
	else if (c)
		store_node(y, c);
}

void rf_touch(const void *p, size_t n)
{
	rf_store_slow((uintptr_t)p, n);
}

void rt_marks_forget(uintptr_t a, size_t n)
{
	touch_range(a, n, true);
}

/* SPDX-License-Identifier: MIT */
/* Engine B, the program's side: what a store, a free or a reset arena does to the marks.
 *
 * Called before the memory changes. A verified node that overlaps is un-verified and queued; its edges, still readable,
 * stop counting, and the nodes they led to are flagged C_SNAP ("was below a queued node") and logged with their old
 * parent. Nothing above the node is touched: a regular type is a conjunction of conditions on single nodes. */
#include "runtime/check/marks/marks.h"
#include "runtime/check/marks/measure.h"

#include <string.h>

struct marks marks;
bool rt_marks_suspect;

void marks_unverify(uintptr_t y, unsigned type, uint16_t *c, const struct rf_edge *e, size_t n, bool enqueue)
{
	marks.open = 0; /* its room is used */
	if (rt_vec_reserve(&marks.queue, 1, sizeof(struct queued)) &&
	    rt_vec_reserve(&marks.below, n, sizeof(struct rf_edge))) {
		if (enqueue)
			marks_note_thread();
		marks_unverify_inline(y, type, c, e, n, enqueue);
	} else {
		rt_out_of_memory();
	}
}

void marks_reopen(void)
{
	enum { AT_ONCE = 64, MOST_EDGES = 1 << 12 };
	size_t n = rt_most_edges < MOST_EDGES / AT_ONCE ? AT_ONCE : 1;
	marks.open = 0;
	if (!RT_ALONE || ((marks.queue.n | marks.light.n) && (marks.mixed || marks.thread != rt_thread())) ||
	    !rt_vec_reserve(&marks.queue, n, sizeof(struct queued)) ||
	    !rt_vec_reserve(&marks.light, n, sizeof(struct light)) ||
	    !rt_vec_reserve(&marks.light_edges, n * (rt_most_edges + 1), sizeof(struct rf_edge)) ||
	    !rt_vec_reserve(&marks.below, n * (rt_most_edges + 1), sizeof(struct rf_edge)))
		return;
	marks.thread = rt_thread();
	marks.open = (uint32_t)n;
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
	if (c && marks_is(c, type)) {
		if (*c & C_BLACK)
			unwatch_node(y, t);
		*c = 0;
		if (UNLIKELY(t->shared) && shadow_leaf(y)->graph[t->plane])
			*marks_graph(y, t->plane) = (struct graph_cell){0, 0};
	}
}

/* Verified node y is about to change: it is queued, and its edges no longer count. */
static inline void touch_node(uintptr_t y, uint16_t *c)
{
	unsigned type = *c & C_TYPE;
	const struct rt_type *t = &rt_types[type];
	if (UNLIKELY(marks.unstable.n) && rt_unstable(y))
		return;
	marks.open = 0;
	if (!rt_vec_reserve(&marks.queue, 1, sizeof(struct queued)) ||
	    !rt_vec_reserve(&marks.below, t->max_edges + 1, sizeof(struct rf_edge))) {
		rt_out_of_memory();
		return;
	}
	/* the edges go to where they will be logged */
	struct rf_edge *from = &VEC_AT(marks.below, struct rf_edge, marks.below.n),
		       *to = marks_counted(y, type, c, from);
	if (UNLIKELY(!to)) {
		/* its conditions broke without a store that we saw: what its edges were is lost */
		RT_SET(rt_marks_suspect, true);
		return;
	}
	marks_note_thread();
	marks_unverify_inline(y, type, c, from, (size_t)(to - from), true);
}

/* From a on, which is the start of a granule, within one leaf. */
static inline void touch_plane(unsigned plane, struct shadow_leaf *l, uintptr_t a, uintptr_t end, bool whole)
{
	const uint16_t *cell = l->cell[plane];
	size_t i = shadow_index(a), n = i + ((end - a + 7) >> GRANULE_BITS), page;
	while (i < n) {
		page = i >> (PAGE_BITS - GRANULE_BITS);
		if (!(l->marked[page >> 6] >> (page & 63) & 1)) {
			i = (page + 1) << (PAGE_BITS - GRANULE_BITS);
			continue;
		}
		if (!*(const watch_eight *)&cell[i & ~(size_t)3]) { /* nothing in four granules */
			i = (i | 3) + 1;
			continue;
		}
		if (cell[i]) {
			uintptr_t y = (a & ~((uintptr_t)LEAF_CELLS * 8 - 1)) + (i << GRANULE_BITS);
			uint16_t *c = marks_verified_at(plane, l, i, whole, &y);
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

void rt_store_any(uintptr_t a, uintptr_t n)
{
	if (!rt_enter()) {
		/* a signal handler, or a predicate, writes while we work */
		RT_SET(rt_marks_suspect, true);
		return;
	}
	touch_range(a, n, false);
	marks_reopen();
	rt_leave();
}

/* Is a cell written in the pages of this range? */
static bool marked(uintptr_t a, size_t n)
{
	for (uintptr_t page = a >> PAGE_BITS; page <= (a + n - 1) >> PAGE_BITS;) {
		struct shadow_leaf *l = page >> (ADDRESS_BITS - PAGE_BITS) ? NULL : shadow_leaf(page << PAGE_BITS);
		size_t i = page & (LEAF_PAGES - 1);
		if (!l)
			page = (page | (LEAF_PAGES - 1)) + 1;
		else if (!(l->marked[i >> 6] >> (i & 63)))
			page = (page | 63) + 1;
		else if (!(l->marked[i >> 6] >> (i & 63) & 1))
			page++;
		else
			return true;
	}
	return false;
}

static inline bool concerns(uintptr_t a, size_t n)
{
	return n && RT_GET(rf_shadow_planes) && !(a >> ADDRESS_BITS) && (n <= 4096 ? watch_any(a, n) : marked(a, n));
}

void rf_range(const void *p, size_t n)
{
	if (UNLIKELY(concerns((uintptr_t)p, n)))
		rt_store_any((uintptr_t)p, n);
}

void rf_copy(const void *to, const void *from, size_t n)
{
	if (UNLIKELY(concerns((uintptr_t)to, n)) && memcmp(to, from, n) != 0)
		rt_store_any((uintptr_t)to, n);
}

void rf_touch(const void *p, size_t n)
{
	rf_store_slow((uintptr_t)p, n);
}

void rt_marks_forget(uintptr_t a, size_t n)
{
	touch_range(a, n, true);
}

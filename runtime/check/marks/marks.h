/* SPDX-License-Identifier: MIT */
/* Engine B's state, shared by marks.c (checks), marks/store.c (frees, large stores) and entry.c (single stores). */
#ifndef RT_CHECK_MARKS_H
#define RT_CHECK_MARKS_H

#include "runtime/check/marks/measure.h"
#include "runtime/check/inside/watch.h"

#include "base/invariant.h"

#include <string.h>

struct queued {
	uintptr_t node;
	uint16_t *c; /* its cell */
	uint32_t type;
	uint32_t n; /* its old children, in `below` from first on */
	size_t first;
};

/* A verified node of which numbers changed, but no place where an edge is (C_BLACK and C_DIRTY): its edges still count,
 * and stay counted if the next check finds the same ones. */
struct light {
	uintptr_t node;
	uint16_t *c;
	uint32_t type;
	uint32_t n; /* its edges, in `light_edges` from first on */
	size_t first;
};
enum { C_LIGHT = C_BLACK | C_DIRTY };

struct unstable {
	uintptr_t node;
	uint32_t type, thread;
	size_t first, n;            /* its children when it was verified, in `unstable_below` */
	size_t first_byte, n_bytes; /* in `unstable_bytes`; n_bytes 0: it is too large */
};

enum { MARKS_GRANULES = 64 };

/* The granules of a node that its conditions read; fewer than MARKS_GRANULES. How many. */
static inline size_t marks_read(uintptr_t y, const struct rt_type *t, uint64_t *out)
{
	size_t n = 0;
	for (unsigned i = 0; i <= t->n_granules; i++) {
		size_t at = i ? (size_t)t->granule[i - 1] << GRANULE_BITS : 0;
		uint64_t v = 0;
		memcpy(&v, (const void *)(y + at), t->size - at < sizeof v ? t->size - at : sizeof v);
		out[n++] = v;
	}
	return n;
}

struct marks {
	struct rt_vec queue;          /* struct queued: nodes that were verified and then changed */
	struct rt_vec below;          /* struct rf_edge: what verified edges of queued nodes led to */
	struct rt_vec light;          /* struct light */
	struct rt_vec light_edges;    /* struct rf_edge */
	struct rt_vec unstable;       /* struct unstable: verified nodes whose stores may go unseen */
	struct rt_vec unstable_below; /* struct rf_edge */
	struct rt_vec unstable_bytes; /* what their conditions read, as it was: granules */
	struct rt_vec scratch;        /* struct rf_edge: one node's edges */
	uint32_t thread;              /* whose stores the queue has */
	bool mixed;                   /* several threads' */
	uint32_t open;                /* so many more stores of that thread can be queued without a second look */
};
extern struct marks marks;

static inline void marks_queue_clear(void)
{
	marks.queue.n = marks.below.n = marks.light.n = marks.light_edges.n = 0;
	marks.mixed = false;
}

/* The cell of address a; NULL when nothing was ever recorded near it. */
static inline uint16_t *marks_cell(unsigned plane, uintptr_t a)
{
	struct shadow_leaf *l = shadow_leaf(a);
	return l ? &l->cell[plane][shadow_index(a)] : NULL;
}

static inline uint16_t *marks_node(uintptr_t a, unsigned type)
{
	return marks_cell(rt_types[type].plane, a);
}

static inline bool marks_is(const uint16_t *c, unsigned type)
{
	return (*c & (C_START | C_INTERIOR | C_TYPE)) == (C_START | type);
}

/* A cell of address a is written: rt_clear_cells has to find it. */
static inline void marks_page(struct shadow_leaf *l, uintptr_t a)
{
	size_t page = (a >> PAGE_BITS) & (LEAF_PAGES - 1);
	uint64_t bit = (uint64_t)1 << (page & 63), *w = &l->marked[page >> 6];
	if (UNLIKELY(!(*w & bit))) {
		*w |= bit;
		rt_marked_pages++;
	}
}

/* No store since the last check concerned a verified node. */
static inline bool rt_marks_settled(void)
{
	return !(marks.queue.n | marks.light.n | marks.unstable.n | RT_GET(rt_marks_suspect));
}

static inline bool rt_marks_is_verified(uintptr_t a, unsigned type)
{
	if (!a || (a & 7) || a >> ADDRESS_BITS) /* the cell of its granule may be of another node */
		return false;
	uint16_t *c = marks_node(a, type);
	return c && (*c & (C_START | C_INTERIOR | C_BLACK | C_TYPE)) == (C_START | C_BLACK | type);
}

/* ---- un-verifying: with general registers only, for entry.c */

/* The start of the verified node that granule i, at *y, belongs to, if it has to be told of a change there; NULL if
 * none. whole: the block goes away, so every byte of a node counts. */
static inline uint16_t *marks_verified_at(unsigned plane, struct shadow_leaf *l, size_t i, bool whole, uintptr_t *y)
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

static inline struct graph_cell *marks_graph(uintptr_t a, unsigned plane)
{
	return &shadow_leaf(a)->graph[plane][shadow_index(a)];
}

/* An edge of a verified node to a `shared` node (cell c) counts no more. */
static inline void marks_uncount(uintptr_t a, unsigned plane, uint16_t *c)
{
	struct graph_cell *g = marks_graph(a, plane);
	INVARIANT(g->count);
	if (g->count != GRAPH_MANY && --g->count == 0)
		*c &= (uint16_t)~C_HASP;
}

/* Whose change is queued next. */
static inline void marks_note_thread(void)
{
	unsigned me = rt_thread();
	marks.mixed |= (marks.queue.n | marks.light.n) && marks.thread != me;
	marks.thread = me;
}

/* There is room for one more node in the queue and for n edges in the log; the thread is noted. */
static inline __attribute__((always_inline)) void marks_unverify_inline(uintptr_t y, unsigned type, uint16_t *c,
									const struct rf_edge *e, size_t n, bool enqueue)
{
	INVARIANT(marks_is(c, type) && (*c & C_BLACK));
	rt_stats.dirtied++;
	if (UNLIKELY(rt_types[type].measured)) {
		rt_measures_room();
		rt_measures_touch(y, type);
	}
	size_t first = marks.below.n;
	struct rf_edge *to = &VEC_AT(marks.below, struct rf_edge, first);
	for (const struct rf_edge *end = e + n; e < end; e++) {
		const struct rt_type *t = &rt_types[e->type];
		uint16_t *k = marks_cell(t->plane, (uintptr_t)e->node);
		if (!k || !marks_is(k, e->type))
			continue;
		if (UNLIKELY(t->shared)) {
			marks_uncount((uintptr_t)e->node, t->plane, k);
			continue;
		}
		*k = (uint16_t)((*k & ~C_HASP) | C_SNAP);
		*to++ = *e;
	}
	marks.below.n = (size_t)(to - &VEC_AT(marks.below, struct rf_edge, 0));
	*c = (uint16_t)((*c & ~C_BLACK) | C_DIRTY);
	unwatch_node(y, &rt_types[type]);
	if (enqueue) {
		VEC_AT(marks.queue, struct queued, marks.queue.n) =
			(struct queued){y, c, type, (uint32_t)(marks.below.n - first), first};
		marks.queue.n++;
	}
}

/* Here, and not in a file of their own: entry.c has them compiled without vector registers. */
#define MARKS_RARE static __attribute__((noinline, unused))

MARKS_RARE struct rf_edge *marks_counted_light(const uint16_t *c, struct rf_edge *out)
{
	enum { LAST = 64 }; /* a node that is changed again mostly was a moment ago */
	for (size_t i = marks.light.n, end = i > LAST ? i - LAST : 0; i-- > end;) {
		const struct light *l = &VEC_AT(marks.light, struct light, i);
		if (l->c != c)
			continue;
		for (size_t j = 0; j < l->n; j++)
			*out++ = VEC_AT(marks.light_edges, struct rf_edge, l->first + j);
		return out;
	}
	return NULL;
}

/* The edges of a verified node (cell c) as they are counted, to `out`: those of memory, unless numbers have changed
 * since. The end; NULL: not known. */
static inline struct rf_edge *marks_counted(uintptr_t y, unsigned type, const uint16_t *c, struct rf_edge *out)
{
	return LIKELY(!(*c & C_DIRTY)) ? rt_types[type].scan((const void *)y, out) : marks_counted_light(c, out);
}

/* Numbers of verified node y change. False: the old edges could not be seen. */
MARKS_RARE bool marks_touch_numbers(uintptr_t y, unsigned type, uint16_t *c)
{
	const struct rt_type *t = &rt_types[type];
	if (*c & C_DIRTY) /* again, and the granule stayed watched */
		return true;
	struct rf_edge *from = &VEC_AT(marks.light_edges, struct rf_edge, marks.light_edges.n),
		       *to = t->scan((const void *)y, from);
	if (UNLIKELY(!to))
		return false;
	rt_stats.dirtied++;
	if (UNLIKELY(t->measured))
		rt_measures_touch(y, type);
	*c |= C_DIRTY;
	unwatch_numbers(y, t);
	VEC_AT(marks.light, struct light, marks.light.n) =
		(struct light){y, c, type, (uint32_t)(to - from), marks.light_edges.n};
	marks.light.n++;
	marks.light_edges.n += (size_t)(to - from);
	return true;
}

/* Verified node y (cell c) is about to change, at `granule` (16 or more: who knows where), and this is the only
 * thread: it is queued, and its edges no longer count. False: not done, there is no room or more to it. */
static inline __attribute__((always_inline)) bool marks_touch(uintptr_t y, uint16_t *c, size_t granule)
{
	unsigned type = *c & C_TYPE;
	const struct rt_type *t = &rt_types[type];
	if (UNLIKELY(!marks.open) || UNLIKELY(!t->general) ||
	    UNLIKELY(marks.unstable.n && !(rt_positive && rt_live(y))) ||
	    UNLIKELY(t->measured && rt_changes.nodes.n == rt_changes.nodes.cap))
		return false;
	marks.open--;
	rt_here.inside = true;
	__asm__ volatile("" ::: "memory");
	/* marks.open says that the queue is this thread's */
	if (granule < 16 && (t->numbers >> granule & 1)) {
		if (UNLIKELY(!marks_touch_numbers(y, type, c)))
			RT_SET(rt_marks_suspect, true);
	} else {
		struct rf_edge *from = &VEC_AT(marks.below, struct rf_edge, marks.below.n),
			       *to = marks_counted(y, type, c, from);
		if (LIKELY(to != NULL))
			marks_unverify_inline(y, type, c, from, (size_t)(to - from), true);
		else /* its conditions broke without a store that we saw: what its edges were is lost */
			RT_SET(rt_marks_suspect, true);
	}
	__asm__ volatile("" ::: "memory");
	rt_here.inside = false;
	return true;
}

/* Lets marks_touch queue some more stores of this thread, if it is the only one and nothing stands against it. */
void marks_reopen(void);
enum { MARKS_FEW = 16 };

/* Takes verified node y (cell c) out of the verified nodes: its edges no longer count. e are its edges as they were
 * when they were counted. */
void marks_unverify(uintptr_t y, unsigned type, uint16_t *c, const struct rf_edge *e, size_t n, bool enqueue);
/* Any bytes are about to be written, by whichever thread. */
void rt_store_any(uintptr_t a, uintptr_t n);
/* The edges of a verified node as memory has them; −1 if it no longer satisfies its conditions. */
long marks_edges(uintptr_t y, unsigned type);
/* Clears the cells of a node that counts no more: none of its edges is counted, nothing verified leads to it. */
void marks_erase(uintptr_t y, unsigned type);
/* Between two calls of the runtime: traps unless the marks are as marks.c says. */
void marks_check(void);

#endif

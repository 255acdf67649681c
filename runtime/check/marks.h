/* SPDX-License-Identifier: MIT */
/* Engine B's state, shared by marks.c (checks) and marks_store.c (stores and frees). */
#ifndef RT_CHECK_MARKS_H
#define RT_CHECK_MARKS_H

#include "rt.h"

struct queued {
	uintptr_t node;
	uint16_t *c; /* its cell */
	uint32_t type;
	uint32_t n; /* its old children, in `below` from first on */
	size_t first;
};

struct unstable {
	uintptr_t node;
	uint32_t type, thread;
	size_t first, n; /* its children when it was verified, in `unstable_below` */
};

struct marks {
	struct rt_vec queue;          /* struct queued: nodes that were verified and then changed */
	struct rt_vec below;          /* struct rf_edge: what verified edges of queued nodes led to */
	struct rt_vec unstable;       /* struct unstable: verified nodes whose stores may go unseen */
	struct rt_vec unstable_below; /* struct rf_edge */
	struct rt_vec scratch;        /* struct rf_edge: one node's edges */
	uint32_t thread;              /* whose stores the queue has */
	bool mixed;                   /* several threads' */
};
extern struct marks marks;

static inline void marks_queue_clear(void)
{
	marks.queue.n = marks.below.n = 0;
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

/* No store since the last check concerned a verified node. */
static inline bool rt_marks_settled(void)
{
	return !(marks.queue.n | marks.unstable.n | rt_marks_suspect);
}

static inline bool rt_marks_is_verified(uintptr_t a, unsigned type)
{
	if (!a || a >> ADDRESS_BITS)
		return false;
	uint16_t *c = marks_node(a, type);
	return c && (*c & (C_START | C_INTERIOR | C_BLACK | C_TYPE)) == (C_START | C_BLACK | type);
}

/* Takes verified node y (cell c) out of the verified nodes: its edges no longer count. e are its edges as they were
 * when they were counted. */
void marks_unverify(uintptr_t y, unsigned type, uint16_t *c, const struct rf_edge *e, size_t n, bool enqueue);
/* The edges of a verified node as memory has them; −1 if it no longer satisfies its conditions. */
long marks_edges(uintptr_t y, unsigned type);
/* Clears the cells of a node that counts no more: none of its edges is counted, nothing verified leads to it. */
void marks_erase(uintptr_t y, unsigned type);
#ifdef RF_INVARIANTS
/* Between two calls of the runtime: traps unless the marks are as marks.c says. */
void marks_check(void);
#endif

#endif

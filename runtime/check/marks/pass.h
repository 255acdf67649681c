/* SPDX-License-Identifier: MIT */
/* One pass of engine B over nodes that are not verified: what marks.c (a check) asks of marks/verify.c. */
#ifndef RT_CHECK_MARKS_PASS_H
#define RT_CHECK_MARKS_PASS_H

#include "runtime/check/marks/marks.h"

enum outcome { GOOD, FAILS, DOUBT, CONFLICT, NO_MEMORY };

extern struct pass {
	bool settling;     /* the queue, and not the value under check */
	bool many;         /* there is more than one region of changes, and the tables of regions are filled */
	uint32_t region;   /* the one that is settled */
	unsigned conflict; /* the type that found its place taken */
} pass;

/* Regions: queued nodes connected by the edges they had. */
bool marks_regions_build(void); /* false: out of memory */
uint32_t marks_region(uint32_t queued);

/* Verifies a node and what it leads to, down to nodes that are verified. */
enum outcome marks_verify(uintptr_t x, unsigned type);
/* That failed: what it marked is not kept. Memory is as it was, so that scanning gives the same edges. */
void marks_undo(size_t unstable_n);
/* Is everything below a verified root verified, and the root not met again? */
bool marks_clean(struct rf_edge root);

/* ---- `shared` nodes (marks/graph.c) */

/* There are counts and ranks for a node at a; false: out of memory. */
static inline bool marks_graph_room(uintptr_t a, unsigned plane)
{
	struct shadow_leaf *l = shadow_leaf(a);
	return LIKELY(l->graph[plane] != NULL) || rt_graph_make(l, plane);
}
/* Gives a node that is verified now a rank between those of the nodes above and below it. settled: it has one. */
enum outcome marks_graph_place(struct rf_edge y, bool settled, const struct rf_edge *e, const struct rf_edge *end);
/* Counts an edge from node y to a `shared` one, cell c; known: it has a rank. */
enum outcome marks_graph_count(struct rf_edge y, struct rf_edge e, uint16_t *c, bool known);

#endif

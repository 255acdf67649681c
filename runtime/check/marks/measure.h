/* SPDX-License-Identifier: MIT */
/* Relations and measures: what marks.c, full.c and api.c need of measure.c, and the other way round. */
#ifndef RT_CHECK_MEASURE_H
#define RT_CHECK_MEASURE_H

#include "runtime/check/inside/rt.h"

/* After the marks were found good: 1, 0, −1. */
int rt_measures_check(const void *p, unsigned type);
/* Nodes to look at again: those that were stored to since the last check. */
extern struct rt_changes {
	struct rt_vec nodes; /* struct rf_edge */
	bool watched;        /* there are records */
	bool lost;           /* a change could not be noted */
} rt_changes;
/* A verified node of a measured type is about to change, or is no longer verified. Calls nothing. */
static inline void rt_measures_touch(uintptr_t node, unsigned type)
{
	struct rt_vec *v = &rt_changes.nodes;
	if (!rt_changes.watched)
		return;
	if (v->n == v->cap)
		rt_changes.lost = true;
	else
		VEC_AT(*v, struct rf_edge, v->n++) = (struct rf_edge){(const void *)node, type};
}
/* Makes room for one more, to be called before where there is time. */
static inline void rt_measures_room(void)
{
	if (rt_changes.watched)
		(void)rt_vec_reserve(&rt_changes.nodes, 1, sizeof(struct rf_edge));
}
void rt_measures_drop(void);
/* Nothing changed since the value was last found good. */
bool rt_measures_known(const void *p, unsigned type);
/* What the full walk under way, or the last one, found for a node it has finished; NULL: none. */
const rf_number *rt_full_measures(const void *node, uint32_t type);
void rt_measures_walk(void); /* traps unless the records are as measure.c says */

#endif

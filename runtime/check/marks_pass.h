/* SPDX-License-Identifier: MIT */
/* One pass of engine B over nodes that are not verified: what marks.c (a check) asks of marks_verify.c. */
#ifndef RT_CHECK_MARKS_PASS_H
#define RT_CHECK_MARKS_PASS_H

#include "marks.h"

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
void marks_undo(size_t unstable_n, size_t unstable_below_n);
/* Is everything below a verified root verified, and the root not met again? */
bool marks_clean(struct rf_edge root);

#endif

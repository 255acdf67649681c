/* SPDX-License-Identifier: MIT */
/* Zeller and Hildebrandt's ddmin over a list of items, as a state machine: the caller turns a chunk of items into
 * an edit, tests it and tells the outcome. The order of queries is the textbook's: with the list cut into `parts`
 * chunks of equal size (up to one), each chunk alone, then each complement; a chunk alone that is interesting
 * becomes the list, in 2 parts; a complement becomes the list in parts − 1 (at least 2); else twice as many parts,
 * until each is one item.
 *
 * Copying is cheap: the items are shared and only replaced on success. */
#ifndef REDUCE_PASS_DDMIN_H
#define REDUCE_PASS_DDMIN_H

#include "reduce/model/variant.h"

struct ddmin_items {
	uint32_t refs, n;
	uint32_t at[];
};

struct ddmin {
	struct ddmin_items *items; /* the caller's numbers, in the caller's order */
	uint32_t parts;
	uint32_t chunk;    /* the next to ask about, or the one asked about */
	uint32_t from, to; /* its items */
	bool complement;   /* asking what is left without it; else about it alone */
};

/* items is copied. */
void ddmin_init(struct ddmin *d, const uint32_t *items, uint32_t n);
void ddmin_copy(struct ddmin *to, const struct ddmin *from);
void ddmin_release(struct ddmin *d);

/* The next query: items->at[from … to−1] alone (complement false) or all but these. False: finished. */
bool ddmin_next(struct ddmin *d);
void ddmin_result(struct ddmin *d, bool success);

#endif

/* SPDX-License-Identifier: MIT */
/* Zeller and Hildebrandt's ddmin over a list of items, as a state machine: the caller turns a chunk of items into
 * an edit, tests it and tells the outcome. The order of queries is the textbook's: with the list cut into `parts`
 * chunks of equal size (up to one), each chunk alone, then each complement; a chunk alone that is interesting
 * becomes the list, in 2 parts; a complement becomes the list in parts − 1 (at least 2); else twice as many parts,
 * until each is one item.
 *
 * With several chunks undecided the list is what the successes told so far have left, and a chunk that succeeds late is
 * known by its items. */
#ifndef REDUCE_PASS_DDMIN_H
#define REDUCE_PASS_DDMIN_H

#include "reduce/pass/pass.h"

/* Also the state of a pass, or what it begins with. */
struct ddmin {
	struct pass_state pass;
	uint32_t *item; /* the caller's numbers, ascending */
	uint32_t n;
	uint32_t parts;
	uint32_t chunk;    /* the next to ask about */
	uint32_t from, to; /* items of the last one asked about */
	bool complement;   /* asking what is left without it; else about it alone */
	uint32_t list;     /* counts the lists there were: each success makes one */
};

/* items is copied. */
void ddmin_init(struct ddmin *d, const uint32_t *items, uint32_t n);
void ddmin_release(void *state);

/* The next query: item[from … to−1] alone (complement false) or all but these. out gets what ddmin_result needs to
 * know it again. Between two rounds it waits for what is undecided, unless guess. */
enum made ddmin_next(struct ddmin *d, struct candidate *out, enum guess guess);
void ddmin_result(void *state, const struct candidate *c, bool success);

#endif

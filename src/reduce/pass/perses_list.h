/* SPDX-License-Identifier: MIT */
/* Shrinking one list of a node's children: chunks of elements are left out, from the end of the list to its start,
 * first all of them, then chunks of half the size, down to one. Uses go before what they use. Only what the rule allows
 * is asked. */
#ifndef REDUCE_PASS_PERSES_LIST_H
#define REDUCE_PASS_PERSES_LIST_H

#include "reduce/model/forest.h"
#include "reduce/pass/left.h"
#include "reduce/pass/pass.h"

struct list_item {
	uint32_t from, to;  /* children */
	uint32_t separator; /* child, or SYNTAX_NONE */
};

struct list_state {
	struct children children; /* of the node when the list was begun */
	bool begun, free;         /* free: no rule to obey */
	bool several;             /* more than one candidate was undecided at a time */
	uint32_t n_items;
	struct list_item *item;
	struct left left; /* items still there */
	uint32_t chunk;
	uint32_t from, to; /* of left: asked about last; the next chunk ends at from */
};

/* The list number k of the node (its extras after all lists of the shape); false when there is none. */
bool list_start(struct list_state *s, const struct forest *f, uint32_t node, uint32_t k);
/* Between two sweeps: the size of the next one's chunks; 0 in the middle of a sweep or after the last. */
uint32_t list_next_chunk(const struct list_state *s);
/* Begins with chunks of that size instead of the whole list. */
void list_skip_to(struct list_state *s, uint32_t chunk);
/* The next chunk; sweep: it may be the next sweep's. Fills in what list_result needs to know it again. MADE_NONE: this
 * sweep is over. */
enum made list_next(struct list_state *s, const struct forest *f, bool sweep, struct candidate *out);
void list_result(struct list_state *s, const struct candidate *c, bool success);
void list_release(struct list_state *s);

#endif

/* SPDX-License-Identifier: MIT */
/* Distances in the stack of Belady's OPT, in one pass over a trace whose next uses are known: a cache of size ≥ the
 * distance hits (Mattson's stack algorithm with the next use as priority). The histogram of distances gives the misses
 * of every size.
 *
 * A referenced block goes to the top; what was there moves down past blocks that are needed sooner and takes the place
 * of the first that is needed later, which moves down in turn, until the place the block came from is filled. Places do
 * not move, so a tree of maxima over them finds the next block that gives way. */
#ifndef STREAM_OPTSTACK_H
#define STREAM_OPTSTACK_H

#include <stddef.h>
#include <stdint.h>

struct optstack;

/* For ids below n_ids. */
struct optstack *optstack_new(uint32_t n_ids);
/* One reference and the position of the next to the same id, UINT32_MAX: none. Its distance, 0 for a first one. */
uint32_t optstack_reference(struct optstack *s, uint32_t id, uint32_t next);
void optstack_free(struct optstack *s);

#endif

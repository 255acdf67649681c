/* SPDX-License-Identifier: MIT */
/* Misses of Belady's OPT at some sizes, in one pass over a trace whose next uses are known. It is the stack of
 * optstack.h in few pieces: part i is what the cache of the i-th size has and the next smaller one has not. Nobody asks
 * in which order the blocks of a part stand.
 *
 * A miss of the smaller caches: the referenced block goes into the first part, and out of each part, from the first one
 * on, goes the block needed last of those that are in it and the one that came in, down to the part that the referenced
 * block left. A block is known by its next use alone. */
#ifndef STREAM_OPTSIZES_H
#define STREAM_OPTSIZES_H

#include <stddef.h>
#include <stdint.h>

enum { OPTSIZES_MOST = 250 };

struct optsizes;

/* For so many references, and up to OPTSIZES_MOST sizes that do not fall. */
struct optsizes *optsizes_new(uint64_t references, const uint64_t *size, size_t n);
/* The next reference, and the position of the one after it to the same block, UINT32_MAX: none. Gives the index of the
 * first size that hits, n if there is none. */
size_t optsizes_reference(struct optsizes *s, uint32_t next);
void optsizes_free(struct optsizes *s);

#endif

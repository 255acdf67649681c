/* SPDX-License-Identifier: MIT */
/* Distances in the stack of MRU, in one pass: a cache of size ≥ the distance hits (Mattson's stack algorithm). The
 * histogram of distances gives the misses of every size.
 *
 * A referenced block goes to the top, and the one that was there, the most recent of all and so the first that every
 * cache gives up, passes all others down to the place that became free: the two change places. */
#ifndef STREAM_MRUSTACK_H
#define STREAM_MRUSTACK_H

#include <stddef.h>
#include <stdint.h>

struct mrustack;

struct mrustack *mrustack_new(void);
/* n references to ids below n_ids. size may be NULL, in all calls or in none. */
void mrustack_feed(struct mrustack *s, const uint32_t *id, const uint64_t *size, size_t n, uint32_t n_ids);
/* References by distance, 0 … *max, and the sums of their sizes (NULL: there were none); 0: a first one. */
const uint64_t *mrustack_histogram(const struct mrustack *s, uint32_t *max, const uint64_t **bytes);
/* Distances go on, the histogram starts again. */
void mrustack_reset_counts(struct mrustack *s);
void mrustack_free(struct mrustack *s);

#endif

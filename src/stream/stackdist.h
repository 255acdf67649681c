/* SPDX-License-Identifier: MIT */
/* LRU stack distances in one pass: how many distinct blocks were referenced since the last reference to this one,
 * itself included. A cache of size ≥ that distance hits. The histogram of distances gives the misses of every size.
 *
 * The most recent blocks are kept in a short array, moved to the front as they are used; all others have a bit in a
 * bitmap at the time they fell out of that array, with counts per 512 and 16384 bits, so a distance is a few partial
 * sums. When time reaches the bitmap's end the set bits are moved together. */
#ifndef STREAM_STACKDIST_H
#define STREAM_STACKDIST_H

#include <stddef.h>
#include <stdint.h>

struct stackdist;

struct stackdist *stackdist_new(void);
/* References to dense ids, all below n_ids (which never falls). */
void stackdist_feed(struct stackdist *s, const uint32_t *ids, size_t n, uint32_t n_ids);
/* One reference; its distance, 0 for a first one. Counted in the histogram as well. */
uint32_t stackdist_reference(struct stackdist *s, uint32_t id);
/* As if the id had never been referenced, except for what was counted; its next reference is a first one. */
void stackdist_forget(struct stackdist *s, uint32_t id);
/* Counts by distance 1 … *max; [0] are first references. */
const uint64_t *stackdist_histogram(const struct stackdist *s, uint32_t *max);
/* Forgets what was counted, keeps the stack. */
void stackdist_reset_counts(struct stackdist *s);
void stackdist_free(struct stackdist *s);
void stackdist_check(const struct stackdist *s);

#endif

/* SPDX-License-Identifier: MIT */
/* A miss curve of LRU from a sample of the keys (SHARDS), in memory that does not grow with the trace. */
#ifndef TRACE_SHARDS_H
#define TRACE_SHARDS_H

#include "trace/simulate/mrc.h"

/* Keys that are followed at least, while that is no more than SHARDS_MORE times the asked rate: a sample's error
 * depends on how many keys it has, not on their share. */
enum { SHARDS_KEYS = 65536, SHARDS_MORE = 100 };
/* A size is resolved if that many followed keys fit into it. */
enum { SHARDS_RESOLVED = 64 };

struct shards;

/* Whether a key is one of those that a sample of this rate follows. */
bool shards_follows(uint64_t key, double rate);
/* rate: share of the keys that are followed, 0: all; max_keys: at most so many, 0: no limit. */
struct shards *shards_new(double rate, uint64_t max_keys);
void shards_feed(struct shards *s, const uint64_t *keys, size_t n);
/* Fills in the curve of m->requests references, its rate and its error estimate. RC_INPUT when no reference was in
 * the sample. */
enum rc shards_curve(struct shards *s, struct mrc *m, struct err *e);
/* The refusal of such a sample. */
enum rc shards_nothing(uint64_t references, struct err *e);
void shards_free(struct shards *s);

#endif

/* SPDX-License-Identifier: MIT */
/* OLR, optimal LRU reduction (Smaragdakis): the shortest trace whose LRU behaviour, the sequence of fetched and
 * evicted blocks, equals that of the given trace for a stack of k blocks (and so for every larger one).
 *
 * A streaming object: keys in, the reduced trace out through a function, in blocks. Memory is O(min(k, blocks)),
 * however long the trace; time O(references in + references out). Freestanding: memory from the caller's function. */
#ifndef BASE_OLR_H
#define BASE_OLR_H

#include "base/lrustack.h"

typedef void (*trace_emit_fn)(void *user, const uint64_t *keys, size_t n);

/* Blocks and the slots they have, at index modulo a power of two. */
struct olr_ring {
	uint64_t *key;
	uint32_t *slot;
	uint32_t cap_key, cap_slot;
	uint64_t mask;
};

/* What changes with every event. */
struct olr_run {
	struct olr_ring window; /* fetches of the events current … ahead−1 */
	struct olr_ring queue;  /* touches tail … end−1 of the output's LRU stack */
	uint64_t current, ahead, tail, end;
	uint64_t *
		touched; /* per slot: twice the index of its last touch, + 1 while it is to be refilled in the window */
	uint64_t previous; /* twice the index of the last touch of the block that the event before ahead evicted */
	uint64_t longest_window;
};

struct olr {
	struct lrustack stack; /* what the input does */
	trace_emit_fn fn;
	void *user;
	struct olr_run run;
	uint32_t cap_touched;
	uint64_t misses; /* of the input */
};

/* k is 1 … 2^30. */
void olr_init(struct olr *o, uint32_t k, const struct base_alloc *alloc, trace_emit_fn fn, void *user);
/* False when there is no memory: the object can only be released then. */
bool olr_feed(struct olr *o, const uint64_t *keys, size_t n);
/* The rest of the output. */
void olr_finish(struct olr *o);
/* References of the output, with those that were not given to fn yet. */
uint64_t olr_produced(const struct olr *o);
void olr_release(struct olr *o);
/* Between calls of olr_feed. */
void olr_check(const struct olr *o);

#endif

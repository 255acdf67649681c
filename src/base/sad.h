/* SPDX-License-Identifier: MIT */
/* SAD, safely allowed drop (Kaplan, Smaragdakis, Wilson): of three consecutive references to a block the middle one
 * goes if fewer than k distinct other blocks lie between the first and the third; forward and greedy. LRU and OPT
 * behave the same on the result for every size ≥ k.
 *
 * A streaming object like OLR's: keys in, the reduced trace out; memory is O(min(k, blocks)). */
#ifndef BASE_SAD_H
#define BASE_SAD_H

#include "base/olr.h"

enum { TRACE_EMIT_BLOCK = 512 };

/* Keys on their way out. */
struct trace_emit {
	trace_emit_fn fn;
	void *user;
	uint64_t total; /* with those still here */
	uint32_t n;
	uint64_t key[TRACE_EMIT_BLOCK];
};

static inline void trace_emit_flush(struct trace_emit *o)
{
	if (o->n)
		o->fn(o->user, o->key, o->n);
	o->n = 0;
}

static inline void trace_emit(struct trace_emit *o, uint64_t key)
{
	o->key[o->n++] = key;
	o->total++;
	if (o->n == TRACE_EMIT_BLOCK)
		trace_emit_flush(o);
}

/* One of the k + 1 most recently referenced blocks, by slot. */
struct sad_block {
	uint64_t last;   /* when it was referenced last */
	uint64_t first;  /* when the kept reference before that was; 0: there is none */
	uint32_t middle; /* the pending reference that may still go; UINT32_MAX: none */
};

/* A reference that is not yet written, in order. */
struct sad_pending {
	uint64_t key;
	uint32_t block; /* whose middle it is; UINT32_MAX: it stays */
	uint32_t prev, next;
};

struct sad {
	struct lrustack stack; /* of k + 1 */
	struct trace_emit out;
	struct sad_block *block;
	uint32_t cap_blocks;
	struct sad_pending *pending;
	uint32_t n_pending, cap_pending, free_pending; /* free_pending: number + 1, chained through next */
	uint32_t oldest, newest;
	uint64_t references;
};

/* k is 1 … 2^30. */
void sad_init(struct sad *s, uint32_t k, const struct base_alloc *alloc, trace_emit_fn fn, void *user);
bool sad_feed(struct sad *s, const uint64_t *keys, size_t n);
void sad_finish(struct sad *s);
void sad_release(struct sad *s);
/* Between calls of sad_feed. */
void sad_check(const struct sad *s);

#endif

/* OLR, optimal LRU reduction (Smaragdakis): the shortest trace whose LRU behaviour, the sequence of fetched and
 * evicted blocks, equals that of the given trace for a stack of k blocks (and so for every larger one).
 *
 * A streaming object: keys in, the reduced trace out through a function, in blocks. Memory is O(min(k, blocks)),
 * however long the trace; time O(references in + references out). Freestanding: memory from the caller's function. */
#ifndef BASE_OLR_H
#define BASE_OLR_H

#include "base/keymap.h"

typedef void (*trace_emit_fn)(void *user, const uint64_t *keys, size_t n);

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

struct olr_link {
	uint32_t prev, next; /* towards most recent, towards least recent */
};

struct olr_list {
	uint32_t head, tail, n;
};

/* A block in the stack, in the queue or in the look-ahead window. */
struct olr_block {
	uint64_t key;
	struct olr_link stack; /* the trace's own LRU stack of k */
	struct olr_link queue; /* the LRU stack of k that the output is applied to */
	uint64_t touched;      /* when the output last had it */
	uint64_t fetched;      /* index + 1 of its last fetch in the window */
	bool in_stack, in_queue;
};

struct olr_event {
	uint32_t fetch, evict; /* blocks; evict may be none: the stack was not full */
};

struct olr {
	uint32_t k;
	struct base_alloc alloc;
	struct trace_emit out;
	struct keymap map;
	struct olr_block *block;
	uint32_t n_blocks, cap_blocks, free_block; /* free_block: number + 1, chained through queue.next */
	struct olr_list stack, queue;
	struct olr_event *window; /* events current … ahead−1, at index modulo cap_window */
	uint32_t cap_window;
	uint64_t current, ahead, clock;
	uint32_t previous_evict;
	uint64_t references, misses; /* of the input */
	uint32_t longest_window;
};

/* k is 1 … 2^30. */
void olr_init(struct olr *o, uint32_t k, const struct base_alloc *alloc, trace_emit_fn fn, void *user);
/* False when there is no memory: the object can only be released then. */
bool olr_feed(struct olr *o, const uint64_t *keys, size_t n);
/* The rest of the output. */
void olr_finish(struct olr *o);
void olr_release(struct olr *o);

#endif

/* SPDX-License-Identifier: MIT */
/* Inside of lists.c and the policies beside it.
 *
 * Each reference gets a place, and a block stands at the place of its last use: all lists by recency are in the
 * order of places, in every cache. word[k][place] has a bit for each cache that has the block of that place in list
 * k. When a block is used its words move to a new place and those of the old one become zero. So
 * - the last block of a list by recency is found by going up from a mark below which the list has none, and marks
 *   only rise: over a whole run each cache looks at each place once for each of its lists, in order;
 * - a list by arrival, which blocks leave at its end or because they are used, is a queue of places; an entry whose
 *   bit is gone is stale and is skipped.
 * Places that are used up are squeezed out, and the queues are put right, when there is no room for more. Place 0 is
 * nobody's: its words stay zero. */
#ifndef TRACE_LISTS_INSIDE_H
#define TRACE_LISTS_INSIDE_H

#include "trace/lists/lists.h"

#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

/* LISTS_MANY: blocks; tables of more would not be small beside the trace. */
enum { LISTS_MANY = 1 << 23 };
enum { LISTS_WORDS = 5, LISTS_QUEUES = 2, LISTS_MARKS = 2, LISTS_FAR = 16, LISTS_NEAR = 8 };

/* Entries first … end − 1 of a ring. */
struct queue {
	uint32_t *at;
	uint32_t first, end; /* they wrap around */
	uint32_t middle;     /* as the policy likes; between first and end */
	uint32_t room;       /* a power of two, or 0 */
};

struct listed {
	uint64_t limit, n; /* blocks: at most, in the cache */
	uint64_t misses, miss_bytes;
	uint64_t share, ghosts;    /* as the policy likes */
	uint32_t sum[LISTS_WORDS]; /* blocks in each list */
	uint32_t mark[LISTS_MARKS];
	struct queue queue[LISTS_QUEUES];
	double target, step, ratio;
	uint64_t due, period_misses; /* when a period ends; misses before it */
};

struct lists_sketch;

struct lists {
	const struct lists_kind *kind;
	unsigned n;
	uint64_t all; /* a bit for each cache */
	uint64_t now; /* references so far, where the policy counts them */
	uint64_t due; /* the least of the caches' */
	uint32_t *place;
	size_t n_ids;
	uint32_t *id; /* of each place; right where a word is not zero */
	uint64_t *word[LISTS_WORDS];
	uint32_t end, room; /* places */
	struct lists_sketch *sketch;
	struct listed cache[LISTS_MOST];
};

struct lists_kind {
	const char *policy;
	uint32_t most; /* distinct blocks up to which it is faster than caches one by one */
	unsigned words;
	/* Lists of a queue: at most two bits; 0: it holds ids instead of places and nothing goes stale. */
	unsigned queue[LISTS_QUEUES];
	/* share, ghosts and so on of a cache; may be NULL */
	void (*start)(struct lists *s, struct listed *c);
	void (*run)(struct lists *s, const struct policy_refs *r);
};

extern const struct lists_kind lists_slru, lists_2q, lists_arc, lists_lirs, lists_wtinylfu, lists_awtinylfu;

/* n sizes that rise. */
struct lists_sketch *lists_sketch_new(const uint64_t *size, unsigned n, uint64_t seed);
void lists_sketch_free(struct lists_sketch *k);

/* Makes room for more places. */
void lists_squeeze(struct lists *s);
/* Takes stale entries out, or makes more room. */
void lists_queue_grow(struct lists *s, unsigned i, unsigned q);

#define EACH_CACHE(i, bits)                                                                                            \
	for (uint64_t rest_ = (bits), i = 0; rest_ && ((i = (uint64_t)__builtin_ctzll(rest_)), true);                  \
	     rest_ &= rest_ - 1)
#define BIT(i) (UINT64_C(1) << (i))

INLINE void lists_push(struct lists *s, unsigned i, unsigned q, uint32_t x)
{
	struct queue *f = &s->cache[i].queue[q];
	if (UNLIKELY(f->end - f->first == f->room))
		lists_queue_grow(s, i, q);
	f->at[f->end++ & (f->room - 1)] = x;
}

/* The oldest entry of a queue that is not stale; there must be one. */
INLINE uint32_t lists_first(struct lists *s, unsigned i, unsigned q, const uint64_t *word)
{
	struct queue *f = &s->cache[i].queue[q];
	for (;; f->first++) {
		uint32_t p = f->at[f->first & (f->room - 1)];
		if (LIKELY(word[p] >> i & 1))
			return p;
	}
}

/* Takes it out; the next one will be asked for soon. */
INLINE uint32_t lists_take(struct lists *s, unsigned i, unsigned q, const uint64_t *word)
{
	uint32_t p = lists_first(s, i, q, word);
	struct queue *f = &s->cache[i].queue[q];
	f->first++;
	__builtin_prefetch(&word[f->at[f->first & (f->room - 1)]], 1);
	return p;
}

/* The least recent block of a list by recency; there must be one. */
INLINE uint32_t lists_last(struct lists *s, unsigned i, unsigned mark, const uint64_t *word)
{
	uint32_t p = s->cache[i].mark[mark];
	while (!(word[p] >> i & 1))
		p++;
	s->cache[i].mark[mark] = p;
	return p;
}

/* A new place for a block; the caller moves the words. */
INLINE uint32_t lists_step(struct lists *s, uint32_t id)
{
	uint32_t q = s->end++;
	s->place[id] = q;
	s->id[q] = id;
	return q;
}

INLINE uint64_t lists_move(uint64_t *word, uint32_t from)
{
	uint64_t bits = word[from];
	word[from] = 0;
	return bits;
}

INLINE void lists_missed(struct listed *c, const struct policy_refs *r, size_t i)
{
	c->misses++;
	if (r->size)
		c->miss_bytes += r->size[i];
}

/* The block of reference k, which cache i misses, enters the list of the cache's first queue. Its place is
 * the newest. */
INLINE void lists_enter(struct lists *s, const struct policy_refs *r, size_t k, unsigned i, unsigned list,
			void (*make_room)(struct lists *s, unsigned i))
{
	struct listed *c = &s->cache[i];
	lists_missed(c, r, k);
	if (c->n == c->limit)
		make_room(s, i);
	else
		c->n++;
	c->sum[list]++;
	lists_push(s, i, 0, s->end - 1);
}

/* Before reference i: there is room for a place, and what will be needed is fetched. words: how many of them. */
INLINE void lists_ahead(struct lists *s, const struct policy_refs *r, size_t i, unsigned words)
{
	if (UNLIKELY(s->end == s->room))
		lists_squeeze(s);
	if (LIKELY(i + LISTS_FAR < r->n)) {
		__builtin_prefetch(&s->place[r->id[i + LISTS_FAR]], 1);
		uint32_t p = s->place[r->id[i + LISTS_NEAR]];
		for (unsigned k = 0; k < words; k++)
			__builtin_prefetch(&s->word[k][p], 1);
	}
}

#endif

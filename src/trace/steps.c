/* SPDX-License-Identifier: MIT */
/* See steps.h. Bit i of each word belongs to cache i. Beside the words each cache has queues of ids, in order of
 * arrival, with the size each came with when the limit is in bytes.
 *
 * SIEVE takes blocks out of the middle of its queue: that leaves a hole, and holes are squeezed out when the queue
 * reaches the end of its array. S3-FIFO's ghosts leave the middle too, when they return; there the entry stays, STALE
 * says that the oldest entry of this block does not count, and only a second one before that is gone is looked for.
 *
 * Invariant: a block's PRESENT bit (S3-FIFO: SMALL or MAIN; GHOST) is set exactly when the queue has it. */
#include "trace/steps.h"

#include "base/invariant.h"
#include "data/bigmem.h"
#include "data/mem.h"

#include <stdlib.h>
#include <string.h>

/* Words of a block. */
enum {
	PRESENT,
	MARK,
	SMALL = PRESENT,
	MAIN,
	GHOST,
	COUNT_LOW,
	COUNT_HIGH,
	STALE,
	UNUSED,
	WORDS
}; /* of S3-FIFO: a cache line */
enum { FAR = 24, SOON = 6, NO_HAND = -1 };
#define NO_ID UINT32_MAX
#define CHANGED UINT64_MAX

/* A queue in a ring; at[(first + i) & mask] is its i-th entry, the oldest at 0. */
struct ring {
	uint32_t *at;
	uint64_t *size;                /* by bytes only */
	uint64_t first, n, room, mask; /* room: a power of two, or 0; mask: room − 1 */
	uint64_t weight;               /* of its entries that count */
};

/* SIEVE's queue: entries from … end of an array, older first, NO_ID where one was taken out. */
struct sieve {
	uint32_t *at;
	uint64_t *size;
	int64_t room, from, end, live, hand;
};

struct cache {
	uint64_t limit, used, misses, miss_bytes;
	uint64_t main, ghosts; /* S3-FIFO: most of these */
	struct ring queue, more, gone;
	struct sieve sieve;
};

struct steps {
	void (*run)(struct steps *s, const struct policy_refs *r);
	unsigned n, words;
	bool bytes;
	uint64_t all;      /* a bit for each cache */
	uint64_t *word;    /* per id */
	uint64_t *size_of; /* per id, S3-FIFO by bytes: its size + 1, or CHANGED when it had several */
	size_t n_ids;
	struct cache cache[STEPS_MOST];
};

#define INLINE static inline __attribute__((always_inline))

/* ---- rings */

static void ring_grow(struct ring *q, bool bytes)
{
	uint64_t room = q->room ? 2 * q->room : 16;
	struct ring bigger = {.at = bigmem_alloc(room * sizeof *q->at),
			      .size = bytes ? bigmem_alloc(room * sizeof *q->size) : NULL,
			      .n = q->n,
			      .room = room,
			      .mask = room - 1,
			      .weight = q->weight};
	for (uint64_t i = 0; i < q->n; i++) {
		bigger.at[i] = q->at[(q->first + i) & q->mask];
		if (bytes)
			bigger.size[i] = q->size[(q->first + i) & q->mask];
	}
	bigmem_free(q->at, q->room * sizeof *q->at);
	bigmem_free(q->size, q->room * sizeof *q->size);
	*q = bigger;
}

static void ring_release(struct ring *q)
{
	bigmem_free(q->at, q->room * sizeof *q->at);
	bigmem_free(q->size, q->room * sizeof *q->size);
}

INLINE void ring_push(struct ring *q, uint32_t id, uint64_t w, bool bytes)
{
	if (UNLIKELY(q->n == q->room))
		ring_grow(q, bytes);
	uint64_t i = (q->first + q->n++) & q->mask;
	q->at[i] = id;
	if (bytes)
		q->size[i] = w;
	q->weight += w;
}

/* The oldest entry. The words of one that goes soon are fetched: entries come in any order of ids. */
INLINE uint32_t ring_pop(const struct steps *s, struct ring *q, uint64_t *w, unsigned words, bool bytes)
{
	uint64_t i = q->first++ & q->mask;
	__builtin_prefetch(&s->word[(size_t)q->at[(i + SOON) & q->mask] * words], 1);
	*w = bytes ? q->size[i] : 1;
	q->n--;
	q->weight -= *w;
	return q->at[i];
}

/* ---- FIFO and CLOCK */

INLINE void queue_miss(struct steps *s, struct cache *c, uint64_t bit, uint32_t id, uint64_t w, bool bytes, bool marks)
{
	uint64_t *word = s->word, gone;
	const unsigned words = marks ? 2 : 1;
	while (c->used + w > c->limit) {
		uint32_t old = ring_pop(s, &c->queue, &gone, words, bytes);
		uint64_t *o = &word[(size_t)old * words];
		if (marks && o[MARK] & bit) {
			o[MARK] &= ~bit;
			ring_push(&c->queue, old, gone, bytes);
			continue;
		}
		o[PRESENT] &= ~bit;
		c->used -= gone;
	}
	ring_push(&c->queue, id, w, bytes);
	c->used += w;
	word[(size_t)id * words + PRESENT] |= bit;
	if (marks)
		word[(size_t)id * words + MARK] &= ~bit;
}

/* ---- SIEVE */

/* Moves the entries together, into a larger array if they fill more than half of this one. */
static void sieve_squeeze(struct sieve *q, bool bytes)
{
	int64_t room = q->room ? q->room : 16, n = 0, hand = NO_HAND;
	while (q->live * 2 > room)
		room *= 2;
	uint32_t *at = room == q->room ? q->at : bigmem_alloc((size_t)room * sizeof *at);
	uint64_t *size = !bytes ? NULL : room == q->room ? q->size : bigmem_alloc((size_t)room * sizeof *size);
	for (int64_t i = q->from; i < q->end; i++) {
		if (q->at[i] == NO_ID)
			continue;
		if (i == q->hand)
			hand = n;
		at[n] = q->at[i];
		if (bytes)
			size[n] = q->size[i];
		n++;
	}
	if (room != q->room) {
		bigmem_free(q->at, (size_t)q->room * sizeof *at);
		bigmem_free(q->size, (size_t)q->room * sizeof *size);
	}
	*q = (struct sieve){at, size, room, 0, n, n, hand};
}

/* From where on a live entry is looked for: towards newer ones. */
INLINE int64_t sieve_live(const struct sieve *q, int64_t i)
{
	while (i < q->end && q->at[i] == NO_ID)
		i++;
	return i < q->end ? i : NO_HAND;
}

/* The oldest. */
INLINE int64_t sieve_oldest(struct sieve *q)
{
	while (q->at[q->from] == NO_ID)
		q->from++;
	return q->from;
}

INLINE void sieve_evict(struct steps *s, struct cache *c, uint64_t bit, bool bytes)
{
	struct sieve *q = &c->sieve;
	int64_t i = q->hand == NO_HAND ? sieve_oldest(q) : q->hand;
	uint64_t *o = &s->word[(size_t)q->at[i] * 2];
	while (o[MARK] & bit) {
		o[MARK] &= ~bit;
		i = sieve_live(q, i + 1);
		i = i == NO_HAND ? sieve_oldest(q) : i;
		o = &s->word[(size_t)q->at[i] * 2];
	}
	o[PRESENT] &= ~bit;
	c->used -= bytes ? q->size[i] : 1;
	q->at[i] = NO_ID;
	if (!--q->live)
		q->from = q->end = 0;
	q->hand = sieve_live(q, i + 1);
}

INLINE void sieve_miss(struct steps *s, struct cache *c, uint64_t bit, uint32_t id, uint64_t w, bool bytes)
{
	struct sieve *q = &c->sieve;
	while (c->used + w > c->limit)
		sieve_evict(s, c, bit, bytes);
	if (UNLIKELY(q->end == q->room))
		sieve_squeeze(q, bytes);
	q->at[q->end] = id;
	if (bytes)
		q->size[q->end] = w;
	q->end++;
	q->live++;
	c->used += w;
	s->word[(size_t)id * 2 + PRESENT] |= bit;
	s->word[(size_t)id * 2 + MARK] &= ~bit;
}

/* ---- S3-FIFO */

/* Forgets the oldest ghosts until the rest is light enough. */
INLINE void s3_trim(struct steps *s, struct cache *c, uint64_t bit, bool bytes)
{
	uint64_t w;
	while (c->gone.weight > c->ghosts) {
		uint64_t weight = c->gone.weight;
		uint64_t *o = &s->word[(size_t)ring_pop(s, &c->gone, &w, WORDS, bytes) * WORDS];
		if (o[STALE] & bit) {
			o[STALE] &= ~bit;
			c->gone.weight = weight; /* it did not count */
		} else {
			o[GHOST] &= ~bit;
		}
	}
}

/* The newest entry of a block. */
static uint64_t s3_find(const struct ring *q, uint32_t id)
{
	uint64_t i = q->n - 1;
	while (q->at[(q->first + i) & q->mask] != id)
		i--;
	return i;
}

/* A ghost returns. Its entry no longer counts. */
static void s3_return(struct steps *s, struct cache *c, uint64_t bit, uint32_t id)
{
	uint64_t *o = &s->word[(size_t)id * WORDS];
	struct ring *q = &c->gone;
	o[GHOST] &= ~bit;
	if (!(o[STALE] & bit)) {
		uint64_t w = !s->bytes                   ? 1
			     : s->size_of[id] != CHANGED ? s->size_of[id] - 1
							 : q->size[(q->first + s3_find(q, id)) & q->mask];
		o[STALE] |= bit;
		q->weight -= w;
		return;
	}
	uint64_t i = s3_find(q, id);
	q->weight -= s->bytes ? q->size[(q->first + i) & q->mask] : 1;
	for (; i + 1 < q->n; i++) {
		uint64_t to = (q->first + i) & q->mask, from = (q->first + i + 1) & q->mask;
		q->at[to] = q->at[from];
		if (s->bytes)
			q->size[to] = q->size[from];
	}
	q->n--;
}

INLINE void s3_evict_main(struct steps *s, struct cache *c, uint64_t bit, bool bytes)
{
	for (;;) {
		uint64_t w;
		uint32_t old = ring_pop(s, &c->more, &w, WORDS, bytes);
		uint64_t *o = &s->word[(size_t)old * WORDS];
		if (!((o[COUNT_LOW] | o[COUNT_HIGH]) & bit)) {
			o[MAIN] &= ~bit;
			c->used -= w;
			return;
		}
		/* 3, 2, 1 become 2, 1, 0 */
		o[COUNT_HIGH] ^= bit & ~o[COUNT_LOW];
		o[COUNT_LOW] ^= bit;
		ring_push(&c->more, old, w, bytes);
	}
}

INLINE void s3_evict(struct steps *s, struct cache *c, uint64_t bit, bool bytes)
{
	if (c->more.weight > c->main) {
		s3_evict_main(s, c, bit, bytes);
		return;
	}
	while (c->queue.n) {
		uint64_t w;
		uint32_t old = ring_pop(s, &c->queue, &w, WORDS, bytes);
		uint64_t *o = &s->word[(size_t)old * WORDS];
		o[SMALL] &= ~bit;
		if (!(o[COUNT_HIGH] & bit)) {
			o[GHOST] |= bit;
			c->used -= w;
			ring_push(&c->gone, old, w, bytes);
			s3_trim(s, c, bit, bytes);
			return;
		}
		o[COUNT_LOW] &= ~bit;
		o[COUNT_HIGH] &= ~bit;
		o[MAIN] |= bit;
		ring_push(&c->more, old, w, bytes);
	}
	s3_evict_main(s, c, bit, bytes);
}

INLINE void s3_miss(struct steps *s, struct cache *c, uint64_t bit, uint32_t id, uint64_t w, bool bytes)
{
	uint64_t *o = &s->word[(size_t)id * WORDS];
	bool known = o[GHOST] & bit;
	if (known)
		s3_return(s, c, bit, id);
	while (c->used + w > c->limit)
		s3_evict(s, c, bit, bytes);
	o[COUNT_LOW] &= ~bit;
	o[COUNT_HIGH] &= ~bit;
	o[known ? MAIN : SMALL] |= bit;
	ring_push(known ? &c->more : &c->queue, id, w, bytes);
	c->used += w;
}

/* ---- all */

enum kind { FIFO, CLOCK, SIEVE, S3FIFO };

INLINE void feed(struct steps *s, const struct policy_refs *r, enum kind kind, bool bytes, bool sizes)
{
	const unsigned words = kind == FIFO ? 1 : kind == S3FIFO ? WORDS : 2;
	for (size_t i = 0; i < r->n; i++) {
		if (LIKELY(i + FAR < r->n))
			__builtin_prefetch(&s->word[(size_t)r->id[i + FAR] * words], 1);
		uint32_t id = r->id[i];
		uint64_t *o = &s->word[(size_t)id * words];
		uint64_t there = kind == S3FIFO ? o[SMALL] | o[MAIN] : o[PRESENT];
		if (kind == CLOCK || kind == SIEVE)
			o[MARK] = there;
		if (kind == S3FIFO && bytes && s->size_of[id] != r->size[i] + 1)
			s->size_of[id] = s->size_of[id] ? CHANGED : r->size[i] + 1;
		if (kind == S3FIFO) {
			/* one more where it is there, up to 3 */
			uint64_t low = o[COUNT_LOW], high = o[COUNT_HIGH];
			o[COUNT_HIGH] = high | (low & there);
			o[COUNT_LOW] = (low & ~there) | ((~low | high) & there);
		}
		for (uint64_t missing = s->all & ~there; UNLIKELY(missing != 0); missing &= missing - 1) {
			struct cache *c = &s->cache[__builtin_ctzll(missing)];
			uint64_t bit = missing & -missing, w = bytes ? r->size[i] : 1;
			c->misses++;
			if (sizes)
				c->miss_bytes += r->size[i];
			if (bytes && w > c->limit)
				continue;
			if (kind == S3FIFO)
				s3_miss(s, c, bit, id, w, bytes);
			else if (kind == SIEVE)
				sieve_miss(s, c, bit, id, w, bytes);
			else
				queue_miss(s, c, bit, id, w, bytes, kind == CLOCK);
		}
	}
}

#define RUN(NAME, KIND)                                                                                                \
	static void NAME##_blocks(struct steps *s, const struct policy_refs *r)                                        \
	{                                                                                                              \
		if (r->size)                                                                                           \
			feed(s, r, KIND, false, true);                                                                 \
		else                                                                                                   \
			feed(s, r, KIND, false, false);                                                                \
	}                                                                                                              \
	static void NAME##_bytes(struct steps *s, const struct policy_refs *r)                                         \
	{                                                                                                              \
		feed(s, r, KIND, true, true);                                                                          \
	}

RUN(fifo, FIFO)
RUN(clock, CLOCK)
RUN(sieve, SIEVE)
RUN(s3fifo, S3FIFO)

/* One row per policy. */
static const struct row {
	const char *policy;
	size_t least; /* caches for which it is faster than one by one */
	unsigned words;
	void (*blocks)(struct steps *s, const struct policy_refs *r);
	void (*bytes)(struct steps *s, const struct policy_refs *r);
} rows[] = {
	{"fifo", 1, 1, fifo_blocks, fifo_bytes},
	{"clock", 1, 2, clock_blocks, clock_bytes},
	{"sieve", 2, 2, sieve_blocks, sieve_bytes},
	{"s3fifo", 2, WORDS, s3fifo_blocks, s3fifo_bytes},
};

static const struct row *row_of(const struct policy *p)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].policy, p->name) == 0)
			return &rows[i];
	return NULL;
}

bool steps_can(const struct policy *p, size_t n)
{
	const struct row *row = row_of(p);
	return row && n >= row->least;
}

struct steps *steps_new(const struct policy *p, const uint64_t *size, unsigned n, bool by_bytes)
{
	const struct row *row = row_of(p);
	struct steps *s = mem_zalloc(sizeof *s);
	s->run = by_bytes ? row->bytes : row->blocks;
	s->words = row->words;
	s->n = n;
	s->bytes = by_bytes;
	s->all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
	for (unsigned i = 0; i < n; i++) {
		struct cache *c = &s->cache[i];
		c->limit = size[i];
		c->main = size[i] - (size[i] / 10 ? size[i] / 10 : 1);
		c->ghosts = c->main ? c->main : 1;
		c->sieve.hand = NO_HAND;
	}
	return s;
}

void steps_run(struct steps *s, const struct policy_refs *refs, uint32_t n_ids)
{
	if (n_ids > s->n_ids) {
		size_t n = ceil_pow2(n_ids < 1024 ? 1024 : n_ids), one = s->words * sizeof *s->word;
		s->word = bigmem_grow(s->word, s->n_ids * one, n * one);
		if (s->bytes)
			s->size_of = bigmem_grow(s->size_of, s->n_ids * sizeof *s->size_of, n * sizeof *s->size_of);
		s->n_ids = n;
	}
	s->run(s, refs);
}

void steps_reset_counts(struct steps *s)
{
	for (unsigned i = 0; i < s->n; i++)
		s->cache[i].misses = s->cache[i].miss_bytes = 0;
}

uint64_t steps_misses(const struct steps *s, unsigned i)
{
	return s->cache[i].misses;
}

uint64_t steps_miss_bytes(const struct steps *s, unsigned i)
{
	return s->cache[i].miss_bytes;
}

void steps_free(struct steps *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n; i++) {
		struct cache *c = &s->cache[i];
		ring_release(&c->queue);
		ring_release(&c->more);
		ring_release(&c->gone);
		bigmem_free(c->sieve.at, (size_t)c->sieve.room * sizeof *c->sieve.at);
		bigmem_free(c->sieve.size, (size_t)c->sieve.room * sizeof *c->sieve.size);
	}
	bigmem_free(s->size_of, s->n_ids * sizeof *s->size_of);
	bigmem_free(s->word, s->n_ids * s->words * sizeof *s->word);
	free(s);
}

#ifdef RF_INVARIANTS
/* The blocks whose bits say so are those in the queues, by number and weight. */
void steps_check(const struct steps *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct cache *c = &s->cache[i];
		uint64_t bit = UINT64_C(1) << i, here = 0, ghosts = 0, stale = 0;
		bool s3 = s->words == WORDS;
		for (size_t id = 0; id < s->n_ids; id++) {
			const uint64_t *o = &s->word[id * s->words];
			here += ((o[PRESENT] | (s3 ? o[MAIN] : 0)) & bit) != 0;
			ghosts += s3 && o[GHOST] & bit;
			stale += s3 && o[STALE] & bit;
			INVARIANT(!s3 || !((o[SMALL] | o[MAIN]) & o[GHOST] & bit));
		}
		INVARIANT(here == c->queue.n + c->more.n + (uint64_t)c->sieve.live);
		INVARIANT(ghosts + stale == c->gone.n && c->gone.weight <= c->ghosts && c->used <= c->limit);
		INVARIANT(c->sieve.live || c->used == c->queue.weight + c->more.weight);
	}
}
#endif

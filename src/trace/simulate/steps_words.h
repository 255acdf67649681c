/* SPDX-License-Identifier: MIT */
/* The body of steps.c for words of one width: a file that includes it has defined WORD, with a bit for each cache, and
 * KINDS, the name of its table. Few caches have narrow words, so that the words of more blocks are in the
 * processor's caches. */
#include "trace/simulate/steps_inside.h"

/* References ahead that a block's words are fetched; the same in queues. */
enum { FAR = 24, SOON = 6 };
/* What limits are in; the words of near blocks are not fetched. */
enum by { BYTES, BLOCKS, NEAR_BLOCKS };

INLINE WORD *words_of(const struct steps *s, uint32_t id, unsigned words)
{
	return (WORD *)s->word + (size_t)id * words;
}

/* The oldest entry. The words of one that goes soon are fetched: entries come in any order of ids. */
INLINE uint32_t pop(const struct steps *s, struct ring *q, uint64_t *w, unsigned words, enum by by)
{
	if (by != NEAR_BLOCKS)
		__builtin_prefetch(words_of(s, q->at[(q->first + SOON) & (q->room - 1)], words), 1);
	return ring_pop(q, w, by == BYTES);
}

/* ---- FIFO and CLOCK */

INLINE void queue_miss(struct steps *s, struct cache *c, WORD bit, uint32_t id, uint64_t w, enum by by, bool marks)
{
	uint64_t gone;
	const unsigned words = marks ? 2 : 1;
	while (c->used + w > c->limit) {
		uint32_t old = pop(s, &c->queue[0], &gone, words, by);
		WORD *o = words_of(s, old, words);
		if (marks && o[MARK] & bit) {
			o[MARK] &= (WORD)~bit;
			ring_push(&c->queue[0], old, gone, by == BYTES);
			continue;
		}
		o[PRESENT] &= (WORD)~bit;
		c->used -= gone;
	}
	ring_push(&c->queue[0], id, w, by == BYTES);
	c->used += w;
}

/* ---- SIEVE */

INLINE void sieve_evict(struct steps *s, struct cache *c, WORD bit, bool bytes)
{
	struct sieve *q = &c->sieve;
	int64_t i = q->hand == NO_HAND ? sieve_oldest(q) : q->hand;
	WORD *o = words_of(s, q->at[i], 2);
	while (o[MARK] & bit) {
		o[MARK] &= (WORD)~bit;
		i = sieve_live(q, i + 1);
		i = i == NO_HAND ? sieve_oldest(q) : i;
		o = words_of(s, q->at[i], 2);
	}
	o[PRESENT] &= (WORD)~bit;
	c->used -= bytes ? q->size[i] : 1;
	q->at[i] = NO_ID;
	if (!--q->live)
		q->from = q->end = 0;
	q->hand = sieve_live(q, i + 1);
}

/* Without holes: position 0 is the oldest. */
INLINE void sieve_tiny(struct steps *s, struct cache *c, WORD bit, uint32_t id)
{
	struct sieve *q = &c->sieve;
	uint32_t *at = c->tiny->queue[0];
	int64_t i = q->hand;
	if (q->live == (int64_t)c->limit) {
		WORD *o = words_of(s, at[i], 2);
		while (o[MARK] & bit) {
			o[MARK] &= (WORD)~bit;
			i = i + 1 == q->live ? 0 : i + 1;
			o = words_of(s, at[i], 2);
		}
		o[PRESENT] &= (WORD)~bit;
		tiny_take(at + i);
		q->live--;
		q->hand = i == q->live ? 0 : i;
	}
	at[q->live++] = id;
}

INLINE void sieve_miss(struct steps *s, struct cache *c, WORD bit, uint32_t id, uint64_t w, bool bytes)
{
	struct sieve *q = &c->sieve;
	while (c->used + w > c->limit)
		sieve_evict(s, c, bit, bytes);
	if (UNLIKELY(q->end == q->room))
		steps_sieve_squeeze(q, bytes);
	q->at[q->end] = id;
	if (bytes)
		q->size[q->end] = w;
	q->end++;
	q->live++;
	c->used += w;
}

/* ---- RANDOM */

/* The queue's entries are in no order: the last takes the place of one that goes, as in base/policy/random.c. */
INLINE void random_miss(struct steps *s, struct cache *c, WORD bit, uint32_t id, uint64_t w, bool bytes)
{
	struct ring *q = &c->queue[0];
	while (c->used + w > c->limit) {
		uint64_t i = rng_below(&c->rng, q->end), last = --q->end;
		words_of(s, q->at[i], 1)[PRESENT] &= (WORD)~bit;
		c->used -= bytes ? q->size[i] : 1;
		q->at[i] = q->at[last];
		if (bytes) {
			q->weight -= q->size[i];
			q->size[i] = q->size[last];
		}
	}
	ring_push(q, id, w, bytes);
	c->used += w;
	struct rng ahead = c->rng; /* the next one that goes, if one does */
	__builtin_prefetch(&q->at[rng_below(&ahead, q->end)], 1);
}

/* ---- LFU */

INLINE void lfu_evict(struct steps *s, struct cache *c, WORD bit)
{
	struct lfu_queue *q = &c->lfu;
	struct lfu_young x;
	bool least = q->first == q->end;
	if (least)
		x = lfu_least(q, s->use);
	while (!least) {
		x = q->young[q->first++ & (q->room - 1)];
		least = !(words_of(s, x.id, 2)[MARK] & bit);
		if (least)
			break;
		least = q->first == q->end;
		if (least)
			x = lfu_least_with(q, &x, s->use);
		else
			lfu_grow_old(q, &x, s->use);
	}
	words_of(s, x.id, 2)[PRESENT] &= (WORD)~bit;
	c->used -= x.size;
}

INLINE void lfu_miss(struct steps *s, struct cache *c, WORD bit, uint32_t id, uint64_t w)
{
	while (c->used + w > c->limit)
		lfu_evict(s, c, bit);
	lfu_add(&c->lfu, id, s->use[id].times - 1, w);
	c->used += w;
}

/* ---- S3-FIFO */

/* Forgets the oldest ghosts until the rest is light enough. */
INLINE void s3_trim(struct steps *s, struct cache *c, WORD bit, enum by by)
{
	while (c->gone.weight > c->ghosts) {
		uint64_t w, weight = c->gone.weight;
		WORD *o = words_of(s, pop(s, &c->gone, &w, WORDS, by), WORDS);
		c->gone.weight = weight;
		if ((o[STALE_LOW] | o[STALE_HIGH]) & bit) { /* it did not count */
			o[STALE_HIGH] ^= (WORD)(bit & ~o[STALE_LOW]);
			o[STALE_LOW] ^= bit;
		} else {
			o[GHOST] &= (WORD)~bit;
			c->gone.weight -= w;
		}
	}
}

/* The entry of a ghost that returned no longer counts. Where the block has three such entries already, it is taken
 * out. */
static void s3_return(struct steps *s, struct cache *c, uint32_t id, bool take_out)
{
	struct ring *q = &c->gone;
	uint64_t mask = q->room - 1;
	bool look = take_out || (s->bytes && s->size_of[id] == CHANGED);
	uint64_t i = look ? ring_find(q, id) : 0;
	q->weight -= !s->bytes ? 1 : look ? q->size[i & mask] : s->size_of[id] - 1;
	if (!take_out)
		return;
	for (; i + 1 < q->end; i++) {
		q->at[i & mask] = q->at[(i + 1) & mask];
		if (s->bytes)
			q->size[i & mask] = q->size[(i + 1) & mask];
	}
	q->end--;
}

INLINE void s3_evict_main(struct steps *s, struct cache *c, WORD bit, enum by by)
{
	for (;;) {
		uint64_t w;
		uint32_t old = pop(s, &c->queue[1], &w, WORDS, by);
		WORD *o = words_of(s, old, WORDS);
		if (!((o[COUNT_LOW] | o[COUNT_HIGH]) & bit)) {
			o[MAIN] &= (WORD)~bit;
			c->used -= w;
			return;
		}
		/* 3, 2, 1 become 2, 1, 0 */
		o[COUNT_HIGH] ^= (WORD)(bit & ~o[COUNT_LOW]);
		o[COUNT_LOW] ^= bit;
		ring_push(&c->queue[1], old, w, by == BYTES);
	}
}

INLINE void s3_evict(struct steps *s, struct cache *c, WORD bit, enum by by)
{
	if (ring_weight(&c->queue[1], by == BYTES) > c->main) {
		s3_evict_main(s, c, bit, by);
		return;
	}
	while (ring_n(&c->queue[0])) {
		uint64_t w;
		uint32_t old = pop(s, &c->queue[0], &w, WORDS, by);
		WORD *o = words_of(s, old, WORDS);
		o[SMALL] &= (WORD)~bit;
		if (!(o[COUNT_HIGH] & bit)) {
			o[GHOST] |= bit;
			c->used -= w;
			ring_push(&c->gone, old, w, by == BYTES);
			c->gone.weight += by == BYTES ? 0 : 1;
			s3_trim(s, c, bit, by);
			return;
		}
		o[COUNT_LOW] &= (WORD)~bit;
		o[COUNT_HIGH] &= (WORD)~bit;
		o[MAIN] |= bit;
		ring_push(&c->queue[1], old, w, by == BYTES);
	}
	s3_evict_main(s, c, bit, by);
}

/* known: it returns; full: no more of its entries may be stale. */
INLINE void s3_miss(struct steps *s, struct cache *c, WORD bit, uint32_t id, uint64_t w, enum by by, WORD known,
		    WORD full)
{
	if (by != BYTES && LIKELY(!(full & bit)))
		c->gone.weight -= (known & bit) != 0;
	else if (known & bit)
		s3_return(s, c, id, full & bit);
	while (c->used + w > c->limit)
		s3_evict(s, c, bit, by);
	ring_push(&c->queue[(known & bit) != 0], id, w, by == BYTES);
	c->used += w;
}

/* The same for caches of few blocks, without stale entries. */

INLINE void s3_tiny_return(struct tiny *f, uint32_t id)
{
	uint32_t *at = f->gone + f->gone_first;
	tiny_take(at + tiny_find(at, id));
	f->gone_end--;
}

/* A block becomes a ghost; the oldest is forgotten if there are too many. */
INLINE void s3_tiny_ghost(struct steps *s, struct cache *c, WORD bit, uint32_t id)
{
	struct tiny *f = c->tiny;
	if (UNLIKELY(f->gone_end == TINY_GHOSTS)) {
		f->gone_end -= f->gone_first;
		memmove(f->gone, f->gone + f->gone_first, f->gone_end * sizeof *f->gone);
		memset(f->gone + f->gone_end, 0xff, sizeof f->gone - f->gone_end * sizeof *f->gone);
		f->gone_first = 0;
	}
	f->gone[f->gone_end++] = id;
	bool over = f->gone_end - f->gone_first > c->ghosts;
	words_of(s, f->gone[f->gone_first], WORDS)[GHOST] &= (WORD) ~(over ? bit : 0);
	f->gone_first += over;
}

INLINE uint32_t tiny_pop(struct tiny *f, unsigned queue)
{
	return f->queue[queue][f->first[queue]++ % TINY_ROOM];
}

INLINE void tiny_push(struct tiny *f, unsigned queue, uint32_t id)
{
	f->queue[queue][f->end[queue]++ % TINY_ROOM] = id;
}

INLINE void s3_tiny_evict(struct steps *s, struct cache *c, WORD bit)
{
	struct tiny *f = c->tiny;
	bool from_small = f->end[1] - f->first[1] <= c->main;
	while (from_small && f->first[0] != f->end[0]) {
		uint32_t old = tiny_pop(f, 0);
		WORD *o = words_of(s, old, WORDS);
		o[SMALL] &= (WORD)~bit;
		if (!(o[COUNT_HIGH] & bit)) {
			o[GHOST] |= bit;
			s3_tiny_ghost(s, c, bit, old);
			return;
		}
		o[COUNT_LOW] &= (WORD)~bit;
		o[COUNT_HIGH] &= (WORD)~bit;
		o[MAIN] |= bit;
		tiny_push(f, 1, old);
	}
	for (;;) {
		uint32_t old = tiny_pop(f, 1);
		WORD *o = words_of(s, old, WORDS);
		if (!((o[COUNT_LOW] | o[COUNT_HIGH]) & bit)) {
			o[MAIN] &= (WORD)~bit;
			return;
		}
		o[COUNT_HIGH] ^= (WORD)(bit & ~o[COUNT_LOW]);
		o[COUNT_LOW] ^= bit;
		tiny_push(f, 1, old);
	}
}

static void s3_tiny_miss(struct steps *s, struct cache *c, WORD bit, uint32_t id, bool known)
{
	if (known)
		s3_tiny_return(c->tiny, id);
	if (LIKELY(c->used == c->limit))
		s3_tiny_evict(s, c, bit);
	else
		c->used++;
	tiny_push(c->tiny, known, id);
}

/* A reference for all caches that have the block: one use more, up to 3. Where it is missing it has none. */
INLINE void s3_count(WORD *o, WORD there)
{
	WORD low = o[COUNT_LOW], high = o[COUNT_HIGH];
	o[COUNT_HIGH] = (WORD)((high | low) & there);
	o[COUNT_LOW] = (WORD)((~low | high) & there);
}

/* The block enters these caches, from their ghosts in `known`. Returns those that have three stale entries of it. */
INLINE WORD s3_enter(WORD *o, WORD enters, WORD known, WORD tiny)
{
	WORD full = (WORD)(o[STALE_LOW] & o[STALE_HIGH] & known), one = (WORD)(known & ~full & ~tiny);
	o[STALE_HIGH] ^= (WORD)(one & o[STALE_LOW]);
	o[STALE_LOW] ^= one;
	o[GHOST] &= (WORD)~known;
	o[MAIN] |= known;
	o[SMALL] |= (WORD)(enters & ~known);
	return full;
}

/* ---- all */

enum kind { FIFO, CLOCK, SIEVE, S3FIFO, LFU, RANDOM };

/* Those of `missing` that are large enough for the block. */
INLINE WORD with_room(const struct steps *s, WORD missing, uint64_t w)
{
	WORD fit = 0;
	for (uint64_t rest = missing; rest; rest &= rest - 1)
		if (w <= s->cache[__builtin_ctzll(rest)].limit)
			fit |= (WORD)(rest & -rest);
	return fit;
}

/* A reference that some caches miss. */
INLINE void miss(struct steps *s, WORD *o, uint32_t id, WORD missing, uint64_t size, enum kind kind, enum by by,
		 bool sizes)
{
	uint64_t w = by == BYTES ? size : 1;
	WORD enters = by == BYTES ? with_room(s, missing, w) : missing, known = 0, full = 0;
	if (kind == S3FIFO) {
		known = (WORD)(o[GHOST] & enters);
		full = s3_enter(o, enters, known, (WORD)s->tiny);
	} else {
		o[PRESENT] |= enters;
	}
	for (uint64_t rest = missing; rest; rest &= rest - 1) {
		struct cache *c = &s->cache[__builtin_ctzll(rest)];
		WORD bit = (WORD)(rest & -rest);
		c->misses++;
		if (sizes)
			c->miss_bytes += size;
		if (by == BYTES && !(enters & bit))
			continue;
		if (kind == S3FIFO && by != BYTES && c->tiny)
			s3_tiny_miss(s, c, bit, id, (known & bit) != 0);
		else if (kind == S3FIFO)
			s3_miss(s, c, bit, id, w, by, known, full);
		else if (kind == SIEVE && by != BYTES && c->tiny)
			sieve_tiny(s, c, bit, id);
		else if (kind == LFU)
			lfu_miss(s, c, bit, id, w);
		else if (kind == RANDOM)
			random_miss(s, c, bit, id, w, by == BYTES);
		else if (kind == SIEVE)
			sieve_miss(s, c, bit, id, w, by == BYTES);
		else
			queue_miss(s, c, bit, id, w, by, kind == CLOCK);
	}
}

INLINE void feed(struct steps *s, const struct policy_refs *r, enum kind kind, enum by by, bool sizes)
{
	const unsigned words = kind == FIFO || kind == RANDOM ? 1 : kind == S3FIFO ? WORDS : 2;
	for (size_t i = 0; i < r->n; i++) {
		if (by != NEAR_BLOCKS && LIKELY(i + FAR < r->n))
			__builtin_prefetch(words_of(s, r->id[i + FAR], words), 1);
		if (kind == LFU && by != NEAR_BLOCKS && LIKELY(i + FAR < r->n))
			__builtin_prefetch(&s->use[r->id[i + FAR]], 1);
		uint32_t id = r->id[i];
		WORD *o = words_of(s, id, words);
		WORD there = kind == S3FIFO ? (WORD)(o[SMALL] | o[MAIN]) : o[PRESENT];
		if (kind == CLOCK || kind == SIEVE || kind == LFU)
			o[MARK] = there;
		if (kind == LFU)
			s->use[id] = (struct lfu_use){s->use[id].times + 1, s->now++};
		if (kind == S3FIFO && by == BYTES && s->size_of[id] != r->size[i] + 1)
			s->size_of[id] = s->size_of[id] ? CHANGED : r->size[i] + 1;
		if (kind == S3FIFO)
			s3_count(o, there);
		WORD missing = (WORD)(s->all & ~(uint64_t)there);
		if (UNLIKELY(missing))
			miss(s, o, id, missing, sizes ? r->size[i] : 1, kind, by, sizes);
	}
}

#define RUN(NAME, KIND)                                                                                                \
	static void NAME##_blocks(struct steps *s, const struct policy_refs *r)                                        \
	{                                                                                                              \
		if (r->size)                                                                                           \
			feed(s, r, KIND, BLOCKS, true);                                                                \
		else if (s->near)                                                                                      \
			feed(s, r, KIND, NEAR_BLOCKS, false);                                                          \
		else                                                                                                   \
			feed(s, r, KIND, BLOCKS, false);                                                               \
	}                                                                                                              \
	static void NAME##_bytes(struct steps *s, const struct policy_refs *r)                                         \
	{                                                                                                              \
		feed(s, r, KIND, BYTES, true);                                                                         \
	}

RUN(fifo, FIFO)
RUN(clock, CLOCK)
RUN(sieve, SIEVE)
RUN(s3fifo, S3FIFO)
RUN(lfu, LFU)
RUN(random, RANDOM)

/* One row per policy. */
const struct steps_kind KINDS[STEPS_KINDS] = {
	{"fifo", 1, 1, fifo_blocks, fifo_bytes},    {"clock", 1, 2, clock_blocks, clock_bytes},
	{"sieve", 1, 2, sieve_blocks, sieve_bytes}, {"s3fifo", 1, WORDS, s3fifo_blocks, s3fifo_bytes},
	{"lfu", 2, 2, lfu_blocks, lfu_bytes},       {"random", 2, 1, random_blocks, random_bytes},
};

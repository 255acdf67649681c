/* SPDX-License-Identifier: MIT */
/* See steps.h. Bit i of each word belongs to cache i. Beside the words each cache has queues of ids (steps_inside.h);
 * what happens to a reference is in steps_words.h, for words of 8 bits and of 64.
 *
 * SIEVE takes blocks out of the middle of its queue: that leaves a hole, and holes are squeezed out when the queue
 * reaches the end of its array. S3-FIFO's ghosts leave the middle too, when they return; there the entry stays, STALE
 * says how many of the oldest entries of this block do not count, up to three, and only a fourth is looked for. Caches
 * of few blocks have no holes and nothing stale: there an entry is taken out at once.
 *
 * Invariant: a block's PRESENT bit (S3-FIFO: SMALL or MAIN; GHOST) is set exactly when the queue has it. */
#include "base/invariant.h"
#include "data/bigmem.h"
#include "data/mem.h"
#include "trace/simulate/steps_inside.h"

#include <stdlib.h>
#include <string.h>

static void ring_release(struct ring *q)
{
	bigmem_free(q->at, q->room * sizeof *q->at);
	bigmem_free(q->size, q->room * sizeof *q->size);
}

void steps_ring_grow(struct ring *q, bool bytes)
{
	uint64_t room = q->room ? 2 * q->room : 16, n = ring_n(q);
	struct ring bigger = {.at = bigmem_alloc(room * sizeof *q->at),
			      .size = bytes ? bigmem_alloc(room * sizeof *q->size) : NULL,
			      .end = n,
			      .room = room,
			      .weight = q->weight};
	for (uint64_t i = 0; i < n; i++) {
		bigger.at[i] = q->at[(q->first + i) & (q->room - 1)];
		if (bytes)
			bigger.size[i] = q->size[(q->first + i) & (q->room - 1)];
	}
	ring_release(q);
	*q = bigger;
}

void steps_sieve_squeeze(struct sieve *q, bool bytes)
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

enum { NEAR_BYTES = 1 << 18 };

static const struct steps_kind *kind_of(const struct policy *p, size_t n)
{
	const struct steps_kind *kind = n <= STEPS_FEW ? steps_few : steps_many;
	for (size_t i = 0; i < STEPS_KINDS; i++)
		if (strcmp(kind[i].policy, p->name) == 0)
			return &kind[i];
	return NULL;
}

bool steps_can(const struct policy *p, size_t n)
{
	const struct steps_kind *kind = kind_of(p, n);
	return kind && n >= kind->least;
}

struct steps *steps_new(const struct policy *p, const uint64_t *size, unsigned n, bool by_bytes, uint64_t seed)
{
	const struct steps_kind *kind = kind_of(p, n);
	struct steps *s = mem_zalloc(sizeof *s);
	s->run = by_bytes ? kind->bytes : kind->blocks;
	s->words = kind->words;
	s->lfu = strcmp(p->name, "lfu") == 0;
	s->width = n <= STEPS_FEW ? sizeof(uint8_t) : sizeof(uint64_t);
	s->n = n;
	s->bytes = by_bytes;
	s->all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
	for (unsigned i = 0; i < n; i++) {
		struct cache *c = &s->cache[i];
		c->limit = size[i];
		c->rng = (struct rng){seed};
		c->main = size[i] - (size[i] / 10 ? size[i] / 10 : 1);
		c->ghosts = c->main ? c->main : 1;
		c->sieve.hand = NO_HAND;
		if (by_bytes || size[i] > TINY)
			continue;
		s->tiny |= UINT64_C(1) << i;
		c->tiny = mem_zalloc(sizeof *c->tiny);
		memset(c->tiny->gone, 0xff, sizeof c->tiny->gone);
		c->sieve.hand = 0;
	}
	return s;
}

void steps_run(struct steps *s, const struct policy_refs *refs, uint32_t n_ids)
{
	if (n_ids > s->n_ids) {
		size_t n = ceil_pow2(n_ids < 1024 ? 1024 : n_ids), one = s->words * s->width;
		s->word = bigmem_grow(s->word, s->n_ids * one, n * one);
		if (s->bytes)
			s->size_of = bigmem_grow(s->size_of, s->n_ids * sizeof *s->size_of, n * sizeof *s->size_of);
		if (s->lfu)
			s->use = bigmem_grow(s->use, s->n_ids * sizeof *s->use, n * sizeof *s->use);
		s->n_ids = n;
		s->near = n * one <= NEAR_BYTES;
	}
	s->run(s, refs);
}

struct misses steps_misses(const struct steps *s, unsigned i)
{
	return (struct misses){s->cache[i].misses, s->cache[i].miss_bytes};
}

void steps_free(struct steps *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n; i++) {
		struct cache *c = &s->cache[i];
		ring_release(&c->queue[0]);
		ring_release(&c->queue[1]);
		ring_release(&c->gone);
		lfu_queue_release(&c->lfu);
		free(c->tiny);
		bigmem_free(c->sieve.at, (size_t)c->sieve.room * sizeof *c->sieve.at);
		bigmem_free(c->sieve.size, (size_t)c->sieve.room * sizeof *c->sieve.size);
	}
	bigmem_free(s->size_of, s->n_ids * sizeof *s->size_of);
	bigmem_free(s->use, s->n_ids * sizeof *s->use);
	bigmem_free(s->word, s->n_ids * s->words * s->width);
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
			uint64_t o[WORDS] = {0};
			for (unsigned k = 0; k < s->words; k++)
				o[k] = s->width == 1 ? ((uint8_t *)s->word)[id * s->words + k]
						     : ((uint64_t *)s->word)[id * s->words + k];
			here += ((o[PRESENT] | (s3 ? o[MAIN] : 0)) & bit) != 0;
			ghosts += s3 && o[GHOST] & bit;
			stale += s3 ? ((o[STALE_LOW] & bit) != 0) + 2 * ((o[STALE_HIGH] & bit) != 0) : 0;
			INVARIANT(!s3 || !((o[SMALL] | o[MAIN]) & o[GHOST] & bit));
		}
		if (s->lfu) {
			INVARIANT(here == c->lfu.end - c->lfu.first + c->lfu.n && c->used <= c->limit);
			continue;
		}
		if (c->tiny) {
			const struct tiny *f = c->tiny;
			INVARIANT(s3 ? here == f->end[0] - f->first[0] + f->end[1] - f->first[1]
				     : here == ring_n(&c->queue[0]) + (uint64_t)c->sieve.live);
			INVARIANT(!stale && ghosts == f->gone_end - f->gone_first && (!s3 || ghosts <= c->ghosts));
			INVARIANT(here <= c->limit);
			continue;
		}
		INVARIANT(here == ring_n(&c->queue[0]) + ring_n(&c->queue[1]) + (uint64_t)c->sieve.live);
		INVARIANT(ghosts + stale == ring_n(&c->gone) && c->gone.weight <= c->ghosts && c->used <= c->limit);
		INVARIANT(c->sieve.live ||
			  c->used == ring_weight(&c->queue[0], s->bytes) + ring_weight(&c->queue[1], s->bytes));
	}
}
#endif

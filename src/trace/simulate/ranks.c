/* SPDX-License-Identifier: MIT */
/* See ranks.h. Each cache has a heap of its blocks as in base/policy/parts/rank.h, by the ranks they had when they were
 * last looked at. Ranks only rise, so the least of the heap is the least of all once it is put right.
 *
 * GDSF has the rank of each block beside its count: it depends on what the cache had evicted by the last use. LRFU's
 * follows from count and time. */
#include "trace/simulate/ranks.h"

#include "base/policy/parts/lrfu.h"
#include "data/bigmem.h"
#include "data/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 4, MOST_BYTES = 4 << 20 };

typedef double pair __attribute__((vector_size(16)));
enum { PAIR = sizeof(pair) / sizeof(double), LINE = 64 / sizeof(pair) };

/* Of a block, in all caches. */
struct seen {
	uint64_t present; /* a bit for each cache that has it */
	uint64_t when;    /* last use */
};

struct entry {
	struct rank_key key;
	uint32_t id;
};

struct ranked {
	uint64_t limit, n, misses, miss_bytes;
	struct entry *at; /* a heap of n */
	uint64_t room;
};

struct ranks {
	bool lrfu;
	unsigned n, pairs; /* caches; pairs of them */
	uint64_t all;      /* a bit for each cache */
	uint64_t now;      /* references so far */
	struct seen *seen; /* per id */
	pair *lane;        /* per id: the counts in all caches; GDSF: then the ranks */
	size_t per_id, n_ids;
	pair last[RANKS_MOST / PAIR]; /* GDSF: rank of the block evicted last */
	double powers[LRFU_PERIOD];
	struct ranked cache[RANKS_MOST];
};

/* Pairs of numbers for each block. */
static size_t pairs_per_id(bool lrfu, unsigned pairs)
{
	return (pairs * (lrfu ? 1 : 2) + LINE - 1) / LINE * LINE;
}

bool ranks_can(const struct policy *p, size_t n, bool by_bytes, uint32_t distinct)
{
	bool lrfu = strcmp(p->name, "lrfu") == 0, gdsf = strcmp(p->name, "gdsf") == 0;
	size_t one = pairs_per_id(lrfu, RANKS_MOST / PAIR) * sizeof(pair);
	return !by_bytes && n >= LEAST && (lrfu || gdsf) && distinct && distinct <= MOST_BYTES / one;
}

struct ranks *ranks_new(const struct policy *p, const uint64_t *size, unsigned n)
{
	struct ranks *s = bigmem_alloc(sizeof *s);
	s->lrfu = strcmp(p->name, "lrfu") == 0;
	s->n = n;
	s->pairs = (n + PAIR - 1) / PAIR;
	s->per_id = pairs_per_id(s->lrfu, s->pairs);
	s->all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
	lrfu_make_powers(s->powers);
	for (unsigned i = 0; i < n; i++)
		s->cache[i].limit = size[i];
	return s;
}

INLINE double *lane(const struct ranks *s, uint32_t id, unsigned i)
{
	return (double *)(s->lane + id * s->per_id) + i;
}

INLINE struct rank_key key_now(const struct ranks *s, uint32_t id, unsigned i, bool lrfu)
{
	uint64_t when = s->seen[id].when;
	if (lrfu)
		return lrfu_rank(s->powers, *lane(s, id, i), when);
	return (struct rank_key){0, *lane(s, id, s->pairs * PAIR + i), when};
}

/* ---- the heap of a cache */

INLINE void sink(struct ranked *c, struct entry x)
{
	uint64_t i = 0;
	for (uint64_t k; (k = 2 * i + 1) < c->n; i = k) {
		k += k + 1 < c->n && rank_before(&c->at[k + 1].key, &c->at[k].key);
		if (!rank_before(&c->at[k].key, &x.key))
			break;
		c->at[i] = c->at[k];
	}
	c->at[i] = x;
}

static void add(struct ranked *c, const struct entry *x)
{
	if (c->n == c->room) {
		uint64_t room = c->room ? 2 * c->room : 16;
		c->at = bigmem_grow(c->at, c->room * sizeof *c->at, room * sizeof *c->at);
		c->room = room;
	}
	uint64_t i = c->n++;
	for (; i && rank_before(&x->key, &c->at[(i - 1) / 2].key); i = (i - 1) / 2)
		c->at[i] = c->at[(i - 1) / 2];
	c->at[i] = *x;
}

/* The block of the lowest rank comes to the top. */
INLINE void put_right(const struct ranks *s, struct ranked *c, unsigned i, bool lrfu)
{
	for (;;) {
		uint32_t id = c->at[0].id;
		if (c->at[0].key.when == s->seen[id].when)
			return;
		sink(c, (struct entry){key_now(s, id, i, lrfu), id});
	}
}

/* ---- references */

/* Cache i does not have the block. */
INLINE void miss(struct ranks *s, uint32_t id, unsigned i, bool lrfu)
{
	struct ranked *c = &s->cache[i];
	double *last = (double *)s->last + i;
	bool full = c->n == c->limit;
	c->misses++;
	if (full) {
		put_right(s, c, i, lrfu);
		s->seen[c->at[0].id].present &= ~(UINT64_C(1) << i);
		*last = c->at[0].key.m;
	}
	*lane(s, id, i) = 1;
	if (!lrfu)
		*lane(s, id, s->pairs * PAIR + i) = *last + 1e6;
	struct entry x = {key_now(s, id, i, lrfu), id};
	if (full)
		sink(c, x);
	else
		add(c, &x);
}

/* A use for all caches. */
INLINE void use(struct ranks *s, uint32_t id, uint64_t age, bool lrfu)
{
	pair *count = s->lane + id * s->per_id, *rank = count + s->pairs;
	double decay = lrfu ? lrfu_decay(s->powers, age) : 0;
	for (unsigned k = 0; lrfu && k < s->pairs; k++)
		count[k] = 1 + count[k] * decay;
	for (unsigned k = 0; !lrfu && k < s->pairs; k++) {
		count[k] += 1;
		rank[k] = s->last[k] + count[k] * 1e6;
	}
}

INLINE void feed(struct ranks *s, const struct policy_refs *r, bool lrfu)
{
	for (size_t i = 0; i < r->n; i++) {
		uint32_t id = r->id[i];
		struct seen *x = &s->seen[id];
		s->now++;
		use(s, id, s->now - x->when, lrfu);
		uint64_t missing = s->all & ~x->present;
		*x = (struct seen){s->all, s->now};
		for (uint64_t rest = missing; UNLIKELY(rest); rest &= rest - 1) {
			miss(s, id, (unsigned)__builtin_ctzll(rest), lrfu);
			if (r->size)
				s->cache[__builtin_ctzll(rest)].miss_bytes += r->size[i];
		}
	}
}

void ranks_run(struct ranks *s, const struct policy_refs *r, uint32_t n_ids)
{
	if (n_ids > s->n_ids) {
		size_t n = ceil_pow2(n_ids < 1024 ? 1024 : n_ids), one = s->per_id * sizeof *s->lane;
		s->lane = bigmem_grow(s->lane, s->n_ids * one, n * one);
		s->seen = bigmem_grow(s->seen, s->n_ids * sizeof *s->seen, n * sizeof *s->seen);
		s->n_ids = n;
	}
	if (s->lrfu)
		feed(s, r, true);
	else
		feed(s, r, false);
}

struct misses ranks_misses(const struct ranks *s, unsigned i)
{
	return (struct misses){s->cache[i].misses, s->cache[i].miss_bytes};
}

void ranks_free(struct ranks *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n; i++)
		bigmem_free(s->cache[i].at, s->cache[i].room * sizeof *s->cache[i].at);
	bigmem_free(s->seen, s->n_ids * sizeof *s->seen);
	bigmem_free(s->lane, s->n_ids * s->per_id * sizeof *s->lane);
	bigmem_free(s, sizeof *s);
}

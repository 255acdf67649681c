/* SPDX-License-Identifier: MIT */
/* See lists.h and inside.h: the tables, and how places and queues are squeezed. */
#include "base/invariant.h"
#include "data/bigmem.h"
#include "data/mem.h"
#include "trace/lists/inside.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 8, FIRST_PLACES = 64, FEW_PLACES = 1 << 16, FIRST_QUEUE = 16 };

static const struct lists_kind *const kinds[] = {&lists_slru, &lists_2q,       &lists_arc,
						 &lists_lirs, &lists_wtinylfu, &lists_awtinylfu};

static const struct lists_kind *kind_of(const struct policy *p)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i]->policy, p->name) == 0)
			return kinds[i];
	return NULL;
}

bool lists_can(const struct policy *p, size_t n, bool by_bytes, uint32_t distinct)
{
	const struct lists_kind *kind = kind_of(p);
	return !by_bytes && n >= LEAST && kind && distinct && distinct <= kind->most;
}

struct lists *lists_new(const struct policy *p, const uint64_t *size, unsigned n, uint64_t seed)
{
	struct lists *s = mem_zalloc(sizeof *s);
	s->kind = kind_of(p);
	s->n = n;
	s->all = n == 64 ? UINT64_MAX : BIT(n) - 1;
	s->end = 1;
	s->room = FIRST_PLACES;
	for (unsigned k = 0; k < s->kind->words; k++)
		s->word[k] = bigmem_alloc(s->room * sizeof *s->word[k]);
	s->id = bigmem_alloc(s->room * sizeof *s->id);
	for (unsigned i = 0; i < n; i++) {
		s->cache[i].limit = size[i];
		for (unsigned m = 0; m < LISTS_MARKS; m++)
			s->cache[i].mark[m] = 1;
		s->kind->start(s, &s->cache[i]);
	}
	if (s->due)
		s->sketch = lists_sketch_new(size, n, seed);
	return s;
}

/* ---- queues */

static bool live(const struct lists *s, unsigned i, unsigned q, uint32_t p)
{
	unsigned which = s->kind->queue[q];
	for (unsigned k = 0; k < s->kind->words; k++)
		if (which >> k & 1 && s->word[k][p] >> i & 1)
			return true;
	return !which;
}

/* Stale entries go, the others become what `to` says. */
static void queue_squeeze(struct lists *s, unsigned i, unsigned q, const uint32_t *to)
{
	struct queue *f = &s->cache[i].queue[q];
	uint32_t n = f->first, middle = f->middle;
	for (uint32_t at = f->first; at != f->end; at++) {
		uint32_t p = f->at[at & (f->room - 1)];
		if (at == f->middle)
			middle = n;
		if (live(s, i, q, p))
			f->at[n++ & (f->room - 1)] = to && s->kind->queue[q] ? to[p] : p;
	}
	f->middle = f->middle == f->end ? n : middle;
	f->end = n;
}

void lists_queue_grow(struct lists *s, unsigned i, unsigned q)
{
	struct queue *f = &s->cache[i].queue[q];
	if (f->room)
		queue_squeeze(s, i, q, NULL);
	uint32_t n = f->end - f->first, room = f->room ? f->room * 2 : FIRST_QUEUE;
	if (f->room && n <= f->room / 2)
		return;
	uint32_t *at = bigmem_alloc(room * sizeof *at);
	for (uint32_t k = 0; k < n; k++)
		at[k] = f->at[(f->first + k) & (f->room - 1)];
	bigmem_free(f->at, f->room * sizeof *at);
	*f = (struct queue){.at = at, .end = n, .middle = f->middle - f->first, .room = room};
}

/* ---- places */

static uint64_t any_word(const struct lists *s, uint32_t p)
{
	uint64_t any = 0;
	for (unsigned k = 0; k < s->kind->words; k++)
		any |= s->word[k][p];
	return any;
}

/* Where each place goes; of one that goes nowhere, where the next one does. */
static uint32_t plan(const struct lists *s, uint32_t *to)
{
	uint32_t n = 1;
	to[0] = 0;
	for (uint32_t p = 1; p < s->end; p++) {
		to[p] = n;
		if (any_word(s, p))
			n++;
		else if (s->place[s->id[p]] == p)
			s->place[s->id[p]] = 0;
	}
	to[s->end] = n;
	return n;
}

static void move_places(struct lists *s, const uint32_t *to, uint32_t n)
{
	for (uint32_t p = 1; p < s->end; p++) {
		if (!any_word(s, p))
			continue;
		for (unsigned k = 0; k < s->kind->words; k++) {
			uint64_t bits = s->word[k][p];
			s->word[k][p] = 0;
			s->word[k][to[p]] = bits;
		}
		s->id[to[p]] = s->id[p];
		s->place[s->id[p]] = to[p];
	}
	s->end = n;
}

void lists_squeeze(struct lists *s)
{
	size_t bytes = ((size_t)s->end + 1) * sizeof(uint32_t);
	uint32_t *to = bigmem_alloc(bytes), n = plan(s, to);
	for (unsigned i = 0; i < s->n; i++) {
		struct listed *c = &s->cache[i];
		for (unsigned q = 0; q < LISTS_QUEUES; q++)
			if (c->queue[q].room && s->kind->queue[q])
				queue_squeeze(s, i, q, to);
		for (unsigned m = 0; m < LISTS_MARKS; m++)
			c->mark[m] = to[c->mark[m] < s->end ? c->mark[m] : s->end];
	}
	move_places(s, to, n);
	bigmem_free(to, bytes);
	/* few places are squeezed often: there the queues are most of the work */
	while (n > s->room / (s->room < FEW_PLACES ? 8 : 2)) {
		size_t room = 2 * (size_t)s->room;
		for (unsigned k = 0; k < s->kind->words; k++)
			s->word[k] = bigmem_grow(s->word[k], s->room * sizeof *s->word[k], room * sizeof *s->word[k]);
		s->id = bigmem_grow(s->id, s->room * sizeof *s->id, room * sizeof *s->id);
		s->room = (uint32_t)room;
	}
}

/* ---- from outside */

void lists_run(struct lists *s, const struct policy_refs *refs, uint32_t n_ids)
{
	if (n_ids > s->n_ids) {
		size_t n = ceil_pow2(n_ids < 1024 ? 1024 : n_ids);
		s->place = bigmem_grow(s->place, s->n_ids * sizeof *s->place, n * sizeof *s->place);
		s->n_ids = n;
	}
	s->kind->run(s, refs);
}

struct misses lists_misses(const struct lists *s, unsigned i)
{
	return (struct misses){s->cache[i].misses, s->cache[i].miss_bytes};
}

void lists_free(struct lists *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned q = 0; q < LISTS_QUEUES; q++)
			bigmem_free(s->cache[i].queue[q].at, s->cache[i].queue[q].room * sizeof(uint32_t));
	for (unsigned k = 0; k < s->kind->words; k++)
		bigmem_free(s->word[k], s->room * sizeof *s->word[k]);
	bigmem_free(s->id, s->room * sizeof *s->id);
	bigmem_free(s->place, s->n_ids * sizeof *s->place);
	lists_sketch_free(s->sketch);
	free(s);
}

#ifdef RF_INVARIANTS
/* Every bit is counted, stands at its block's place, is not below the mark of its list, and those of a queue are in it
 * once. */
void lists_check(const struct lists *s)
{
	for (uint32_t p = 0; p < s->room; p++)
		INVARIANT(!any_word(s, p) || (p && p < s->end && s->place[s->id[p]] == p));
	for (unsigned i = 0; i < s->n; i++) {
		const struct listed *c = &s->cache[i];
		for (unsigned q = 0; q < LISTS_QUEUES; q++) {
			uint64_t queued = 0, should = 0;
			const struct queue *f = &c->queue[q];
			for (uint32_t at = f->first; at != f->end; at++)
				queued += live(s, i, q, f->at[at & (f->room - 1)]);
			for (uint32_t p = 1; p < s->end && s->kind->queue[q]; p++)
				should += live(s, i, q, p);
			INVARIANT(!s->kind->queue[q] || queued == should);
		}
		for (unsigned k = 0; k < s->kind->words; k++) {
			uint64_t n = 0;
			for (uint32_t p = 1; p < s->end; p++)
				n += s->word[k][p] >> i & 1;
			INVARIANT(n == c->sum[k]);
		}
		INVARIANT(c->n <= c->limit);
	}
}
#endif

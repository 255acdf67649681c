/* SPDX-License-Identifier: MIT */
/* See optsizes.h. The next uses of a part's blocks are a heap, the latest first. A block that is used leaves its part;
 * its entry is not looked for, because it lies in the past from now on and so behind all that count. Such entries
 * only pile up, and go when the heap is full. */
#include "stream/optsizes.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "data/bigmem.h"
#include "data/mem.h"

#include <stdlib.h>

enum { FAN = 4, SPARE = 64 };

struct part {
	uint64_t limit, n; /* blocks: at most, now */
	uint32_t *at;      /* the heap */
	uint64_t used, room;
};

struct optsizes {
	uint32_t now;
	uint8_t *where; /* by position of the next use: number of the block's part, plus 1 */
	uint64_t references;
	size_t n;
	struct part part[OPTSIZES_MOST];
};

struct optsizes *optsizes_new(uint64_t references, const uint64_t *size, size_t n)
{
	struct optsizes *s = mem_zalloc(sizeof *s);
	s->references = references;
	s->where = bigmem_alloc(references + 1);
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->part[i].limit = size[i] - (i ? size[i - 1] : 0);
	return s;
}

/* ---- the heap of a part */

static void up(struct part *p, uint64_t i, uint32_t x)
{
	for (uint64_t over; i && p->at[over = (i - 1) / FAN] < x; i = over)
		p->at[i] = p->at[over];
	p->at[i] = x;
}

static uint64_t latest_child(const struct part *p, uint64_t c)
{
	const uint32_t *at = p->at;
	if (LIKELY(c + FAN <= p->used)) {
		uint64_t a = c + (at[c + 1] > at[c]), b = c + 2 + (at[c + 3] > at[c + 2]);
		return at[b] > at[a] ? b : a;
	}
	uint64_t most = c;
	while (++c < p->used)
		most = at[c] > at[most] ? c : most;
	return most;
}

static void down(struct part *p, uint64_t i, uint32_t x)
{
	for (uint64_t c; (c = FAN * i + 1) < p->used; i = c) {
		c = latest_child(p, c);
		if (p->at[c] <= x)
			break;
		p->at[i] = p->at[c];
	}
	p->at[i] = x;
}

/* Makes room for one more entry. */
static void make_room(struct part *p, uint32_t now)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < p->used; i++)
		if (p->at[i] > now)
			p->at[n++] = p->at[i];
	p->used = n;
	for (uint64_t i = n; i-- > 0;)
		down(p, i, p->at[i]);
	if (2 * n < p->room)
		return;
	uint64_t room = 2 * n + SPARE;
	p->at = bigmem_grow(p->at, p->room * sizeof *p->at, room * sizeof *p->at);
	p->room = room;
}

static void add(struct optsizes *s, size_t i, uint32_t next)
{
	struct part *p = &s->part[i];
	if (UNLIKELY(p->used == p->room))
		make_room(p, s->now);
	up(p, p->used++, next);
	if (next != UINT32_MAX)
		s->where[next] = (uint8_t)(i + 1);
}

/* ---- references */

/* A block comes into part i, which is full: the one needed last goes. */
static inline uint32_t swap(struct optsizes *s, size_t i, uint32_t next)
{
	struct part *p = &s->part[i];
	uint32_t last = p->at[0];
	INVARIANT(p->n == p->limit && last > s->now);
	down(p, 0, next);
	if (next != UINT32_MAX)
		s->where[next] = (uint8_t)(i + 1);
	return last;
}

/* A block comes down to part i, and others from there to part `end`, which the referenced block left. */
static void move_down(struct optsizes *s, size_t i, size_t end, uint32_t next)
{
	for (; i < s->n; i++) {
		struct part *p = &s->part[i];
		if (i == end || p->n < p->limit) {
			p->n += i != end;
			add(s, i, next);
			return;
		}
		if (p->limit && p->at[0] > next)
			next = swap(s, i, next);
	}
	if (next != UINT32_MAX)
		s->where[next] = 0;
}

size_t optsizes_reference(struct optsizes *s, uint32_t next)
{
	size_t from = s->where[s->now] ? s->where[s->now] - 1u : s->n;
	struct part *p = s->part;
	INVARIANT(next > s->now && s->now < s->references);
	if (from == 0 || p->n < p->limit) {
		p->n += from != 0;
		add(s, 0, next);
	} else {
		move_down(s, 1, from, swap(s, 0, next));
	}
	s->now++;
	return from;
}

void optsizes_free(struct optsizes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		bigmem_free(s->part[i].at, s->part[i].room * sizeof *s->part[i].at);
	bigmem_free(s->where, s->references + 1);
	free(s);
}

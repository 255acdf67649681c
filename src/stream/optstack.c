/* SPDX-License-Identifier: MIT */
/* See optstack.h. The tree has 16 children per node; level 0 are the next uses by place. */
#include "stream/optstack.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "data/bigmem.h"
#include "data/mem.h"

#include <stdlib.h>

enum { FAN_BITS = 4, FAN = 1 << FAN_BITS, LEVELS = 8 };

struct optstack {
	uint32_t n; /* blocks in the stack */
	uint32_t levels;
	size_t room[LEVELS];      /* entries; a multiple of FAN */
	uint32_t *latest[LEVELS]; /* [0]: next use of the block at each place; [l]: largest of FAN below */
	uint32_t *id;             /* at each place */
	uint32_t *place;          /* per id: number + 1 */
	uint32_t n_ids;
};

struct optstack *optstack_new(uint32_t n_ids)
{
	struct optstack *s = mem_zalloc(sizeof *s);
	size_t room = n_ids ? n_ids : 1;
	do {
		room = (room + FAN - 1) / FAN * FAN;
		s->room[s->levels] = room;
		s->latest[s->levels++] = bigmem_alloc(room * sizeof **s->latest);
		room /= FAN;
	} while (room > 1);
	s->n_ids = n_ids;
	s->id = bigmem_alloc(((size_t)n_ids + 1) * sizeof *s->id);
	s->place = bigmem_alloc(((size_t)n_ids + 1) * sizeof *s->place);
	return s;
}

static void set(struct optstack *s, uint32_t at, uint32_t id, uint32_t next)
{
	s->id[at] = id;
	s->place[id] = at + 1;
	s->latest[0][at] = next;
	for (uint32_t l = 1; l < s->levels; l++) {
		const uint32_t *child = &s->latest[l - 1][at / FAN * FAN];
		uint32_t largest = 0;
		for (unsigned i = 0; i < FAN; i++)
			largest = child[i] > largest ? child[i] : largest;
		at /= FAN;
		if (s->latest[l][at] == largest)
			return;
		s->latest[l][at] = largest;
	}
}

/* The first place from `at` on, before `end`, whose block is needed after `next`; `end` if there is none. */
static uint32_t first_later(const struct optstack *s, uint32_t at, uint32_t end, uint32_t next)
{
	uint32_t l = 0;
	size_t i = at;
	for (;;) {
		size_t stop = i / FAN * FAN + FAN;
		while (i < stop && s->latest[l][i] <= next)
			i++;
		if (i < stop)
			break;
		i /= FAN;
		if (++l == s->levels || i << (FAN_BITS * l) >= end)
			return end;
	}
	while (l--) {
		i *= FAN;
		while (s->latest[l][i] <= next)
			i++;
	}
	return i < end ? (uint32_t)i : end;
}

uint32_t optstack_reference(struct optstack *s, uint32_t id, uint32_t next)
{
	uint32_t distance = s->place[id], last = distance ? distance - 1 : s->n++;
	INVARIANT(last < s->n && (distance == 0 || s->id[last] == id));
	uint32_t moving = s->id[0], when = s->latest[0][0];
	set(s, 0, id, next);
	if (!last)
		return distance;
	for (uint32_t at = 1; (at = first_later(s, at, last, when)) < last; at++) {
		uint32_t other = s->id[at], then = s->latest[0][at];
		set(s, at, moving, when);
		moving = other;
		when = then;
	}
	set(s, last, moving, when);
	return distance;
}

void optstack_free(struct optstack *s)
{
	if (!s)
		return;
	for (uint32_t l = 0; l < s->levels; l++)
		bigmem_free(s->latest[l], s->room[l] * sizeof **s->latest);
	bigmem_free(s->id, ((size_t)s->n_ids + 1) * sizeof *s->id);
	bigmem_free(s->place, ((size_t)s->n_ids + 1) * sizeof *s->place);
	free(s);
}

/* SPDX-License-Identifier: MIT */
/* See mrustack.h. */
#include "stream/mrustack.h"

#include "base/bits.h"
#include "data/bigmem.h"
#include "data/mem.h"

#include <stdlib.h>
#include <string.h>

struct mrustack {
	uint32_t *place;         /* per id, the top is 1; 0: never seen */
	uint64_t *count, *bytes; /* by distance; there are as many as ids, and one more */
	size_t room;             /* ids */
	uint32_t n, top;         /* blocks in the stack; the id at the top */
};

struct mrustack *mrustack_new(void)
{
	return mem_zalloc(sizeof(struct mrustack));
}

static void grow(struct mrustack *s, uint32_t n_ids, bool sizes)
{
	size_t room = ceil_pow2(n_ids < 1024 ? 1024 : n_ids), had = s->room ? s->room + 1 : 0;
	if (n_ids <= s->room)
		return;
	s->place = bigmem_grow(s->place, s->room * sizeof *s->place, room * sizeof *s->place);
	s->count = bigmem_grow(s->count, had * sizeof *s->count, (room + 1) * sizeof *s->count);
	if (sizes)
		s->bytes = bigmem_grow(s->bytes, had * sizeof *s->bytes, (room + 1) * sizeof *s->bytes);
	s->room = room;
}

void mrustack_feed(struct mrustack *s, const uint32_t *id, const uint64_t *size, size_t n, uint32_t n_ids)
{
	grow(s, n_ids, size != NULL);
	for (size_t i = 0; i < n; i++) {
		uint32_t x = id[i], distance = s->place[x];
		s->count[distance]++;
		if (size)
			s->bytes[distance] += size[i];
		s->n += !distance;
		s->place[s->top] = s->n > 1 ? (distance ? distance : s->n) : 0;
		s->place[x] = 1;
		s->top = x;
	}
}

const uint64_t *mrustack_histogram(const struct mrustack *s, uint32_t *max, const uint64_t **bytes)
{
	*max = s->n;
	*bytes = s->bytes;
	return s->count;
}

void mrustack_reset_counts(struct mrustack *s)
{
	if (s->count)
		memset(s->count, 0, (s->room + 1) * sizeof *s->count);
	if (s->bytes)
		memset(s->bytes, 0, (s->room + 1) * sizeof *s->bytes);
}

void mrustack_free(struct mrustack *s)
{
	if (!s)
		return;
	bigmem_free(s->place, s->room * sizeof *s->place);
	bigmem_free(s->count, (s->room + 1) * sizeof *s->count);
	bigmem_free(s->bytes, (s->room + 1) * sizeof *s->bytes);
	free(s);
}

/* SPDX-License-Identifier: MIT */
/* See idmap.h. While all keys are small numbers, ids are in an array by key. The first key that is far beyond the
 * number of ids moves them into a table: open addressing with linear probing, load at most 5/8. Cells are fetched
 * ahead, for the keys of a block are known in advance. */
#include "data/idmap.h"

#include "base/bits.h"
#include "data/bigmem.h"

#include <stdbool.h>

enum { FIRST_CELLS = 1 << 12, NEAR_CELLS = 1 << 14, FETCH_AHEAD = 16 };
/* The array: entries at first, those that any trace may have, and how many there may be for each id. */
enum { FIRST_SPAN = 1 << 12, FREE_SPAN = 1 << 22, NEAR_SPAN = 1 << 16, SPAN_PER_ID = 8 };

void idmap_init(struct idmap *m)
{
	*m = (struct idmap){.small = bigmem_alloc(FIRST_SPAN * sizeof *m->small), .span = FIRST_SPAN};
}

static void cells_alloc(struct idmap *m, size_t n)
{
	m->n_cells = n;
	m->cell = bigmem_alloc(n * sizeof *m->cell);
	m->shift = (unsigned)__builtin_clzll(n) + 1;
}

static void cells_add(struct idmap *m, struct idmap_cell c)
{
	size_t j = home_cell(c.key, m->shift);
	while (m->cell[j].ref)
		j = (j + 1) & (m->n_cells - 1);
	m->cell[j] = c;
}

/* Fast growth while small, so that a large stream is rehashed only a few times. */
static void grow(struct idmap *m)
{
	struct idmap old = *m;
	cells_alloc(m, old.n_cells * (old.n_cells < (1 << 20) ? 4 : 2));
	for (size_t i = 0; i < old.n_cells; i++)
		if (old.cell[i].ref)
			cells_add(m, old.cell[i]);
	bigmem_free(old.cell, old.n_cells * sizeof *old.cell);
}

/* Makes room for a key beyond the array: a larger array, or the table. */
static void widen(struct idmap *m, uint64_t key)
{
	if (key < FREE_SPAN || key / SPAN_PER_ID < m->n) {
		uint64_t span = ceil_pow2(key + 1);
		m->small = bigmem_grow(m->small, m->span * sizeof *m->small, span * sizeof *m->small);
		m->span = span;
		return;
	}
	size_t n = FIRST_CELLS;
	while (n / 2 <= m->n)
		n *= 2;
	cells_alloc(m, n);
	for (uint64_t k = 0; k < m->span; k++)
		if (m->small[k])
			cells_add(m, (struct idmap_cell){k, m->small[k]});
	bigmem_free(m->small, m->span * sizeof *m->small);
	m->small = NULL;
}

/* Keys up to the first that the array has no place for; returns how many. */
static inline __attribute__((always_inline)) size_t map_small(struct idmap *m, const uint64_t *keys, uint32_t *ids,
							      size_t n, bool ahead)
{
	uint32_t *small = m->small;
	uint64_t span = m->span;
	size_t i = 0;
	for (; i < n && keys[i] < span; i++) {
		if (ahead && i + FETCH_AHEAD < n) /* of a large key too: nothing is read */
			__builtin_prefetch(&small[keys[i + FETCH_AHEAD] & (span - 1)], 1);
		uint32_t *ref = &small[keys[i]];
		if (UNLIKELY(!*ref))
			*ref = ++m->n;
		ids[i] = *ref - 1;
	}
	return i;
}

/* As many keys as the table has room for, whatever they are; returns how many. */
static inline __attribute__((always_inline)) size_t map_some(struct idmap *m, const uint64_t *keys, uint32_t *ids,
							     size_t n, bool ahead)
{
	struct idmap_cell *cell = m->cell;
	size_t mask = m->n_cells - 1, room = m->n_cells / 8 * 5 - m->n, end = n < room ? n : room;
	unsigned shift = m->shift;
	for (size_t i = 0; i < end; i++) {
		if (ahead && i + FETCH_AHEAD < n)
			__builtin_prefetch(&cell[home_cell(keys[i + FETCH_AHEAD], shift)]);
		uint64_t key = keys[i];
		size_t j = home_cell(key, shift);
		while (UNLIKELY(cell[j].key != key || !cell[j].ref)) {
			if (!cell[j].ref) {
				cell[j] = (struct idmap_cell){key, ++m->n};
				break;
			}
			j = (j + 1) & mask;
		}
		ids[i] = cell[j].ref - 1;
	}
	return end;
}

/* The first of n keys and as many more as go in one way. */
static size_t map_part(struct idmap *m, const uint64_t *keys, uint32_t *ids, size_t n)
{
	if (m->small && keys[0] >= m->span)
		widen(m, keys[0]);
	if (m->small)
		return m->span <= NEAR_SPAN ? map_small(m, keys, ids, n, false) : map_small(m, keys, ids, n, true);
	n = m->n_cells <= NEAR_CELLS ? map_some(m, keys, ids, n, false) : map_some(m, keys, ids, n, true);
	if (m->n >= m->n_cells / 8 * 5)
		grow(m);
	return n;
}

enum rc idmap_map(struct idmap *m, const uint64_t *keys, uint32_t *ids, size_t n, struct err *e)
{
	for (size_t i = 0; i < n;) {
		i += map_part(m, keys + i, ids + i, n - i);
		if (m->n >= IDMAP_MAX)
			return err_set(e, RC_INPUT, "more than %lu distinct keys", (unsigned long)IDMAP_MAX);
	}
	return RC_OK;
}

void idmap_release(struct idmap *m)
{
	bigmem_free(m->small, m->span * sizeof *m->small);
	bigmem_free(m->cell, m->n_cells * sizeof *m->cell);
	m->small = NULL;
	m->cell = NULL;
}

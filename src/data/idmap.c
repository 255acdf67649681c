/* SPDX-License-Identifier: MIT */
/* See idmap.h. Open addressing with linear probing, load at most 5/8; cells are fetched ahead, for the keys of a block
 * are known in advance. */
#include "data/idmap.h"

#include "base/bits.h"
#include "data/bigmem.h"

#include <stdbool.h>

enum { FIRST_CELLS = 1 << 12, NEAR_CELLS = 1 << 14, FETCH_AHEAD = 16 };

void idmap_init(struct idmap *m)
{
	*m = (struct idmap){bigmem_alloc(FIRST_CELLS * sizeof *m->cell), FIRST_CELLS,
			    (unsigned)__builtin_clzll(FIRST_CELLS) + 1, 0};
}

/* Fast growth while small, so that a large stream is rehashed only a few times. */
static void grow(struct idmap *m)
{
	struct idmap old = *m;
	m->n_cells = old.n_cells * (old.n_cells < (1 << 20) ? 4 : 2);
	m->cell = bigmem_alloc(m->n_cells * sizeof *m->cell);
	m->shift = (unsigned)__builtin_clzll(m->n_cells) + 1;
	for (size_t i = 0; i < old.n_cells; i++) {
		if (!old.cell[i].ref)
			continue;
		size_t j = home_cell(old.cell[i].key, m->shift);
		while (m->cell[j].ref)
			j = (j + 1) & (m->n_cells - 1);
		m->cell[j] = old.cell[i];
	}
	idmap_release(&old);
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

enum rc idmap_map(struct idmap *m, const uint64_t *keys, uint32_t *ids, size_t n, struct err *e)
{
	for (size_t i = 0; i < n;) {
		if (m->n_cells <= NEAR_CELLS)
			i += map_some(m, keys + i, ids + i, n - i, false);
		else
			i += map_some(m, keys + i, ids + i, n - i, true);
		if (m->n >= IDMAP_MAX)
			return err_set(e, RC_INPUT, "more than %lu distinct keys", (unsigned long)IDMAP_MAX);
		if (m->n >= m->n_cells / 8 * 5)
			grow(m);
	}
	return RC_OK;
}

void idmap_release(struct idmap *m)
{
	bigmem_free(m->cell, m->n_cells * sizeof *m->cell);
	m->cell = NULL;
}

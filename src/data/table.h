/* SPDX-License-Identifier: MIT */
/* A hash index: from a 64-bit hash to the numbers of the caller's entries that have it.
 *
 * The table holds 8 bytes a cell (part of the hash and the entry's number) and never sees keys: the caller keeps
 * the entries in an array of its own type and compares full keys, so one table serves every type without
 * function pointers. Open addressing (base/cells.h), load at most 3/4.
 *
 *	uint32_t r;
 *	for (struct table_probe p = table_probe(&t, hash); (r = table_next(&t, &p)) != TABLE_NONE;)
 *		if (entries.at[r] is the wanted one)
 *			return r;
 *	vec_push(&entries, …); table_insert(&t, hash, entries.n - 1);
 */
#ifndef DATA_TABLE_H
#define DATA_TABLE_H

#include "base/cells.h"
#include "data/mem.h"

#define TABLE_NONE CELL_FREE

struct table {
	struct cell *cell;
	size_t mask, n;              /* mask + 1 cells, n in use; no cells at first */
	struct mem_counter *counter; /* may be NULL */
};

struct table_probe {
	size_t at;
	uint32_t hash;
};

static inline struct table_probe table_probe(const struct table *t, uint64_t hash)
{
	uint32_t h = cells_fold(hash);
	return (struct table_probe){h & t->mask, h};
}

/* The next entry that may match, or TABLE_NONE. */
static inline uint32_t table_next(const struct table *t, struct table_probe *p)
{
	return t->cell ? cells_next(t->cell, t->mask, p->hash, &p->at) : TABLE_NONE;
}

/* ref must not be TABLE_NONE; the same (hash, ref) must not be inserted twice. */
void table_insert(struct table *t, uint64_t hash, uint32_t ref);
/* False if (hash, ref) is not there. */
bool table_remove(struct table *t, uint64_t hash, uint32_t ref);
void table_clear(struct table *t);
void table_release(struct table *t);
void table_check(const struct table *t);

#endif

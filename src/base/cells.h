/* SPDX-License-Identifier: MIT */
/* Open addressing over cells of (32 bits of hash, number): the part of a hash index that neither allocates nor sees
 * keys, shared by data/table.h (which grows) and by the run-time caches (which do not). Linear probing; deletion
 * shifts back, so there are no tombstones. There must always be at least one free cell. */
#ifndef BASE_CELLS_H
#define BASE_CELLS_H

#include "base/bits.h"
#include "base/invariant.h"

#define CELL_FREE UINT32_MAX

struct cell {
	uint32_t hash, ref; /* ref CELL_FREE: free; all bits one is a free cell */
};

static inline uint32_t cells_fold(uint64_t hash)
{
	return (uint32_t)(mix64(hash) >> 32);
}

/* The next number stored under this folded hash from *at on, or CELL_FREE; *at moves on. */
static inline uint32_t cells_next(const struct cell *cells, size_t mask, uint32_t hash, size_t *at)
{
	for (;;) {
		struct cell c = cells[*at];
		*at = (*at + 1) & mask;
		if (c.ref == CELL_FREE || c.hash == hash)
			return c.ref;
	}
}

static inline void cells_insert(struct cell *cells, size_t mask, struct cell c)
{
	size_t at = c.hash & mask;
	while (cells[at].ref != CELL_FREE)
		at = (at + 1) & mask;
	cells[at] = c;
}

static inline bool cells_find(const struct cell *cells, size_t mask, struct cell c, size_t *at)
{
	for (*at = c.hash & mask; cells[*at].ref != CELL_FREE; *at = (*at + 1) & mask)
		if (cells[*at].ref == c.ref && cells[*at].hash == c.hash)
			return true;
	return false;
}

/* Frees the cell at `hole` and moves back what could not be found past it. */
static inline void cells_free_at(struct cell *cells, size_t mask, size_t hole)
{
	for (size_t at = (hole + 1) & mask; cells[at].ref != CELL_FREE; at = (at + 1) & mask) {
		size_t home = cells[at].hash & mask;
		/* the cell may move back unless its home lies cyclically after the hole */
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			cells[hole] = cells[at];
			hole = at;
		}
	}
	cells[hole].ref = CELL_FREE;
}

#ifdef RF_INVARIANTS
/* Returns the cells in use; no free cell stands between any of them and its home. */
static inline size_t cells_check(const struct cell *cells, size_t mask)
{
	size_t n = 0, free = 0;
	for (; cells[free].ref != CELL_FREE; free++)
		INVARIANT(free < mask);
	for (size_t i = 0, at = free; i <= mask; i++, at = (at + 1) & mask) {
		if (cells[at].ref == CELL_FREE) {
			free = at;
			continue;
		}
		INVARIANT(((at - cells[at].hash) & mask) < ((at - free) & mask));
		n++;
	}
	return n;
}
#endif

#endif

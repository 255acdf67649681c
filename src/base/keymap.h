/* SPDX-License-Identifier: MIT */
/* A map from 64-bit keys to 32-bit numbers that forgets: open addressing, linear probing, deletion by shifting back,
 * load at most 1/2. Freestanding: memory comes from the caller's function. */
#ifndef BASE_KEYMAP_H
#define BASE_KEYMAP_H

#include "base/bits.h"
#include "base/invariant.h"

/* resize works as realloc does (p NULL and old 0: a new block; n 0: frees); new bytes may hold anything. */
struct base_alloc {
	void *(*resize)(void *user, void *p, size_t old, size_t n);
	void *user;
};

/* Grows *p from room for *cap elements to at least `want`; false when there is no memory. */
static inline bool base_grow(const struct base_alloc *a, void **p, uint32_t *cap, size_t want, size_t size)
{
	if (want <= *cap)
		return true;
	size_t n = *cap ? *cap : 64;
	while (n < want)
		n *= 2;
	void *q = n < UINT32_MAX ? a->resize(a->user, *p, *cap * size, n * size) : NULL;
	if (!q)
		return false;
	*p = q;
	*cap = (uint32_t)n;
	return true;
}

struct keymap_cell {
	uint64_t key;
	uint32_t ref; /* number + 1; 0: free */
};

struct keymap {
	struct keymap_cell *cell;
	uint32_t n, n_cells; /* a power of two, or 0 */
	unsigned shift;      /* 64 − log2(n_cells) */
};

static inline uint32_t keymap_home(const struct keymap *m, uint64_t key)
{
	return (uint32_t)home_cell(key, m->shift);
}

static inline void keymap_prefetch(const struct keymap *m, uint64_t key)
{
	__builtin_prefetch(&m->cell[keymap_home(m, key)]);
}

/* The key's number + 1, or 0. The map must have cells. */
static inline uint32_t keymap_find(const struct keymap *m, uint64_t key)
{
	uint32_t mask = m->n_cells - 1;
	for (uint32_t i = keymap_home(m, key);; i = (i + 1) & mask)
		if (m->cell[i].key == key || !m->cell[i].ref)
			return m->cell[i].ref;
}

/* What is in the key's first cell, number + 1 or 0: a guess that is mostly right, for fetching ahead. */
static inline uint32_t keymap_first(const struct keymap *m, uint64_t key)
{
	return m->cell[keymap_home(m, key)].ref;
}

/* Makes room for some more; false when there is no memory. */
bool keymap_reserve(struct keymap *m, uint32_t more, const struct base_alloc *a);
/* The key must not be there, and keymap_reserve must have succeeded. */
void keymap_insert(struct keymap *m, uint64_t key, uint32_t number);
/* The key must be there. */
void keymap_remove(struct keymap *m, uint64_t key);
void keymap_release(struct keymap *m, const struct base_alloc *a);
void keymap_check(const struct keymap *m);

#endif

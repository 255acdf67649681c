/* SPDX-License-Identifier: MIT */
/* The sketches (base/policy/parts/sketch.h) of all caches of a run. Those with equally many counters are kept
 * together: what four of them count of one key is four groups of four bits in a word, and a reference raises all of
 * them at once. */
#ifndef TRACE_LISTS_SKETCH_H
#define TRACE_LISTS_SKETCH_H

#include "base/policy/parts/sketch.h"
#include "trace/lists/inside.h"

/* FAR_BLOCKS: a table of so many is not in the nearest of the processor's caches. */
enum { SKETCH_LANES = 4, SKETCH_BITS = 4, SKETCH_LINE = 64 / sizeof(uint16_t), FAR_BLOCKS = 512 };

struct sketch_part {
	uint64_t blocks;
	uint16_t *counter; /* SKETCH_BLOCK for each block */
};

struct lists_sketch {
	uint64_t seed;
	unsigned n, far; /* parts; the first that is large. Their sizes rise. */
	struct sketch_part part[LISTS_MOST];
	uint8_t part_of[LISTS_MOST], lane_of[LISTS_MOST]; /* of each cache */
};

INLINE uint64_t sketch_hash_of(const struct lists_sketch *k, uint32_t id)
{
	return mix64(id ^ k->seed);
}

INLINE uint16_t *sketch_block_of(const struct sketch_part *t, uint64_t hash)
{
	return t->counter + (hash >> 16 & (t->blocks - 1)) * SKETCH_BLOCK;
}

/* One more in each lane that is not full. */
INLINE uint16_t sketch_more(uint16_t x)
{
	uint32_t full = x & x >> 1;
	full &= full >> 2;
	return (uint16_t)(x + (~full & 0x1111u));
}

INLINE void sketch_fetch(const struct sketch_part *t, uint64_t hash)
{
	const uint16_t *at = sketch_block_of(t, hash);
	__builtin_prefetch(at, 1);
	__builtin_prefetch(at + SKETCH_LINE, 1);
}

INLINE void sketch_fetch_all(const struct lists_sketch *k, uint32_t id)
{
	uint64_t hash = sketch_hash_of(k, id);
	for (unsigned i = k->far; i < k->n; i++)
		sketch_fetch(&k->part[i], hash);
}

/* Row by row, without loops: this is what every reference costs. */

/* One more of the key in each cache. */
INLINE void sketch_count_part(const struct sketch_part *t, uint64_t hash)
{
	uint16_t *at = sketch_block_of(t, hash);
	uint16_t *a = at + (hash & 15), *b = at + SKETCH_ROW + (hash >> 4 & 15);
	uint16_t *c = at + 2 * SKETCH_ROW + (hash >> 8 & 15), *d = at + 3 * SKETCH_ROW + (hash >> 12 & 15);
	*a = sketch_more(*a);
	*b = sketch_more(*b);
	*c = sketch_more(*c);
	*d = sketch_more(*d);
}

INLINE unsigned sketch_less(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

INLINE unsigned sketch_estimate_part(const struct sketch_part *t, unsigned lane, uint64_t hash)
{
	const uint16_t *at = sketch_block_of(t, hash);
	unsigned shift = SKETCH_BITS * lane, a = at[hash & 15], b = at[SKETCH_ROW + (hash >> 4 & 15)];
	unsigned c = at[2 * SKETCH_ROW + (hash >> 8 & 15)], d = at[3 * SKETCH_ROW + (hash >> 12 & 15)];
	return sketch_less(sketch_less(a >> shift & SKETCH_MAX, b >> shift & SKETCH_MAX),
			   sketch_less(c >> shift & SKETCH_MAX, d >> shift & SKETCH_MAX));
}

INLINE void sketch_count_all(const struct lists_sketch *k, uint32_t id)
{
	uint64_t hash = sketch_hash_of(k, id);
	for (unsigned i = 0; i < k->n; i++)
		sketch_count_part(&k->part[i], hash);
}

INLINE unsigned sketch_estimate_of(const struct lists_sketch *k, unsigned cache, uint32_t id)
{
	return sketch_estimate_part(&k->part[k->part_of[cache]], k->lane_of[cache], sketch_hash_of(k, id));
}

/* The counters of one cache are halved. */
void lists_sketch_halve(struct lists_sketch *k, unsigned cache);

#endif

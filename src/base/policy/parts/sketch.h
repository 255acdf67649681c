/* SPDX-License-Identifier: MIT */
/* How often a key was asked for lately, estimated: four rows of counters up to 15, halved when told to. The four
 * counters of a key are in one block of 64 bytes, one in each quarter, so an estimate touches one cache line. A key
 * picks its block by the high bits of its hash and the counters by the low ones. A table that turns out too small is
 * doubled: each key's block is then one of two copies of the old one. */
#ifndef BASE_POLICY_SKETCH_H
#define BASE_POLICY_SKETCH_H

#include "base/bits.h"

struct sketch {
	uint64_t seed;
	uint64_t blocks; /* a power of two */
};

enum { SKETCH_BLOCK = 64, SKETCH_ROW = 16, SKETCH_MAX = 15 };

/* Blocks for as many counters in a row as there are keys, at least. */
static inline uint64_t sketch_blocks(uint64_t keys)
{
	return ceil_pow2(keys < SKETCH_ROW ? SKETCH_ROW : keys) / SKETCH_ROW;
}

static inline uint64_t sketch_hash(const struct sketch *s, uint64_t key)
{
	return mix64(key ^ s->seed);
}

static inline uint8_t *sketch_block(const struct sketch *s, uint8_t *table, uint64_t hash)
{
	return table + (hash >> 16 & (s->blocks - 1)) * SKETCH_BLOCK;
}

/* The counter of a row in a key's block. */
static inline uint8_t *sketch_at(uint8_t *block, uint64_t hash, unsigned row)
{
	return &block[row * SKETCH_ROW + (hash >> 4 * row & 15)];
}

static inline void sketch_add(uint8_t *counter, unsigned times)
{
	unsigned sum = *counter + times;
	*counter = (uint8_t)(sum < SKETCH_MAX ? sum : SKETCH_MAX);
}

/* Row by row, without a loop: this is what every reference costs. */
static inline void sketch_count(const struct sketch *s, uint8_t *table, uint64_t key, unsigned times)
{
	uint64_t hash = sketch_hash(s, key);
	uint8_t *b = sketch_block(s, table, hash);
	sketch_add(sketch_at(b, hash, 0), times);
	sketch_add(sketch_at(b, hash, 1), times);
	sketch_add(sketch_at(b, hash, 2), times);
	sketch_add(sketch_at(b, hash, 3), times);
}

static inline unsigned sketch_estimate(const struct sketch *s, uint8_t *table, uint64_t key)
{
	uint64_t hash = sketch_hash(s, key);
	uint8_t *b = sketch_block(s, table, hash);
	unsigned low = *sketch_at(b, hash, 0), other = *sketch_at(b, hash, 1);
	unsigned third = *sketch_at(b, hash, 2), fourth = *sketch_at(b, hash, 3);
	low = low < other ? low : other;
	third = third < fourth ? third : fourth;
	return low < third ? low : third;
}

static inline void sketch_halve(const struct sketch *s, uint8_t *table)
{
	uint64_t *word = (uint64_t *)(void *)table;
	for (uint64_t i = 0; i < s->blocks * SKETCH_BLOCK / 8; i++)
		word[i] = word[i] >> 1 & 0x0707070707070707u;
}

static inline void sketch_double(struct sketch *s, uint8_t *table)
{
	uint64_t bytes = s->blocks * SKETCH_BLOCK;
	for (uint64_t i = 0; i < bytes; i++)
		table[bytes + i] = table[i];
	s->blocks *= 2;
}

#endif

/* SPDX-License-Identifier: MIT */
/* See sketch.h. */
#include "trace/lists/sketch.h"

#include "data/bigmem.h"
#include "data/mem.h"

#include <stdlib.h>

static size_t part_bytes(const struct sketch_part *t)
{
	return (size_t)t->blocks * SKETCH_BLOCK * sizeof *t->counter;
}

struct lists_sketch *lists_sketch_new(const uint64_t *size, unsigned n, uint64_t seed)
{
	struct lists_sketch *k = mem_zalloc(sizeof *k);
	unsigned lanes = 0;
	k->seed = seed;
	for (unsigned i = 0; i < n; i++) {
		uint64_t blocks = sketch_blocks(size[i]);
		if (!k->n || k->part[k->n - 1].blocks != blocks || lanes == SKETCH_LANES) {
			k->part[k->n].blocks = blocks;
			k->part[k->n].counter = bigmem_alloc(part_bytes(&k->part[k->n]));
			k->far += blocks < FAR_BLOCKS;
			k->n++;
			lanes = 0;
		}
		k->part_of[i] = (uint8_t)(k->n - 1);
		k->lane_of[i] = (uint8_t)lanes++;
	}
	return k;
}

void lists_sketch_halve(struct lists_sketch *k, unsigned cache)
{
	const struct sketch_part *t = &k->part[k->part_of[cache]];
	unsigned shift = SKETCH_BITS * k->lane_of[cache];
	uint16_t keep = (uint16_t) ~(SKETCH_MAX << shift), halved = (uint16_t)(SKETCH_MAX / 2 << shift);
	for (uint64_t i = 0; i < t->blocks * SKETCH_BLOCK; i++)
		t->counter[i] = (uint16_t)((t->counter[i] & keep) | (t->counter[i] >> 1 & halved));
}

void lists_sketch_free(struct lists_sketch *k)
{
	for (unsigned i = 0; k && i < k->n; i++)
		bigmem_free(k->part[i].counter, part_bytes(&k->part[i]));
	free(k);
}

/* SPDX-License-Identifier: MIT */
/* Dense ids: the distinct keys of a stream, numbered 0, 1, 2 … in order of first appearance. Everything a simulation
 * keeps per key is then an array. */
#ifndef DATA_IDMAP_H
#define DATA_IDMAP_H

#include "data/err.h"

#include <stddef.h>
#include <stdint.h>

struct idmap_cell {
	uint64_t key;
	uint32_t ref; /* id + 1; 0: free */
};

struct idmap {
	uint32_t *small; /* id + 1 by key, 0: not seen; NULL: the keys are in cells */
	uint64_t span;   /* its entries, a power of two */
	struct idmap_cell *cell;
	size_t n_cells; /* a power of two */
	unsigned shift;
	uint32_t n; /* ids given out */
};

void idmap_init(struct idmap *m);
/* The ids of n keys, in order. RC_INPUT when there are more distinct keys than IDMAP_MAX. */
enum rc idmap_map(struct idmap *m, const uint64_t *keys, uint32_t *ids, size_t n, struct err *e);
void idmap_release(struct idmap *m);

#define IDMAP_MAX (UINT32_C(1) << 30)

#endif

/* SPDX-License-Identifier: MIT */
/* Answers by their set of conjuncts: each a sorted list of nodes, the verdict, and for sat the values of cells. Found
 * again by the whole set (a duplicate), or by what sets have in common (a model that is worth trying): an index leads
 * from each node to the latest sat answers that have it. */
#ifndef SMT_DECIDE_KNOWN_H
#define SMT_DECIDE_KNOWN_H

#include "data/table.h"
#include "data/vec.h"

#define KNOWN_NONE UINT32_MAX
enum { KNOWN_NEAREST = 16 };

struct known_cell {
	uint32_t cell;
	uint64_t value;
};

struct known_answer {
	uint64_t hash;
	size_t key, cells; /* where they start */
	uint32_t n_key, n_cells;
	bool sat;
};

struct known_posting {
	uint32_t answer, next; /* next: 1 + place, 0: none */
};

struct known {
	VEC(struct known_answer) answer;
	VEC(uint32_t) keys;
	VEC(struct known_cell) cells;
	VEC(uint32_t) sat; /* the sat answers, oldest first */
	struct table index;
	VEC(struct known_posting) posting;
	VEC(uint32_t) head;  /* per node: 1 + its latest posting */
	VEC(uint32_t) score; /* per answer, while the nearest are sought */
	VEC(uint32_t) touched;
};

void known_release(struct known *k);
size_t known_bytes(const struct known *k);
/* KNOWN_NONE: not there. The key is sorted; hash is problem_hash of it. */
uint32_t known_find(const struct known *k, const uint32_t *key, size_t n, uint64_t hash);
/* Remembers an answer that is not there yet. */
void known_add(struct known *k, const uint32_t *key, size_t n, uint64_t hash, bool sat, const struct known_cell *cells,
	       size_t n_cells);
/* The sat answers that share most nodes with the key, best first; how many. */
size_t known_nearest(struct known *k, const uint32_t *key, size_t n, uint32_t out[KNOWN_NEAREST]);

/* Every answer is indexed once under its hash; keys are sorted; every posting's answer has that node and is sat. */
void known_check(const struct known *k);

#endif

/* SPDX-License-Identifier: MIT */
/* A query as the stages see it: conjuncts, and apart from them the fixes `cell = constant`. Sixteen and more fixes
 * of one array are one table, so that a constant array of the program under test is one number. */
#ifndef SMT_DECIDE_PROBLEM_H
#define SMT_DECIDE_PROBLEM_H

#include "smt/decide/conjunct.h"
#include "smt/decide/import.h"

struct piece {
	uint32_t conjunct, place; /* place: in query->conj */
};

struct fix {
	uint32_t cell, place;
	uint64_t value;
	uint32_t node; /* of the conjunct, or of the NODE_FIXED it is part of */
};

struct epochs {
	VEC_FIELDS(uint32_t);
};

struct problem {
	struct import import;
	VEC(struct piece) piece;
	VEC(struct fix) fix; /* one a cell; those of one array in a row, by index */
	VEC(uint32_t) key;   /* sorted nodes of conjuncts and tables: equal for equal sets of conjuncts */
	uint64_t hash;       /* of key */
	/* unsat as it stands: a conjunct is false, or two fixes contradict each other */
	bool never;
	uint32_t blame[2];          /* places, both the same for a false conjunct */
	uint64_t cost;              /* gates */
	struct epochs seen, opened; /* per conjunct and per node */
	uint32_t epoch;
	VEC(uint32_t) todo;
};

void problem_release(struct problem *p);
/* The bank was cleared. */
void problem_clear(struct problem *p);
/* RC_NO: not ours. */
enum rc problem_set(struct problem *p, struct bank *b, struct conjuncts *c, const struct query *q);
/* The hash of a sorted list of nodes. */
uint64_t problem_hash(const uint32_t *key, size_t n);
void problem_sort(uint32_t *key, size_t n);

#endif

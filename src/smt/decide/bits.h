/* SPDX-License-Identifier: MIT */
/* The decision stage: the conjuncts' circuits are asked of one SAT solver that lives on, each conjunct being an
 * assumption. Circuits and what was learnt about them serve all later queries.
 *
 * A read of an array at a computed index is free bits at first. When an assignment gives two reads of one element
 * different values, the clauses that forbid it are added and the question is asked again; so an unsat answer holds
 * whatever was added, and a sat answer is one in which no two reads differ. */
#ifndef SMT_DECIDE_BITS_H
#define SMT_DECIDE_BITS_H

#include "smt/decide/known.h"
#include "smt/decide/problem.h"
#include "smt/circuit/sat.h"

struct bits;

struct bits_question {
	const struct piece *piece;
	size_t n_pieces;
	const struct fix *fix; /* all of the problem's */
	const uint32_t *bear;  /* places in fix of those that bear on the pieces */
	size_t n_fixes;
	uint64_t steps;
};

/* check: replay what is learnt with the second checker. */
struct bits *bits_new(bool check);
void bits_free(struct bits *t);
/* The bank was cleared. */
void bits_clear(struct bits *t);
size_t bits_bytes(const struct bits *t);

enum sat_result bits_solve(struct bits *t, struct bank *b, struct conjuncts *c, const struct bits_question *q);
/* Steps taken so far, in all questions. */
uint64_t bits_steps(const struct bits *t);
/* After SAT_YES: the cells' values, fixed ones among them. */
const struct known_cell *bits_cells(const struct bits *t, size_t *n);
/* After SAT_NO: the places in query.conj that are to blame, sorted, without repetition. */
const uint32_t *bits_core(const struct bits *t, size_t *n);
/* The checker accepted everything so far (or there is none); how many unsat answers it has checked. */
bool bits_proof_ok(const struct bits *t, uint64_t *checked);

#endif

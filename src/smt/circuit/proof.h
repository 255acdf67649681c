/* SPDX-License-Identifier: MIT */
/* The second checker: it is told the clauses that a circuit is made of and every clause that the search learns, and
 * accepts a learnt clause only if assuming its negation leads to a conflict by unit propagation (reverse unit
 * propagation). Nothing of the search is shared with it: no decisions, no learning, no restarts. */
#ifndef SMT_DECIDE_PROOF_H
#define SMT_DECIDE_PROOF_H

#include "data/vec.h"

struct proof;

struct proof *proof_new(void);
void proof_free(struct proof *p);
/* A clause of the problem. */
void proof_given(struct proof *p, const uint32_t *lits, size_t n);
/* A clause that is said to follow from those before. */
void proof_learnt(struct proof *p, const uint32_t *lits, size_t n);
/* Do these literals, assumed together, lead to a conflict? */
bool proof_refutes(struct proof *p, const uint32_t *lits, size_t n);
/* Every learnt clause so far was accepted. */
bool proof_ok(const struct proof *p);
uint64_t proof_steps(const struct proof *p);

#endif

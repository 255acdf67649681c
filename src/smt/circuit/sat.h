/* SPDX-License-Identifier: MIT */
/* A clause-learning SAT solver that is asked again and again about a growing set of clauses, under assumptions.
 *
 * Literals are 2·variable + sign; sign 1 is the negation. A question names the variables that it is about: only these
 * are decided, and its answer is sat when they all have values without a conflict. That is right when every clause is
 * part of the definition of some variable by others (circuits are), so that the rest can always follow. */
#ifndef SMT_DECIDE_SAT_H
#define SMT_DECIDE_SAT_H

#include "data/vec.h"
#include "smt/circuit/proof.h"

struct lits {
	VEC_FIELDS(uint32_t);
};

static inline uint32_t lit_not(uint32_t l)
{
	return l ^ 1;
}

enum sat_result { SAT_YES, SAT_NO, SAT_UNKNOWN };

struct watch {
	uint32_t clause; /* place in arena; SAT_BINARY: the blocker is the whole rest */
	uint32_t blocker;
};
struct watches {
	VEC_FIELDS(struct watch);
};

/* A clause in the arena: a header word (size and whether it is learnt), one for its glue or activity, the literals.
 * The first two are watched. */
struct sat {
	VEC(uint32_t) arena;
	VEC(uint32_t) learnt;      /* places of learnt clauses */
	VEC(struct watches) watch; /* per literal: clauses to look at when it becomes true */
	VEC(int8_t) value;         /* per literal: 1 true, -1 false, 0 none */
	VEC(uint8_t) phase;        /* per variable: the sign it had last */
	VEC(uint32_t) level, reason;
	VEC(double) activity;
	VEC(uint32_t) heap_at; /* per variable: 1 + place in heap, 0: not in it */
	VEC(uint32_t) heap;
	VEC(uint8_t) seen;
	struct lits trail, learning, failed; /* failed: assumptions that cannot hold together */
	VEC(uint32_t) limit;                 /* where each level starts in the trail */
	VEC(uint32_t) todo, cleared, stamp;
	size_t head; /* of the trail: what is not propagated yet */
	double bump;
	bool never; /* the clauses contradict each other */
	uint32_t stamps;
	size_t max_learnt;
	uint64_t steps, conflicts;
	size_t wasted, clauses; /* words of deleted clauses; clauses alive */
	struct proof *proof;    /* NULL: nobody checks */
};

void sat_release(struct sat *s);
void sat_init(struct sat *s, struct proof *proof);
/* About. */
size_t sat_bytes(const struct sat *s);
/* Returns the variable. */
uint32_t sat_variable(struct sat *s);
/* Only between questions. The literals are not changed. */
void sat_clause(struct sat *s, const uint32_t *lits, size_t n);

/* variables: what the question is about. At most `steps` look at clauses. SAT_YES: sat_value holds until the next
 * call. SAT_NO: s->failed has the assumptions to blame. */
enum sat_result sat_solve(struct sat *s, const uint32_t *assumptions, size_t n, const uint32_t *variables,
			  size_t n_variables, uint64_t steps);
static inline bool sat_value(const struct sat *s, uint32_t lit)
{
	return s->value.at[lit] > 0;
}
/* Takes back all that was assumed and decided. */
void sat_reset(struct sat *s);

/* Each clause is watched by its first two literals, nothing is assigned that has no reason or level. */
void sat_check(const struct sat *s);

#endif

/* SPDX-License-Identifier: MIT */
/* The parts of a struct decide and what the stages' files offer one another. */
#ifndef SMT_DECIDE_INTERNAL_H
#define SMT_DECIDE_INTERNAL_H

#include "smt/decide/bits.h"
#include "smt/decide/decide.h"
#include "smt/decide/known.h"
#include "smt/decide/problem.h"

/* A set of conjuncts to decide: the whole problem or one part of it. */
struct part {
	uint32_t pieces, n_pieces; /* in problem.piece */
	uint32_t fixes, n_fixes;   /* in slices.fix: places in problem.fix that bear on it */
	uint32_t key, n_key;       /* in slices.key, sorted */
	uint64_t hash;
};

/* The parts of the current problem. */
struct slices {
	VEC(struct part) part;
	VEC(uint32_t) fix, key;
	VEC(uint32_t) parent;              /* union-find over cells and arrays */
	VEC(uint32_t) group;               /* per piece: the root of its part */
	VEC(uint32_t) of_cell, cell_epoch; /* per cell: its fix in this problem */
	uint32_t epoch;
};

/* What the solver's answers in this stream took: the latest of them. */
enum { COSTS = 32 };
struct costs {
	float seconds[COSTS];
	uint64_t n;
	double price; /* mean of the cheaper three quarters of the latest */
	double total; /* of all */
};

struct decide {
	struct decide_options o;
	struct bank bank;
	struct conjuncts conjuncts;
	struct values values;
	struct problem problem;
	struct known known;
	struct slices slices;
	struct bits *bits;
	struct costs costs;
	bool ready;                   /* problem is that of the query last looked up */
	VEC(struct known_cell) cells; /* the model of the last sat answer, fixes apart */
	VEC(uint32_t) core;
	VEC(uint32_t) cell_seen;
	uint32_t cell_epoch;
	VEC(uint64_t) shapes; /* of unsat answers of the bits stage: sets of operators met */
	uint64_t unsampled;   /* unsat answers of the bits stage since the last sample */
	double sampled_s;
	uint64_t misses; /* queries that the solver answered, and what it took for them */
	double missed_s;
	uint64_t steps; /* of the search, and what they took */
	double steps_s;
	struct decide_stats stats;
};

/* models.c */
/* Tries earlier models on these pieces of the problem. True: the values are loaded. */
bool stage_models(struct decide *d, const struct part *p, const uint32_t *key);
/* Loads an answer's model. True: it makes the pieces true. */
bool models_load(struct decide *d, uint32_t answer, const struct part *p);
/* Appends the cells that the pieces' truth depends on, with their values, to d->cells; not those of tables. */
void models_collect(struct decide *d, const struct part *p);
void models_collect_begin(struct decide *d);

/* slices.c */
/* Cuts the problem into parts; pieces are reordered. */
void slices_cut(struct decide *d);
/* One part that is the whole problem. */
void slices_whole(struct decide *d);

/* budget.c */
void costs_add(struct costs *c, double seconds);
/* The steps that the bits stage may take on one part. */
uint64_t budget_steps(const struct decide *d);
/* The bits stage took that long, and that many steps, over one part. */
void budget_searched(struct decide *d, bool answered, double seconds, uint64_t steps);
/* Is the stage worth trying on this query? */
bool budget_worth(struct decide *d, enum decide_stage stage);
/* Are all of them together? */
bool budget_chain(const struct decide *d);

#endif

/* SPDX-License-Identifier: MIT */
/* The stages in front of the solver, for queries over booleans, bit-vectors of at most 64 bits and arrays of them:
 *
 *	fixes       two conjuncts `cell = constant` that contradict each other, or a conjunct that is false
 *	duplicates  the same set of conjuncts was answered before
 *	models      a model of an earlier sat answer, with the query's own fixes put over it, makes every conjunct true
 *	slices      parts that share no variable are looked up one by one, their models put together
 *	bits        a decision procedure: circuits and clause learning, within a budget
 *
 * Each can be switched off, keeps books of what it answered and what that cost, and passes a query by when it cannot
 * tell. A sat answer comes with values under which the caller must evaluate the query before it believes it
 * (decide_value); an unsat answer with the conjuncts that are to blame. */
#ifndef SMT_DECIDE_DECIDE_H
#define SMT_DECIDE_DECIDE_H

#include "data/err.h"
#include "smt/value/eval.h"
#include "smt/term/query.h"

enum decide_stage { STAGE_FIXES, STAGE_DUPLICATES, STAGE_MODELS, STAGE_SLICES, STAGE_BITS, DECIDE_STAGES };
/* NULL after the last. */
const char *decide_stage_name(size_t i);
/* DECIDE_STAGES: there is no stage of that name. */
size_t decide_stage_find(const char *name, size_t n);

struct decide_options {
	unsigned without; /* bit 1 << stage: switched off */
	size_t max_bytes; /* all of it is forgotten above this; 0: no limit */
	bool check;       /* replay every proof with the second checker */
};

struct decide_answer {
	bool sat;
	enum decide_stage stage;
	/* unsat: places in q->conj of conjuncts that are unsat together, until the next look-up; 0: not known */
	const uint32_t *core;
	size_t n_core;
	bool cells_only; /* the core reads no array at a computed index */
	/* nobody else has checked the answer, and it is the first of its kind: the caller should ask the solver */
	bool sample;
};

struct decide_stage_stats {
	uint64_t tried, sat, unsat;
	double seconds, failed_s; /* failed_s: of it, without an answer */
	bool off;                 /* it lost, and is skipped for a while */
};

struct decide_stats {
	struct decide_stage_stats stage[DECIDE_STAGES];
	uint64_t passed_by; /* queries that are not ours */
	uint64_t skipped;   /* because the stages cost more than they saved */
	double seconds;     /* CPU of all of it */
	uint64_t cleared;   /* how often everything was forgotten */
	uint64_t checked;   /* proofs replayed */
	size_t bytes, peak_bytes;
};

struct decide;
struct decide *decide_new(const struct decide_options *o);
void decide_free(struct decide *d);

/* The stages that only look: fixes, duplicates, models. RC_OK: answered. RC_NO: not. */
enum rc decide_look(struct decide *d, const struct query *q, struct decide_answer *a);
/* The stages that solve, slices and bits, for the query that decide_look did not answer. RC_BUG: the second checker did
 * not accept a proof. */
enum rc decide_solve(struct decide *d, struct decide_answer *a, struct err *e);
/* Somebody else, not the solver, has answered that query unsat. */
void decide_told_unsat(struct decide *d);
/* The value of a variable of the query in the model of the last sat answer; made in mem. */
bool decide_value(struct decide *d, const struct query *q, uint32_t var, struct arena *mem, struct value *out);

/* What the solver said of the query last looked up, and how long it took. sat: values has its variables' values. */
bool decide_waits(const struct decide *d); /* is the last query one that it would learn from? */
void decide_learn(struct decide *d, const struct query *q, bool sat, const struct eval *values, double seconds);

/* The solver was asked about a sample, and took so long. */
void decide_sampled(struct decide *d, double seconds);

struct decide_stats decide_stats(const struct decide *d);

void decide_check(const struct decide *d);

#endif

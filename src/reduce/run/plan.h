/* SPDX-License-Identifier: MIT */
/* Which pass is next: walks through the passes of an algorithm, runs each again on a new parse as long as it finds
 * something, and starts from the first again where the algorithm says so. One *run* is one start of one pass.
 *
 * When that is over, files without a grammar are read as words and it begins anew; then what is small is read by
 * characters; if that found something, tokens are tried once more, and so on until neither finds anything. */
#ifndef REDUCE_RUN_PLAN_H
#define REDUCE_RUN_PLAN_H

#include "reduce/run/engine.h"

struct plan {
	struct engine *engine;
	const struct algorithm *algorithm;
	const struct strings *skip;
	const char *const *passes; /* of the algorithm: those of now */
	size_t at;                 /* of them */
	const struct pass *pass;
	void *state;      /* NULL between two runs */
	uint32_t run;     /* counts them */
	uint64_t version; /* of the minimum when the run began */
	uint64_t turn;    /* successes when the turn began */
	uint64_t stage;   /* and when the passes of now came */
	bool again;       /* the pass runs once more */
	bool told_late;   /* a success of this run came when the pass had gone on */
};

void plan_init(struct plan *p, struct engine *g, const struct algorithm *a, const struct strings *skip);
void plan_release(struct plan *p);
/* Begins a run if there is none. False: the algorithm is over, as far as the minimum of now says. */
bool plan_begin(struct plan *p);
/* When there is nothing to begin and nothing undecided: reads the minimum by another grain, if that may find more.
 * False: it is all over. */
enum rc plan_regrain(struct plan *p, bool *more, struct err *e);
/* Ends the run; skip: the pass is not to run again. If the minimum changed it is parsed anew. */
enum rc plan_end_run(struct plan *p, bool skip, struct err *e);
/* Whether the run may end while candidates are undecided: a success that comes later will be followed up. */
bool plan_may_leave(const struct plan *p);
/* Whether the pass runs once more after this run. */
bool plan_runs_again(const struct plan *p);

#endif

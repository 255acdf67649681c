/* SPDX-License-Identifier: MIT */
/* Which pass is next: walks through the passes of an algorithm, runs each again on a new parse as long as it finds
 * something, and starts from the first again where the algorithm says so. One *run* is one start of one pass.
 *
 * With several jobs a pass may begin *ahead* of its turn, while workers would be idle, on the base of now. If there is
 * no other base when its turn comes it goes on from there; otherwise it begins anew.
 * And a run may be left while some of its candidates are undecided. Where one of them succeeds too late to be merged,
 * the pass comes once more (plan_missed).
 *
 * Edits that only rewrite may undo each other (one pass shortens a type, another puts the name back), and what was
 * tested once is known, so that a loop of them would cost nothing and never end: neither a turn, nor a repetition of
 * a pass, nor another grain begins twice with the same minimum.
 *
 * When that is over, files without a grammar are read as words and it begins anew; then what is small is read by
 * characters; if that found something, tokens are tried once more, and so on until neither finds anything. */
#ifndef REDUCE_RUN_PLAN_H
#define REDUCE_RUN_PLAN_H

#include "reduce/fold/engine.h"

struct plan_run {
	const struct pass *pass;
	void *state;      /* NULL: none */
	uint32_t number;  /* runs are counted, from 1 */
	size_t at;        /* of the plan's passes */
	uint64_t version; /* of the minimum when it began */
	uint64_t made;    /* the engine's: its last candidate */
	bool told_late;   /* a success of this run came when the pass had gone on */
};

struct plan {
	struct engine *engine;
	const struct algorithm *algorithm;
	const struct strings *skip;
	const char *const *passes; /* of the algorithm: those of now */
	size_t at;                 /* of them */
	struct plan_run now;       /* without a state between two runs */
	VEC(struct plan_run) ahead;
	uint32_t runs;
	uint64_t turn;       /* successes when the turn began */
	uint64_t stage;      /* and when the passes of now came */
	VEC(uint64_t) begun; /* what turns, repetitions and grains began with */
	bool again;          /* the pass runs once more */
	VEC(size_t) places;  /* of runs, among the passes; by number − 1 */
	uint32_t others;     /* so many runs were of other passes than those of now */
	size_t back;         /* the pass to go back to, or SIZE_MAX */
};

void plan_init(struct plan *p, struct engine *g, const struct algorithm *a, const struct strings *skip);
void plan_release(struct plan *p);
/* Begins a run if there is none. False: the algorithm is over, as far as the minimum of now says. */
bool plan_begin(struct plan *p);
/* The run that would be number i after the one of now: begins it if need be. NULL: there is none. */
struct plan_run *plan_ahead(struct plan *p, size_t i);
/* The run of that number, if it is not over. */
struct plan_run *plan_find_run(struct plan *p, uint32_t number);
/* When there is nothing to begin and nothing undecided: reads the minimum by another grain, if that may find more.
 * False: it is all over. */
enum rc plan_regrain(struct plan *p, bool *more, struct err *e);
/* Ends the run; skip: the pass is not to run again. If the minimum changed it is parsed anew. */
enum rc plan_end_run(struct plan *p, bool skip, struct err *e);
/* Whether the run may end while candidates are undecided: a success that comes later will be followed up. */
bool plan_may_leave(const struct plan *p);
/* A success of the run came to nothing: it did not fit what others had found. If the run is over, and its pass before
 * that of now, the pass begins again when this one ends: what it would find on the new minimum may be gone when its
 * next turn comes. */
void plan_missed(struct plan *p, uint32_t number);
/* Whether the pass runs once more after this run. */
bool plan_runs_again(const struct plan *p);

#endif

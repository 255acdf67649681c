/* SPDX-License-Identifier: MIT */
/* One run of one pass, shared by the files that make it up: known.c says what is known about a candidate, chain.c asks
 * candidates in the order of the pass, merge.c uses successes that came late, engine.c runs the loop.
 *
 * Invariants between two events (pass_run_check walks them):
 *  - chain.at[0 … n−1] are the candidates not yet decided, oldest first; the oldest is being tested. Each has the
 *    state that made it, which waits for its result; link i+1's state is a clone of link i's that was told
 *    "failed". `main` holds the state while the chain is empty, and only then.
 *  - Links of the chain and the merge attempt were made against the current minimum. Orphans are tests that were
 *    started against an older one; they have no state and know their text.
 *  - A slot is busy exactly when one running link has it.
 *  - No two running links test the same text. */
#ifndef REDUCE_RUN_PASS_RUN_H
#define REDUCE_RUN_PASS_RUN_H

#include "reduce/run/engine.h"

enum link_status { LINK_NEW, LINK_RUNNING, LINK_FAILED, LINK_WON };

/* A candidate, from its edit to its verdict. */
struct link {
	void *state; /* NULL: an orphan or a merge attempt */
	struct edit edit;
	struct step step;
	unsigned slot; /* while it runs */
	enum link_status status;
	bool older; /* the edit was made for another minimum */
	bool all;   /* a merge attempt of everything there is to merge */
	/* what is being tested, kept when the minimum it was made against goes */
	uint32_t *text;
	uint32_t n_text;
};

struct links {
	VEC_FIELDS(struct link *);
};

struct pass_run {
	struct engine *engine;
	const struct pass *pass;
	void *main;
	struct links chain;
	struct links orphans;
	struct link *merging; /* a merge attempt being tested */
	struct {
		VEC_FIELDS(struct edit);
	} to_merge;      /* edits of late successes, to be tried on top of the minimum, oldest first */
	bool *busy;      /* slots */
	bool one_by_one; /* trying all of them together failed */
	bool exhausted, skip;
};

/* ---- known.c */

/* What is known about a candidate without starting a test. */
enum known {
	KNOWN_NOTHING, /* a test is needed */
	KNOWN_FAILED,  /* counts as a failure, and nothing is to be remembered */
	KNOWN_EMPTY,   /* it changes nothing: counts as a success */
	KNOWN_RUNNING, /* a test of this text was running already and is k's now */
	KNOWN_NO,      /* the test said so about this text, */
	KNOWN_YES,     /* before this pass or as another sequence of tokens */
};
/* Makes k->step of k->edit and looks it up. */
enum known known_verdict(struct pass_run *r, struct link *k);
/* The variant that s makes of the minimum was tested and failed. */
void known_failed(struct pass_run *r, const struct step *s);
/* The step from the minimum of today to the text that `test` tests, which was made with that edit. False: there is
 * none. */
bool step_to_text(const struct pass_run *r, const struct edit *edit, const struct link *test, struct step *s);

/* ---- chain.c */

struct link *link_new(void);
void link_free(struct pass_run *r, struct link *k);
/* Frees the link; its test, if it runs, is cancelled. */
void link_cancel(struct pass_run *r, struct link *k);
/* Whether k, whose text was kept, tests what s makes of the minimum. */
bool link_tests(const struct pass_run *r, const struct link *k, const struct step *s);
struct link *links_take(struct links *v, size_t at);
unsigned slots_busy(const struct pass_run *r);

/* Decides k from what is known, or starts a test (*a is then ANSWER_PENDING). *tested: the verdict is the test's. */
enum rc link_decide(struct pass_run *r, struct link *k, enum answer *a, bool *tested, struct err *e);

/* Adds a link to the chain and asks it. *made is false when the pass has no more candidates for now. */
enum rc chain_extend(struct pass_run *r, bool *made, struct err *e);
/* The link at that place of the chain has its verdict. */
enum rc chain_success(struct pass_run *r, size_t at, struct err *e);
void chain_failure(struct pass_run *r, size_t at);
/* The minimum moves by a step that the chain did not make: its oldest candidate is asked again, later guesses are
 * void. */
enum rc minimum_moves(struct pass_run *r, const struct step *s, struct err *e);

/* ---- merge.c */

/* Tries what waits to be merged, as long as there is a slot. */
enum rc merge_start(struct pass_run *r, struct err *e);
/* The merge attempt has its verdict; tested: from the test. */
enum rc merge_done(struct pass_run *r, enum answer a, bool tested, struct err *e);
/* The test of the orphan k is over; frees it. */
enum rc orphan_done(struct pass_run *r, struct link *k, bool success, struct err *e);
void merge_clear(struct pass_run *r);

/* ---- engine.c */

/* s makes the new minimum: the model, the cache and the asker are told. */
enum rc new_minimum(struct engine *g, const struct step *s, struct err *e);

#ifdef RF_INVARIANTS
/* Walks all of the above; traps at the first that does not hold. */
void pass_run_check(const struct pass_run *r);
#else
#define pass_run_check(r) ((void)(r))
#endif

#endif

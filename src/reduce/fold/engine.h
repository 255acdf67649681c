/* SPDX-License-Identifier: MIT */
/* Runs passes over a model: asks the cache, then somebody else (the asker) whether a variant is interesting, and moves
 * the minimum on. Knows nothing of files, processes or syntax. With one job it is strictly sequential (sequence.c);
 * with more it folds what is decided, in any order, into one minimum (fold.h). */
#ifndef REDUCE_RUN_ENGINE_H
#define REDUCE_RUN_ENGINE_H

#include "data/buf.h"
#include "data/strings.h"
#include "reduce/model/load.h"
#include "reduce/pass/pass.h"
#include "reduce/cache/verdicts.h"

enum answer {
	ANSWER_NO,
	ANSWER_YES,
	ANSWER_NONE,    /* no verdict (time-out, killed): taken for "no" in this run only */
	ANSWER_PENDING, /* comes from wait */
};

enum wait_event {
	WAIT_ANSWER,
	WAIT_NOTHING, /* look again */
	WAIT_SKIP,    /* the user wants the next pass */
	WAIT_STOP,    /* the user wants to stop, or the time is over */
	WAIT_ENOUGH,  /* no test is to begin any more: those that run are waited for, and that was all */
};

/* How long it pays to wait for more answers after one, as a share of a test's length: of tests that began together the
 * others end now too, and what to ask next is better decided with all of them. */
#define ENGINE_LINGER 0.03

struct engine;

/* What the engine needs from outside. Slots are 0 … slots−1; a slot is busy from ask to its answer or cancel. */
struct asker {
	void *user;
	unsigned jobs; /* tests that run at the same time; may change whenever the asker is called */
	unsigned
		slots; /* tests that may be asked for before one is answered, at least jobs: more wait for their turn */
	/* Whether the text of the step was tested before, and what the test said. NULL: never. */
	bool (*recall)(void *user, const struct step *s, bool *interesting);
	/* A number for the text that recall was asked about last; NULL as recall. */
	uint64_t (*text)(void *user);
	/* Tests the step, of which recall was asked just before. */
	enum rc (*ask)(void *user, unsigned slot, const struct step *s, enum answer *answer, struct err *e);
	/* Waits until there is something to say; block false: only looks, and lingers for ENGINE_LINGER of a test's
	 * length. NULL if ask always answers at once. */
	enum rc (*wait)(void *user, bool block, enum wait_event *ev, unsigned *slot, enum answer *answer,
			struct err *e);
	/* The answer is not wanted any more; the slot is free again. NULL as wait. */
	void (*cancel)(void *user, unsigned slot);
	/* What the test said about the text of the step, which failed: answered in the slot just now, or recalled. The
	 * caller's to free; NULL: nothing. May be NULL. */
	struct complaints *(*complaints)(void *user, unsigned slot, const struct step *s);
	/* Whether to stop or skip now, asked before each query. */
	enum wait_event (*interrupted)(void *user);
	/* The model has a new minimum. */
	enum rc (*minimum)(void *user, struct err *e);
	/* Parse the minimum anew: make it the base. */
	enum rc (*rebase)(void *user, struct err *e);
	/* Read the minimum by another grain: model_regrain. NULL: never. */
	enum rc (*regrain)(void *user, enum grain to, bool *changed, struct err *e);
	/* Each candidate, before the cache is asked; each pass run that ended. May be NULL. */
	void (*generated)(void *user, const struct variant *v);
	void (*pass_begins)(void *user, const struct pass *p);
	void (*pass_ended)(void *user, const struct pass *p);
};

struct engine {
	struct model *model;
	struct verdicts *cache;
	const struct asker *asker;
	bool in_order; /* several jobs: outcomes count in the order of the questions, whatever the timing */
	/* counts since the start */
	uint64_t generated, hits, successes;
	uint64_t useful, merges, wasted; /* tests whose verdict counted, that merged successes, that came to nothing */
	bool stopped;                    /* WAIT_STOP or WAIT_ENOUGH came */
};

/* Runs the algorithm to its end; skip: names of passes left out (may be NULL). g->stopped says whether it was cut
 * short. */
enum rc engine_run(struct engine *g, const struct algorithm *a, const struct strings *skip, struct err *e);

/* s makes the new minimum: the model, the cache and the asker are told. */
enum rc engine_minimum(struct engine *g, const struct step *s, struct err *e);

/* Tells the cache that the model's base was made anew: old and its n symbols were the minimum before. */
void engine_rebased(struct engine *g, const uint32_t *old, uint32_t n);

#endif

/* SPDX-License-Identifier: MIT */
/* Reduces a model in this process, with a function as the test: for the library, tests and benchmarks. */
#ifndef REDUCE_RUN_IN_PROCESS_H
#define REDUCE_RUN_IN_PROCESS_H

#include "reduce/fold/engine.h"

/* How long a test takes; everything else takes no time. */
enum in_process_clock {
	CLOCK_RANDOM,    /* in no order at all: answers are shuffled */
	CLOCK_UNIT,      /* 1 */
	CLOCK_LOGNORMAL, /* by its text, lognormal with sigma 1: mean 1 for a success, a third of it for a failure */
	CLOCK_TIMEOUTS,  /* 1, but 10 for one failure in 50, as if it ran into a time limit */
};

struct in_process {
	const struct algorithm *algorithm; /* NULL: the default */
	const struct verdicts_kind *cache; /* NULL: the default */
	bool account_only;
	/* Whether the variant is interesting; m is the model whose minimum it is a variant of. */
	bool (*interesting)(void *user, const struct variant *v, const struct model *m);
	/* Or, for a model of one parsed file: whether its text is. The original is asked about too, no text twice. */
	bool (*interesting_text)(void *user, const struct buf *text);
	/* The same for threads, called from `jobs` of them at a time: > 0 yes, 0 no, < 0 stop. interesting_text is
	 * still asked about the original. */
	int (*interesting_in_thread)(void *user, const struct buf *text);
	void (*generated)(void *user, const struct variant *v); /* each candidate, cached or not; may be NULL */
	void (*minimum)(void *user, const struct model *m);     /* may be NULL */
	void (*pass_ended)(void *user, const struct pass *p);   /* each run of passes, see engine.h; may be NULL */
	void *user;
	bool stop;                  /* set by a callback: ends the run with what there is */
	uint64_t seed, max_queries; /* 0: no limit */
	unsigned jobs; /* > 1: answers come late, as from that many workers: by the clock, or from threads */
	enum in_process_clock clock;
	bool any_grain;                /* the text may be read as lines, words and characters in turn */
	bool in_order;                 /* see struct engine */
	const struct verdicts **watch; /* not NULL: points to the cache while it runs */
	/* results */
	uint64_t queries, candidates, hits, useful, merges, wasted;
	uint64_t cancelled; /* queries whose answer nobody waited for: their texts may be asked about again */
	struct verdicts_stats stats;
	bool complete;
	double time; /* by the clock, also with one job */
	double busy; /* that workers spent on tests, added up */
};

/* The model's whole base must be interesting; RC_NO if interesting_text says that it is not. At the end the minimum is
 * the result. */
enum rc reduce_in_process(struct in_process *p, struct model *m, struct err *e);

#endif

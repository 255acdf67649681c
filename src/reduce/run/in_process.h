/* SPDX-License-Identifier: MIT */
/* Reduces a model in this process, with a function as the test: for the library, tests and benchmarks. */
#ifndef REDUCE_RUN_IN_PROCESS_H
#define REDUCE_RUN_IN_PROCESS_H

#include "reduce/run/engine.h"

struct in_process {
	const struct algorithm *algorithm;
	const struct verdicts_kind *cache;
	bool account_only;
	/* Whether the variant is interesting; m is the model whose minimum it is a variant of. */
	bool (*interesting)(void *user, const struct variant *v, const struct model *m);
	/* Or, for a model of one parsed file: whether its text is. The original is asked about too, no text twice. */
	bool (*interesting_text)(void *user, const struct buf *text);
	void (*generated)(void *user, const struct variant *v); /* each candidate, cached or not; may be NULL */
	void (*minimum)(void *user, const struct model *m);     /* may be NULL */
	enum rc (*rebase)(struct model *m, struct err *e);      /* NULL: model_compact; model_rebase for parsed files */
	void *user;
	bool stop;                     /* set by a callback: ends the run with what there is */
	uint64_t seed, max_queries;    /* 0: no limit */
	unsigned shuffle_jobs;         /* > 1: answers come late and in random order, as from that many processors, */
	bool in_turn;                  /* or in the order they were asked for, as if every test took the same time */
	const struct verdicts **watch; /* not NULL: points to the cache while it runs */
	/* results */
	uint64_t queries, candidates, hits, merges;
	struct verdicts_stats stats;
	bool complete;
	uint64_t rounds; /* in_turn: how long it took, in tests */
};

/* The model's whole base must be interesting; RC_NO if interesting_text says that it is not. At the end the minimum is
 * the result. */
enum rc reduce_in_process(struct in_process *p, struct model *m, struct err *e);

#endif

/* SPDX-License-Identifier: MIT */
/* Many caches over one trace, which is read once: the reader's thread turns it into blocks of dense ids, the caches are
 * spread over the cores. */
#ifndef TRACE_RUN_H
#define TRACE_RUN_H

#include "trace/simulate.h"
#include "trace/reader.h"

struct run_cache {
	struct sim_spec spec;
	double percent;       /* > 0: spec.size is this share of the distinct blocks, filled in by trace_run */
	bool skip_impossible; /* a size the policy cannot have is left out instead of refused */
	/* results */
	bool skipped;
	uint64_t misses, miss_bytes;
};

struct run_totals {
	uint64_t references; /* simulated, after the warm-up */
	uint64_t bytes;      /* of these, when the trace has sizes */
	uint64_t warmup;     /* references before */
	uint64_t distinct;   /* in the whole trace */
	bool sizes;
};

struct run_options {
	unsigned threads; /* 0: one per core */
	uint64_t warmup;  /* references */
	double warmup_percent;
	/* Called by the reading thread now and then; returning false stops (RC_STOPPED). May be NULL. */
	bool (*tick)(void *user, uint64_t references);
	void *user;
};

enum rc trace_run(struct trace_reader *r, struct run_cache *caches, size_t n, const struct run_options *o,
		  struct run_totals *t, struct err *e);

#endif

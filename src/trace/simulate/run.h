/* SPDX-License-Identifier: MIT */
/* Many caches over one trace, which is read once: the reader's thread turns it into blocks of dense ids, the caches are
 * spread over the cores. */
#ifndef TRACE_RUN_H
#define TRACE_RUN_H

#include "trace/format/reader.h"
#include "trace/simulate/unit.h"

struct run_totals {
	uint64_t references;     /* simulated, after the warm-up */
	uint64_t read;           /* in the trace, of which a sample was simulated */
	uint64_t bytes;          /* of these, when the trace has sizes */
	uint64_t warmup;         /* references before */
	uint64_t distinct;       /* in the whole trace */
	uint64_t distinct_bytes; /* of objects, at their first reference; 0 unless the whole trace was read first */
	bool sizes;
};

struct run_options {
	unsigned threads; /* 0: one per core */
	uint64_t warmup;  /* references */
	double warmup_percent;
	double rate; /* > 0: only references to this share of the keys are simulated; needs a plan */
	/* Called when the whole trace was read, to set the sizes of the caches. May be NULL. */
	void (*plan)(void *user, const struct run_totals *t, struct run_cache *cache, size_t n);
	/* Called by the reading thread now and then; returning false stops (RC_STOPPED). May be NULL. */
	bool (*tick)(void *user, uint64_t references);
	void *user;
};

enum rc trace_run(struct trace_reader *r, struct run_cache *caches, size_t n, const struct run_options *o,
		  struct run_totals *t, struct err *e);

#endif

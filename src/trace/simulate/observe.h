/* SPDX-License-Identifier: MIT */
/* Many caches over one trace, with a look at every reference: what misses cost, which requests are served whole, and
 * the stream of misses itself. Slower than trace_run, which only counts. */
#ifndef TRACE_OBSERVE_H
#define TRACE_OBSERVE_H

#include "trace/simulate/run.h"
#include "trace/format/writer.h"

struct observe_options {
	struct run_options run;
	bool prefix;                 /* a reference is a hit only if all earlier ones of its request were */
	struct trace_writer *misses; /* of the first cache; NULL: not wanted. The caller closes it */
};

struct observed {
	uint64_t cost, miss_cost; /* of all references after the warm-up, and of a cache's misses */
	uint64_t requests, whole; /* prefix: requests, and those without a miss */
};

/* seen has n entries, one for each cache. A failed write to `misses` ends the run with RC_OK: closing reports it. */
enum rc trace_observe(struct trace_reader *r, struct run_cache *caches, struct observed *seen, size_t n,
		      const struct observe_options *o, struct run_totals *t, struct err *e);

#endif

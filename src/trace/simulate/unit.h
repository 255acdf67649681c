/* SPDX-License-Identifier: MIT */
/* What the references of a run are fed to: one cache, or several that are simulated together because that is faster:
 * all sizes of LRU, MRU or OPT from their stack distances, up to 64 sizes of FIFO, CLOCK, SIEVE or S3-FIFO in step,
 * of SLRU, 2Q, ARC, LIRS or W-TinyLFU too (lists.h), all caches of one block. Some policies have a faster way for one
 * cache of many (turns.h). Whatever the way, the counts are those
 * of separate simulations. Different units may be fed by different threads. */
#ifndef TRACE_UNIT_H
#define TRACE_UNIT_H

#include "data/vec.h"
#include "trace/simulate/simulate.h"
#include "trace/turns/turns.h"

struct run_cache {
	struct sim_spec spec;
	double percent;       /* > 0: spec.size is this share of the distinct blocks, filled in by trace_run */
	bool skip_impossible; /* a size the policy cannot have is left out instead of refused */
	/* results */
	bool skipped;
	uint64_t misses, miss_bytes;
};

/* What is known of the trace before it is simulated. */
struct unit_facts {
	bool whole; /* it was read; the following are known */
	struct turns_trace trace;
	uint64_t largest;  /* object, in bytes */
	bool sizes_change; /* some object had different sizes */
};

struct unit;
typedef VEC(struct unit *) unit_list;

/* Units for all caches that are not skipped; about as many as threads where a group can be split. RC_INPUT when a cache
 * cannot be simulated and may not be skipped. */
enum rc units_plan(struct run_cache *cache, size_t n, const struct unit_facts *f, unsigned threads, unit_list *out,
		   struct err *e);
void unit_run(struct unit *u, const struct policy_refs *refs, uint32_t n_ids);
/* Whether it is faster with references cut into windows (windows.h). */
bool unit_takes_windows(const struct unit *u);
void unit_reset_counts(struct unit *u);
/* Fills in the results of its caches. */
void unit_harvest(const struct unit *u, struct run_cache *cache);
void unit_free(struct unit *u);

#endif

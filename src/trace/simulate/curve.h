/* SPDX-License-Identifier: MIT */
/* Miss-ratio curves of any policy, in blocks or bytes, at chosen sizes: each point is what a simulation of that size
 * counts. The trace is kept in memory, for the sizes depend on what is in it. */
#ifndef TRACE_CURVE_H
#define TRACE_CURVE_H

#include "trace/simulate/mrc.h"
#include "trace/simulate/run.h"

struct curve_options {
	const struct policy *policy;
	bool by_bytes;
	bool prefix;          /* a reference is a hit only if all earlier ones of its request are; not with a rate */
	uint64_t points;      /* about so many sizes, evenly by logarithm; 0: 100 */
	double rate;          /* > 0: from a sample of the keys, see curve.c */
	const struct mrc *at; /* not NULL: the sizes of this curve */
	uint64_t seed;
	unsigned threads; /* 0: one per core */
	bool (*tick)(void *user, uint64_t references);
	void *user;
};

/* Fills in requests, distinct and the points of m. */
enum rc curve_compute(struct trace_reader *r, const struct curve_options *o, struct mrc *m, struct err *e);

/* Fills in the errors of a sampled curve, given the exact one at its sizes. */
void curve_compare(struct mrc *sampled, const struct mrc *exact);

#endif

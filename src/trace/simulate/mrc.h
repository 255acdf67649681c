/* SPDX-License-Identifier: MIT */
/* Miss-ratio curves of LRU: exact for every size in one pass, or from a sample of the keys (SHARDS). */
#ifndef TRACE_MRC_H
#define TRACE_MRC_H

#include "data/vec.h"
#include "trace/format/reader.h"

struct mrc_point {
	uint64_t size, misses;
	uint64_t cost; /* of the misses, in millionths; 0 unless the curve has costs */
};

/* Counts of reuses by power of two: [i] has values 2^i … 2^(i+1)−1. */
struct mrc_histogram {
	uint64_t count[64];
	uint64_t first; /* references to blocks never seen before */
};

struct mrc_options {
	double rate;         /* 0: exact; else the share of keys that are followed (more of few, see shards.h) */
	uint64_t max_sample; /* follow at most so many keys, lowering the rate as needed; 0: no limit */
	bool check;          /* sampled: also compute the exact curve and the error */
	bool histograms;
	bool prefix; /* exact: a reference is a hit only if all earlier ones of its request are */
	bool (*tick)(void *user, uint64_t references);
	void *user;
};

struct mrc {
	uint64_t requests; /* references read */
	uint64_t distinct; /* exact, or estimated from the sample */
	uint64_t from;     /* the smallest size that the curve knows: 1, or what the sample resolves */
	/* Rising sizes; a size between two points has the misses of the smaller. Sizes above the last have its
	 * misses. */
	VEC(struct mrc_point) points;
	bool costs;    /* the points have costs, and these are those of all references */
	uint64_t cost; /* in millionths */
	struct mrc_histogram distance, time;
	/* sampled */
	double final_rate;
	uint64_t sampled;
	bool checked;
	double mean_error, max_error; /* of the miss ratio, over all sizes that the curve knows */
	double error_estimate,
		worst_error_estimate; /* standard error of the miss ratio: mean over the sizes, largest */
};

enum rc mrc_compute(struct trace_reader *r, const struct mrc_options *o, struct mrc *m, struct err *e);
struct stackdist;
/* Fills in the curve of the m->requests references to so many ids that went through s. */
void mrc_exact(const struct stackdist *s, uint32_t distinct, struct mrc *m);
/* The misses of a cache of this size. */
uint64_t mrc_misses(const struct mrc *m, uint64_t size);
/* The index of the knee: the smallest size from from_size on from where no larger cache is worth it, that is, saves 1 %
 * of the requests or more for every doubling of the size (and for less than a doubling). */
size_t mrc_knee(const struct mrc *m, uint64_t from_size, uint64_t requests);
void mrc_release(struct mrc *m);

#endif

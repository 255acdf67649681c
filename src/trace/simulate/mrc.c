/* SPDX-License-Identifier: MIT */
/* See mrc.h: the exact curve from stack distances, beside it the sampled one (shards.c), and the knee. */
#include "trace/simulate/mrc.h"

#include "data/idmap.h"
#include "data/mem.h"
#include "stream/stackdist.h"
#include "trace/simulate/shards.h"

#include <math.h>
#include <stdlib.h>

/* ---- histograms of the exact pass */

struct reuse_times {
	VEC(uint64_t) last; /* per id: position + 1 */
};

static unsigned log2_of(uint64_t v)
{
	return 63 - (unsigned)__builtin_clzll(v);
}

static void count_times(struct reuse_times *t, struct mrc_histogram *h, const uint32_t *ids, size_t n, uint32_t n_ids,
			uint64_t now)
{
	while (t->last.n < n_ids)
		vec_push(&t->last, 0);
	for (size_t i = 0; i < n; i++) {
		uint64_t *last = &t->last.at[ids[i]];
		now++;
		if (*last)
			h->count[log2_of(now - *last)]++;
		else
			h->first++;
		*last = now;
	}
}

static void count_distances(struct mrc_histogram *h, const uint64_t *hist, uint32_t max)
{
	h->first = hist[0];
	for (uint32_t d = 1; d <= max; d++)
		h->count[log2_of(d)] += hist[d];
}

/* ---- exact */

/* What costs and prefixes need beside the histogram of distances. A cache that has all earlier blocks of a request is
 * at least as large as the largest of their distances: a reference is a hit from there on. */
struct weighted {
	VEC(uint64_t) hits, cost; /* by distance; [0]: never */
	uint64_t request;
	uint32_t farthest; /* distance in this request; 0: one of its blocks is new */
	bool begun;
};

static void weighted_feed(struct weighted *w, struct stackdist *s, const uint32_t *ids, const struct trace_block *b,
			  bool prefix, struct mrc *m)
{
	const uint64_t *cost = b->column[COLUMN_COST], *request = prefix ? b->column[COLUMN_REQUEST] : NULL;
	for (size_t i = 0; i < b->n; i++) {
		uint32_t d = stackdist_reference(s, ids[i]);
		if (request) {
			bool first = !w->begun || w->request != request[i];
			w->farthest = first ? d : d && w->farthest ? (d > w->farthest ? d : w->farthest) : 0;
			w->request = request[i];
			w->begun = true;
			d = w->farthest;
		}
		while (w->hits.n <= d) {
			vec_push(&w->hits, 0);
			vec_push(&w->cost, 0);
		}
		w->hits.at[d]++;
		w->cost.at[d] += cost ? cost[i] : 0;
		m->cost += cost ? cost[i] : 0;
	}
}

static void weighted_curve(const struct weighted *w, uint32_t distinct, struct mrc *m)
{
	struct mrc_point p = {.misses = m->requests, .cost = m->cost};
	for (p.size = 1; p.size <= distinct; p.size++) {
		p.misses -= p.size < w->hits.n ? w->hits.at[p.size] : 0;
		p.cost -= p.size < w->cost.n ? w->cost.at[p.size] : 0;
		vec_push(&m->points, p);
	}
	m->distinct = distinct;
	m->from = 1;
}

void mrc_exact(const struct stackdist *s, uint32_t distinct, struct mrc *m)
{
	uint32_t max;
	const uint64_t *hist = stackdist_histogram(s, &max);
	uint64_t misses = m->requests;
	for (uint32_t size = 1; size <= distinct; size++) {
		misses -= hist[size];
		vec_push(&m->points, ((struct mrc_point){size, misses, 0}));
	}
	m->distinct = distinct;
	m->from = 1;
}

static void compare(struct mrc *m, const struct stackdist *s, uint32_t distinct)
{
	struct mrc exact = {.requests = m->requests};
	double sum = 0;
	size_t n = 0;
	mrc_exact(s, distinct, &exact);
	for (size_t i = m->from - 1; i < exact.points.n; i++, n++) {
		double diff = fabs((double)exact.points.at[i].misses - (double)mrc_misses(m, exact.points.at[i].size)) /
			      (double)m->requests;
		sum += diff;
		m->max_error = diff > m->max_error ? diff : m->max_error;
	}
	m->mean_error = n ? sum / (double)n : 0;
	m->checked = true;
	vec_release(&exact.points);
}

enum rc mrc_compute(struct trace_reader *r, const struct mrc_options *o, struct mrc *m, struct err *e)
{
	bool sampled = o->rate > 0 || o->max_sample, exact = !sampled || o->check || o->histograms;
	uint32_t *ids = mem_alloc(TRACE_BLOCK * sizeof *ids);
	struct idmap map;
	struct shards *sample = sampled ? shards_new(o->rate, o->max_sample) : NULL;
	struct stackdist *stack = exact ? stackdist_new() : NULL;
	struct reuse_times times = {0};
	struct weighted weighted = {0};
	struct trace_block b;
	enum rc rc;
	*m = (struct mrc){.costs = !sampled && trace_meta(r)->has[COLUMN_COST]};
	idmap_init(&map);
	while ((rc = trace_next(r, &b, e)) == RC_OK && b.n) {
		if (o->tick && !o->tick(o->user, m->requests)) {
			rc = err_set(e, RC_STOPPED, "stopped");
			break;
		}
		if (exact) {
			if ((rc = idmap_map(&map, b.keys, ids, b.n, e)))
				break;
			if (m->costs || o->prefix) {
				stackdist_feed(stack, ids, 0, map.n);
				weighted_feed(&weighted, stack, ids, &b, o->prefix, m);
			} else {
				stackdist_feed(stack, ids, b.n, map.n);
			}
			if (o->histograms)
				count_times(&times, &m->time, ids, b.n, map.n, m->requests);
		}
		if (sampled)
			shards_feed(sample, b.keys, b.n);
		m->requests += b.n;
	}
	if (!rc && sampled)
		rc = shards_curve(sample, m, e);
	if (!rc && exact && !sampled && (m->costs || o->prefix))
		weighted_curve(&weighted, map.n, m);
	else if (!rc && exact && !sampled)
		mrc_exact(stack, map.n, m);
	if (!rc && o->check && sampled)
		compare(m, stack, map.n);
	if (!rc && o->histograms) {
		uint32_t max;
		const uint64_t *hist = stackdist_histogram(stack, &max);
		count_distances(&m->distance, hist, max);
	}
	shards_free(sample);
	vec_release_all(&times.last, &weighted.hits, &weighted.cost);
	stackdist_free(stack);
	idmap_release(&map);
	free(ids);
	return rc;
}

uint64_t mrc_misses(const struct mrc *m, uint64_t size)
{
	size_t lo = 0, hi = m->points.n; /* the number of points of at most this size */
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (m->points.at[mid].size <= size)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? m->points.at[lo - 1].misses : m->requests;
}

/* How much a larger cache must save to be worth it: this share of the requests for every doubling. */
#define WORTH 0.01

size_t mrc_knee(const struct mrc *m, uint64_t from_size, uint64_t requests)
{
	const struct mrc_point *p = m->points.at;
	size_t first = 0, n = m->points.n, knee;
	double step = WORTH * (double)requests, least = INFINITY;
	while (first + 1 < n && p[first].size < from_size)
		first++;
	/* from the largest size down: `next` is the first point of at least twice the size, `least` the least of
	 * misses + step · log2(size) from there on */
	knee = n ? n - 1 : 0;
	for (size_t i = n, next = n; i-- > first;) {
		while (next > i + 1 && p[next - 1].size / 2 >= p[i].size) {
			next--;
			double level = (double)p[next].misses + step * log2((double)p[next].size);
			least = level < least ? level : least;
		}
		double doubled = (double)mrc_misses(m, 2 * p[i].size), here = (double)p[i].misses;
		if (here - doubled >= step || here + step * log2((double)p[i].size) > least)
			continue;
		knee = i;
	}
	return knee;
}

void mrc_release(struct mrc *m)
{
	vec_release(&m->points);
}

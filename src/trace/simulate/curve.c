/* SPDX-License-Identifier: MIT */
/* See curve.h. A run with one cache per point; unit.h knows how to do many at once. Sizes in blocks go from 1 to
 * the distinct blocks, sizes in bytes over the last four powers of ten up to the bytes of all objects. What a policy
 * cannot have (associative caches of any size) is left out.
 *
 * From a sample (miniature simulation, Waldspurger et al.): only references to a share R of the keys, chosen by their
 * hash, are simulated. A cache of size s among them stands for one of s / R, and each of its misses for 1 / R misses;
 * that the keys in the sample may be asked for more or less often than others is made up for as in shards.c. Sizes
 * that hold fewer than SHARDS_RESOLVED followed keys are left out. */
#include "trace/simulate/curve.h"

#include "data/mem.h"
#include "trace/simulate/observe.h"
#include "trace/simulate/shards.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 100, BYTE_DECADES = 4 };

struct curve {
	const struct curve_options *o;
	uint64_t points;
};

/* From least to most, without repeats; associative policies need whole sets. */
static void choose_sizes(void *user, const struct run_totals *t, struct run_cache *cache, size_t n)
{
	struct curve *c = user;
	uint32_t ways = c->o->policy->ways ? c->o->policy->ways : 1;
	uint64_t most = c->o->by_bytes ? t->distinct_bytes : t->distinct;
	if (c->o->at) {
		for (size_t i = 0; i < n; i++)
			cache[i].spec.size = c->o->at->points.at[i].size;
		return;
	}
	most = (most < ways ? ways : most + ways - 1) / ways * ways;
	double least = c->o->by_bytes ? (double)most / pow(10, BYTE_DECADES) : ways;
	if (c->o->rate > 0 && !c->o->by_bytes)
		least = (double)(most < SHARDS_RESOLVED ? most : SHARDS_RESOLVED);
	least = least < ways ? ways : least;
	double step = n > 1 ? pow((double)most / least, 1 / (double)(n - 1)) : 1, size = least;
	uint64_t last = 0;
	for (size_t i = 0; i < n; i++, size *= step) {
		uint64_t s = i + 1 == n ? most : (uint64_t)llround(size) / ways * ways;
		cache[i].skipped = s <= last;
		cache[i].spec.size = s;
		last = s > last ? s : last;
	}
}

static bool tick(void *user, uint64_t references)
{
	struct curve *c = user;
	return !c->o->tick || c->o->tick(c->o->user, references);
}

/* The points of the simulated sizes, scaled up from the sample. */
static void fill_in(const struct curve *c, const struct run_cache *cache, const struct observed *seen,
		    const struct run_totals *t, struct mrc *m)
{
	double scale = c->o->rate > 0 ? 1 / c->o->rate : 1;
	m->requests = c->o->rate > 0 ? t->read : t->references;
	m->distinct = (uint64_t)llround((double)t->distinct * scale);
	m->final_rate = c->o->rate;
	m->sampled = c->o->rate > 0 ? t->references : 0;
	for (uint64_t i = 0; i < c->points; i++) {
		uint64_t misses = (uint64_t)llround((double)cache[i].misses * scale);
		uint64_t size = (uint64_t)llround((double)cache[i].spec.size * scale);
		if (cache[i].skipped)
			continue;
		misses = misses < m->requests ? misses : m->requests;
		vec_push(&m->points, ((struct mrc_point){size, misses, seen ? seen[i].miss_cost : 0}));
		m->cost = seen ? seen[i].cost : 0;
	}
	if (m->points.n)
		m->from = m->points.at[0].size;
}

enum rc curve_compute(struct trace_reader *r, const struct curve_options *o, struct mrc *m, struct err *e)
{
	struct curve c = {o, o->at ? o->at->points.n : o->points ? o->points : POINTS};
	struct run_cache *cache = mem_zalloc(mem_mul(c.points + 1, sizeof *cache));
	struct run_options ro = {
		.threads = o->threads, .rate = o->rate, .plan = choose_sizes, .tick = tick, .user = &c};
	struct run_totals t;
	for (uint64_t i = 0; i < c.points; i++)
		cache[i] = (struct run_cache){.spec = {.policy = o->policy, .by_bytes = o->by_bytes, .seed = o->seed},
					      .skip_impossible = true};
	*m = (struct mrc){.from = 1};
	m->costs = trace_meta(r)->has[COLUMN_COST] && !(o->rate > 0);
	struct observed *seen = m->costs || o->prefix ? mem_zalloc(mem_mul(c.points + 1, sizeof *seen)) : NULL;
	struct observe_options oo = {.run = ro, .prefix = o->prefix};
	enum rc rc =
		seen ? trace_observe(r, cache, seen, c.points, &oo, &t, e) : trace_run(r, cache, c.points, &ro, &t, e);
	if (!rc)
		fill_in(&c, cache, seen, &t, m);
	if (!rc && o->rate > 0 && !m->sampled && m->requests)
		rc = shards_nothing(m->requests, e);
	if (!rc && !m->points.n && m->requests)
		rc = err_set(e, RC_INPUT, "policy '%s' has no curve%s", o->policy->name,
			     o->by_bytes ? " in bytes" : "");
	free(cache);
	free(seen);
	return rc;
}

void curve_compare(struct mrc *m, const struct mrc *exact)
{
	double sum = 0;
	for (size_t i = 0; i < m->points.n; i++) {
		double diff = fabs((double)m->points.at[i].misses - (double)mrc_misses(exact, m->points.at[i].size)) /
			      (double)m->requests;
		sum += diff;
		m->max_error = diff > m->max_error ? diff : m->max_error;
	}
	m->mean_error = m->points.n ? sum / (double)m->points.n : 0;
	m->checked = true;
}

/* SPDX-License-Identifier: MIT */
/* See curve.h. A run with one cache per point; unit.h knows how to do many at once. Sizes in blocks go from 1 to
 * the distinct blocks, sizes in bytes over the last four powers of ten up to the bytes of all objects. What a policy
 * cannot have (associative caches of any size) is left out. */
#include "trace/curve.h"

#include "data/mem.h"

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
	most = (most < ways ? ways : most + ways - 1) / ways * ways;
	double least = c->o->by_bytes ? (double)most / pow(10, BYTE_DECADES) : ways;
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

enum rc curve_compute(struct trace_reader *r, const struct curve_options *o, struct mrc *m, struct err *e)
{
	struct curve c = {o, o->points ? o->points : POINTS};
	struct run_cache *cache = mem_zalloc(mem_mul(c.points, sizeof *cache));
	struct run_options ro = {.threads = o->threads, .plan = choose_sizes, .tick = tick, .user = &c};
	struct run_totals t;
	for (uint64_t i = 0; i < c.points; i++)
		cache[i] = (struct run_cache){.spec = {.policy = o->policy, .by_bytes = o->by_bytes, .seed = o->seed},
					      .skip_impossible = true};
	*m = (struct mrc){.from = 1};
	enum rc rc = trace_run(r, cache, c.points, &ro, &t, e);
	m->requests = t.references;
	m->distinct = t.distinct;
	for (uint64_t i = 0; i < c.points && !rc; i++)
		if (!cache[i].skipped)
			vec_push(&m->points, ((struct mrc_point){cache[i].spec.size, cache[i].misses}));
	if (!rc && !m->points.n && m->requests)
		rc = err_set(e, RC_INPUT, "policy '%s' has no curve%s", o->policy->name,
			     o->by_bytes ? " in bytes" : "");
	if (!rc && m->points.n)
		m->from = m->points.at[0].size;
	free(cache);
	return rc;
}

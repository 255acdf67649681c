/* SPDX-License-Identifier: MIT */
/* The public face of the trace engine, see refrain/trace.h: keys become dense ids, block by block, and go to a
 * simulated cache or to the stack distances. */
#include "refrain/trace.h"

#include "data/idmap.h"
#include "data/library.h"
#include "data/mem.h"
#include "data/vec.h"
#include "stream/stackdist.h"
#include "trace/simulate.h"

#include <stdlib.h>

enum { BLOCK = 4096 };

const char *rf_policy_name(size_t i)
{
	return policies[i] ? policies[i]->name : NULL;
}

const char *rf_policy_summary(size_t i)
{
	return policies[i] ? policies[i]->summary : NULL;
}

/* ---- one cache */

struct rf_cache_sim {
	struct sim *sim;
	bool by_bytes;
	uint64_t requests;
	struct idmap map;
	uint32_t id[BLOCK];
};

static enum rc sim_spec_of(const rf_cache_sim_config *c, struct sim_spec *spec, struct err *e)
{
	const char *name = c->policy ? c->policy : "lru";
	*spec = (struct sim_spec){
		.policy = policy_find(name), .size = c->size, .by_bytes = c->by_bytes, .seed = c->seed};
	if (!spec->policy)
		return err_set(e, RC_INPUT, "unknown policy '%s'", name);
	if (spec->policy->flags & POLICY_FUTURE)
		return err_set(e, RC_INPUT, "policy '%s' needs the whole trace at once", name);
	return RC_OK;
}

rf_status rf_cache_sim_new(rf_cache_sim **out, const rf_cache_sim_config *config, rf_error *error)
{
	struct err e = ERR_INIT;
	struct sim_spec spec;
	struct sim *sim;
	enum rc rc = sim_spec_of(config, &spec, &e);
	if (!rc)
		rc = sim_new(&sim, &spec, &e);
	*out = NULL;
	if (!rc) {
		*out = mem_zalloc(sizeof **out);
		(*out)->sim = sim;
		(*out)->by_bytes = config->by_bytes;
		idmap_init(&(*out)->map);
	}
	return library_status(rc, &e, error);
}

/* At most BLOCK requests. */
static enum rc feed_block(rf_cache_sim *s, const uint64_t *keys, const uint64_t *sizes, size_t n, struct err *e)
{
	enum rc rc = idmap_map(&s->map, keys, s->id, n, e);
	if (rc)
		return rc;
	struct policy_refs refs = {.id = s->id, .key = keys, .size = sizes, .n = n};
	sim_run(s->sim, &refs, s->map.n);
	s->requests += n;
	return RC_OK;
}

rf_status rf_cache_sim_feed(rf_cache_sim *sim, const uint64_t *keys, const uint64_t *sizes, size_t n, rf_error *error)
{
	struct err e = ERR_INIT;
	enum rc rc = RC_OK;
	if (sim->by_bytes && !sizes)
		rc = err_set(&e, RC_INPUT, "a cache with a size in bytes needs the objects' sizes");
	for (size_t at = 0, part; at < n && !rc; at += part) {
		part = n - at < BLOCK ? n - at : BLOCK;
		rc = feed_block(sim, keys + at, sizes ? sizes + at : NULL, part, &e);
	}
	return library_status(rc, &e, error);
}

uint64_t rf_cache_sim_requests(const rf_cache_sim *sim)
{
	return sim->requests;
}

uint64_t rf_cache_sim_misses(const rf_cache_sim *sim)
{
	return sim_misses(sim->sim);
}

uint64_t rf_cache_sim_miss_bytes(const rf_cache_sim *sim)
{
	return sim_miss_bytes(sim->sim);
}

void rf_cache_sim_free(rf_cache_sim *sim)
{
	if (!sim)
		return;
	sim_free(sim->sim);
	idmap_release(&sim->map);
	free(sim);
}

/* ---- the curve */

struct rf_miss_curve {
	struct stackdist *stack;
	struct idmap map;
	uint64_t requests;
	VEC(uint64_t) misses; /* by size from 0 on; empty: not added up since the last feed */
	uint32_t id[BLOCK];
};

rf_miss_curve *rf_miss_curve_new(void)
{
	rf_miss_curve *c = mem_zalloc(sizeof *c);
	c->stack = stackdist_new();
	idmap_init(&c->map);
	return c;
}

rf_status rf_miss_curve_feed(rf_miss_curve *curve, const uint64_t *keys, size_t n, rf_error *error)
{
	struct err e = ERR_INIT;
	enum rc rc = RC_OK;
	curve->misses.n = 0;
	for (size_t at = 0, part; at < n && !rc; at += part) {
		part = n - at < BLOCK ? n - at : BLOCK;
		rc = idmap_map(&curve->map, keys + at, curve->id, part, &e);
		if (rc)
			break;
		stackdist_feed(curve->stack, curve->id, part, curve->map.n);
		curve->requests += part;
	}
	return library_status(rc, &e, error);
}

uint64_t rf_miss_curve_requests(const rf_miss_curve *curve)
{
	return curve->requests;
}

uint64_t rf_miss_curve_distinct(const rf_miss_curve *curve)
{
	return curve->map.n;
}

static void add_up(rf_miss_curve *c)
{
	uint32_t max;
	const uint64_t *hist = stackdist_histogram(c->stack, &max);
	uint64_t misses = c->requests;
	vec_push(&c->misses, misses);
	for (uint32_t size = 1; size <= c->map.n; size++) {
		misses -= hist[size];
		vec_push(&c->misses, misses);
	}
}

uint64_t rf_miss_curve_misses(rf_miss_curve *curve, uint64_t size)
{
	if (!curve->misses.n)
		add_up(curve);
	return curve->misses.at[size < curve->misses.n ? size : curve->misses.n - 1];
}

void rf_miss_curve_free(rf_miss_curve *curve)
{
	if (!curve)
		return;
	stackdist_free(curve->stack);
	idmap_release(&curve->map);
	vec_release(&curve->misses);
	free(curve);
}

/* SPDX-License-Identifier: MIT */
/* The public face of the trace engine, see refrain/trace.h: keys become dense ids, block by block, and go to a
 * simulated cache or to the stack distances. */
#include "refrain/trace.h"

#include "data/idmap.h"
#include "data/library.h"
#include "data/mem.h"
#include "stream/stackdist.h"
#include "trace/simulate/shards.h"
#include "trace/simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

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
static enum rc feed_block(rf_cache_sim *s, const uint64_t *keys, const uint64_t *sizes, size_t n, uint8_t *missed,
			  struct err *e)
{
	enum rc rc = idmap_map(&s->map, keys, s->id, n, e);
	if (rc)
		return rc;
	struct policy_refs refs = {.id = s->id, .key = keys, .size = sizes, .missed = missed, .n = n};
	if (missed)
		memset(missed, 0, n);
	sim_run(s->sim, &refs, s->map.n);
	s->requests += n;
	return RC_OK;
}

rf_status rf_cache_sim_look(rf_cache_sim *sim, const uint64_t *keys, const uint64_t *sizes, size_t n, uint8_t *missed,
			    rf_error *error)
{
	struct err e = ERR_INIT;
	enum rc rc = RC_OK;
	if (sim->by_bytes && !sizes)
		rc = err_set(&e, RC_INPUT, "a cache with a size in bytes needs the objects' sizes");
	for (size_t at = 0, part; at < n && !rc; at += part) {
		part = n - at < BLOCK ? n - at : BLOCK;
		rc = feed_block(sim, keys + at, sizes ? sizes + at : NULL, part, missed ? missed + at : NULL, &e);
	}
	return library_status(rc, &e, error);
}

rf_status rf_cache_sim_feed(rf_cache_sim *sim, const uint64_t *keys, const uint64_t *sizes, size_t n, rf_error *error)
{
	return rf_cache_sim_look(sim, keys, sizes, n, NULL, error);
}

uint64_t rf_cache_sim_requests(const rf_cache_sim *sim)
{
	return sim->requests;
}

uint64_t rf_cache_sim_misses(const rf_cache_sim *sim)
{
	return sim_misses(sim->sim).n;
}

uint64_t rf_cache_sim_miss_bytes(const rf_cache_sim *sim)
{
	return sim_misses(sim->sim).bytes;
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
	struct stackdist *stack; /* exact; NULL: */
	struct shards *sample;
	struct idmap map;
	struct mrc mrc;
	bool added_up; /* mrc is that of all that was fed */
	uint32_t id[BLOCK];
};

rf_miss_curve *rf_miss_curve_new(void)
{
	rf_miss_curve *c = mem_zalloc(sizeof *c);
	c->stack = stackdist_new();
	idmap_init(&c->map);
	return c;
}

rf_status rf_miss_curve_new_sampled(rf_miss_curve **out, double rate, rf_error *error)
{
	struct err e = ERR_INIT;
	*out = NULL;
	if (!(rate > 0 && rate <= 1))
		return library_status(err_set(&e, RC_INPUT, "invalid rate %g (above 0, up to 1)", rate), &e, error);
	*out = mem_zalloc(sizeof **out);
	(*out)->sample = shards_new(rate, 0);
	idmap_init(&(*out)->map);
	return library_status(RC_OK, &e, error);
}

rf_status rf_miss_curve_feed(rf_miss_curve *curve, const uint64_t *keys, size_t n, rf_error *error)
{
	struct err e = ERR_INIT;
	enum rc rc = RC_OK;
	curve->added_up = false;
	for (size_t at = 0, part; at < n && !rc; at += part) {
		part = n - at < BLOCK ? n - at : BLOCK;
		if (curve->sample) {
			shards_feed(curve->sample, keys + at, part);
		} else {
			rc = idmap_map(&curve->map, keys + at, curve->id, part, &e);
			if (rc)
				break;
			stackdist_feed(curve->stack, curve->id, part, curve->map.n);
		}
		curve->mrc.requests += part;
	}
	return library_status(rc, &e, error);
}

uint64_t rf_miss_curve_requests(const rf_miss_curve *curve)
{
	return curve->mrc.requests;
}

static void add_up(rf_miss_curve *c)
{
	struct err ignored = ERR_INIT; /* a sample without any reference has no points */
	if (c->added_up)
		return;
	uint64_t requests = c->mrc.requests;
	mrc_release(&c->mrc);
	c->mrc = (struct mrc){.requests = requests};
	if (c->sample)
		(void)shards_curve(c->sample, &c->mrc, &ignored);
	else
		mrc_exact(c->stack, c->map.n, &c->mrc);
	c->added_up = true;
}

uint64_t rf_miss_curve_distinct(rf_miss_curve *curve)
{
	add_up(curve);
	return curve->mrc.distinct;
}

uint64_t rf_miss_curve_misses(rf_miss_curve *curve, uint64_t size)
{
	add_up(curve);
	return mrc_misses(&curve->mrc, size);
}

uint64_t rf_miss_curve_smallest(rf_miss_curve *curve)
{
	add_up(curve);
	return curve->mrc.points.n ? curve->mrc.from : 0;
}

double rf_miss_curve_error(rf_miss_curve *curve)
{
	add_up(curve);
	return curve->mrc.error_estimate;
}

uint64_t rf_miss_curve_knee(rf_miss_curve *curve)
{
	add_up(curve);
	const struct mrc *m = &curve->mrc;
	return m->points.n ? m->points.at[mrc_knee(m, m->from, m->requests)].size : 0;
}

void rf_miss_curve_free(rf_miss_curve *curve)
{
	if (!curve)
		return;
	stackdist_free(curve->stack);
	shards_free(curve->sample);
	idmap_release(&curve->map);
	mrc_release(&curve->mrc);
	free(curve);
}

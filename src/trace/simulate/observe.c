/* SPDX-License-Identifier: MIT */
/* See observe.h. Each cache says which references of a block missed. Sizes in percent and policies that look into the
 * future need the whole trace first: then it is kept, with the columns that matter, and goes through in blocks as a
 * stream would.
 *
 * A request's blocks are looked up in order. One that is in the cache behind one that is not must be computed again all
 * the same: it counts as a miss, but for the cache it is a reference like any other. */
#include "trace/simulate/observe.h"

#include "data/idmap.h"
#include "data/mem.h"
#include "data/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct values {
	VEC_FIELDS(uint64_t);
};

struct cache {
	struct sim *sim; /* NULL: skipped */
	uint64_t misses, miss_bytes;
	uint64_t request; /* the one at hand */
	bool begun, broken;
};

struct observation {
	struct trace_reader *r;
	const struct observe_options *o;
	struct run_totals *t;
	struct run_cache *spec;
	struct observed *seen;
	struct cache *cache;
	size_t n;
	uint64_t warmup, at; /* references */
	struct idmap map;
	uint32_t ids[TRACE_BLOCK];
	uint8_t missed[TRACE_BLOCK];
	uint64_t out_keys[TRACE_BLOCK], out_column[COLUMNS][TRACE_BLOCK];
	struct values keys, column[COLUMNS]; /* the whole trace */
	uint64_t *next;                      /* uses; NULL: nobody asks */
};

/* Which of the n references miss; `next` as policy_refs has it, or NULL. */
static void run_marked(struct observation *u, struct sim *s, const struct trace_block *b, const uint64_t *next)
{
	struct policy_refs refs = {
		.id = u->ids, .key = b->keys, .next = next, .size = b->sizes, .missed = u->missed, .n = b->n};
	memset(u->missed, 0, b->n);
	sim_run(s, &refs, u->map.n);
}

/* Marks what stands behind a miss of the same request. */
static void mark_prefixes(struct observation *u, struct cache *c, struct observed *seen, const struct trace_block *b)
{
	const uint64_t *request = b->column[COLUMN_REQUEST];
	for (size_t i = 0; i < b->n; i++) {
		bool counted = u->at + i >= u->warmup;
		if (!c->begun || c->request != request[i]) {
			c->begun = true;
			c->broken = false;
			c->request = request[i];
			seen->requests += counted;
			seen->whole += counted;
		}
		if (u->missed[i] && !c->broken) {
			c->broken = true;
			seen->whole -= counted && seen->whole > 0;
		}
		u->missed[i] = c->broken;
	}
}

static void add_up(struct observation *u, struct cache *c, struct observed *seen, const struct trace_block *b)
{
	const uint64_t *cost = b->column[COLUMN_COST];
	for (size_t i = 0; i < b->n; i++) {
		if (u->at + i < u->warmup)
			continue;
		seen->cost += cost ? cost[i] : 0;
		if (!u->missed[i])
			continue;
		c->misses++;
		c->miss_bytes += b->sizes ? b->sizes[i] : 0;
		seen->miss_cost += cost ? cost[i] : 0;
	}
}

static bool write_misses(struct observation *u, const struct trace_block *b)
{
	struct trace_block out = {.keys = u->out_keys};
	for (unsigned c = 0; c < COLUMNS; c++)
		out.column[c] = b->column[c] ? u->out_column[c] : NULL;
	for (size_t i = 0; i < b->n; i++) {
		if (!u->missed[i] || u->at + i < u->warmup)
			continue;
		u->out_keys[out.n] = b->keys[i];
		for (unsigned c = 0; c < COLUMNS; c++)
			if (b->column[c])
				u->out_column[c][out.n] = b->column[c][i];
		out.n++;
	}
	return trace_write(u->o->misses, &out);
}

static enum rc take_block(struct observation *u, const struct trace_block *b, bool *on, struct err *e)
{
	enum rc rc = idmap_map(&u->map, b->keys, u->ids, b->n, e);
	for (size_t i = 0; i < b->n && b->sizes && !rc; i++)
		u->t->bytes += u->at + i >= u->warmup ? b->sizes[i] : 0;
	for (size_t k = 0; k < u->n && !rc; k++) {
		struct cache *c = &u->cache[k];
		if (!c->sim)
			continue;
		run_marked(u, c->sim, b, u->next ? u->next + u->at : NULL);
		if (u->o->prefix)
			mark_prefixes(u, c, &u->seen[k], b);
		add_up(u, c, &u->seen[k], b);
		if (k == 0 && u->o->misses)
			*on = write_misses(u, b);
	}
	u->at += b->n;
	return rc;
}

static enum rc stopped(struct observation *u, struct err *e)
{
	const struct run_options *o = &u->o->run;
	return o->tick && !o->tick(o->user, u->at) ? err_set(e, RC_STOPPED, "stopped") : RC_OK;
}

/* As trace_run's plan has it; sizes are those of first references. */
static void plan(struct observation *u, const uint32_t *ids)
{
	const struct run_options *o = &u->o->run;
	uint8_t *known = mem_zalloc((size_t)u->map.n + 1);
	u->t->distinct = u->map.n;
	for (size_t i = 0; u->column[COLUMN_SIZE].n && i < u->keys.n; i++) {
		u->t->distinct_bytes += known[ids[i]] ? 0 : u->column[COLUMN_SIZE].at[i];
		known[ids[i]] = 1;
	}
	o->plan(o->user, u->t, u->spec, u->n);
	free(known);
}

static enum rc make_sims(struct observation *u, struct err *e)
{
	for (size_t i = 0; i < u->n; i++) {
		struct run_cache *c = &u->spec[i];
		struct err mine = ERR_INIT;
		if (c->skipped)
			continue;
		if (c->percent > 0) {
			double size = round(c->percent * (double)u->map.n / 100);
			c->spec.size = size < 1 ? 1 : (uint64_t)size;
		}
		enum rc rc = sim_new(&u->cache[i].sim, &c->spec, c->skip_impossible ? &mine : e);
		if (rc == RC_INPUT && c->skip_impossible)
			c->skipped = true;
		else if (rc)
			return rc;
	}
	return RC_OK;
}

/* ---- a stream, or the whole trace */

static enum rc stream(struct observation *u, struct err *e)
{
	struct trace_block b;
	bool on = true;
	enum rc rc = make_sims(u, e);
	while (!rc && on && (rc = trace_next(u->r, &b, e)) == RC_OK && b.n && (rc = stopped(u, e)) == RC_OK)
		rc = take_block(u, &b, &on, e);
	return rc;
}

static enum rc read_whole(struct observation *u, struct err *e)
{
	struct trace_block b;
	enum rc rc;
	while ((rc = trace_next(u->r, &b, e)) == RC_OK && b.n && (rc = stopped(u, e)) == RC_OK) {
		vec_reserve(&u->keys, b.n);
		memcpy(u->keys.at + u->keys.n, b.keys, b.n * sizeof *b.keys);
		u->keys.n += b.n;
		for (unsigned c = 0; c < COLUMNS; c++) {
			if (!b.column[c])
				continue;
			vec_reserve(&u->column[c], b.n);
			memcpy(u->column[c].at + u->column[c].n, b.column[c], b.n * sizeof *b.keys);
			u->column[c].n += b.n;
		}
	}
	return rc;
}

static void find_next_uses(struct observation *u, const uint32_t *ids)
{
	uint64_t *seen = mem_alloc(mem_mul((size_t)u->map.n + 1, sizeof *seen));
	memset(seen, 0xff, ((size_t)u->map.n + 1) * sizeof *seen);
	u->next = mem_alloc(mem_mul(u->keys.n + 1, sizeof *u->next));
	for (size_t i = u->keys.n; i-- > 0;) {
		u->next[i] = seen[ids[i]];
		seen[ids[i]] = i;
	}
	free(seen);
}

static enum rc run_whole(struct observation *u, bool future, struct err *e)
{
	enum rc rc = read_whole(u, e);
	if (rc)
		return rc;
	uint32_t *ids = mem_alloc(mem_mul(u->keys.n + 1, sizeof *ids));
	rc = idmap_map(&u->map, u->keys.at, ids, u->keys.n, e);
	if (!rc && future)
		find_next_uses(u, ids);
	if (!rc && u->o->run.plan)
		plan(u, ids);
	free(ids);
	if (u->o->run.warmup_percent > 0)
		u->warmup = (uint64_t)((double)u->keys.n * u->o->run.warmup_percent / 100);
	if (!rc)
		rc = make_sims(u, e);
	bool on = true;
	while (!rc && on && u->at < u->keys.n && (rc = stopped(u, e)) == RC_OK) {
		size_t n = u->keys.n - u->at < TRACE_BLOCK ? u->keys.n - u->at : TRACE_BLOCK;
		struct trace_block b = {.keys = u->keys.at + u->at, .n = n};
		for (unsigned c = 0; c < COLUMNS; c++)
			b.column[c] = u->column[c].n ? u->column[c].at + u->at : NULL;
		rc = take_block(u, &b, &on, e);
	}
	return rc;
}

static void release(struct observation *u)
{
	for (size_t i = 0; i < u->n; i++)
		sim_free(u->cache[i].sim);
	free(u->cache);
	free(u->next);
	idmap_release(&u->map);
	vec_release(&u->keys);
	for (unsigned c = 0; c < COLUMNS; c++)
		vec_release(&u->column[c]);
	free(u);
}

enum rc trace_observe(struct trace_reader *r, struct run_cache *caches, struct observed *seen, size_t n,
		      const struct observe_options *o, struct run_totals *t, struct err *e)
{
	struct observation *u = mem_zalloc(sizeof *u);
	bool whole = o->run.warmup_percent > 0 || o->run.plan, future = false;
	u->r = r;
	u->o = o;
	u->t = t;
	u->spec = caches;
	u->seen = seen;
	u->n = n;
	u->warmup = o->run.warmup;
	*t = (struct run_totals){.sizes = trace_meta(r)->sizes};
	u->cache = mem_zalloc(mem_mul(n, sizeof *u->cache));
	idmap_init(&u->map);
	for (size_t i = 0; i < n; i++) {
		future |= caches[i].spec.policy->flags & POLICY_FUTURE;
		whole |= caches[i].percent > 0;
	}
	enum rc rc = whole || future ? run_whole(u, future, e) : stream(u, e);
	for (size_t i = 0; i < n; i++) {
		caches[i].misses = u->cache[i].misses;
		caches[i].miss_bytes = u->cache[i].miss_bytes;
	}
	t->references = u->at > u->warmup ? u->at - u->warmup : 0;
	t->warmup = u->warmup;
	t->distinct = u->map.n;
	release(u);
	return rc;
}

/* SPDX-License-Identifier: MIT */
/* See unit.h. A group are the caches of one policy, all by blocks or all by bytes, without a front; its sizes rise.
 *
 * Stack distances: a cache of size c hits where the distance is at most c, so each reference is counted at the first
 * size of the group that hits. In bytes this needs objects that keep their sizes and fit into the cache: one that is
 * larger is not cached at all, and does not push others out.
 *
 * A cache of one block has the block of the last reference, whatever its policy. */
#include "trace/simulate/unit.h"

#include "data/mem.h"
#include "stream/bytedist.h"
#include "stream/mrustack.h"
#include "stream/optsizes.h"
#include "stream/optstack.h"
#include "stream/stackdist.h"
#include "trace/lists/lists.h"
#include "trace/simulate/ranks.h"
#include "trace/simulate/steps.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_FOR_STACK = 3 };

struct unit {
	size_t n;
	size_t *of;            /* numbers of the caches */
	uint64_t *size;        /* their sizes */
	struct misses *before; /* of each cache: those that do not count, being of the warm-up */
	/* one of these */
	struct sim *sim;
	struct steps *steps;
	struct ranks *ranks;
	struct lists *lists;
	struct turns *turns;
	struct stackdist *lru;
	struct optstack *opt;
	struct optsizes *few;
	struct bytedist *bytes;
	struct mrustack *mru;
	struct one {
		uint32_t last; /* id + 1 */
		struct misses misses;
	} * one;
	/* by stack distance: references and bytes that hit from size i on; [n] never */
	uint64_t *hits, *hit_bytes;
};

/* ---- making them */

static struct unit *unit_new(const struct run_cache *cache, const size_t *of, size_t n)
{
	struct unit *u = mem_zalloc(sizeof *u);
	u->n = n;
	u->of = mem_alloc(mem_mul(n, sizeof *u->of));
	u->size = mem_alloc(mem_mul(n, sizeof *u->size));
	u->before = mem_zalloc(mem_mul(n, sizeof *u->before));
	u->hits = mem_zalloc(mem_mul(n + 1, sizeof *u->hits));
	u->hit_bytes = mem_zalloc(mem_mul(n + 1, sizeof *u->hit_bytes));
	for (size_t i = 0; i < n; i++) {
		u->of[i] = of[i];
		u->size[i] = cache[of[i]].spec.size;
	}
	return u;
}

static bool alike(const struct sim_spec *a, const struct sim_spec *b)
{
	return a->policy == b->policy && a->by_bytes == b->by_bytes && a->front == b->front;
}

typedef VEC(size_t) group;

/* By rising size; there are few. */
static void group_add(group *g, const struct run_cache *cache, size_t i)
{
	vec_push(g, i);
	for (size_t j = g->n - 1; j && cache[g->at[j - 1]].spec.size > cache[i].spec.size; j--) {
		g->at[j] = g->at[j - 1];
		g->at[j - 1] = i;
	}
}

static void add_steps(const struct run_cache *cache, const group *g, const struct unit_facts *f, unsigned threads,
		      unit_list *out)
{
	size_t parts = (g->n + STEPS_MOST - 1) / STEPS_MOST;
	if (parts < threads && g->n >= 2 * (size_t)threads)
		parts = threads;
	/* small caches miss more: each part gets every parts-th size */
	for (size_t p = 0; p < parts; p++) {
		group mine = {0};
		for (size_t i = p; i < g->n; i += parts)
			vec_push(&mine, g->at[i]);
		struct unit *u = unit_new(cache, mine.at, mine.n);
		const struct sim_spec *spec = &cache[mine.at[0]].spec;
		if (steps_can(spec->policy, g->n))
			u->steps = steps_new(spec->policy, u->size, (unsigned)u->n, spec->by_bytes, spec->seed);
		else if (ranks_can(spec->policy, g->n, spec->by_bytes, f->trace.distinct))
			u->ranks = ranks_new(spec->policy, u->size, (unsigned)u->n);
		else
			u->lists = lists_new(spec->policy, u->size, (unsigned)u->n, spec->seed);
		vec_push(out, u);
		vec_release(&mine);
	}
}

static void add_sims(const struct run_cache *cache, const size_t *of, size_t n, unit_list *out)
{
	for (size_t i = 0; i < n; i++) {
		struct unit *u = unit_new(cache, of + i, 1);
		struct err e = ERR_INIT;
		if (sim_new(&u->sim, &cache[of[i]].spec, &e) == RC_OK)
			vec_push(out, u);
		else
			unit_free(u);
	}
}

static void add_turns(const struct run_cache *cache, const group *g, const struct unit_facts *f, unit_list *out)
{
	const struct sim_spec *spec = &cache[g->at[0]].spec;
	struct unit *all = unit_new(cache, g->at, g->n);
	for (size_t i = 0, n; i < g->n; i += n) {
		n = turns_together(spec->policy, all->size + i, g->n - i);
		struct unit *u = unit_new(cache, g->at + i, n);
		u->turns = turns_new(spec->policy, u->size, (unsigned)n, &f->trace, spec->seed);
		vec_push(out, u);
	}
	unit_free(all);
}

static bool is_mru(const struct sim_spec *s)
{
	return strcmp(s->policy->name, "mru") == 0;
}

/* How many of the group, from the smallest on, stack distances do not answer. */
static size_t not_by_stack(const struct run_cache *cache, const group *g, const struct unit_facts *f)
{
	const struct sim_spec *spec = &cache[g->at[0]].spec;
	size_t small = 0;
	if (!(spec->policy->flags & POLICY_STACK) || spec->front)
		return g->n;
	bool future = spec->policy->flags & POLICY_FUTURE;
	if (future && (spec->by_bytes || !f->whole || f->trace.references >= UINT32_MAX))
		return g->n;
	if (spec->by_bytes && (!f->whole || f->sizes_change || is_mru(spec)))
		return g->n;
	while (spec->by_bytes && small < g->n && cache[g->at[small]].spec.size < f->largest)
		small++;
	return g->n - small < LEAST_FOR_STACK ? g->n : small;
}

/* Takes the caches of one block out of the group. */
static void add_ones(const struct run_cache *cache, group *g, unit_list *out)
{
	const struct sim_spec *spec = &cache[g->at[0]].spec;
	size_t ones = 0;
	while (!spec->by_bytes && !spec->front && ones < g->n && cache[g->at[ones]].spec.size == 1)
		ones++;
	if (!ones)
		return;
	struct unit *u = unit_new(cache, g->at, ones);
	u->one = mem_zalloc(sizeof *u->one);
	vec_push(out, u);
	g->n -= ones;
	memmove(g->at, g->at + ones, g->n * sizeof *g->at);
}

static void add_group(const struct run_cache *cache, const group *g, const struct unit_facts *f, unsigned threads,
		      unit_list *out)
{
	const struct sim_spec *spec = &cache[g->at[0]].spec;
	if (!spec->front &&
	    (steps_can(spec->policy, g->n) || ranks_can(spec->policy, g->n, spec->by_bytes, f->trace.distinct) ||
	     lists_can(spec->policy, g->n, spec->by_bytes, f->trace.distinct))) {
		add_steps(cache, g, f, threads, out);
		return;
	}
	if (!spec->front && turns_can(spec->policy, g->n, spec->by_bytes, &f->trace)) {
		add_turns(cache, g, f, out);
		return;
	}
	size_t small = not_by_stack(cache, g, f);
	add_sims(cache, g->at, small, out);
	if (small == g->n)
		return;
	struct unit *u = unit_new(cache, g->at + small, g->n - small);
	if (spec->by_bytes)
		u->bytes = bytedist_new(f->trace.distinct);
	else if ((spec->policy->flags & POLICY_FUTURE) && u->n <= OPTSIZES_MOST)
		u->few = optsizes_new(f->trace.references, u->size, u->n);
	else if (spec->policy->flags & POLICY_FUTURE)
		u->opt = optstack_new(f->trace.distinct);
	else if (is_mru(spec))
		u->mru = mrustack_new();
	else
		u->lru = stackdist_new();
	vec_push(out, u);
}

enum rc units_plan(struct run_cache *cache, size_t n, const struct unit_facts *f, unsigned threads, unit_list *out,
		   struct err *e)
{
	bool *taken = mem_zalloc(n + 1);
	enum rc rc = RC_OK;
	for (size_t i = 0; i < n && !rc; i++) {
		struct err mine = ERR_INIT;
		rc = cache[i].skipped ? RC_OK : sim_check(&cache[i].spec, cache[i].skip_impossible ? &mine : e);
		if (rc == RC_INPUT && cache[i].skip_impossible) {
			cache[i].skipped = true;
			rc = RC_OK;
		}
		taken[i] = cache[i].skipped;
	}
	for (size_t i = 0; i < n && !rc; i++) {
		group g = {0};
		for (size_t j = i; j < n && !taken[i]; j++)
			if (!taken[j] && alike(&cache[i].spec, &cache[j].spec)) {
				group_add(&g, cache, j);
				taken[j] = j > i;
			}
		if (g.n > 1)
			add_ones(cache, &g, out);
		if (g.n)
			add_group(cache, &g, f, threads, out);
		vec_release(&g);
	}
	free(taken);
	return rc;
}

/* ---- feeding them */

/* The first size that is at least the distance. */
static size_t first_hit(const struct unit *u, uint64_t distance)
{
	size_t lo = 0, hi = u->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (u->size[mid] < distance)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t next_use(const struct policy_refs *r, size_t i)
{
	return r->next[i] < UINT32_MAX ? (uint32_t)r->next[i] : UINT32_MAX;
}

/* The first size that hits. */
static size_t hit_from(struct unit *u, const struct policy_refs *r, size_t i)
{
	if (u->few)
		return optsizes_reference(u->few, next_use(r, i));
	if (u->bytes)
		return first_hit(u, bytedist_reference(u->bytes, r->id[i], r->size[i]));
	uint64_t d =
		u->lru ? stackdist_reference(u->lru, r->id[i]) : optstack_reference(u->opt, r->id[i], next_use(r, i));
	return first_hit(u, d ? d : UINT64_MAX);
}

static void run_stack(struct unit *u, const struct policy_refs *r, uint32_t n_ids)
{
	if (u->mru) {
		mrustack_feed(u->mru, r->id, r->size, r->n, n_ids);
		return;
	}
	if (u->lru && !r->size) {
		stackdist_feed(u->lru, r->id, r->n, n_ids);
		return;
	}
	for (size_t i = 0; i < r->n; i++) {
		size_t at = hit_from(u, r, i);
		u->hits[at]++;
		u->hit_bytes[at] += r->size ? r->size[i] : 0;
	}
}

static void run_one(struct one *c, const struct policy_refs *r)
{
	for (size_t i = 0; i < r->n; i++) {
		bool miss = r->id[i] + 1 != c->last;
		c->last = r->id[i] + 1;
		c->misses.n += miss;
		c->misses.bytes += miss && r->size ? r->size[i] : 0;
	}
}

void unit_run(struct unit *u, const struct policy_refs *refs, uint32_t n_ids)
{
	if (u->one)
		run_one(u->one, refs);
	else if (u->sim)
		sim_run(u->sim, refs, n_ids);
	else if (u->steps)
		steps_run(u->steps, refs, n_ids);
	else if (u->ranks)
		ranks_run(u->ranks, refs, n_ids);
	else if (u->lists)
		lists_run(u->lists, refs, n_ids);
	else if (u->turns)
		turns_run(u->turns, refs);
	else
		run_stack(u, refs, n_ids);
}

bool unit_takes_windows(const struct unit *u)
{
	return u->sim && sim_takes_windows(u->sim);
}

/* Of its i-th cache, warm-up and all. Those by stack distance are in its histograms. */
static struct misses misses_of(const struct unit *u, size_t i)
{
	unsigned k = (unsigned)i;
	return u->one     ? u->one->misses
	       : u->sim   ? sim_misses(u->sim)
	       : u->steps ? steps_misses(u->steps, k)
	       : u->ranks ? ranks_misses(u->ranks, k)
	       : u->lists ? lists_misses(u->lists, k)
	       : u->turns ? turns_misses(u->turns, k)
			  : (struct misses){0, 0};
}

void unit_reset_counts(struct unit *u)
{
	for (size_t i = 0; i < u->n; i++)
		u->before[i] = misses_of(u, i);
	if (u->lru)
		stackdist_reset_counts(u->lru);
	if (u->mru)
		mrustack_reset_counts(u->mru);
	for (size_t i = 0; i <= u->n; i++)
		u->hits[i] = u->hit_bytes[i] = 0;
}

/* Sizes in blocks, from the whole histogram of references, or of bytes, by distance. */
static void harvest_histogram(const struct unit *u, struct run_cache *cache, const uint64_t *hist, uint32_t max,
			      bool bytes)
{
	uint64_t misses = 0;
	size_t i = 0;
	for (uint32_t d = 0; hist && d <= max; d++)
		misses += hist[d];
	for (uint32_t d = 0; i < u->n; d++) {
		if (hist && d && d <= max)
			misses -= hist[d];
		for (; i < u->n && (u->size[i] == d || d >= max); i++)
			*(bytes ? &cache[u->of[i]].miss_bytes : &cache[u->of[i]].misses) = misses;
	}
}

static void harvest_histograms(const struct unit *u, struct run_cache *cache)
{
	uint32_t max;
	const uint64_t *bytes = NULL;
	const uint64_t *hist = u->mru ? mrustack_histogram(u->mru, &max, &bytes) : stackdist_histogram(u->lru, &max);
	harvest_histogram(u, cache, hist, max, false);
	harvest_histogram(u, cache, bytes, max, true);
}

void unit_harvest(const struct unit *u, struct run_cache *cache)
{
	uint64_t larger = 0, larger_bytes = 0;
	for (size_t i = u->n; i-- > 0;) {
		struct run_cache *c = &cache[u->of[i]];
		struct misses all = misses_of(u, i);
		larger += u->hits[i + 1];
		larger_bytes += u->hit_bytes[i + 1];
		c->misses = all.n - u->before[i].n + larger;
		c->miss_bytes = all.bytes - u->before[i].bytes + larger_bytes;
	}
	if ((u->lru || u->mru) && !larger && !u->hits[0])
		harvest_histograms(u, cache);
}

void unit_free(struct unit *u)
{
	if (!u)
		return;
	sim_free(u->sim);
	steps_free(u->steps);
	ranks_free(u->ranks);
	lists_free(u->lists);
	turns_free(u->turns);
	stackdist_free(u->lru);
	optstack_free(u->opt);
	optsizes_free(u->few);
	bytedist_free(u->bytes);
	mrustack_free(u->mru);
	free_all(u->one, u->of, u->size, u->before, u->hits, u->hit_bytes);
	free(u);
}

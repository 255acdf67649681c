/* SPDX-License-Identifier: MIT */
/* See simulate.h. The policy's own run() does the work; here are its tables, one entry per id, that grow with the ids.
 *
 * By bytes: a block larger than the whole cache is not cached; a block in the cache keeps the size it came with.
 *
 * A front: a block is in the LRU front or behind it. A reference outside the front fetches the block into the front
 * (from behind it: a hit, it leaves there) and the front's last block is admitted behind it. What the policy sees
 * depends only on the front's fetches and evictions. */
#include "trace/simulate/simulate.h"

#include "data/bigmem.h"
#include "data/mem.h"

#include <stdlib.h>

/* A policy with its tables. */
struct half {
	const struct policy *policy;
	struct policy_sim sim;
	size_t state_size;
	size_t nodes; /* that there is room for */
};

struct sim {
	struct sim_spec spec;
	struct half back, front;     /* back alone, unless there is a front */
	uint64_t misses, miss_bytes; /* with a front */
};

enum { NEAR_BYTES = 1 << 18 };

static const struct policy *front_policy(void)
{
	return policy_find("lru");
}

enum rc sim_check(const struct sim_spec *s, struct err *e)
{
	const struct policy *p = s->policy;
	if (s->by_bytes && s->size > POLICY_MAX_BYTES)
		return err_set(e, RC_INPUT, "a cache of %llu bytes is too large (at most 2^60)",
			       (unsigned long long)s->size);
	if (s->by_bytes && (s->front || (s->size && !p->sim_size(s->size, true))))
		return err_set(e, RC_INPUT, "policy '%s' cannot have a size in bytes", p->name);
	if (s->front && !p->sim_drop)
		return err_set(e, RC_INPUT, "policy '%s' cannot be used behind an LRU front", p->name);
	if (s->front && s->front >= s->size)
		return err_set(e, RC_INPUT, "the LRU front (%llu) must be smaller than the cache (%llu)",
			       (unsigned long long)s->front, (unsigned long long)s->size);
	if (s->front > POLICY_MAX_CAP || !p->sim_size(s->size - s->front, s->by_bytes))
		return err_set(e, RC_INPUT, "policy '%s' cannot have size %llu", p->name, (unsigned long long)s->size);
	return RC_OK;
}

static void half_init(struct half *h, const struct policy *p, uint64_t limit, bool by_bytes, uint64_t seed)
{
	h->policy = p;
	h->state_size = p->sim_size(limit, by_bytes);
	h->sim.state = bigmem_alloc(h->state_size);
	p->sim_init(h->sim.state, limit, by_bytes, seed);
}

static void half_grow(struct half *h, uint32_t n_ids, bool by_bytes)
{
	size_t need = (size_t)n_ids + POLICY_FIRST_NODE, n = ceil_pow2(need < 1024 ? 1024 : need);
	if (need <= h->nodes)
		return;
	h->sim.node = bigmem_grow(h->sim.node, h->nodes * h->policy->node_size, n * h->policy->node_size);
	if (by_bytes)
		h->sim.size = bigmem_grow(h->sim.size, h->nodes * sizeof *h->sim.size, n * sizeof *h->sim.size);
	h->nodes = n;
	h->sim.near = n * h->policy->node_size <= NEAR_BYTES;
}

static void half_release(struct half *h)
{
	if (!h->policy)
		return;
	bigmem_free(h->sim.state, h->state_size);
	bigmem_free(h->sim.node, h->nodes * h->policy->node_size);
	bigmem_free(h->sim.size, h->nodes * sizeof *h->sim.size);
}

enum rc sim_new(struct sim **out, const struct sim_spec *spec, struct err *e)
{
	enum rc rc = sim_check(spec, e);
	if (rc)
		return rc;
	struct sim *s = mem_zalloc(sizeof *s);
	s->spec = *spec;
	half_init(&s->back, spec->policy, spec->size - spec->front, spec->by_bytes, spec->seed);
	if (spec->front)
		half_init(&s->front, front_policy(), spec->front, false, 0);
	*out = s;
	return RC_OK;
}

static struct policy_core *core(const struct half *h)
{
	return h->sim.state;
}

static void run_one(const struct half *h, uint32_t id)
{
	h->policy->run(&h->sim, &(struct policy_refs){.id = &id, .n = 1});
}

static void run_front(struct sim *s, const struct policy_refs *r)
{
	const struct policy *p = s->back.policy;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t id = r->id[i];
		bool in_front = s->front.policy->sim_has(&s->front.sim, id);
		if (!in_front && p->sim_has(&s->back.sim, id)) {
			p->sim_drop(&s->back.sim, id);
		} else if (!in_front) {
			s->misses++;
			s->miss_bytes += r->size ? r->size[i] : 0;
			if (r->missed)
				r->missed[i] = 1;
		}
		core(&s->front)->victim = 0;
		run_one(&s->front, id);
		if (core(&s->front)->victim)
			run_one(&s->back, core(&s->front)->victim - 1);
	}
}

bool sim_takes_windows(const struct sim *s)
{
	return !s->spec.front && !(s->spec.policy->flags & (POLICY_FUTURE | POLICY_PLACED));
}

void sim_run(struct sim *s, const struct policy_refs *refs, uint32_t n_ids)
{
	half_grow(&s->back, n_ids, s->spec.by_bytes);
	if (!s->spec.front) {
		s->back.policy->run(&s->back.sim, refs);
		return;
	}
	half_grow(&s->front, n_ids, false);
	run_front(s, refs);
}

struct misses sim_misses(const struct sim *s)
{
	if (s->spec.front)
		return (struct misses){s->misses, s->miss_bytes};
	return (struct misses){core(&s->back)->misses, core(&s->back)->miss_bytes};
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	half_release(&s->back);
	half_release(&s->front);
	free(s);
}

/* SPDX-License-Identifier: MIT */
/* See simulate.h. Three kinds of cache share the index id → slot:
 * plain      the policy's own run();
 * by bytes   the policy orders slots, evict() is called until the new block fits; a block larger than the whole cache
 *            is not cached; a block whose size changed is accounted for anew;
 * front exclusive halves: a block is in the LRU front or behind it. A reference outside the front fetches the block
 *            into the front (from behind it: a hit, its slot there is dropped) and the front's last block is admitted
 *            behind it. What the policy sees depends only on the front's fetches and evictions. */
#include "trace/simulate.h"

#include "data/bigmem.h"
#include "data/mem.h"

#include <stdlib.h>

struct sim {
	struct sim_spec spec;
	void *state;
	size_t state_size;
	uint32_t cap;
	struct policy_index ix;
	uint32_t n_ids;         /* ix.slot_of has room for */
	uint32_t *bytes_of;     /* by_bytes: per slot */
	uint64_t bytes;         /* by_bytes: in the cache */
	struct policy_index fx; /* front */
	void *front_state;
	size_t front_size;
};

enum { MAX_SLOTS_BY_BYTES = 1 << 28, NEAR_BYTES = 1 << 18 };

static const struct policy *front_policy(void)
{
	return policy_find("lru");
}

static enum rc check(const struct sim_spec *s, struct err *e)
{
	const struct policy *p = s->policy;
	if (s->by_bytes && (!p->evict || s->front))
		return err_set(e, RC_INPUT, "policy '%s' cannot have a size in bytes", p->name);
	if (s->front && (p->flags & (POLICY_FUTURE | POLICY_PLACED)))
		return err_set(e, RC_INPUT, "policy '%s' cannot be used behind an LRU front", p->name);
	if (s->front && s->front >= s->size)
		return err_set(e, RC_INPUT, "the LRU front (%llu) must be smaller than the cache (%llu)",
			       (unsigned long long)s->front, (unsigned long long)s->size);
	uint64_t cap = s->by_bytes ? 1 : s->size - s->front;
	if (s->size == 0 || cap > POLICY_MAX_CAP || s->front > POLICY_MAX_CAP || !p->state_size((uint32_t)cap))
		return err_set(e, RC_INPUT, "policy '%s' cannot have size %llu", p->name, (unsigned long long)s->size);
	return RC_OK;
}

enum rc sim_new(struct sim **out, const struct sim_spec *spec, struct err *e)
{
	enum rc rc = check(spec, e);
	if (rc)
		return rc;
	struct sim *s = mem_zalloc(sizeof *s);
	s->spec = *spec;
	uint64_t slots = spec->size - spec->front;
	if (spec->by_bytes && slots > MAX_SLOTS_BY_BYTES)
		slots = MAX_SLOTS_BY_BYTES;
	s->cap = (uint32_t)slots;
	s->state_size = spec->policy->state_size(s->cap);
	s->state = bigmem_alloc(s->state_size);
	spec->policy->init(s->state, s->cap, spec->seed);
	s->ix.id_in = bigmem_alloc((size_t)s->cap * sizeof *s->ix.id_in);
	if (spec->by_bytes)
		s->bytes_of = bigmem_alloc((size_t)s->cap * sizeof *s->bytes_of);
	if (spec->front) {
		s->front_size = front_policy()->state_size((uint32_t)spec->front);
		s->front_state = bigmem_alloc(s->front_size);
		front_policy()->init(s->front_state, (uint32_t)spec->front, 0);
		s->fx.id_in = bigmem_alloc(spec->front * sizeof *s->fx.id_in);
	}
	*out = s;
	return RC_OK;
}

static void index_grow(struct sim *s, uint32_t n_ids)
{
	if (n_ids <= s->n_ids)
		return;
	size_t n = ceil_pow2(n_ids < 1024 ? 1024 : n_ids), size = sizeof *s->ix.slot_of;
	s->ix.slot_of = bigmem_grow(s->ix.slot_of, s->n_ids * size, n * size);
	if (s->spec.front)
		s->fx.slot_of = bigmem_grow(s->fx.slot_of, s->n_ids * size, n * size);
	s->n_ids = (uint32_t)n;
	s->ix.near = n * size + s->state_size <= NEAR_BYTES;
}

static void forget_slot(struct sim *s, uint32_t slot)
{
	s->ix.slot_of[s->ix.id_in[slot] - 1] = 0;
	s->ix.id_in[slot] = 0;
	if (s->bytes_of)
		s->bytes -= s->bytes_of[slot];
}

static void place(struct policy_index *ix, uint32_t id, uint32_t slot)
{
	ix->slot_of[id] = slot + 1;
	ix->id_in[slot] = id + 1;
}

/* Makes the block's size known; blocks go until all fit, this one too if it must. */
static void set_bytes(struct sim *s, uint32_t slot, uint32_t size)
{
	s->bytes += size;
	s->bytes -= s->bytes_of[slot];
	s->bytes_of[slot] = size;
	while (s->bytes > s->spec.size)
		forget_slot(s, s->spec.policy->evict(s->state));
}

static void run_by_bytes(struct sim *s, const struct policy_refs *r)
{
	const struct policy *p = s->spec.policy;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t id = r->id[i], slot = s->ix.slot_of[id], size = r->size[i];
		if (slot) {
			p->hit(s->state, slot - 1);
			set_bytes(s, slot - 1, size);
			continue;
		}
		s->ix.misses++;
		s->ix.miss_bytes += size;
		if (size > s->spec.size)
			continue;
		while (s->bytes + size > s->spec.size)
			forget_slot(s, p->evict(s->state));
		slot = p->admit(s->state, id);
		if (slot == POLICY_BYPASS)
			continue;
		if (s->ix.id_in[slot])
			forget_slot(s, slot);
		place(&s->ix, id, slot);
		s->bytes_of[slot] = size;
		s->bytes += size;
	}
}

static void run_front(struct sim *s, const struct policy_refs *r)
{
	const struct policy *p = s->spec.policy, *f = front_policy();
	for (size_t i = 0; i < r->n; i++) {
		uint32_t id = r->id[i];
		if (s->fx.slot_of[id]) {
			f->hit(s->front_state, s->fx.slot_of[id] - 1);
			continue;
		}
		uint32_t behind = s->ix.slot_of[id];
		if (behind) {
			p->drop(s->state, behind - 1);
			forget_slot(s, behind - 1);
		} else {
			s->ix.misses++;
			s->ix.miss_bytes += r->size ? r->size[i] : 0;
		}
		uint32_t slot = f->admit(s->front_state, id), demoted = s->fx.id_in[slot];
		if (demoted) {
			s->fx.slot_of[demoted - 1] = 0;
			uint32_t to = p->admit(s->state, demoted - 1);
			if (to != POLICY_BYPASS) {
				if (s->ix.id_in[to])
					forget_slot(s, to);
				place(&s->ix, demoted - 1, to);
			}
		}
		place(&s->fx, id, slot);
	}
}

void sim_run(struct sim *s, const struct policy_refs *refs, uint32_t n_ids)
{
	index_grow(s, n_ids);
	if (s->spec.by_bytes)
		run_by_bytes(s, refs);
	else if (s->spec.front)
		run_front(s, refs);
	else
		s->spec.policy->run(s->state, &s->ix, refs);
}

void sim_reset_counts(struct sim *s)
{
	s->ix.misses = s->ix.miss_bytes = 0;
}

uint64_t sim_misses(const struct sim *s)
{
	return s->ix.misses;
}

uint64_t sim_miss_bytes(const struct sim *s)
{
	return s->ix.miss_bytes;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	bigmem_free(s->state, s->state_size);
	bigmem_free(s->ix.slot_of, s->n_ids * sizeof *s->ix.slot_of);
	bigmem_free(s->ix.id_in, (size_t)s->cap * sizeof *s->ix.id_in);
	if (s->spec.by_bytes)
		bigmem_free(s->bytes_of, (size_t)s->cap * sizeof *s->bytes_of);
	if (s->spec.front) {
		bigmem_free(s->front_state, s->front_size);
		bigmem_free(s->fx.slot_of, s->n_ids * sizeof *s->fx.slot_of);
		bigmem_free(s->fx.id_in, s->spec.front * sizeof *s->fx.id_in);
	}
	free(s);
}

/* SPDX-License-Identifier: MIT */
/* Cache simulation. LRU at every size comes from the stack distances of stream, direct-mapped caches from the policy
 * of base. What is added here is the output: the same input with another output is no hit. */
#include "profile/caches.h"

#include "base/policy.h"
#include "data/mem.h"
#include "stream/stackdist.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

static struct call_key key_at(const struct calls *c, bool strict, size_t i)
{
	return strict ? c->call.at[i].strict : c->call.at[i].loose;
}

static size_t n_inputs(const struct calls *c, bool strict)
{
	return strict ? c->in_strict.value.n : c->in_loose.value.n;
}

/* Inputs that gave more than one output: counted per call that differs from the output before. */
static uint64_t count_conflicts(const struct calls *c, bool strict)
{
	int64_t *last = mem_alloc(mem_mul(n_inputs(c, strict), sizeof *last));
	uint64_t n = 0;
	memset(last, 0xff, n_inputs(c, strict) * sizeof *last);
	for (size_t i = 0; i < c->call.n; i++) {
		if (c->call.at[i].cut)
			continue;
		struct call_key k = key_at(c, strict, i);
		n += last[k.in] != NONE && last[k.in] != (int64_t)k.out;
		last[k.in] = k.out;
	}
	free(last);
	return n;
}

/* What hits save. Calls come in order of return, inner ones first: what is saved inside a call of the same function
 * counts only if that call itself runs, and never more than it cost. */
struct saving {
	uint64_t total, pending;
	uint64_t kernel, kernel_pending;
	uint64_t asking; /* hits on calls that ask the world */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void saving_add(struct saving *s, const struct call *c, bool hit)
{
	s->asking += hit && c->asks;
	if (c->nested) {
		if (hit) {
			s->pending += c->cost;
			s->kernel_pending += c->kernel;
		}
		return;
	}
	s->total += hit ? c->cost : least(s->pending, c->cost);
	s->kernel += hit ? c->kernel : least(s->kernel_pending, c->kernel);
	s->pending = s->kernel_pending = 0;
}

/* One entry per place; place(i) names it, tag(i) is what the entry must hold. */
static void simulate_map(const struct calls *c, bool strict, const uint32_t *place, size_t n_places, bool whole_key,
			 struct cache_result *out)
{
	struct entry {
		int64_t in, out;
	} *at = mem_alloc(mem_mul(n_places, sizeof *at));
	struct saving s = {0};
	memset(at, 0xff, n_places * sizeof *at);
	for (size_t i = 0; i < c->call.n; i++) {
		struct call_key k = key_at(c, strict, i);
		struct entry *e = &at[place ? place[i] : 0];
		if (c->call.at[i].alone) {
			saving_add(&s, &c->call.at[i], false);
			continue;
		}
		bool same = e->in == (int64_t)k.in, hit = same && e->out == (int64_t)k.out;
		out->entries += e->in == NONE && whole_key;
		out->hits += hit;
		out->invalidations += same && !hit;
		*e = (struct entry){k.in, k.out};
		saving_add(&s, &c->call.at[i], hit);
	}
	out->saved = s.total;
	out->saved_kernel = s.kernel;
	out->asking = s.asking;
	free(at);
}

static uint32_t *places_by_instance(const struct calls *c)
{
	uint32_t *p = mem_alloc(mem_mul(c->call.n, sizeof *p));
	for (size_t i = 0; i < c->call.n; i++)
		p[i] = c->call.at[i].instance;
	return p;
}

static uint32_t *places_by_input(const struct calls *c, bool strict)
{
	uint32_t *p = mem_alloc(mem_mul(c->call.n, sizeof *p));
	for (size_t i = 0; i < c->call.n; i++)
		p[i] = key_at(c, strict, i).in;
	return p;
}

/* (instance, input) pairs as numbers; *largest: the most inputs of one instance. */
static uint32_t *places_by_pair(const struct calls *c, bool strict, size_t *n, uint64_t *largest)
{
	struct numbering pairs = {0};
	uint32_t *p = mem_alloc(mem_mul(c->call.n, sizeof *p));
	uint32_t *size = mem_zalloc(mem_mul(c->instance.value.n, sizeof *size));
	*largest = 0;
	for (size_t i = 0; i < c->call.n; i++) {
		uint32_t instance = c->call.at[i].instance;
		size_t before = pairs.value.n;
		p[i] = numbering_of(&pairs, (uint64_t)instance << 32 | key_at(c, strict, i).in);
		if (pairs.value.n > before && ++size[instance] > *largest)
			*largest = size[instance];
	}
	*n = pairs.value.n;
	numbering_release(&pairs);
	free(size);
	return p;
}

static void table_one(const struct calls *c, struct caches *s)
{
	size_t n;
	uint64_t largest;
	simulate_map(c, s->strict, NULL, 1, false, &s->single_global);
	s->single_global.entries = 1;
	uint32_t *p = places_by_instance(c);
	simulate_map(c, s->strict, p, c->instance.value.n, false, &s->single_instance);
	s->single_instance.entries = 1;
	free(p);
	p = places_by_input(c, s->strict);
	simulate_map(c, s->strict, p, n_inputs(c, s->strict), true, &s->multi_global);
	free(p);
	p = places_by_pair(c, s->strict, &n, &largest);
	simulate_map(c, s->strict, p, n, true, &s->multi_instance);
	s->multi_instance.entries = largest;
	free(p);
}

/* ---- LRU */

/* hist[d]: hits at stack distance d (1: the most recent input again) among the first n calls. */
static void lru_histogram(const struct calls *c, bool strict, size_t n, uint64_t *hist)
{
	size_t inputs = n_inputs(c, strict);
	int64_t *last = mem_alloc(mem_mul(inputs, sizeof *last));
	struct stackdist *stack = stackdist_new();
	memset(last, 0xff, inputs * sizeof *last);
	for (size_t i = 0; i < n; i++) {
		if (c->call.at[i].alone)
			continue;
		struct call_key k = key_at(c, strict, i);
		uint32_t distance = stackdist_reference(stack, k.in);
		if (last[k.in] == (int64_t)k.out)
			hist[distance]++;
		last[k.in] = k.out;
	}
	stackdist_free(stack);
	free(last);
}

/* The smallest LRU size with 98 % of the hits. */
static size_t enough(const uint64_t *hist, size_t inputs)
{
	uint64_t all = 0, sum = 0;
	for (size_t d = 1; d <= inputs; d++)
		all += hist[d];
	for (size_t d = 1; d <= inputs; d++) {
		sum += hist[d];
		if (sum * 50 >= all * 49)
			return d;
	}
	return 0;
}

static void simulate_lru(const struct calls *c, struct caches *s)
{
	size_t inputs = n_inputs(c, s->strict);
	uint64_t *hist = mem_zalloc(mem_mul(inputs + 2, sizeof *hist));
	lru_histogram(c, s->strict, c->call.n / 2, hist);
	s->half_enough = enough(hist, inputs);
	memset(hist, 0, (inputs + 2) * sizeof *hist);
	lru_histogram(c, s->strict, c->call.n, hist);
	s->lru_enough = enough(hist, inputs);
	uint64_t sum = 0;
	int next = 0;
	for (size_t d = 1; d <= inputs; d++) {
		sum += hist[d];
		if (next < CACHES_SIZES && d == (size_t)1 << next)
			s->lru_hits[next++] = sum;
	}
	for (; next < CACHES_SIZES; next++)
		s->lru_hits[next] = sum;
	free(hist);
}

/* Hits of a run-time cache with one of base's policies; slot holds cap entries. */
struct slot {
	int64_t in, out;
};

static uint64_t policy_hits(const struct calls *c, bool strict, const struct policy *policy, uint32_t cap,
			    struct slot *slot)
{
	const uint64_t *digest = strict ? c->in_strict.value.at : c->in_loose.value.at;
	void *state = mem_zalloc(policy->state_size(cap));
	uint64_t hits = 0;
	policy->init(state, cap, 0);
	memset(slot, 0xff, cap * sizeof *slot);
	for (size_t i = 0; i < c->call.n; i++) {
		if (c->call.at[i].alone)
			continue;
		struct call_key k = key_at(c, strict, i);
		uint64_t hash = mix64(digest[k.in]);
		uint32_t s = policy->place(state, hash);
		if (slot[s].in == (int64_t)k.in) {
			policy->hit(state, s);
			hits += slot[s].out == (int64_t)k.out;
		} else {
			s = policy->admit(state, hash);
		}
		slot[s] = (struct slot){k.in, k.out};
	}
	free(state);
	return hits;
}

static void simulate_direct(const struct calls *c, struct caches *s)
{
	const struct policy *direct = policy_find("direct");
	struct slot *slot = mem_alloc(sizeof *slot << (CACHES_SIZES - 1));
	for (int size = 0; size < CACHES_SIZES; size++)
		s->direct_hits[size] = policy_hits(c, s->strict, direct, (uint32_t)1 << size, slot);
	free(slot);
}

/* Different inputs; a call whose input is not known whole counts as one of its own. */
static uint64_t count_distinct(const struct calls *c, bool strict)
{
	size_t inputs = n_inputs(c, strict);
	bool *seen = mem_zalloc(inputs + 1);
	uint64_t n = 0;
	for (size_t i = 0; i < c->call.n; i++) {
		uint32_t in = key_at(c, strict, i).in;
		n += c->call.at[i].cut || !seen[in];
		seen[in] |= !c->call.at[i].cut;
	}
	free(seen);
	return n;
}

void caches_simulate(const struct calls *c, struct caches *out)
{
	*out = (struct caches){.calls = c->call.n};
	if (!c->call.n)
		return;
	out->conflicts = count_conflicts(c, false);
	if (out->conflicts) {
		uint64_t strict = count_conflicts(c, true);
		out->strict = strict < out->conflicts;
		if (out->strict)
			out->conflicts = strict;
	}
	out->distinct = count_distinct(c, out->strict);
	table_one(c, out);
	simulate_lru(c, out);
	simulate_direct(c, out);
}

uint32_t caches_key(const struct calls *c, const struct caches *s, size_t i)
{
	return key_at(c, s->strict, i).in;
}

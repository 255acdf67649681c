/* SPDX-License-Identifier: MIT */
/* See mrc.h.
 *
 * SHARDS (Waldspurger et al.): only keys whose hash is below a threshold T of P are followed, the rate is R = T/P.
 * A followed reference stands for 1/R references and its stack distance d among the followed keys for d/R. With a
 * limit on followed keys the one with the largest hash is forgotten when there are too many, and T falls to that
 * hash; what was counted before keeps the weight it had. The count correction: the weights should add up to the
 * number of references; the difference goes to the smallest distance (SHARDS-adj). */
#include "trace/mrc.h"

#include "data/bigmem.h"
#include "data/idmap.h"
#include "data/mem.h"
#include "stream/stackdist.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_BUCKETS = 2048, STEPS = 1024, BUCKETS = EXACT_BUCKETS + 53 * STEPS, HASH_BITS = 30 };

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

/* ---- the sample */

struct followed {
	uint64_t key;
	uint32_t hash;
	uint32_t heap; /* its place there */
};

struct sample {
	uint64_t threshold;
	struct keymap map;
	VEC(struct followed) key;
	VEC(uint32_t) free, heap; /* unused numbers; a max-heap of numbers by hash */
	struct stackdist *stack;
	double *weight; /* BUCKETS */
	double total;
	uint64_t limit;
};

static uint32_t sample_hash(uint64_t key)
{
	return (uint32_t)(mix64(key + 0x9e3779b97f4a7c15u) >> (64 - HASH_BITS));
}

/* Buckets: every distance up to 2047, then 1024 per power of two. */
static size_t bucket_of(uint64_t size)
{
	if (size < EXACT_BUCKETS)
		return (size_t)size;
	unsigned e = log2_of(size) - 10;
	return EXACT_BUCKETS + (size_t)(e - 1) * STEPS + (size_t)((size >> e) - STEPS);
}

static uint64_t bucket_end(size_t b)
{
	if (b < EXACT_BUCKETS)
		return b;
	unsigned e = (unsigned)((b - EXACT_BUCKETS) / STEPS) + 1;
	uint64_t step = (b - EXACT_BUCKETS) % STEPS + STEPS;
	return ((step + 1) << e) - 1;
}

static void heap_put(struct sample *s, size_t i, uint32_t x)
{
	s->heap.at[i] = x;
	s->key.at[x].heap = (uint32_t)i;
}

static void heap_push(struct sample *s, uint32_t x)
{
	size_t i = s->heap.n;
	vec_push(&s->heap, x);
	for (; i && s->key.at[s->heap.at[(i - 1) / 2]].hash < s->key.at[x].hash; i = (i - 1) / 2)
		heap_put(s, i, s->heap.at[(i - 1) / 2]);
	heap_put(s, i, x);
}

static uint32_t heap_pop(struct sample *s)
{
	uint32_t top = s->heap.at[0], x = vec_pop(&s->heap);
	size_t i = 0, n = s->heap.n;
	if (!n)
		return top;
	for (size_t c; (c = 2 * i + 1) < n; i = c) {
		if (c + 1 < n && s->key.at[s->heap.at[c + 1]].hash > s->key.at[s->heap.at[c]].hash)
			c++;
		if (s->key.at[s->heap.at[c]].hash <= s->key.at[x].hash)
			break;
		heap_put(s, i, s->heap.at[c]);
	}
	heap_put(s, i, x);
	return top;
}

static uint32_t follow(struct sample *s, uint64_t key, uint32_t hash)
{
	uint32_t x = keymap_find(&s->map, key);
	if (x)
		return x - 1;
	if (s->free.n)
		x = vec_pop(&s->free);
	else
		x = (uint32_t)((void)vec_add(&s->key), s->key.n - 1);
	s->key.at[x] = (struct followed){key, hash, 0};
	keymap_reserve(&s->map, 1, &base_heap);
	keymap_insert(&s->map, key, x);
	if (s->limit)
		heap_push(s, x);
	return x;
}

/* Forgets the keys of the largest hash until the limit holds. */
static void lower_threshold(struct sample *s)
{
	while (s->heap.n > s->limit) {
		s->threshold = s->key.at[s->heap.at[0]].hash;
		while (s->heap.n && s->key.at[s->heap.at[0]].hash >= s->threshold) {
			uint32_t x = heap_pop(s);
			keymap_remove(&s->map, s->key.at[x].key);
			stackdist_forget(s->stack, x);
			vec_push(&s->free, x);
		}
	}
}

static void sample_feed(struct sample *s, struct mrc *m, const uint64_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t hash = sample_hash(keys[i]);
		if (hash >= s->threshold)
			continue;
		double weight = (double)(UINT64_C(1) << HASH_BITS) / (double)s->threshold;
		uint32_t d = stackdist_reference(s->stack, follow(s, keys[i], hash));
		m->sampled++;
		s->total += weight;
		if (d)
			s->weight[bucket_of((uint64_t)llround(d * weight))] += weight;
		if (s->limit && s->heap.n > s->limit)
			lower_threshold(s);
	}
}

static void sample_init(struct sample *s, const struct mrc_options *o)
{
	double rate = o->rate > 0 ? o->rate : 1;
	*s = (struct sample){.threshold = (uint64_t)(rate * (double)(UINT64_C(1) << HASH_BITS)),
			     .limit = o->max_sample};
	if (!s->threshold)
		s->threshold = 1;
	s->stack = stackdist_new();
	s->weight = mem_zalloc(BUCKETS * sizeof *s->weight);
	keymap_reserve(&s->map, 1, &base_heap);
}

static void sample_release(struct sample *s)
{
	keymap_release(&s->map, &base_heap);
	vec_release_all(&s->key, &s->free, &s->heap);
	stackdist_free(s->stack);
	free(s->weight);
}

static void sample_points(struct sample *s, struct mrc *m)
{
	double hits = (double)m->requests - s->total; /* the count correction */
	m->final_rate = (double)s->threshold / (double)(UINT64_C(1) << HASH_BITS);
	m->distinct = (uint64_t)llround((double)s->map.n / m->final_rate);
	for (size_t b = 0; b < BUCKETS; b++) {
		hits += s->weight[b];
		if (!s->weight[b] && b != 1)
			continue;
		double misses = (double)m->requests - hits;
		misses = misses < 0 ? 0 : misses > (double)m->requests ? (double)m->requests : misses;
		vec_push(&m->points, ((struct mrc_point){bucket_end(b), (uint64_t)llround(misses)}));
	}
}

/* ---- exact */

static void exact_points(const struct stackdist *s, struct mrc *m, uint32_t distinct)
{
	uint32_t max;
	const uint64_t *hist = stackdist_histogram(s, &max);
	uint64_t misses = m->requests;
	for (uint32_t size = 1; size <= distinct; size++) {
		misses -= hist[size];
		vec_push(&m->points, ((struct mrc_point){size, misses}));
	}
	m->distinct = distinct;
}

static void compare(struct mrc *m, const struct stackdist *s, uint32_t distinct)
{
	struct mrc exact = {.requests = m->requests};
	double sum = 0;
	exact_points(s, &exact, distinct);
	for (size_t i = 0; i < exact.points.n; i++) {
		double diff = fabs((double)exact.points.at[i].misses - (double)mrc_misses(m, exact.points.at[i].size)) /
			      (double)m->requests;
		sum += diff;
		m->max_error = diff > m->max_error ? diff : m->max_error;
	}
	m->mean_error = exact.points.n ? sum / (double)exact.points.n : 0;
	m->checked = true;
	vec_release(&exact.points);
}

enum rc mrc_compute(struct trace_reader *r, const struct mrc_options *o, struct mrc *m, struct err *e)
{
	bool sampled = o->rate > 0 || o->max_sample, exact = !sampled || o->check || o->histograms;
	uint32_t *ids = mem_alloc(TRACE_BLOCK * sizeof *ids);
	struct idmap map;
	struct sample s = {0};
	struct stackdist *stack = exact ? stackdist_new() : NULL;
	struct reuse_times times = {0};
	struct trace_block b;
	enum rc rc;
	*m = (struct mrc){0};
	idmap_init(&map);
	if (sampled)
		sample_init(&s, o);
	while ((rc = trace_next(r, &b, e)) == RC_OK && b.n) {
		if (o->tick && !o->tick(o->user, m->requests)) {
			rc = err_set(e, RC_STOPPED, "stopped");
			break;
		}
		if (exact) {
			if ((rc = idmap_map(&map, b.keys, ids, b.n, e)))
				break;
			stackdist_feed(stack, ids, b.n, map.n);
			if (o->histograms)
				count_times(&times, &m->time, ids, b.n, map.n, m->requests);
		}
		if (sampled)
			sample_feed(&s, m, b.keys, b.n);
		m->requests += b.n;
	}
	if (!rc && sampled)
		sample_points(&s, m);
	if (!rc && exact && !sampled)
		exact_points(stack, m, map.n);
	if (!rc && o->check && sampled)
		compare(m, stack, map.n);
	if (!rc && o->histograms) {
		uint32_t max;
		const uint64_t *hist = stackdist_histogram(stack, &max);
		count_distances(&m->distance, hist, max);
	}
	if (sampled)
		sample_release(&s);
	vec_release(&times.last);
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

size_t mrc_knee(const struct mrc *m, uint64_t from_size)
{
	size_t first = 0, n = m->points.n, best;
	while (first + 1 < n && m->points.at[first].size < from_size)
		first++;
	best = first;
	if (!n)
		return 0;
	struct mrc_point a = m->points.at[first], z = m->points.at[n - 1];
	double width = (double)(z.size - a.size), height = (double)a.misses - (double)z.misses, depth = 0;
	for (size_t i = first; i < n && width > 0; i++) {
		double line = (double)a.misses - height * (double)(m->points.at[i].size - a.size) / width;
		double below = line - (double)m->points.at[i].misses;
		if (below > depth) {
			depth = below;
			best = i;
		}
	}
	return best;
}

void mrc_release(struct mrc *m)
{
	vec_release(&m->points);
}

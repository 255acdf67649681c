/* SPDX-License-Identifier: MIT */
/* See shards.h.
 *
 * SHARDS (Waldspurger et al.): only keys whose hash is below a threshold T of P are followed, the rate is R = T/P.
 * A followed reference stands for 1/R references and its stack distance d among the followed keys for d/R. With a
 * limit on followed keys the one with the largest hash is forgotten when there are too many, and T falls to that
 * hash; what was counted before keeps the weight it had. The count correction: the weights should add up to the
 * number of references; the difference goes to the smallest distance (SHARDS-adj).
 *
 * Distances below 1/R do not occur and small multiples are rare, so the curve starts at 64/R. For the error
 * estimate the followed keys are dealt into groups, each a sample of its own with a curve of its own: how far these
 * curves are apart says how far their mean is from the truth, the standard error at each of some sizes. */
#include "trace/simulate/shards.h"

#include "data/bigmem.h"
#include "data/mem.h"
#include "stream/stackdist.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_BUCKETS = 2048, STEPS = 1024, BUCKETS = EXACT_BUCKETS + 53 * STEPS, HASH_BITS = 30 };
enum { GROUPS = 16, COARSE = 256 };
#define WHOLE (UINT64_C(1) << HASH_BITS)

struct followed {
	uint64_t key;
	uint32_t hash;
	uint32_t heap; /* its place there */
};

struct shards {
	uint64_t threshold, least; /* of the hash; it does not fall below the least */
	struct keymap map;
	VEC(struct followed) key;
	VEC(uint32_t) free, heap; /* unused numbers; a max-heap of numbers by hash */
	struct stackdist *stack;
	double *weight; /* BUCKETS */
	double total;
	uint64_t limit;   /* keys; 0: none */
	uint64_t sampled; /* references */
	double group_total[GROUPS], group[GROUPS][COARSE];
};

static unsigned log2_of(uint64_t v)
{
	return 63 - (unsigned)__builtin_clzll(v);
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

static void heap_put(struct shards *s, size_t i, uint32_t x)
{
	s->heap.at[i] = x;
	s->key.at[x].heap = (uint32_t)i;
}

static void heap_push(struct shards *s, uint32_t x)
{
	size_t i = s->heap.n;
	vec_push(&s->heap, x);
	for (; i && s->key.at[s->heap.at[(i - 1) / 2]].hash < s->key.at[x].hash; i = (i - 1) / 2)
		heap_put(s, i, s->heap.at[(i - 1) / 2]);
	heap_put(s, i, x);
}

static uint32_t heap_pop(struct shards *s)
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

static uint32_t follow(struct shards *s, uint64_t key, uint32_t hash)
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

static void forget_top(struct shards *s)
{
	uint32_t x = heap_pop(s);
	keymap_remove(&s->map, s->key.at[x].key);
	stackdist_forget(s->stack, x);
	vec_push(&s->free, x);
}

/* Forgets the keys of the largest hash until the limit holds, or the least rate is reached: then there is no limit. */
static void lower_threshold(struct shards *s)
{
	while (s->limit && s->heap.n > s->limit) {
		s->threshold = s->key.at[s->heap.at[0]].hash;
		if (s->threshold <= s->least) {
			s->threshold = s->least;
			s->limit = 0;
		}
		while (s->heap.n && s->key.at[s->heap.at[0]].hash >= s->threshold)
			forget_top(s);
	}
}

/* Four sizes for each power of two. */
static unsigned coarse_of(uint64_t size)
{
	unsigned e = log2_of(size);
	return 4 * e + (e >= 2 ? (unsigned)(size >> (e - 2)) & 3 : 0);
}

static uint64_t mixed_key(uint64_t key)
{
	return mix64(key + 0x9e3779b97f4a7c15u);
}

static uint32_t hash_of(uint64_t mixed)
{
	return (uint32_t)(mixed >> (64 - HASH_BITS));
}

bool shards_follows(uint64_t key, double rate)
{
	return hash_of(mixed_key(key)) < rate * (double)WHOLE;
}

void shards_feed(struct shards *s, const uint64_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t mixed = mixed_key(keys[i]);
		uint32_t hash = hash_of(mixed);
		if (hash >= s->threshold)
			continue;
		unsigned group = (unsigned)mixed % GROUPS;
		double weight = (double)WHOLE / (double)s->threshold;
		uint32_t d = stackdist_reference(s->stack, follow(s, keys[i], hash));
		s->sampled++;
		s->total += weight;
		s->group_total[group] += weight;
		if (d) {
			uint64_t size = (uint64_t)llround(d * weight);
			s->weight[bucket_of(size)] += weight;
			s->group[group][coarse_of(size)] += weight;
		}
		if (s->limit && s->heap.n > s->limit)
			lower_threshold(s);
	}
}

struct shards *shards_new(double rate, uint64_t max_keys)
{
	struct shards *s = mem_zalloc(sizeof *s);
	double first = rate > 0 ? rate * SHARDS_MORE : 1;
	s->threshold = (uint64_t)((first < 1 ? first : 1) * (double)WHOLE);
	s->limit = max_keys;
	if (rate > 0 && !max_keys) {
		s->limit = SHARDS_KEYS;
		s->least = (uint64_t)(rate * (double)WHOLE);
	} else if (rate > 0) {
		s->threshold = (uint64_t)(rate * (double)WHOLE);
	}
	s->threshold += !s->threshold;
	s->stack = stackdist_new();
	s->weight = mem_zalloc(BUCKETS * sizeof *s->weight);
	keymap_reserve(&s->map, 1, &base_heap);
	return s;
}

void shards_free(struct shards *s)
{
	if (!s)
		return;
	keymap_release(&s->map, &base_heap);
	vec_release_all(&s->key, &s->free, &s->heap);
	stackdist_free(s->stack);
	free(s->weight);
	free(s);
}

/* The standard error of the miss ratio at the end of each coarse step, over all steps from the first size on. */
static void estimate_error(const struct shards *s, struct mrc *m)
{
	double requests = (double)m->requests / GROUPS, hits[GROUPS], sum = 0;
	unsigned steps = 0, last = coarse_of(m->distinct ? m->distinct : 1);
	for (unsigned g = 0; g < GROUPS; g++)
		hits[g] = requests - s->group_total[g];
	for (unsigned c = 0; c < COARSE && c <= last; c++) {
		double mean = 0, squares = 0;
		for (unsigned g = 0; g < GROUPS; g++) {
			hits[g] += s->group[g][c];
			mean += hits[g] / requests / GROUPS;
		}
		for (unsigned g = 0; g < GROUPS; g++)
			squares += (hits[g] / requests - mean) * (hits[g] / requests - mean);
		if (c < coarse_of(m->from))
			continue;
		double error = sqrt(squares / (GROUPS - 1) / GROUPS);
		sum += error;
		steps++;
		m->worst_error_estimate = error > m->worst_error_estimate ? error : m->worst_error_estimate;
	}
	m->error_estimate = steps ? sum / steps : 0;
}

enum rc shards_nothing(uint64_t references, struct err *e)
{
	return err_set(e, RC_INPUT,
		       "none of the %llu references was in the sample: a larger --sample is needed, or none",
		       (unsigned long long)references);
}

enum rc shards_curve(struct shards *s, struct mrc *m, struct err *e)
{
	double hits = (double)m->requests - s->total; /* the count correction */
	m->sampled = s->sampled;
	m->final_rate = (double)s->threshold / (double)WHOLE;
	if (!s->sampled && !m->requests)
		return RC_OK;
	if (!s->sampled)
		return shards_nothing(m->requests, e);
	m->distinct = (uint64_t)llround((double)s->map.n / m->final_rate);
	m->from = m->final_rate < 1 ? (uint64_t)ceil(SHARDS_RESOLVED / m->final_rate) : 1;
	for (size_t b = 0; b < BUCKETS; b++) {
		hits += s->weight[b];
		bool first = b == bucket_of(m->from);
		if (bucket_end(b) < m->from || (!s->weight[b] && !first))
			continue;
		double misses = (double)m->requests - hits;
		misses = misses < 0 ? 0 : misses > (double)m->requests ? (double)m->requests : misses;
		vec_push(&m->points, ((struct mrc_point){bucket_end(b), (uint64_t)llround(misses), 0}));
	}
	estimate_error(s, m);
	return RC_OK;
}

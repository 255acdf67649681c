/* SPDX-License-Identifier: MIT */
/* OLR and SAD: every short trace against a brute-force optimum, long random ones against the lower bound of Lemma 3
 * (which equals the optimum), SAD against a naive rewrite of its rule, and both within their memory. */
#include <stddef.h>
#include <stdint.h>

#include "testing.h"
#include "base/olr.h"
#include "base/sad.h"
#include "naive_policy.inc"

#include <stdio.h>

#define NF UINT64_MAX

static size_t held; /* bytes the object under test holds */

static void *test_resize(void *user, void *p, size_t old, size_t n)
{
	(void)user;
	held += n - old;
	if (n)
		return realloc(p, n);
	free(p);
	return NULL;
}

static const struct base_alloc alloc = {test_resize, NULL};

struct trace {
	uint64_t *at;
	size_t n, cap;
};

static void push(struct trace *t, uint64_t key)
{
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 64;
		t->at = realloc(t->at, t->cap * sizeof *t->at);
		assert_non_null(t->at);
	}
	t->at[t->n++] = key;
}

static void collect(void *user, const uint64_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		push(user, keys[i]);
}

static struct rng rng = {4242};

/* In pieces of random length: the result must not depend on them. DONE is checked at the end. */
#define REDUCE(NAME, DONE)                                                                                             \
	static void reduce_##NAME(const struct trace *in, uint32_t k, struct trace *out)                               \
	{                                                                                                              \
		struct NAME o;                                                                                         \
		NAME##_init(&o, k, &alloc, collect, out);                                                              \
		for (size_t i = 0, len; i < in->n; i += len) {                                                         \
			len = 1 + rng_below(&rng, 40);                                                                 \
			len = len < in->n - i ? len : in->n - i;                                                       \
			assert_true(NAME##_feed(&o, in->at + i, len));                                                 \
			NAME##_check(&o);                                                                              \
		}                                                                                                      \
		NAME##_finish(&o);                                                                                     \
		assert_true(DONE);                                                                                     \
		NAME##_release(&o);                                                                                    \
		assert_int_equal(held, 0);                                                                             \
	}
REDUCE(olr, o.run.longest_window <= k && olr_produced(&o) == out->n)
REDUCE(sad, out->n <= in->n)

/* fetch, evict pairs of an LRU stack of k */
static void behaviour(const struct trace *t, uint32_t k, struct trace *b)
{
	static struct keys stack;
	stack.n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (!keys_remove(&stack, t->at[i])) {
			push(b, t->at[i]);
			push(b, stack.n == k ? keys_take(&stack, stack.n - 1) : NF);
		}
		keys_put(&stack, 0, t->at[i]);
	}
}

static bool same(const struct trace *a, const struct trace *b)
{
	return a->n == b->n && (!a->n || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}

static void check_same_behaviour(const struct trace *in, const struct trace *out, uint32_t k)
{
	uint32_t sizes[] = {k, k + 1, 2 * k, k + 17, 1000};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct trace a = {0}, b = {0};
		behaviour(in, sizes[i], &a);
		behaviour(out, sizes[i], &b);
		assert_true(same(&a, &b));
		free(a.at);
		free(b.at);
	}
}

/* ---- brute force: a shortest path over (events done, stack); stacks of up to 4 of up to 9 blocks, 4 bits each */

enum { STATES = 1 << 16 };
struct state {
	uint32_t stack;
	uint8_t done, depth;
};

static uint32_t stack_touch(uint32_t stack, uint32_t k, uint32_t x, uint32_t *evicted)
{
	uint32_t out = x + 1, at = 4, left = k - 1;
	*evicted = 0;
	for (uint32_t s = stack; s; s >>= 4) {
		if ((s & 15) == x + 1) {
			left++;
			continue;
		}
		if (left == 0 || at / 4 == k) {
			*evicted = s & 15;
			break;
		}
		out |= (s & 15) << at;
		at += 4;
	}
	return out;
}

static bool in_stack(uint32_t stack, uint32_t x)
{
	for (; stack; stack >>= 4)
		if ((stack & 15) == x + 1)
			return true;
	return false;
}

static size_t optimum(const struct trace *b, uint32_t k)
{
	static struct state queue[STATES];
	static uint32_t seen[STATES], stamp;
	static struct state cell[STATES];
	size_t head = 0, tail = 0, m = b->n / 2;
	stamp++;
	queue[tail++] = (struct state){0, 0, 0};
	while (head < tail) {
		struct state s = queue[head++];
		if (s.done == m)
			return s.depth;
		for (uint32_t x = 0; x < 10; x++) {
			bool fetch = x == b->at[2 * s.done] && !in_stack(s.stack, x);
			if (!fetch && !in_stack(s.stack, x))
				continue;
			uint32_t evicted, to = stack_touch(s.stack, k, x, &evicted);
			if (fetch && (evicted ? evicted - 1 : NF) != b->at[2 * s.done + 1])
				continue;
			struct state next = {to, (uint8_t)(s.done + fetch), (uint8_t)(s.depth + 1)};
			uint32_t h = (uint32_t)(mix64((uint64_t)to << 8 | next.done) % STATES);
			while (seen[h] == stamp && (cell[h].stack != to || cell[h].done != next.done))
				h = (h + 1) % STATES;
			if (seen[h] == stamp)
				continue;
			seen[h] = stamp;
			cell[h] = next;
			assert_true(tail < STATES / 2);
			queue[tail++] = next;
		}
	}
	fail_msg("no trace has this behaviour");
	return 0;
}

static void sad_naive(const struct trace *in, uint32_t k, struct trace *out)
{
	bool *gone = calloc(in->n + 1, 1);
	assert_non_null(gone);
	for (size_t third = 0; third < in->n; third++) {
		/* the two kept references before it */
		long second = -1, first = -1;
		for (long j = (long)third - 1; j >= 0 && first < 0; j--) {
			if (in->at[j] != in->at[third] || gone[j])
				continue;
			if (second < 0)
				second = j;
			else
				first = j;
		}
		static struct keys others;
		others.n = 0;
		for (long j = first + 1; first >= 0 && j < (long)third; j++)
			if (in->at[j] != in->at[third] && keys_find(&others, in->at[j]) < 0)
				keys_put(&others, 0, in->at[j]);
		if (first >= 0 && others.n < k)
			gone[second] = true;
	}
	for (size_t i = 0; i < in->n; i++)
		if (!gone[i])
			push(out, in->at[i]);
	free(gone);
}

static void check_small(const struct trace *t, uint32_t k)
{
	struct trace b = {0}, out = {0}, sad = {0}, want = {0};
	behaviour(t, k, &b);
	reduce_olr(t, k, &out);
	check_same_behaviour(t, &out, k);
	size_t best = optimum(&b, k);
	if (out.n != best)
		fail_msg("length %zu, the optimum is %zu", out.n, best);
	reduce_sad(t, k, &sad);
	sad_naive(t, k, &want);
	assert_true(same(&sad, &want));
	free(b.at);
	free(out.at);
	free(sad.at);
	free(want.at);
}

/* All traces up to names of blocks: each block's first use is the smallest unused number. */
static void every_short_trace_is_reduced_to_the_optimum(void **unused)
{
	(void)unused;
	uint64_t digits[9];
	size_t cases = 0;
	for (size_t n = 0; n <= 9; n++) {
		memset(digits, 0, sizeof digits);
		for (;;) {
			struct trace t = {digits, n, n};
			for (uint32_t k = 1; k <= 4; k++)
				check_small(&t, k);
			cases++;
			long i = (long)n - 1;
			for (; i > 0; i--) {
				uint64_t max = 0;
				for (long j = 0; j < i; j++)
					max = digits[j] > max ? digits[j] : max;
				if (digits[i] <= max)
					break;
			}
			if (i <= 0)
				break;
			digits[i]++;
			for (size_t j = (size_t)i + 1; j < n; j++)
				digits[j] = 0;
		}
	}
	assert_int_equal(cases, 1 + 1 + 2 + 5 + 15 + 52 + 203 + 877 + 4140 + 21147);
}

/* Lemma 3: the events, and for each block the least number of points that stab all runs its own runs contain. */
static size_t lower_bound(const struct trace *b)
{
	size_t m = b->n / 2, extra = 0;
	uint32_t *end = malloc((m + 1) * sizeof *end);
	assert_non_null(end);
	for (size_t i = 0; i < m; i++) {
		end[i] = (uint32_t)m;
		for (size_t j = i + 1; j < m; j++)
			if (b->at[2 * j + 1] == b->at[2 * i]) {
				end[i] = (uint32_t)j;
				break;
			}
	}
	for (size_t i = 0; i < m; i++) {
		uint32_t min = UINT32_MAX; /* of the constraints that the current point satisfies */
		for (uint32_t s = (uint32_t)i + 1; s < end[i]; s++) {
			if (end[s] >= end[i])
				continue;
			if (min == UINT32_MAX || s >= min) {
				extra++;
				min = end[s];
			} else if (end[s] < min) {
				min = end[s];
			}
		}
	}
	free(end);
	return m + extra;
}

static void random_trace(struct trace *t, size_t n, uint32_t keys)
{
	t->n = 0;
	while (t->n < n) {
		uint32_t kind = rng_below(&rng, 4), base = rng_below(&rng, keys), span = 1 + rng_below(&rng, keys);
		for (size_t i = 0, len = 1 + rng_below(&rng, 3 * keys); i < len && t->n < n; i++) {
			uint64_t r = rng_below(&rng, span);
			push(t, (base + (kind == 0   ? i % span
					 : kind == 1 ? r
					 : kind == 2 ? r * rng_below(&rng, span) / span
						     : i)) %
					keys);
		}
	}
}

static size_t opt_misses(const struct trace *t, uint32_t cap)
{
	static struct keys c;
	size_t misses = 0;
	c.n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (keys_find(&c, t->at[i]) >= 0)
			continue;
		misses++;
		if (c.n == cap) {
			size_t victim = 0, furthest = 0;
			for (size_t j = 0; j < c.n; j++) {
				size_t next = i + 1;
				while (next < t->n && t->at[next] != c.at[j])
					next++;
				if (next > furthest) {
					furthest = next;
					victim = j;
				}
			}
			keys_take(&c, victim);
		}
		keys_put(&c, 0, t->at[i]);
	}
	return misses;
}

static void long_traces_reach_the_lower_bound(void **unused)
{
	(void)unused;
	struct trace t = {0};
	for (int round = 0; round < 60; round++) {
		uint32_t keys = 2 + (uint32_t)rng_below(&rng, round % 4 ? 60 : 600),
			 k = 1 + (uint32_t)rng_below(&rng, keys);
		random_trace(&t, 200 + rng_below(&rng, 6000), keys);
		struct trace b = {0}, out = {0};
		behaviour(&t, k, &b);
		reduce_olr(&t, k, &out);
		check_same_behaviour(&t, &out, k);
		assert_int_equal(out.n, lower_bound(&b));
		free(b.at);
		free(out.at);
	}
	free(t.at);
}

static void sad_follows_its_rule_and_keeps_opt(void **unused)
{
	(void)unused;
	struct trace t = {0};
	for (int round = 0; round < 60; round++) {
		uint32_t keys = 2 + (uint32_t)rng_below(&rng, 40), k = 1 + (uint32_t)rng_below(&rng, keys);
		random_trace(&t, 50 + rng_below(&rng, 800), keys);
		struct trace out = {0}, want = {0};
		reduce_sad(&t, k, &out);
		sad_naive(&t, k, &want);
		assert_true(same(&out, &want));
		check_same_behaviour(&t, &out, k);
		for (uint32_t size = k; size <= 2 * k; size += 1 + k / 3)
			assert_int_equal(opt_misses(&t, size), opt_misses(&out, size));
		free(out.at);
		free(want.at);
	}
	free(t.at);
}

static void count_only(void *user, const uint64_t *keys, size_t n)
{
	(void)keys;
	*(size_t *)user += n;
}

/* A stream of ever-new blocks, with hits between: what is held does not grow with the stream. */
#define HOLDS_NO_MORE(NAME)                                                                                            \
	static void NAME##_holds_no_more(uint32_t k)                                                                   \
	{                                                                                                              \
		struct NAME o;                                                                                         \
		size_t out = 0, at_first = 0;                                                                          \
		NAME##_init(&o, k, &alloc, count_only, &out);                                                          \
		for (uint64_t i = 0; i < 300000; i++) {                                                                \
			uint64_t pair[2] = {mix64(i), mix64(i - rng_below(&rng, i < 500 ? i + 1 : 500))};              \
			assert_true(NAME##_feed(&o, pair, 2));                                                         \
			if (i == 20000)                                                                                \
				at_first = held;                                                                       \
		}                                                                                                      \
		assert_int_equal(held, at_first);                                                                      \
		assert_true(held < k * 400);                                                                           \
		NAME##_release(&o);                                                                                    \
	}
HOLDS_NO_MORE(olr)
HOLDS_NO_MORE(sad)

static void memory_depends_on_k_only(void **unused)
{
	(void)unused;
	struct olr o;
	size_t out = 0;
	olr_holds_no_more(1000);
	sad_holds_no_more(1000);
	/* and a huge k costs nothing while there are few blocks */
	olr_init(&o, 1u << 30, &alloc, count_only, &out);
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(olr_feed(&o, &i, 1));
	assert_true(held < 200000);
	olr_release(&o);
}

static void the_papers_example(void **unused)
{
	(void)unused;
	uint64_t refs[] = {0, 1, 2, 1, 0, 2, 3, 0, 1, 3}, want[] = {0, 1, 2, 0, 3, 1};
	struct trace t = {refs, ARRAY_LEN(refs), 0}, out = {0};
	reduce_olr(&t, 3, &out);
	assert_int_equal(out.n, ARRAY_LEN(want));
	assert_memory_equal(out.at, want, sizeof want);
	free(out.at);
}

static void keymap_agrees_with_an_array(void **unused)
{
	(void)unused;
	static uint32_t want[5000]; /* number + 1 */
	struct keymap m = {0};
	assert_true(keymap_reserve(&m, 1, &alloc));
	for (int i = 0; i < 400000; i++) {
		uint64_t x = rng_below(&rng, i < 200000 ? 5000 : 60), key = x % 2 ? x << 40 : x;
		assert_int_equal(keymap_find(&m, key), want[x]);
		if (i % 1000 == 0)
			keymap_check(&m);
		if (want[x]) {
			keymap_remove(&m, key);
			want[x] = 0;
		} else {
			assert_true(keymap_reserve(&m, 1, &alloc));
			keymap_insert(&m, key, (uint32_t)i);
			want[x] = (uint32_t)i + 1;
		}
	}
	keymap_release(&m, &alloc);
}

UNIT_TESTS(cmocka_unit_test(the_papers_example), cmocka_unit_test(keymap_agrees_with_an_array),
	   cmocka_unit_test(every_short_trace_is_reduced_to_the_optimum),
	   cmocka_unit_test(long_traces_reach_the_lower_bound), cmocka_unit_test(sad_follows_its_rule_and_keeps_opt),
	   cmocka_unit_test(memory_depends_on_k_only))

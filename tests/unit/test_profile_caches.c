/* SPDX-License-Identifier: MIT */
/* Cache simulation of the profiler against plain models of the same caches, on random streams. */
#include <stddef.h>

#include "testing.h"
#include "base/bits.h"
#include "profile/caches.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 64, CALLS = 400 };

struct model_call {
	unsigned in, out, instance;
};

static void fill(struct calls *c, struct model_call *m, uint64_t seed)
{
	struct rng r = {seed};
	unsigned keys = 1 + (unsigned)rng_below(&r, MAX_KEYS), changing = (unsigned)rng_below(&r, 3);
	*c = (struct calls){.max = CALLS};
	for (int i = 0; i < CALLS; i++) {
		m[i].in = (unsigned)rng_below(&r, keys);
		m[i].out = m[i].in * 7 + (changing ? (unsigned)rng_below(&r, changing) : 0);
		m[i].instance = (unsigned)rng_below(&r, 4);
		struct vg_call v = {.in_loose = mix64(m[i].in + 1),
				    .out_loose = mix64(m[i].out + 99),
				    .instance = 4096 + m[i].instance,
				    .cost = 10};
		v.in_strict = v.in_loose;
		v.out_strict = v.out_loose;
		calls_add(c, &v);
	}
}

/* A list of entries, most recent first; size 0: unbounded. Returns the hits. */
static uint64_t model_lru(const struct model_call *m, unsigned size, bool by_instance, uint64_t *invalidations)
{
	uint64_t hits = 0;
	for (unsigned instance = 0; instance < (by_instance ? 4u : 1u); instance++) {
		struct model_call list[MAX_KEYS + 1];
		unsigned n = 0;
		for (int i = 0; i < CALLS; i++) {
			if (by_instance && m[i].instance != instance)
				continue;
			unsigned at = 0;
			while (at < n && list[at].in != m[i].in)
				at++;
			if (at < n && list[at].out == m[i].out)
				hits++;
			else if (at < n)
				++*invalidations;
			if (at == n && (!size || n < size))
				n++;
			else if (at == n)
				at = n - 1;
			memmove(&list[1], &list[0], at * sizeof *list);
			list[0] = m[i];
		}
	}
	return hits;
}

static void test_against_models(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct calls c;
		struct caches s;
		struct model_call m[CALLS];
		uint64_t inv = 0;
		fill(&c, m, seed);
		caches_simulate(&c, &s);
		assert_int_equal(s.multi_global.hits, model_lru(m, 0, false, &inv));
		assert_int_equal(s.multi_global.invalidations, inv);
		assert_int_equal(s.conflicts, inv);
		inv = 0;
		assert_int_equal(s.multi_instance.hits, model_lru(m, 0, true, &inv));
		assert_int_equal(s.multi_instance.invalidations, inv);
		inv = 0;
		assert_int_equal(s.single_global.hits, model_lru(m, 1, false, &inv));
		assert_int_equal(s.single_instance.hits, model_lru(m, 1, true, &inv));
		for (int k = 0; k <= 6; k++)
			assert_int_equal(s.lru_hits[k], model_lru(m, 1u << k, false, &inv));
		assert_int_equal(s.direct_hits[0], s.single_global.hits);
		assert_true(s.direct_hits[16] <= s.multi_global.hits);
		assert_int_equal(s.distinct, s.multi_global.entries);
		assert_int_equal(s.multi_global.saved, 10 * s.multi_global.hits);
		calls_release(&c);
	}
}

static void add(struct calls *c, uint64_t in, uint64_t out, uint64_t strict_in, uint64_t cost, unsigned flags)
{
	struct vg_call v = {.in_loose = in,
			    .out_loose = out,
			    .in_strict = strict_in,
			    .out_strict = out,
			    .cost = cost,
			    .flags = flags};
	calls_add(c, &v);
}

/* Loose names that give conflicts which strict names do not are not believed. */
static void test_names(void **state)
{
	(void)state;
	struct calls c = {.max = 100};
	struct caches s;
	add(&c, 1, 5, 1, 1, 0);
	add(&c, 1, 6, 2, 1, 0);
	add(&c, 1, 5, 1, 1, 0);
	caches_simulate(&c, &s);
	assert_true(s.strict);
	assert_int_equal(s.distinct, 2);
	assert_int_equal(s.conflicts, 0);
	calls_release(&c);
	c = (struct calls){.max = 100};
	add(&c, 1, 5, 1, 1, 0);
	add(&c, 1, 5, 2, 1, 0); /* the same data at another place of a pool */
	caches_simulate(&c, &s);
	assert_false(s.strict);
	assert_int_equal(s.distinct, 1);
	calls_release(&c);
}

/* A saved outer call saves its inner ones too, once. */
static void test_recursion(void **state)
{
	(void)state;
	struct calls c = {.max = 100};
	struct caches s;
	add(&c, 1, 1, 1, 10, VG_CALL_NESTED);
	add(&c, 2, 2, 2, 30, 0);
	add(&c, 1, 1, 1, 10, VG_CALL_NESTED);
	add(&c, 2, 2, 2, 30, 0); /* a hit: 30, not 40 */
	add(&c, 1, 1, 1, 10, VG_CALL_NESTED);
	add(&c, 3, 3, 3, 30, 0); /* a miss whose inner call is a hit: 10 */
	caches_simulate(&c, &s);
	assert_int_equal(s.multi_global.saved, 40);
	assert_int_equal(s.multi_global.hits, 3);
	calls_release(&c);
}

static void test_limits(void **state)
{
	(void)state;
	struct calls c = {.max = 3};
	for (int i = 0; i < 10; i++)
		add(&c, (uint64_t)i, 1, (uint64_t)i, 1, i == 9 ? VG_CALL_CUT : 0);
	assert_int_equal(c.seen, 10);
	assert_int_equal(c.call.n, 3);
	assert_int_equal(c.cut, 1);
	assert_true(calls_repeat_ratio(&c) == 0);
	calls_release(&c);
}

UNIT_TESTS(cmocka_unit_test(test_against_models), cmocka_unit_test(test_names), cmocka_unit_test(test_recursion),
	   cmocka_unit_test(test_limits))

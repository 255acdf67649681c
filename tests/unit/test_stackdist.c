/* SPDX-License-Identifier: MIT */
/* Stack distances against a list that is searched, through many compactions and with blocks that are forgotten; dense
 * ids against first appearance. */
#include <stddef.h>
#include <stdint.h>

#include "testing.h"
#include "base/bits.h"
#include "data/idmap.h"
#include "stream/stackdist.h"

#include <stdlib.h>
#include <string.h>

static struct rng rng = {77};

struct list {
	uint32_t at[70000];
	size_t n;
};

/* The position from 1 of id, 0 if it is not there; moves it to the front. */
static uint32_t list_touch(struct list *l, uint32_t id)
{
	size_t i = 0;
	while (i < l->n && l->at[i] != id)
		i++;
	uint32_t d = i < l->n ? (uint32_t)i + 1 : 0;
	l->n += !d;
	memmove(l->at + 1, l->at, i * sizeof *l->at);
	l->at[0] = id;
	return d;
}

static void list_remove(struct list *l, uint32_t id)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i] == id) {
			memmove(l->at + i, l->at + i + 1, (l->n - i - 1) * sizeof *l->at);
			l->n--;
			return;
		}
}

static void distances_match_a_list(void **unused)
{
	(void)unused;
	static struct list l;
	static uint64_t want[70000];
	for (int round = 0; round < 4; round++) {
		uint32_t ids = (uint32_t[]){5, 300, 3000, 60}[round];
		struct stackdist *s = stackdist_new();
		l.n = 0;
		memset(want, 0, sizeof want);
		for (int i = 0; i < 200000; i++) {
			uint32_t id = (uint32_t)rng_below(&rng, 1 + rng_below(&rng, ids));
			uint32_t d = list_touch(&l, id);
			want[d]++;
			assert_int_equal(stackdist_reference(s, id), d);
			if (round == 3 && i % 7 == 0) {
				uint32_t gone = (uint32_t)rng_below(&rng, ids);
				list_remove(&l, gone);
				stackdist_forget(s, gone);
			}
			if (i % 1000 == 0)
				stackdist_check(s);
		}
		uint32_t max;
		const uint64_t *hist = stackdist_histogram(s, &max);
		for (uint32_t d = 0; d <= max && d < 70000; d++)
			assert_int_equal(hist[d], want[d]);
		stackdist_free(s);
	}
}

/* more blocks than the first bitmap has room for: it must grow; distances of a loop are known */
static void large_loops_have_the_loops_distance(void **unused)
{
	(void)unused;
	enum { N = 300000 };
	struct stackdist *s = stackdist_new();
	uint32_t *ids = malloc(N * sizeof *ids);
	assert_non_null(ids);
	for (uint32_t i = 0; i < N; i++)
		ids[i] = i;
	for (int pass = 0; pass < 3; pass++)
		for (uint32_t at = 0; at < N; at += 1000)
			stackdist_feed(s, ids + at, 1000, N);
	stackdist_check(s);
	uint32_t max;
	const uint64_t *hist = stackdist_histogram(s, &max);
	assert_int_equal(hist[0], N);
	assert_int_equal(hist[N], 2 * N);
	stackdist_free(s);
	free(ids);
}

static uint64_t keys[60000];
static uint32_t ids[ARRAY_LEN(keys)], again[ARRAY_LEN(keys)];

static void map_keys(struct idmap *m, const uint64_t *key, uint32_t *id, size_t n)
{
	struct err e = ERR_INIT;
	assert_int_equal(idmap_map(m, key, id, n, &e), RC_OK);
}

/* The first n keys have the ids from 0 on, and have them again. */
static void check_ids(struct idmap *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(ids[i], i);
	map_keys(m, keys, again, n);
	assert_memory_equal(again, ids, n * sizeof *ids);
}

static void ids_are_dense_and_stable(void **unused)
{
	(void)unused;
	const uint32_t n = ARRAY_LEN(keys);
	struct idmap m;
	idmap_init(&m);
	for (uint32_t i = 0; i < n; i++)
		keys[i] = i % 3 == 0 ? i : i % 3 == 1 ? (uint64_t)i << 40 : mix64(i);
	keys[5] = 0;
	keys[0] = UINT64_MAX;
	for (uint32_t at = 0, len; at < n; at += len) {
		len = 1 + (uint32_t)rng_below(&rng, 500);
		len = len < n - at ? len : n - at;
		map_keys(&m, keys + at, ids + at, len);
	}
	assert_int_equal(m.n, n);
	check_ids(&m, n);
	assert_int_equal(m.n, n);
	idmap_release(&m);
}

/* Keys by rank, wider and wider; then one that no array can have. */
static void small_keys_keep_their_ids(void **unused)
{
	(void)unused;
	enum { N = 50000 };
	struct idmap m;
	for (uint32_t i = 0; i < N; i++)
		keys[i] = i % 2 ? i : (uint64_t)i * 80;
	keys[N / 2] = (1 << 22) - 1;
	idmap_init(&m);
	map_keys(&m, keys, ids, N);
	assert_non_null(m.small);
	map_keys(&m, &(uint64_t){UINT64_C(1) << 40}, again, 1);
	assert_null(m.small);
	assert_int_equal(again[0], N);
	check_ids(&m, N);
	assert_int_equal(m.n, N + 1);
	idmap_release(&m);
}

UNIT_TESTS(cmocka_unit_test(distances_match_a_list), cmocka_unit_test(large_loops_have_the_loops_distance),
	   cmocka_unit_test(ids_are_dense_and_stable), cmocka_unit_test(small_keys_keep_their_ids))

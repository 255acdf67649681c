/* SPDX-License-Identifier: MIT */
/* Memo tables: against naive models, verification mode, threads, nonsense configurations. */
#include "refrain/memo.h"

#include "base/bits.h"
#include "memo/check.h"
#include "testing.h"

#include <pthread.h>
#include <unistd.h>

struct key {
	uint64_t a, b;
};

static uint64_t truth(struct key k)
{
	return mix64(k.a * 31 + k.b);
}

static rf_memo *table(enum rf_memo_kind kind, uint32_t entries, bool threads)
{
	return rf_memo_new(&(rf_memo_config){.name = "t",
					     .kind = kind,
					     .entries = entries,
					     .key_size = sizeof(struct key),
					     .value_size = 8,
					     .thread_safe = threads});
}

/* the most recent `cap` keys, newest first */
struct model {
	struct key keys[64];
	size_t n, cap;
};

static bool model_get(struct model *m, struct key k)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->keys[i].a == k.a && m->keys[i].b == k.b) {
			memmove(m->keys + 1, m->keys, i * sizeof k);
			m->keys[0] = k;
			return true;
		}
	return false;
}

static void model_put(struct model *m, struct key k)
{
	if (m->n < m->cap)
		m->n++;
	memmove(m->keys + 1, m->keys, (m->n - 1) * sizeof k);
	m->keys[0] = k;
}

static void model_forget(struct model *m, struct key k)
{
	if (model_get(m, k)) {
		memmove(m->keys, m->keys + 1, (m->n - 1) * sizeof k);
		m->n--;
	}
}

/* LRU and single: the very same hits as the model, and every value right */
static void lru_agrees_with_a_list(void **state)
{
	(void)state;
	struct rng r = {11};
	for (uint32_t cap = 1; cap <= 64; cap = cap * 2 + (cap > 4)) {
		rf_memo *m = cap == 1 ? table(RF_MEMO_SINGLE, 0, false) : table(RF_MEMO_LRU, cap, false);
		struct model model = {.cap = cap};
		uint64_t hits = 0;
		for (int i = 0; i < 30000; i++) {
			struct key k = {rng_below(&r, cap + cap / 2 + 1), 5};
			uint64_t v = 0;
			if (rng_below(&r, 40) == 0) {
				rf_memo_forget(m, &k);
				model_forget(&model, k);
				continue;
			}
			if (rng_below(&r, 5000) == 0) {
				rf_memo_clear(m);
				model.n = 0;
			}
			bool hit = rf_memo_get(m, &k, &v);
			assert_int_equal(hit, model_get(&model, k));
			if (hit) {
				assert_true(v == truth(k));
				hits++;
			} else {
				v = truth(k);
				rf_memo_put(m, &k, &v);
				model_put(&model, k);
			}
			assert_int_equal(rf_memo_statistics(m).entries, model.n);
			if (i % 8 == 0)
				memo_check(m);
		}
		rf_memo_stats s = rf_memo_statistics(m);
		assert_true(s.hits == hits && hits > 0 && s.conflicts == 0);
		rf_memo_free(m);
	}
}

static void direct_is_never_wrong(void **state)
{
	(void)state;
	struct rng r = {12};
	rf_memo *m = table(RF_MEMO_DIRECT, 64, false);
	for (int i = 0; i < 100000; i++) {
		struct key k = {rng_below(&r, 100), rng_below(&r, 2)};
		uint64_t v = 0;
		if (rf_memo_get(m, &k, &v))
			assert_true(v == truth(k));
		v = truth(k);
		rf_memo_put(m, &k, &v);
		/* just put: it must be there */
		uint64_t w = 0;
		assert_true(rf_memo_get(m, &k, &w) && w == v);
		if (i % 64 == 0)
			memo_check(m);
	}
	assert_true(rf_memo_statistics(m).entries <= 64);
	rf_memo_free(m);
}

static void compute(void *context, const void *key, void *value)
{
	++*(int *)context;
	uint64_t v = truth(*(const struct key *)key);
	memcpy(value, &v, sizeof v);
}

static void verify_mode_finds_impure(void **state)
{
	(void)state;
	struct key k = {1, 2};
	uint64_t v;
	int calls = 0;
	setenv("RF_MEMO", "verify", 1);
	rf_memo *m = table(RF_MEMO_LRU, 8, false);
	for (int i = 0; i < 5; i++)
		rf_memo_call(m, &k, &v, compute, &calls);
	assert_int_equal(calls, 5);
	assert_int_equal(rf_memo_statistics(m).conflicts, 0);
	v = 99;
	rf_memo_put(m, &k, &v);
	assert_int_equal(rf_memo_statistics(m).conflicts, 1);
	rf_memo_free(m);
	setenv("RF_MEMO", "off", 1);
	m = table(RF_MEMO_LRU, 8, false);
	rf_memo_call(m, &k, &v, compute, &calls);
	rf_memo_call(m, &k, &v, compute, &calls);
	assert_int_equal(calls, 7);
	rf_memo_free(m);
	unsetenv("RF_MEMO");
	m = table(RF_MEMO_LRU, 8, false);
	rf_memo_call(m, &k, &v, compute, &calls);
	rf_memo_call(m, &k, &v, compute, &calls);
	assert_int_equal(calls, 8);
	rf_memo_free(m);
}

static void nonsense_is_no_cache(void **state)
{
	(void)state;
	const rf_memo_config bad[] = {
		{.kind = RF_MEMO_LRU, .entries = 0, .key_size = 8},
		{.kind = RF_MEMO_LRU, .entries = 4, .key_size = 0},
		{.kind = RF_MEMO_LRU, .entries = 4, .key_size = 1 << 20},
		{.kind = RF_MEMO_LRU, .entries = UINT32_MAX, .key_size = 8},
		{.kind = (enum rf_memo_kind)7, .entries = 4, .key_size = 8},
		{.kind = RF_MEMO_DIRECT, .entries = 1u << 29, .key_size = 65536, .value_size = 1 << 24},
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_null(rf_memo_new(&bad[i]));
	assert_null(rf_memo_new(NULL));
	int calls = 0;
	struct key k = {1, 2};
	uint64_t v = 0;
	rf_memo_call(NULL, &k, &v, compute, &calls);
	assert_true(v == truth(k));
	rf_memo_put(NULL, &k, &v);
	assert_false(rf_memo_get(NULL, &k, &v));
	rf_memo_forget(NULL, &k);
	rf_memo_clear(NULL);
	rf_memo_free(NULL);
	assert_int_equal(rf_memo_statistics(NULL).gets, 0);
}

static void *hammer(void *arg)
{
	rf_memo *m = arg;
	struct rng r = {(uint64_t)(uintptr_t)&r};
	for (int i = 0; i < 50000; i++) {
		struct key k = {rng_below(&r, 200), 3};
		uint64_t v = 0;
		if (rf_memo_get(m, &k, &v)) {
			if (v != truth(k))
				return m;
		} else {
			v = truth(k);
			rf_memo_put(m, &k, &v);
		}
	}
	return NULL;
}

static void threads_may_share(void **state)
{
	(void)state;
	rf_memo *m = table(RF_MEMO_LRU, 100, true);
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, hammer, m), 0);
	for (int i = 0; i < 4; i++) {
		void *bad;
		pthread_join(t[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(rf_memo_statistics(m).gets, 200000);
	memo_check(m);
	rf_memo_free(m);
}

static void writes_its_key_stream(void **state)
{
	(void)state;
	char dir[] = "memo-keys.XXXXXX";
	char *old = getcwd(NULL, 0);
	assert_int_equal(chdir(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"), 0);
	assert_non_null(mkdtemp(dir));
	setenv("RF_MEMO_KEYS", dir, 1);
	rf_memo *m = table(RF_MEMO_LRU, 8, false);
	unsetenv("RF_MEMO_KEYS");
	for (uint64_t i = 0; i < 10000; i++) {
		struct key k = {i % 3, 0};
		uint64_t v;
		rf_memo_get(m, &k, &v);
	}
	rf_memo_free(m);
	char path[100];
	snprintf(path, sizeof path, "%s/t.u64", dir);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	uint64_t got[10001];
	assert_int_equal(fread(got, 8, 10001, f), 10000);
	fclose(f);
	assert_true(got[0] == got[3] && got[0] != got[1] && got[9999] == got[0]);
	unlink(path);
	rmdir(dir);
	assert_int_equal(chdir(old), 0);
	free(old);
}

UNIT_TESTS(cmocka_unit_test(lru_agrees_with_a_list), cmocka_unit_test(direct_is_never_wrong),
	   cmocka_unit_test(verify_mode_finds_impure), cmocka_unit_test(nonsense_is_no_cache),
	   cmocka_unit_test(threads_may_share), cmocka_unit_test(writes_its_key_stream))

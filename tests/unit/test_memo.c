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

/* the look-up compiled into the caller and the library's: the same hits, values, order and counts */
static void inline_agrees(struct rng *r, int kind, uint32_t cap)
{
	rf_memo *a = table(kind, cap, false), *b = table(kind, cap, false);
	for (int i = 0; i < 5000; i++) {
		struct key k = {rng_below(r, cap * 3 / 2 + 1), 5};
		uint64_t v = 0, w = 0;
		if (rng_below(r, 300) == 0) {
			rf_memo_bump(a);
			rf_memo_bump(b);
		}
		bool hit = RF_MEMO_GET(a, &k, &v);
		assert_int_equal(hit, rf_memo_get(b, &k, &w));
		assert_true(v == w && (!hit || v == truth(k)));
		if (!hit && rng_below(r, 4)) {
			v = truth(k);
			RF_MEMO_PUT(a, &k, &v);
			rf_memo_put(b, &k, &v);
		}
	}
	memo_check(a);
	rf_memo_stats s = rf_memo_statistics(a), u = rf_memo_statistics(b);
	assert_memory_equal(&s, &u, sizeof s);
	rf_memo_free(a);
	rf_memo_free(b);
}

static void inline_agrees_with_the_library(void **state)
{
	(void)state;
	struct rng r = {21};
	for (int kind = RF_MEMO_SINGLE; kind <= RF_MEMO_DIRECT; kind++)
		for (uint32_t cap = 1; cap <= 50; cap += 7)
			inline_agrees(&r, kind, cap);
}

static void sizes_that_differ_are_refused(void **state)
{
	(void)state;
	rf_memo *m = table(RF_MEMO_LRU, 8, false);
	struct key k = {1, 2};
	uint64_t v = 7;
	uint32_t small = 9;
	RF_MEMO_PUT(m, &k, &small); /* of another size: not remembered */
	assert_false(RF_MEMO_GET(m, &k, &v));
	RF_MEMO_PUT(m, &k, &v);
	assert_false(RF_MEMO_GET(m, &k, &small));
	assert_false(RF_MEMO_GET(m, &k.a, &v));
	assert_false(rf_memo_get_bytes(m, &k, 8, &v));
	assert_true(rf_memo_get_bytes(m, &k, sizeof k, &v) && v == 7);
	assert_int_equal(small, 9);
	rf_memo_free(m);
}

static void bump_forgets_all_and_reuses_places(void **state)
{
	(void)state;
	struct rng r = {31};
	for (int kind = RF_MEMO_SINGLE; kind <= RF_MEMO_DIRECT; kind++) {
		rf_memo *m = table(kind, 16, false);
		uint64_t version = 0;
		for (int i = 0; i < 20000; i++) {
			struct key k = {rng_below(&r, 24), 1};
			uint64_t v = 0;
			if (rng_below(&r, 50) == 0) {
				rf_memo_bump(m);
				version++;
				assert_int_equal(rf_memo_statistics(m).entries, 0);
			}
			if (RF_MEMO_GET(m, &k, &v))
				assert_true(v == truth(k) + version);
			else {
				v = truth(k) + version;
				RF_MEMO_PUT(m, &k, &v);
			}
			if (i % 16 == 0)
				memo_check(m);
		}
		rf_memo_free(m);
	}
}

static void a_version_that_comes_round_is_not_believed(void **state)
{
	(void)state;
	rf_memo *m = table(RF_MEMO_LRU, 16, false);
	struct key k = {1, 1};
	uint64_t v = 5;
	RF_MEMO_PUT(m, &k, &v);
	((struct rf_memo_view *)m)->version = UINT32_MAX; /* after so many bumps */
	for (int i = 0; i < 3; i++) {
		rf_memo_bump(m);
		assert_false(RF_MEMO_GET(m, &k, &v));
	}
	rf_memo_free(m);
}

static void strings_are_keys(void **state)
{
	(void)state;
	struct rng r = {41};
	rf_memo *m = rf_memo_new(&(rf_memo_config){
		.kind = RF_MEMO_LRU, .entries = 20, .key_size = RF_MEMO_ANY_LENGTH, .value_size = sizeof(int)});
	assert_non_null(m);
	int hits = 0;
	for (int i = 0; i < 20000; i++) {
		char key[40];
		int n = snprintf(key, sizeof key, "%.*s%d", (int)rng_below(&r, 20), "abcdefghijklmnopqrst",
				 (int)rng_below(&r, 3));
		int v = 0;
		if (rng_below(&r, 50) == 0)
			rf_memo_forget_bytes(m, key, (size_t)n);
		if (rf_memo_get_string(m, key, &v)) {
			assert_int_equal(v, n * 10 + key[n - 1]);
			hits++;
		} else {
			v = n * 10 + key[n - 1];
			rf_memo_put_string(m, key, &v);
			assert_true(rf_memo_get_bytes(m, key, (size_t)n, &v));
		}
		if (i % 16 == 0)
			memo_check(m);
	}
	int v;
	assert_false(rf_memo_get(m, "abc", &v)); /* no length: nothing is guessed */
	assert_true(hits > 1000 && !rf_memo_get_bytes(m, "", 0, &v));
	rf_memo_put_bytes(m, "", 0, &(int){5});
	assert_true(rf_memo_get_bytes(m, "", 0, &v) && v == 5);
	rf_memo_free(m);
	m = rf_memo_new(&(rf_memo_config){
		.kind = RF_MEMO_DIRECT, .entries = 1, .key_size = RF_MEMO_ANY_LENGTH, .value_size = sizeof(int)});
	rf_memo_put_string(m, "abc", &(int){5});
	assert_false(rf_memo_get_string(m, "ab", &v));
	assert_false(rf_memo_get_string(m, "abcd", &v));
	assert_true(rf_memo_get_string(m, "abc", &v));
	rf_memo_free(m);
}

static int destroyed;

static void destroy_block(void *value)
{
	free(*(char **)value);
	destroyed++;
}

static bool same_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b) == 0;
}

/* every value put is destroyed once, whatever dropped it */
static void dropped_values_are_destroyed(void **state)
{
	(void)state;
	const char *modes[] = {"on", "off", "verify"};
	for (size_t mode = 0; mode < ARRAY_LEN(modes); mode++)
		for (int kind = RF_MEMO_SINGLE; kind <= RF_MEMO_DIRECT; kind++) {
			struct rng r = {51 + (uint64_t)kind};
			setenv("RF_MEMO", modes[mode], 1);
			rf_memo *m = rf_memo_new(&(rf_memo_config){.kind = kind,
								   .entries = 8,
								   .key_size = 8,
								   .value_size = sizeof(char *),
								   .destroy = destroy_block,
								   .equal = same_text});
			unsetenv("RF_MEMO");
			int made = 0;
			destroyed = 0;
			for (int i = 0; i < 3000; i++) {
				uint64_t k = rng_below(&r, 12);
				char *v = NULL, text[8];
				snprintf(text, sizeof text, "%d", (int)k);
				if (rf_memo_get(m, &k, &v)) {
					assert_string_equal(v, text);
					rf_memo_put(m, &k, &v); /* the same again: still there */
				} else {
					v = strdup(text);
					made++;
					rf_memo_put(m, &k, &v);
				}
				assert_true(made - destroyed <= 9);
				if (rng_below(&r, 50) == 0)
					rf_memo_forget(m, &k);
				if (rng_below(&r, 200) == 0)
					rf_memo_clear(m);
				if (rng_below(&r, 200) == 0)
					rf_memo_bump(m);
			}
			assert_int_equal(rf_memo_statistics(m).conflicts, 0);
			rf_memo_free(m);
			assert_int_equal(made, destroyed);
		}
	assert_null(rf_memo_new(&(rf_memo_config){.kind = RF_MEMO_LRU,
						  .entries = 8,
						  .key_size = 8,
						  .value_size = 8,
						  .thread_safe = true,
						  .destroy = destroy_block}));
}

static void run_threads(rf_memo *m)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, hammer, m), 0);
	for (int i = 0; i < 4; i++) {
		void *bad;
		(void)rf_memo_statistics(m); /* while they run */
		pthread_join(t[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(rf_memo_statistics(m).gets, 200000);
	memo_check(m);
}

static void divided_tables_are_shared(void **state)
{
	(void)state;
	rf_memo *m = table(RF_MEMO_LRU, 1024, true);
	run_threads(m);
	rf_memo_stats s = rf_memo_statistics(m);
	assert_true(s.entries > 150 && s.entries <= 200 && s.evictions == 0);
	struct key k = {7, 3};
	uint64_t v;
	assert_true(rf_memo_get(m, &k, &v) && RF_MEMO_GET(m, &k, &v) && v == truth(k));
	rf_memo_forget(m, &k);
	assert_false(rf_memo_get(m, &k, &v));
	rf_memo_bump(m);
	assert_int_equal(rf_memo_statistics(m).entries, 0);
	rf_memo_free(m);
}

static void *get_seven(void *arg)
{
	uint64_t v;
	return rf_memo_get(arg, &(struct key){7, 3}, &v) ? arg : NULL;
}

static void *bump(void *arg)
{
	rf_memo_bump(arg);
	return NULL;
}

static void each_thread_has_its_own(void **state)
{
	(void)state;
	rf_memo *m = rf_memo_new(&(rf_memo_config){.kind = RF_MEMO_LRU,
						   .entries = 300,
						   .key_size = sizeof(struct key),
						   .value_size = 8,
						   .per_thread = true});
	assert_non_null(m);
	run_threads(m); /* their parts are gone, their counts are not */
	assert_int_equal(rf_memo_statistics(m).entries, 0);
	struct key k = {7, 3};
	uint64_t v = truth(k);
	assert_false(rf_memo_get(m, &k, &v));
	rf_memo_put(m, &k, &v);
	assert_true(rf_memo_get(m, &k, &v));
	pthread_t t;
	void *found;
	assert_int_equal(pthread_create(&t, NULL, get_seven, m), 0);
	pthread_join(t, &found);
	assert_null(found);
	assert_int_equal(pthread_create(&t, NULL, bump, m), 0);
	pthread_join(t, NULL);
	assert_false(rf_memo_get(m, &k, &v));
	rf_memo_put(m, &k, &v);
	rf_memo_forget(m, &(struct key){1, 1}); /* one key: all, since no other thread's part may be searched */
	assert_false(rf_memo_get(m, &k, &v));
	rf_memo_put(m, &k, &v);
	rf_memo_clear(m);
	assert_false(rf_memo_get(m, &k, &v));
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
	   cmocka_unit_test(threads_may_share), cmocka_unit_test(writes_its_key_stream),
	   cmocka_unit_test(inline_agrees_with_the_library), cmocka_unit_test(sizes_that_differ_are_refused),
	   cmocka_unit_test(bump_forgets_all_and_reuses_places),
	   cmocka_unit_test(a_version_that_comes_round_is_not_believed), cmocka_unit_test(strings_are_keys),
	   cmocka_unit_test(dropped_values_are_destroyed), cmocka_unit_test(divided_tables_are_shared),
	   cmocka_unit_test(each_thread_has_its_own))

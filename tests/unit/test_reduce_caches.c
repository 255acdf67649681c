/* SPDX-License-Identifier: MIT */
/* The caches of failed variants: the paper's Table 1 (corrected), and each cache against an exact set of the variants
 * that failed, over random programs, deletions, rewrites and minima. */
#include "data/digest.h"
#include "base/bits.h"
#include "reduce/cache/compact.h"
#include "reduce/cache/keyset.h"
#include "reduce/model/symbols.h"
#include "reduce/cache/verdicts.h"
#include "testing.h"

/* ---- Table 1: int main() { int a = 0; int b = 9; return a + 0; } */

static uint32_t words(struct symbols *s, const char *text, uint32_t *out)
{
	uint32_t n = 0;
	while (*text) {
		size_t len = strcspn(text, " ");
		out[n++] = symbols_add(s, 0, text, len);
		text += len;
		text += strspn(text, " ");
	}
	return n;
}

struct row {
	const char *text;
	uint32_t encoding[8];
	size_t n;
};

static void check_table(struct symbols *s, const char *min_text, const struct row *rows, size_t n_rows)
{
	uint32_t min[32], p[32], back[32];
	uint32_t n_min = words(s, min_text, min);
	struct encoding e = {0};
	for (size_t i = 0; i < n_rows; i++) {
		uint32_t n = words(s, rows[i].text, p);
		if (!rows[i].n) {
			assert_false(compact_encode(min, n_min, p, n, &e));
			continue;
		}
		assert_true(compact_encode(min, n_min, p, n, &e));
		assert_int_equal(e.n, rows[i].n);
		assert_memory_equal(e.at, rows[i].encoding, e.n * sizeof *e.at);
		assert_int_equal(compact_decode(min, e.at, e.n, back), n);
		assert_memory_equal(back, p, n * sizeof *p);
	}
	vec_release(&e);
}

#define P0 "int main ( ) { int a = 0 ; int b = 9 ; return a + 0 ; }"
#define P1 "int main ( ) { }"
#define P2 "int main ( ) { int b = 9 ; return a + 0 ; }"
#define P3 "int main ( ) { int a = 0 ; }"
#define P4 "int main ( ) { int a = 0 ; return a + 0 ; }"
#define P6 "int main ( ) { return a + 0 ; }"
#define P7 "int main ( ) { int a = 0 ; return 0 ; }"
#define P9 "int main ( ) { return 0 ; }"

static void test_table_1(void **state)
{
	(void)state;
	static const struct row in_p0[] = {
		{P1, {1, 6, 21, 22}, 4}, {P2, {1, 7, 12, 22}, 4}, {P3, {1, 11, 21, 22}, 4}, {P4, {1, 11, 16, 22}, 4}};
	static const struct row in_p4[] = {{P1, {1, 6, 16, 17}, 4},
					   {P3, {1, 11, 16, 17}, 4},
					   {P6, {1, 6, 11, 17}, 4},
					   {P7, {1, 12, 14, 17}, 4},
					   {P2, {0}, 0}};
	/* the paper's row p8 is p9 */
	static const struct row in_p7[] = {
		{P1, {1, 6, 14, 15}, 4}, {P3, {1, 11, 14, 15}, 4}, {P9, {1, 6, 11, 15}, 4}, {P2, {0}, 0}};
	struct symbols s = {0};
	check_table(&s, P0, in_p0, ARRAY_LEN(in_p0));
	check_table(&s, P4, in_p4, ARRAY_LEN(in_p4));
	check_table(&s, P7, in_p7, ARRAY_LEN(in_p7));
	symbols_release(&s);
}

/* ---- against an exact model */

struct failed {
	VEC_FIELDS(uint32_t *); /* each: n, then n symbols */
};

static bool model_knows(const struct failed *f, const uint32_t *p, uint32_t n)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i][0] == n && memcmp(f->at[i] + 1, p, n * sizeof *p) == 0)
			return true;
	return false;
}

static void model_add(struct failed *f, const uint32_t *p, uint32_t n)
{
	uint32_t *e = mem_alloc((n + 1) * sizeof *e);
	e[0] = n;
	memcpy(e + 1, p, n * sizeof *p);
	vec_push(f, e);
}

static void model_drop(struct failed *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->at[i]);
	vec_release(f);
}

enum { KINDS = 9 };

static void random_edit(struct rng *r, const struct model *m, struct edit *e, bool rewrites)
{
	edit_clear(e);
	unsigned spans = 1 + (unsigned)rng_below(r, 3);
	for (unsigned i = 0; i < spans; i++) {
		uint32_t from = (uint32_t)rng_below(r, m->n_tokens + 1);
		edit_remove(e, from, from + (uint32_t)rng_below(r, 5));
	}
	if (rewrites && rng_below(r, 3) == 0)
		edit_rewrite(e, (uint32_t)rng_below(r, m->n_tokens), (uint32_t)rng_below(r, m->symbols->n));
}

static void announce(struct verdicts **cache, size_t n, struct model *m, const struct step *s)
{
	uint32_t *old = mem_dup(m->min, m->n * sizeof *old), n_old = m->n;
	model_apply(m, s);
	struct min_change ch = {old, m->min, n_old, m->n, s->rewrite.n == 0, s->gaps.at, s->gaps.n};
	for (size_t i = 0; i < n; i++) {
		verdicts_refresh(cache[i], &ch);
		verdicts_check(cache[i], m->min, m->n);
	}
	free(old);
}

/* Caches that remember rewritten variants for good, so that they must answer exactly even then. */
static bool exact_with_rewrites(const struct verdicts_kind *k)
{
	return k == &verdicts_str || k == &verdicts_zip || k == &verdicts_sha;
}

static void one_run(uint64_t seed, bool rewrites)
{
	struct rng r = {seed};
	struct symbols symbols = {0};
	static const char *const text[] = {"a", "b", "", "\1", "c\1", "x y", "if"};
	uint32_t sym[80], n = 2 + (uint32_t)rng_below(&r, 70), alphabet = 1 + (uint32_t)rng_below(&r, 8);
	for (uint32_t i = 0; i < alphabet; i++)
		i < 7 ? symbols_add(&symbols, 0, text[i], strlen(text[i])) : symbols_add(&symbols, 0, "a\0b", 3);
	for (uint32_t i = 0; i < n; i++)
		sym[i] = (uint32_t)rng_below(&r, alphabet);
	struct model m;
	model_init(&m, sym, n);
	m.symbols = &symbols;
	struct verdicts *cache[KINDS];
	size_t n_caches = 0;
	for (const struct verdicts_kind *const *k = verdicts_kinds; *k; k++)
		if (*k != &verdicts_none)
			cache[n_caches++] = verdicts_new(*k, &symbols, sym, n, seed % 2);
	struct failed known = {0};
	struct edit e = {0};
	struct step s = {0};
	for (unsigned step = 0; step < 300 && m.n > 1; step++) {
		random_edit(&r, &m, &e, rewrites);
		if (!step_make(&s, &m, &e))
			continue;
		struct variant v = step_variant(&s, &m);
		uint32_t p[80];
		variant_symbols(&v, p);
		bool want = model_knows(&known, p, v.n);
		for (size_t i = 0; i < n_caches; i++) {
			bool has = verdicts_has(cache[i], &v);
			if (rewrites && !exact_with_rewrites(cache[i]->kind) ? has && !want : has != want)
				fail_msg("seed %llu step %u: %s says %d, the set %d", (unsigned long long)seed, step,
					 cache[i]->kind->name, has, want);
		}
		bool minimum = m.n == v.n && memcmp(p, m.min, v.n * sizeof *p) == 0;
		if (want || minimum)
			continue;
		if (rng_below(&r, 6) == 0) {
			announce(cache, n_caches, &m, &s);
		} else {
			model_add(&known, p, v.n);
			for (size_t i = 0; i < n_caches; i++)
				verdicts_add(cache[i], &v);
		}
	}
	for (size_t i = 0; i < n_caches; i++) {
		verdicts_check(cache[i], m.min, m.n);
		struct verdicts_stats st = verdicts_stats(cache[i]);
		assert_true(st.peak_bytes >= st.bytes && st.peak_entries >= st.entries);
		if (!exact_with_rewrites(cache[i]->kind) && cache[i]->kind != &verdicts_cc)
			assert_true(st.entries <= known.n);
		else if (cache[i]->kind != &verdicts_cc)
			assert_int_equal(st.entries, known.n);
		cache[i]->kind->release(cache[i]);
		assert_int_equal(cache[i]->mem.now, 0);
		verdicts_free(cache[i]);
	}
	model_drop(&known);
	edit_release(&e);
	step_release(&s);
	model_release(&m);
	symbols_release(&symbols);
}

static void test_random_deletions(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++)
		one_run(seed, false);
}

static void test_random_rewrites(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		one_run(seed * 7919, true);
}

/* ---- the set that the caches keep their keys in, against a plain list */

enum { KEYS = 60, KEY_MAX = 12 };

struct plain_set {
	bool has[KEYS];
	struct mem_counter counter;
};

/* Key number i: its length says part of it, so that prefixes are keys too. */
static size_t key_text(uint32_t i, char *out)
{
	return (size_t)snprintf(out, KEY_MAX, "%.*s", 1 + (int)(i % 7), &"abcdefghijklmnopqrstuvw"[i / 7]);
}

/* Drops every third key and gives the others their text anew or keeps the block. */
static bool change_key(void *user, const void *key, size_t len, const void **to, size_t *to_len)
{
	static char copy[KEY_MAX];
	struct plain_set *p = user;
	*to = key;
	*to_len = len;
	for (uint32_t i = 0; i < KEYS; i++) {
		char text[KEY_MAX];
		if (key_text(i, text) != len || memcmp(text, key, len) != 0)
			continue;
		if (i % 3 == 0)
			return p->has[i] = false;
		if (i % 3 == 1) {
			memcpy(copy, key, len);
			*to = copy;
		}
	}
	return true;
}

static void test_keyset(void **state)
{
	(void)state;
	struct rng r = {3};
	for (unsigned run = 0; run < 50; run++) {
		struct plain_set p = {0};
		struct keyset s;
		keyset_init(&s, &p.counter, run % 5 == 4);
		for (unsigned step = 0; step < 120; step++) {
			char text[KEY_MAX];
			uint32_t i = (uint32_t)rng_below(&r, KEYS);
			size_t len = key_text(i, text), n = 0;
			assert_int_equal(keyset_has(&s, text, len), p.has[i]);
			if (!p.has[i])
				keyset_add(&s, text, len);
			p.has[i] = true;
			if (!s.account_only && rng_below(&r, 20) == 0)
				keyset_rebuild(&s, change_key, &p);
			for (i = 0; i < KEYS; i++)
				n += p.has[i];
			assert_int_equal(s.n, n);
			keyset_check(&s);
			assert_int_equal(p.counter.now, keyset_bytes(&s));
		}
		keyset_release(&s);
		assert_int_equal(p.counter.now, 0);
	}
}

/* ---- refreshing forgets: only subsequences of the new minimum stay in rcc and full */

static void test_refresh_drops(void **state)
{
	(void)state;
	struct symbols symbols = {0};
	uint32_t sym[32];
	struct model m;
	uint32_t n = words(&symbols, P0, sym);
	model_init(&m, sym, n);
	m.symbols = &symbols;
	static const struct verdicts_kind *const kinds[] = {&verdicts_full, &verdicts_rcc, &verdicts_rstr,
							    &verdicts_rcc_size, &verdicts_cc};
	static const uint64_t left[] = {2, 2, 2, 2, 3};
	struct verdicts *cache[5];
	for (size_t i = 0; i < 5; i++)
		cache[i] = verdicts_new(kinds[i], &symbols, sym, n, false);
	/* p1, p2, p3 fail, p4 becomes the minimum; p2 is as long as p4 */
	static const struct span failed[][2] = {{{5, 20}, {0, 0}}, {{5, 10}, {0, 0}}, {{10, 20}, {0, 0}}};
	struct edit e = {0};
	struct step s = {0};
	for (size_t i = 0; i < 3; i++) {
		edit_clear(&e);
		edit_remove(&e, failed[i][0].from, failed[i][0].to);
		assert_true(step_make(&s, &m, &e));
		struct variant v = step_variant(&s, &m);
		for (size_t c = 0; c < 5; c++)
			verdicts_add(cache[c], &v);
	}
	edit_clear(&e);
	edit_remove(&e, 10, 15);
	step_make(&s, &m, &e);
	announce(cache, 5, &m, &s);
	for (size_t c = 0; c < 5; c++) {
		assert_int_equal(verdicts_stats(cache[c]).entries, left[c]);
		/* p5 = p3 */
		edit_clear(&e);
		edit_remove(&e, 15, 20);
		assert_true(step_make(&s, &m, &e));
		struct variant v = step_variant(&s, &m);
		assert_true(verdicts_has(cache[c], &v));
		verdicts_free(cache[c]);
	}
	edit_release(&e);
	step_release(&s);
	model_release(&m);
	symbols_release(&symbols);
}

/* ---- bytes: a deletion from 200,000 tokens */

static void test_entry_sizes(void **state)
{
	(void)state;
	enum { N = 200000, ENTRIES = 2000 };
	uint32_t *sym = mem_alloc(N * sizeof *sym);
	struct rng r = {5};
	struct symbols symbols = {0};
	for (uint32_t i = 0; i < N; i++)
		sym[i] = (uint32_t)rng_below(&r, 3000);
	struct model m;
	model_init(&m, sym, N);
	struct verdicts *full = verdicts_new(&verdicts_full, &symbols, sym, N, false);
	struct verdicts *rcc = verdicts_new(&verdicts_rcc, &symbols, sym, N, false);
	struct edit e = {0};
	struct step s = {0};
	for (uint32_t i = 0; i < ENTRIES; i++) {
		edit_clear(&e);
		edit_remove(&e, i * 90, i * 90 + 7);
		step_make(&s, &m, &e);
		struct variant v = step_variant(&s, &m);
		assert_false(verdicts_has(full, &v));
		verdicts_add(full, &v);
		if (i < 20)
			verdicts_add(rcc, &v);
	}
	double per_full = (double)verdicts_stats(full).bytes / ENTRIES;
	assert_true(per_full < 16);
	/* a key of four integers, at least */
	assert_true((double)verdicts_stats(rcc).bytes / 20 >= 16 + 16);
	verdicts_free(full);
	verdicts_free(rcc);
	edit_release(&e);
	step_release(&s);
	model_release(&m);
	free(sym);
}

UNIT_TESTS(cmocka_unit_test(test_table_1), cmocka_unit_test(test_random_deletions),
	   cmocka_unit_test(test_random_rewrites), cmocka_unit_test(test_refresh_drops),
	   cmocka_unit_test(test_entry_sizes), cmocka_unit_test(test_keyset))

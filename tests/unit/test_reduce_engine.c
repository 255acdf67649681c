/* SPDX-License-Identifier: MIT */
/* The engine and ddmin: the order of queries is the textbook's, every cache sees the same candidates and gives the
 * same result, and answers that come late and out of order (several jobs) still lead to an interesting minimum from
 * which nothing is lost. */
#include "base/bits.h"
#include "data/digest.h"
#include "reduce/syntax/syntax.h"
#include "reduce/run/in_process.h"
#include "reduce/model/load.h"
#include "reduce/model/symbols.h"
#include "testing.h"

/* ---- properties over token sequences */

struct property {
	uint32_t need[8]; /* these symbols must occur, in this order */
	uint32_t n;
	uint64_t salt; /* ≠ 0: some interesting variants are refused, by a hash of the variant */
};

static bool holds(const struct property *q, const uint32_t *p, uint32_t n)
{
	uint32_t i = 0;
	for (uint32_t k = 0; k < n && i < q->n; k++)
		i += p[k] == q->need[i];
	if (i < q->n)
		return false;
	return !q->salt || n <= q->n || hash64_seed(p, n * sizeof *p, q->salt) % 3 != 0;
}

struct recorder {
	struct property property;
	VEC(uint64_t) generated, asked;
	uint32_t best[256], n_best;
};

static uint64_t hash_variant(const struct variant *v)
{
	uint32_t p[256];
	variant_symbols(v, p);
	return hash64_seed(p, v->n * sizeof *p, v->n);
}

static bool record_asked(void *user, const struct variant *v, const struct model *m)
{
	struct recorder *r = user;
	uint32_t p[256];
	(void)m;
	variant_symbols(v, p);
	vec_push(&r->asked, hash_variant(v));
	return holds(&r->property, p, v->n);
}

static void record_generated(void *user, const struct variant *v)
{
	struct recorder *r = user;
	vec_push(&r->generated, hash_variant(v));
}

static void recorder_release(struct recorder *r)
{
	vec_release_all(&r->generated, &r->asked);
}

/* ---- ddmin as in the book, by recursion on lists */

static void book_ask(struct recorder *r, const uint32_t *p, uint32_t n, bool *yes)
{
	vec_push(&r->asked, hash64_seed(p, n * sizeof *p, n));
	*yes = holds(&r->property, p, n);
}

static void book_ddmin(struct recorder *r, uint32_t *c, uint32_t *len, uint32_t n)
{
	uint32_t start[256], size[256], rest[256];
	bool yes;
	if (*len < 2)
		return;
	for (uint32_t i = 0, at = 0; i < n; i++) {
		start[i] = at;
		size[i] = (uint32_t)((double)(*len - at) / (double)(n - i) + 0.5);
		at += size[i];
	}
	for (uint32_t i = 0; i < n; i++) {
		book_ask(r, c + start[i], size[i], &yes);
		if (yes) {
			memmove(c, c + start[i], size[i] * sizeof *c);
			*len = size[i];
			book_ddmin(r, c, len, 2);
			return;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t left = *len - size[i];
		memcpy(rest, c, start[i] * sizeof *c);
		memcpy(rest + start[i], c + start[i] + size[i], (left - start[i]) * sizeof *c);
		book_ask(r, rest, left, &yes);
		if (yes) {
			memcpy(c, rest, left * sizeof *c);
			*len = left;
			book_ddmin(r, c, len, n - 1 > 2 ? n - 1 : 2);
			return;
		}
	}
	if (n < *len)
		book_ddmin(r, c, len, 2 * n < *len ? 2 * n : *len);
}

static uint32_t random_program(struct rng *r, uint32_t *sym, struct property *q)
{
	uint32_t n = 2 + (uint32_t)rng_below(r, 120), alphabet = 2 + (uint32_t)rng_below(r, 20);
	for (uint32_t i = 0; i < n; i++)
		sym[i] = (uint32_t)rng_below(r, alphabet);
	*q = (struct property){.salt = rng_below(r, 2) ? rng_next(r) : 0};
	uint32_t want = 1 + (uint32_t)rng_below(r, 6), at = (uint32_t)rng_below(r, n);
	for (; q->n < want && at < n; at += 1 + (uint32_t)rng_below(r, 30))
		q->need[q->n++] = sym[at];
	return n;
}

static void test_ddmin_is_the_textbook(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct rng rng = {seed};
		uint32_t sym[256];
		struct recorder engine = {0}, book = {0};
		uint32_t n = random_program(&rng, sym, &engine.property);
		book.property = engine.property;
		if (!holds(&book.property, sym, n))
			book.property.salt = engine.property.salt = 0;
		struct model m;
		model_init(&m, sym, n);
		struct in_process p = {.algorithm = algorithm_find("ddmin"),
				       .cache = &verdicts_none,
				       .interesting = record_asked,
				       .user = &engine};
		assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
		uint32_t len = n;
		book_ddmin(&book, sym, &len, 2);
		assert_int_equal(engine.asked.n, book.asked.n);
		assert_memory_equal(engine.asked.at, book.asked.at, book.asked.n * sizeof *book.asked.at);
		assert_int_equal(m.n, len);
		assert_memory_equal(m.min, sym, len * sizeof *sym);
		recorder_release(&engine);
		recorder_release(&book);
		model_release(&m);
	}
}

static int by_hash(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* No variant was asked about twice, cancelled ones included. Sorts asked. */
static void assert_none_twice(uint64_t *asked, size_t n)
{
	if (n)
		qsort(asked, n, sizeof *asked, by_hash);
	for (size_t i = 1; i < n; i++)
		assert_true(asked[i - 1] != asked[i]);
}

static void test_caches_agree(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct rng rng = {seed * 31};
		uint32_t sym[256], best[256], n_best = 0;
		struct property q;
		uint32_t n = random_program(&rng, sym, &q);
		if (!holds(&q, sym, n))
			q.salt = 0;
		struct symbols symbols = {0};
		for (uint32_t i = 0; i < 32; i++) {
			char text[16];
			symbols_add(&symbols, 0, text, (size_t)snprintf(text, sizeof text, "t%u", i));
		}
		struct recorder none = {0}, cached = {0};
		for (const struct verdicts_kind *const *k = verdicts_kinds; *k; k++) {
			struct recorder r = {.property = q};
			struct model m;
			model_init(&m, sym, n);
			m.symbols = &symbols;
			struct in_process p = {.algorithm = algorithm_find("ddmin"),
					       .cache = *k,
					       .interesting = record_asked,
					       .generated = record_generated,
					       .user = &r};
			assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
			assert_int_equal(p.queries + p.hits, p.candidates);
			if (!n_best) {
				memcpy(best, m.min, m.n * sizeof *best);
				n_best = m.n;
			}
			assert_int_equal(m.n, n_best);
			assert_memory_equal(m.min, best, n_best * sizeof *best);
			struct recorder *same = *k == &verdicts_none ? &none : &cached;
			if (*k == &verdicts_none)
				assert_int_equal(p.hits, 0);
			struct recorder *other = same == &none ? &cached : &none;
			if (!same->generated.n) {
				*same = r;
			} else {
				assert_int_equal(r.asked.n, same->asked.n);
				assert_memory_equal(r.asked.at, same->asked.at, r.asked.n * sizeof *r.asked.at);
				assert_int_equal(r.generated.n, same->generated.n);
				assert_memory_equal(r.generated.at, same->generated.at,
						    r.generated.n * sizeof *r.generated.at);
				recorder_release(&r);
			}
			if (other->generated.n) {
				assert_int_equal(same->generated.n, other->generated.n);
				assert_memory_equal(same->generated.at, other->generated.at,
						    same->generated.n * sizeof *same->generated.at);
			}
			model_release(&m);
		}
		assert_none_twice(cached.asked.at, cached.asked.n);
		recorder_release(&none);
		recorder_release(&cached);
		symbols_release(&symbols);
	}
}

/* Without a salt the property is monotone, so every order of answers must end at exactly the wanted symbols. */
static void test_many_jobs(void **state)
{
	(void)state;
	uint64_t merges = 0;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct rng rng = {seed * 77};
		uint32_t sym[256];
		struct recorder r = {0};
		uint32_t n = random_program(&rng, sym, &r.property);
		bool monotone = seed % 2 || !holds(&r.property, sym, n);
		if (monotone)
			r.property.salt = 0;
		struct model m;
		model_init(&m, sym, n);
		struct in_process p = {.algorithm = algorithm_find("ddmin"),
				       .cache = seed % 3 ? &verdicts_full : &verdicts_none,
				       .interesting = record_asked,
				       .user = &r,
				       .seed = seed,
				       .jobs = 2 + seed % 7};
		assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
		assert_true(holds(&r.property, m.min, m.n));
		if (monotone) {
			assert_int_equal(m.n, r.property.n);
			assert_memory_equal(m.min, r.property.need, m.n * sizeof *m.min);
		}
		merges += p.merges;
		if (p.cache == &verdicts_full)
			assert_none_twice(r.asked.at, r.asked.n);
		recorder_release(&r);
		model_release(&m);
	}
	assert_true(merges > 0);
}

static void test_query_limit(void **state)
{
	(void)state;
	uint32_t sym[100];
	for (uint32_t i = 0; i < 100; i++)
		sym[i] = i;
	struct recorder r = {.property = {{3, 50, 97}, 3, 0}};
	struct model m;
	model_init(&m, sym, 100);
	struct in_process p = {.algorithm = algorithm_find("ddmin"),
			       .cache = &verdicts_full,
			       .interesting = record_asked,
			       .user = &r,
			       .max_queries = 17};
	assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
	assert_int_equal(p.queries, 17);
	assert_false(p.complete);
	assert_true(holds(&r.property, m.min, m.n));
	recorder_release(&r);
	model_release(&m);
}

static void test_guarded_tokens_stay(void **state)
{
	(void)state;
	uint32_t sym[60];
	for (uint32_t i = 0; i < 60; i++)
		sym[i] = i;
	struct recorder r = {.property = {{7}, 1, 0}};
	struct model m;
	model_init(&m, sym, 60);
	m.guard = mem_alloc(61 * sizeof *m.guard);
	for (uint32_t i = 0; i <= 60; i++)
		m.guard[i] = (i > 20) + (i > 41);
	struct in_process p = {
		.algorithm = algorithm_find("ddmin"), .cache = &verdicts_full, .interesting = record_asked, .user = &r};
	assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
	static const uint32_t left[] = {7, 20, 41};
	assert_int_equal(m.n, 3);
	assert_memory_equal(m.min, left, sizeof left);
	recorder_release(&r);
	model_release(&m);
}

/* ---- all caches with the algorithms that need a tree */

struct tree_run {
	uint64_t salt;
	uint32_t need[3];
	VEC(uint64_t) generated, asked;
};

static uint64_t hash_tokens(const struct variant *v)
{
	uint32_t *p = mem_alloc((v->n + 1) * sizeof *p);
	variant_symbols(v, p);
	uint64_t h = hash64_seed(p, v->n * sizeof *p, v->n);
	free(p);
	return h;
}

/* The needed tokens in order, and as many opening as closing braces; with a salt, only every second such text. */
static bool tree_interesting(void *user, const struct variant *v, const struct model *m)
{
	struct tree_run *r = user;
	uint32_t *p = mem_alloc((v->n + 1) * sizeof *p), found = 0;
	long open = 0;
	uint64_t hash = hash_tokens(v);
	vec_push(&r->asked, hash);
	variant_symbols(v, p);
	for (uint32_t i = 0; i < v->n; i++) {
		const struct symbol *y = &m->symbols->at[p[i]];
		found += found < 3 && p[i] == r->need[found];
		open += y->len == 1 ? (y->text[0] == '{') - (y->text[0] == '}') : 0;
	}
	free(p);
	return found == 3 && open == 0 && (!r->salt || mix64(hash + r->salt) % 2);
}

static void tree_generated(void *user, const struct variant *v)
{
	struct tree_run *r = user;
	vec_push(&r->generated, hash_tokens(v));
}

/* Parses the text, of which three tokens are needed. */
static void tree_load(struct tree_run *r, struct model *m, const char *text)
{
	static const char *const need[] = {"f3", "while", "f9"};
	struct source src = {"a.c", text, strlen(text), language_find("c")};
	assert_int_equal(model_load(m, &src, 1, NULL), RC_OK);
	for (size_t i = 0; i < 3; i++)
		r->need[i] = symbols_add(m->symbols, 0, need[i], strlen(need[i]));
}

static void one_tree(const char *algorithm, const char *text)
{
	struct tree_run cached = {0};
	uint64_t unasked = 0, result = 0;
	for (const struct verdicts_kind *const *k = verdicts_kinds; *k; k++) {
		struct tree_run r = {0};
		struct model m = {0};
		tree_load(&r, &m, text);
		struct in_process p = {.algorithm = algorithm_find(algorithm),
				       .cache = *k,
				       .interesting = tree_interesting,
				       .generated = tree_generated,
				       .user = &r};
		assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
		uint64_t h = hash64(m.min, m.n * sizeof *m.min);
		if (!result)
			result = h;
		assert_true(h == result);
		if (*k == &verdicts_none) {
			unasked = r.asked.n;
		} else if (!cached.asked.n) {
			cached = r;
			r = (struct tree_run){0};
		} else {
			assert_int_equal(r.asked.n, cached.asked.n);
			assert_memory_equal(r.asked.at, cached.asked.at, r.asked.n * sizeof *r.asked.at);
		}
		if (r.generated.n) {
			assert_int_equal(r.generated.n, cached.generated.n);
			assert_memory_equal(r.generated.at, cached.generated.at,
					    r.generated.n * sizeof *r.generated.at);
		}
		vec_release_all(&r.asked, &r.generated);
		model_unload(&m);
	}
	assert_true(unasked > cached.asked.n);
	vec_release_all(&cached.asked, &cached.generated);
}

static void add_functions(struct buf *text, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		buf_printf(text,
			   "int f%u(int a, int b) {\n\tint c = a + %u;\n\twhile (c > b) { c -= a; if (c == %u) return "
			   "a; }\n\treturn b;\n}\n",
			   i, i, i * 3);
}

static void test_caches_agree_on_trees(void **state)
{
	(void)state;
	struct buf text = {0};
	add_functions(&text, 12);
	static const char *const algorithms_here[] = {"ddmin", "hdd", "perses"};
	for (size_t i = 0; i < 3; i++)
		one_tree(algorithms_here[i], buf_str(&text));
	buf_release(&text);
}

static struct in_process several_jobs(const char *algorithm, struct tree_run *r, uint64_t seed, unsigned jobs)
{
	return (struct in_process){.algorithm = algorithm_find(algorithm),
				   .cache = &verdicts_full,
				   .interesting = tree_interesting,
				   .user = r,
				   .seed = seed,
				   .jobs = jobs};
}

/* Answers come late and in any order: still no variant is tested twice. */
static void test_many_jobs_on_trees(void **state)
{
	(void)state;
	struct buf text = {0};
	add_functions(&text, 12);
	static const char *const names[] = {"perses", "hdd", "ddmin", "full"};
	for (uint64_t seed = 1; seed <= 24; seed++) {
		struct tree_run r = {0};
		struct model m = {0};
		tree_load(&r, &m, buf_str(&text));
		struct in_process p = several_jobs(names[seed % 4], &r, seed, 2 + seed % 5);
		assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
		assert_none_twice(r.asked.at, r.asked.n);
		vec_release(&r.asked);
		model_unload(&m);
	}
	buf_release(&text);
}

/* Each minimum is asked about again. What it is parsed into may be other tokens, of which another verdict is right. */
static void tree_minimum(void *user, const struct model *m)
{
	assert_true(tree_interesting(user, &(struct variant){.min = m->min, .n_min = m->n, .n = m->n}, m));
}

/* Where several jobs end, one job finds nothing more, also when the property is not monotone. */
static void test_many_jobs_end_at_a_fixpoint(void **state)
{
	(void)state;
	struct buf text = {0};
	add_functions(&text, 10);
	for (uint64_t seed = 1; seed <= 900; seed++) {
		struct tree_run r = {.salt = seed % 3 ? seed : 0};
		struct model m = {0};
		tree_load(&r, &m, buf_str(&text));
		unsigned jobs = 2 + (unsigned)(seed <= 300 ? seed % 3 : seed % 37);
		struct in_process p = several_jobs(seed % 2 ? "perses" : "full", &r, seed, jobs);
		p.clock = seed % 5 ? CLOCK_LOGNORMAL : CLOCK_RANDOM;
		p.minimum = tree_minimum;
		assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
		uint32_t n = m.n;
		p.cache = &verdicts_none;
		p.jobs = 1;
		assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
		assert_int_equal(m.n, n);
		vec_release(&r.asked);
		model_unload(&m);
	}
	buf_release(&text);
}

/* Deleted nothing, as far as the tokens go. */
static bool all_there(void *user, const struct variant *v, const struct model *m)
{
	(void)m;
	return v->n == *(const uint32_t *)user;
}

/* `int` becomes `void`, which is longer: successes of the same minimum are merged all the same. */
static void test_longer_words_are_merged(void **state)
{
	(void)state;
	static const char *const passes[] = {"result", NULL};
	static const struct algorithm only_result = {.name = "result", .passes = passes};
	struct buf text = {0};
	for (unsigned i = 0; i < 16; i++)
		buf_printf(&text, "int f%u(int);\n", i);
	struct tree_run r = {0};
	struct model m = {0};
	tree_load(&r, &m, buf_str(&text));
	uint32_t n = m.n;
	struct in_process p = {.algorithm = &only_result,
			       .cache = &verdicts_full,
			       .interesting = all_there,
			       .user = &n,
			       .clock = CLOCK_UNIT,
			       .jobs = 16};
	assert_int_equal(reduce_in_process(&p, &m, NULL), RC_OK);
	for (uint32_t i = 0; i < m.n; i += 6) {
		size_t len;
		assert_memory_equal(model_text(&m, i, &len), "void", 4);
	}
	/* all at once, one of them, then the others in one */
	assert_true(p.time <= 3);
	buf_release(&text);
	model_unload(&m);
}

UNIT_TESTS(cmocka_unit_test(test_ddmin_is_the_textbook), cmocka_unit_test(test_caches_agree),
	   cmocka_unit_test(test_many_jobs), cmocka_unit_test(test_caches_agree_on_trees),
	   cmocka_unit_test(test_many_jobs_on_trees), cmocka_unit_test(test_many_jobs_end_at_a_fixpoint),
	   cmocka_unit_test(test_query_limit), cmocka_unit_test(test_longer_words_are_merged),
	   cmocka_unit_test(test_guarded_tokens_stay))

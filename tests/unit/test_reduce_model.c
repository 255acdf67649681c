/* SPDX-License-Identifier: MIT */
/* The minimum, edits and steps against plain arrays: random deletions and rewrites, each step checked before and
 * after it is applied, texts found again in the minimum, and bases made anew. */
#include "base/bits.h"
#include "reduce/model/symbols.h"
#include "reduce/model/variant.h"
#include "testing.h"

enum { N = 90, ALPHABET = 5 };

/* What the model must be: the base's tokens, each there or gone. */
struct plain {
	uint32_t sym[N];
	bool gone[N];
	uint32_t n;
};

static uint32_t plain_symbols(const struct plain *p, uint32_t *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n; i++)
		if (!p->gone[i])
			out[n++] = p->sym[i];
	return n;
}

static struct plain plain_edit(const struct plain *p, const struct edit *e)
{
	struct plain q = *p;
	for (size_t i = 0; i < e->rewrite.n; i++)
		q.sym[e->rewrite.at[i].token] = e->rewrite.at[i].sym;
	for (size_t i = 0; i < e->remove.n; i++)
		for (uint32_t t = e->remove.at[i].from; t < e->remove.at[i].to && t < q.n; t++)
			q.gone[t] = true;
	return q;
}

static void random_edit(struct rng *r, const struct model *m, struct edit *e)
{
	edit_clear(e);
	for (uint64_t i = rng_below(r, 4); i; i--) {
		uint32_t from = (uint32_t)rng_below(r, m->n_tokens + 1);
		edit_remove(e, from, from + (uint32_t)rng_below(r, 4));
	}
	uint32_t token = (uint32_t)rng_below(r, m->n_tokens);
	for (uint64_t i = rng_below(r, 3); i && token < m->n_tokens; i--, token += 1 + (uint32_t)rng_below(r, 9))
		edit_rewrite(e, token, (uint32_t)rng_below(r, ALPHABET));
}

static void assert_symbols(const uint32_t *got, uint32_t n, const struct plain *p)
{
	uint32_t want[N], n_want = plain_symbols(p, want);
	assert_int_equal(n, n_want);
	assert_memory_equal(got, want, n * sizeof *got);
}

/* The text of p, a variant of the minimum without rewrites, is found in the minimum again. */
static void assert_embeds(const struct model *m, const struct plain *p)
{
	uint32_t want[N], got[N], n = plain_symbols(p, want);
	struct edit way = {0};
	struct step s = {0};
	assert_true(edit_embed(&way, m, want, n));
	if (step_make(&s, m, &way)) {
		struct variant v = step_variant(&s, m);
		step_check(&s, m);
		assert_int_equal(v.n, n);
		variant_symbols(&v, got);
		assert_memory_equal(got, want, n * sizeof *got);
	} else {
		assert_int_equal(m->n, n);
	}
	want[n] = ALPHABET; /* a symbol that does not occur */
	assert_false(edit_embed(&way, m, want, n + 1));
	edit_release(&way);
	step_release(&s);
}

/* Two variants are the same exactly when their symbols are. */
static void assert_same_is_equal(const struct model *m, const struct step *a, const struct step *b)
{
	uint32_t x[N], y[N];
	struct variant v = step_variant(a, m), w = step_variant(b, m);
	variant_symbols(&v, x);
	variant_symbols(&w, y);
	bool equal = v.n == w.n && memcmp(x, y, v.n * sizeof *x) == 0;
	assert_int_equal(variant_same(&v, &w), equal);
	assert_int_equal(variant_same(&w, &v), equal);
}

static void compact(struct model *m, struct plain *p)
{
	uint32_t left[N], n = plain_symbols(p, left);
	*p = (struct plain){.n = n};
	memcpy(p->sym, left, n * sizeof *left);
	model_compact(m);
}

static void one_run(uint64_t seed)
{
	struct rng r = {seed};
	struct plain p = {.n = 2 + (uint32_t)rng_below(&r, N - 2)};
	for (uint32_t i = 0; i < p.n; i++)
		p.sym[i] = (uint32_t)rng_below(&r, ALPHABET);
	struct model m;
	model_init(&m, p.sym, p.n);
	struct edit e = {0};
	struct step s = {0}, last = {0};
	bool have_last = false;
	for (unsigned i = 0; i < 60 && m.n > 1; i++) {
		random_edit(&r, &m, &e);
		struct plain q = plain_edit(&p, &e);
		bool changes = step_make(&s, &m, &e);
		step_check(&s, &m);
		struct variant v = step_variant(&s, &m);
		uint32_t got[N], n = plain_symbols(&p, got);
		if (!changes)
			assert_symbols(got, n, &q);
		variant_symbols(&v, got);
		assert_symbols(got, v.n, &q);
		if (have_last)
			assert_same_is_equal(&m, &s, &last);
		if (!e.rewrite.n)
			assert_embeds(&m, &q);
		have_last = step_make(&last, &m, &e);
		if (rng_below(&r, 3) == 0) {
			model_apply(&m, &s);
			p = q;
			have_last = false;
		}
		if (rng_below(&r, 10) == 0) {
			compact(&m, &p);
			have_last = false;
		}
		model_check(&m);
		assert_symbols(m.min, m.n, &p);
	}
	edit_release(&e);
	step_release(&s);
	step_release(&last);
	model_release(&m);
}

static void test_random_steps(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++)
		one_run(seed);
}

UNIT_TESTS(cmocka_unit_test(test_random_steps))

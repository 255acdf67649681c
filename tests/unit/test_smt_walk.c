/* SPDX-License-Identifier: MIT */
/* Random operations on the DAG, the cache of cores and the models, with every invariant walked after each of them. */
#include "base/bits.h"
#include "smt/cache/cache.h"
#include "smt/cache/models.h"

#include "smt_load.h"
#include "testing.h"

/* ---- the DAG */

/* A copy of what a mark must bring back. */
struct dag_copy {
	struct dag_mark mark;
	size_t n_terms, n_args;
	struct term *term;
	uint32_t *arg;
};

static struct dag_copy copy_dag(const struct dag *d)
{
	return (struct dag_copy){dag_mark(d), d->term.n, d->arg.n, mem_dup(d->term.at, d->term.n * sizeof *d->term.at),
				 mem_dup(d->arg.at, d->arg.n * sizeof *d->arg.at)};
}

static void assert_as_copied(const struct dag *d, const struct dag_copy *c)
{
	assert_int_equal(d->term.n, c->n_terms);
	assert_int_equal(d->arg.n, c->n_args);
	if (c->n_terms)
		assert_memory_equal(d->term.at, c->term, c->n_terms * sizeof *c->term);
	if (c->n_args)
		assert_memory_equal(d->arg.at, c->arg, c->n_args * sizeof *c->arg);
}

static uint32_t random_label(struct dag *d, struct rng *r, enum label_kind kind)
{
	char text[16];
	int n = snprintf(text, sizeof text, "%c%u", "?ofvxbs"[kind], (unsigned)rng_below(r, 6));
	return dag_label(d, kind, text, (size_t)n, kind == LABEL_FUN ? "Int" : "", kind == LABEL_FUN ? 3 : 0);
}

static uint32_t random_sort(struct dag *d, struct rng *r)
{
	uint32_t bits = dag_sort_bv(d, 1 + (uint32_t)rng_below(r, 80));
	return rng_below(r, 3) ? bits : dag_sort_array(d, bits, dag_sort_bv(d, 8));
}

static uint32_t any_term(struct dag *d, struct rng *r)
{
	return (uint32_t)rng_below(r, d->term.n);
}

/* Makes a term twice: it must be the same one. */
static void random_term(struct dag *d, struct rng *r)
{
	uint32_t args[4], n = (uint32_t)rng_below(r, 5), t, label;
	switch (d->term.n ? rng_below(r, 7) : 0) {
	case 0:
		label = random_label(d, r, LABEL_VAR);
		n = random_sort(d, r);
		t = dag_var(d, label, n);
		assert_int_equal(dag_var(d, label, n), t);
		break;
	case 1:
		t = dag_bound(d, n);
		assert_int_equal(dag_bound(d, n), t);
		break;
	case 2:
		label = random_label(d, r, LABEL_VALUE);
		t = dag_value(d, label);
		assert_int_equal(dag_value(d, label), t);
		break;
	case 3:
		label = random_label(d, r, LABEL_BINDER);
		args[0] = any_term(d, r);
		t = dag_binder(d, label, n + 1, args[0]);
		assert_int_equal(dag_binder(d, label, n + 1, args[0]), t);
		break;
	case 4:
		dag_shift(d, any_term(d, r), n);
		break;
	default:
		label = rng_below(r, 3) ? random_label(d, r, LABEL_OP) : d->op_select;
		for (uint32_t i = 0; i < n; i++)
			args[i] = any_term(d, r);
		t = dag_app(d, label, args, n);
		assert_int_equal(dag_app(d, label, args, n), t);
		break;
	}
}

static void dag_keeps_its_invariants(void **state)
{
	(void)state;
	struct rng r = {7};
	struct dag d;
	VEC(struct dag_copy) open = {0};
	dag_init(&d);
	for (int i = 0; i < 6000; i++) {
		uint64_t what = rng_below(&r, 40);
		if (what == 0) {
			vec_push(&open, copy_dag(&d));
		} else if (what == 1 && open.n) {
			struct dag_copy c = vec_pop(&open);
			dag_cut(&d, c.mark);
			assert_as_copied(&d, &c);
			free(c.term), free(c.arg);
		} else if (d.term.n > 400) { /* old enough; and small enough to be walked every time */
			for (; open.n; open.n--)
				free(vec_last(&open).term), free(vec_last(&open).arg);
			dag_clear(&d);
			assert_int_equal(d.term.n, 0);
		} else {
			random_term(&d, &r);
		}
		dag_check(&d);
	}
	for (; open.n; open.n--)
		free(vec_last(&open).term), free(vec_last(&open).arg);
	vec_release(&open);
	dag_release(&d);
}

/* ---- caches */

/* Up to four clauses over a few names; array cells, functions and a quantifier among them. */
static void random_script(struct rng *r, struct buf *b)
{
	static const char *const clause[] = {
		"(bvult %c %c)",          "(= %c (bvadd %c #x01))",
		"(= (select m #x03) %c)", "(not (= %c (select m %c)))",
		"(= (f %c) %c)",          "(forall ((z (_ BitVec 8))) (bvule %c (bvor z %c)))",
	};
	buf_clear(b);
	if (!rng_below(r, 3))
		buf_str_add(b, "(set-logic QF_AUFBV)");
	for (const char *v = "abcd"; *v; v++)
		buf_printf(b, "(declare-const %c (_ BitVec 8))", *v);
	buf_str_add(b,
		    "(declare-const m (Array (_ BitVec 8) (_ BitVec 8)))(declare-fun f ((_ BitVec 8)) (_ BitVec 8))");
	for (uint64_t n = 1 + rng_below(r, 4); n; n--) {
		buf_str_add(b, "(assert ");
		for (const char *p = clause[rng_below(r, ARRAY_LEN(clause))]; *p; p++) {
			if (p[0] == '%' && p[1] == 'c')
				buf_char(b, "abcd"[rng_below(r, 4)]), p++;
			else
				buf_char(b, *p);
		}
		buf_str_add(b, ")\n");
	}
}

/* Some of the query's conjuncts, at least one; returns how many. */
static size_t some_places(struct rng *r, const struct query *q, uint32_t *out)
{
	size_t n = 0;
	for (uint32_t i = 0; i < q->conj.n; i++)
		if (rng_below(r, 2) || (!n && i + 1 == q->conj.n))
			out[n++] = i;
	return n;
}

static void run_cache(const struct cache_mode *mode, size_t max_bytes)
{
	struct rng r = {max_bytes + 3};
	struct cache_options o = cache_defaults;
	struct reader q;
	struct buf b = {0};
	uint64_t hits = 0;
	o.max_cores_bytes = max_bytes;
	struct cache *c = cache_new(mode, &o);
	reader_init(&q);
	for (int i = 0; i < 400; i++) {
		struct cache_hit hit;
		uint32_t places[8];
		random_script(&r, &b);
		assert_true(smt_load(&q, b.at));
		if (cache_lookup(c, &q.query, &hit) == RC_OK) {
			hits++;
			assert_false(hit.core->refused);
			if (!rng_below(&r, 4) && !hit.core->proved)
				cache_refuse(hit.core);
		} else if (mode->flags) {
			size_t n = some_places(&r, &q.query, places);
			assert_non_null(cache_add(c, &q.query, places, n, rng_below(&r, 2), "walk"));
		}
		cache_check(c);
	}
	assert_true(!mode->flags || hits);
	assert_int_equal(cache_stats(c).evicted > 0, mode->flags && max_bytes);
	buf_release(&b);
	reader_release(&q);
	cache_free(c);
}

static void caches_keep_their_invariants(void **state)
{
	(void)state;
	for (const struct cache_mode *m = cache_modes; m->name; m++) {
		run_cache(m, 0);
		run_cache(m, 12000);
	}
}

/* A model of random values for the constants; some of them are missing. */
static void random_model(struct rng *r, struct buf *b)
{
	buf_clear(b);
	buf_str_add(b, "(\n");
	for (const char *v = "abcd"; *v; v++)
		if (rng_below(r, 6))
			buf_printf(b, "(define-fun %c () (_ BitVec 8) #x%02x)\n", *v, (unsigned)rng_below(r, 4));
	if (rng_below(r, 2))
		buf_printf(
			b,
			"(define-fun m () (Array (_ BitVec 8) (_ BitVec 8)) ((as const (Array (_ BitVec 8) (_ BitVec "
			"8))) #x%02x))\n",
			(unsigned)rng_below(r, 4));
	buf_str_add(b, ")\n");
}

static void run_models(size_t max_bytes)
{
	struct rng r = {max_bytes + 5};
	struct models *m = models_new(max_bytes), *other = models_new(0);
	struct reader q;
	struct buf script = {0}, model = {0}, key = {0}, text = {0};
	int hits = 0;
	reader_init(&q);
	for (int i = 0; i < 1500; i++) {
		const char *origin;
		random_script(&r, &script);
		random_model(&r, &model);
		assert_true(smt_load(&q, script.at));
		models_add(m, &q.query, model.at, model.n, "walk");
		models_check(m);
		buf_clear(&key);
		buf_clear(&text);
		models_newest_text(m, &key, &text);
		assert_int_equal(models_add_text(other, text.at, text.n), RC_OK);
		hits += models_lookup(m, &q.query, MODELS_EXACT | MODELS_RENAMED, &origin) == RC_OK;
		models_check(m);
	}
	models_check(other);
	assert_true(hits > 20);
	buf_release(&script);
	buf_release(&model);
	buf_release(&key);
	buf_release(&text);
	reader_release(&q);
	models_free(m);
	models_free(other);
}

static void models_keep_their_invariants(void **state)
{
	(void)state;
	run_models(0);
	run_models(20000);
}

UNIT_TESTS(cmocka_unit_test(dag_keeps_its_invariants), cmocka_unit_test(caches_keep_their_invariants),
	   cmocka_unit_test(models_keep_their_invariants))

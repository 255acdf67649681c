/* SPDX-License-Identifier: MIT */
/* The matcher: the cases that published implementations get wrong, and random formulas against brute force. */
#include "smt/cache/cache.h"

#include "base/bits.h"
#include "smt_load.h"
#include "testing.h"

/* Whether the core (all its assertions) matches the query in this mode, without budgets. */
static bool matches(const char *mode, unsigned match, const char *core, const char *query)
{
	struct reader c, q;
	struct cache_options o = {.match = match};
	struct cache *cache = cache_new(cache_mode_find(mode), &o);
	struct cache_hit hit;
	VEC(uint32_t) all = {0};
	reader_init(&c);
	reader_init(&q);
	assert_true(smt_load(&c, core));
	assert_true(smt_load(&q, query));
	for (uint32_t i = 0; i < c.query.conj.n; i++)
		vec_push(&all, i);
	cache_add(cache, &c.query, all.at, all.n, true, "core");
	bool yes = cache_lookup(cache, &q.query, &hit) == RC_OK;
	vec_release(&all);
	cache_free(cache);
	reader_release(&c);
	reader_release(&q);
	return yes;
}

static bool subst(const char *core, const char *query)
{
	bool yes = matches("cache-a-lot", MATCH_ALL, core, query);
	/* the optimisations change the work, not the answer */
	for (unsigned m = 0; m < MATCH_ALL; m++)
		assert_int_equal(matches("cache-a-lot", m, core, query), yes);
	return yes;
}

#define INTS(...)                                                                                                      \
	"(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)(declare-fun a () Int)(declare-fun b () "   \
	"Int)(declare-fun c () Int)(declare-fun d () Int)" __VA_ARGS__

static void papers_example(void **state)
{
	(void)state;
	const char *core = INTS("(assert (and (> x y) (> y z) (> z x)))");
	assert_true(subst(core, INTS("(assert (and (> b c) (> c d) (> d b) (> a b)))")));
	assert_true(subst(core, INTS("(assert (and (> a b) (> b c) (> c d) (> d b)))")));
	assert_false(subst(core, INTS("(assert (and (> a b) (> b c) (> c d)))")));
	assert_true(subst(core, INTS("(assert (> a a))"))); /* substitutions need not be injective */
	assert_true(matches("utopia", MATCH_ALL, core, INTS("(assert (and (> b c) (> c d) (> d b) (> a b)))")));
	assert_false(matches("utopia", MATCH_ALL, core, INTS("(assert (and (> a b) (> b c) (> c d) (> d b)))")));
	assert_false(matches("subset", MATCH_ALL, core, INTS("(assert (and (> b c) (> c d) (> d b)))")));
	assert_true(matches("subset", MATCH_ALL, core, INTS("(assert (and (> z x) (> a b) (> y z) (> x y)))")));
	assert_false(matches("exact", MATCH_ALL, core, INTS("(assert (and (> z x) (> a b) (> y z) (> x y)))")));
	assert_true(matches("exact", MATCH_ALL, core, INTS("(assert (and (> z x) (> y z) (> x y)))")));
}

static void bound_variables_are_not_captured(void **state)
{
	(void)state;
	assert_false(subst(INTS("(assert (forall ((x Int)) (= x y)))"), INTS("(assert (forall ((z Int)) (= z z)))")));
	assert_true(subst(INTS("(assert (forall ((x Int)) (= x y)))"), INTS("(assert (forall ((z Int)) (= z a)))")));
	assert_false(subst(INTS("(assert (forall ((x Int) (y Int)) (< x y)))"),
			   INTS("(assert (forall ((x Int) (y Int)) (< y x)))")));
	assert_false(subst(INTS("(assert (forall ((x Int)) (exists ((z Int)) (< x y))))"),
			   INTS("(assert (forall ((x Int)) (exists ((z Int)) (< x z))))")));
	assert_false(subst(INTS("(assert (exists ((x Int)) (= x y)))"), INTS("(assert (exists ((x Real)) (= x y)))")));
}

static void names_sorts_and_constants_count(void **state)
{
	(void)state;
	const char *f = "(declare-fun f (Int) Int)(declare-fun g (Int) Int)(declare-fun x () Int)(declare-fun y () "
			"Int)(assert (= (f x) 1))(assert (= (f x) 2))";
	assert_true(
		subst(f, "(declare-fun f (Int) Int)(declare-fun y () Int)(assert (= (f y) 1))(assert (= (f y) 2))"));
	assert_false(
		subst(f, "(declare-fun g (Int) Int)(declare-fun y () Int)(assert (= (g y) 1))(assert (= (g y) 2))"));
	assert_false(
		subst(f, "(declare-fun f (Int) Int)(declare-fun y () Int)(assert (= (f y) 1))(assert (= (f y) 3))"));
	assert_false(
		subst(f, "(declare-fun f (Int) Real)(declare-fun y () Int)(assert (= (f y) 1))(assert (= (f y) 2))"));
	assert_false(subst("(declare-fun x () Int)(assert (> x x))", "(declare-fun x () Real)(assert (> x x))"));
	assert_false(subst("(set-logic QF_LIA)(declare-fun x () Int)(assert (> x x))",
			   "(set-logic QF_NIA)(declare-fun x () Int)(assert (> x x))"));
	assert_false(subst("(declare-fun x () (_ BitVec 8))(assert (bvult x x))",
			   "(declare-fun x () (_ BitVec 9))(assert (bvult x x))"));
	assert_false(subst("(assert (= #x00 #x01))", "(assert (= #b00000000 #b000000001))"));
	assert_false(subst("(declare-fun x () (_ BitVec 8))(assert (= ((_ extract 3 0) x) #x1))",
			   "(declare-fun x () (_ BitVec 8))(assert (= ((_ extract 4 1) x) #x1))"));
	/* a declared symbol is not the theory's */
	assert_false(subst("(declare-fun x () Int)(assert (bvfoo x))",
			   "(declare-fun bvfoo (Int) Bool)(declare-fun x () Int)(assert (bvfoo x))"));
}

#define ARRAYS                                                                                                         \
	"(declare-fun m () (Array (_ BitVec 32) (_ BitVec 8)))(declare-fun n () (Array (_ BitVec 32) (_ BitVec 8)))"   \
	"(declare-fun w () (Array (_ BitVec 32) (_ BitVec 16)))(declare-fun i () (_ BitVec 32))(declare-fun s () (_ "  \
	"BitVec 8))"
#define M(k) "(select m #x0000000" #k ")"
#define N(k) "(select n #x0000000" #k ")"

static bool full(const char *core, const char *query)
{
	bool yes = matches("full", MATCH_ALL, core, query);
	for (unsigned k = 0; k < MATCH_ALL; k++)
		assert_int_equal(matches("full", k, core, query), yes);
	return yes;
}

static void cells_as_variables(void **state)
{
	(void)state;
	const char *core = ARRAYS "(assert (bvult " M(0) " " M(1) "))(assert (bvult " M(1) " " M(0) "))";
	assert_true(full(core, ARRAYS "(assert (bvult " M(3) " " N(7) "))(assert (bvult " N(7) " " M(3) "))"));
	assert_false(subst(core, ARRAYS "(assert (bvult " M(3) " " N(7) "))(assert (bvult " N(7) " " M(3) "))"));
	assert_true(full(core, ARRAYS "(assert (bvult s " N(7) "))(assert (bvult " N(7) " s))"));
	assert_true(full(core, ARRAYS "(assert (bvult s s))"));
	assert_false(full(core, ARRAYS "(assert (bvult " M(3) " " N(7) "))(assert (bvult " N(6) " " M(3) "))"));
	assert_false(full(core, ARRAYS "(assert (bvult (select m i) " M(1) "))(assert (bvult " M(1) " (select m i)))"));
	/* an array that is also used as a whole keeps its cells together */
	const char *whole = ARRAYS "(assert (= (select m i) #x01))(assert (= i #x00000000))(assert (= " M(0) " #x02))";
	assert_true(full(whole,
			 ARRAYS "(assert (= (select n i) #x01))(assert (= i #x00000000))(assert (= " N(0) " #x02))"));
	assert_false(full(whole,
			  ARRAYS "(assert (= (select n i) #x01))(assert (= i #x00000000))(assert (= " M(0) " #x02))"));
	assert_false(full(whole,
			  ARRAYS "(assert (= (select n i) #x01))(assert (= i #x00000000))(assert (= " N(1) " #x02))"));
	assert_false(full(core, ARRAYS "(assert (bvult (select w #x00000000) (select w #x00000001)))(assert (bvult "
				       "(select w #x00000001) (select w #x00000000)))"));
}

static void empty_core_matches_nothing(void **state)
{
	(void)state;
	struct reader q;
	struct cache *cache = cache_new(cache_mode_find("full"), &cache_defaults);
	struct cache_hit hit;
	reader_init(&q);
	assert_true(smt_load(&q, INTS("(assert (> x y))")));
	assert_null(cache_add(cache, &q.query, NULL, 0, true, ""));
	assert_int_equal(cache_lookup(cache, &q.query, &hit), RC_NO);
	assert_true(smt_load(&q, INTS("(assert true)")));
	assert_int_equal(q.query.conj.n, 0);
	assert_int_equal(cache_lookup(cache, &q.query, &hit), RC_NO);
	/* and the matcher itself says no to a core without clauses */
	struct core none = {.context = "", .context_len = 0};
	struct match m = {.flags = MATCH_ALL};
	struct query_index index = {0};
	query_index_build(&index, &q.query, 1u << KEY_SHAPE);
	assert_int_equal(match_core(&m, &none, &q.query, &index), RC_NO);
	match_release(&m);
	query_index_release(&index);
	cache_free(cache);
	reader_release(&q);
}

static char *doubling(const char *leaf, const char *top)
{
	struct buf b = {0};
	buf_printf(&b, INTS("(assert (let ((v0 %s))"), leaf);
	for (int i = 1; i <= 60; i++)
		buf_printf(&b, "(let ((v%d (+ v%d v%d)))", i, i - 1, i - 1);
	buf_printf(&b, "(> v60 %s)", top);
	for (int i = 0; i <= 61; i++)
		buf_char(&b, ')');
	return b.at;
}

static void shared_terms_are_matched_once(void **state)
{
	(void)state;
	char *core = doubling("(* x y)", "x"), *yes = doubling("(* a b)", "a"), *no = doubling("(* a b)", "b");
	assert_true(matches("full", MATCH_ALL, core, yes));
	assert_false(matches("full", MATCH_ALL, core, no));
	free(core), free(yes), free(no);
}

/* n variables, each below all later ones. */
static void add_order(struct buf *b, char name, int n)
{
	for (int i = 0; i < n; i++)
		buf_printf(b, "(declare-fun %c%d () Int)", name, i);
	for (int i = 0; i < n; i++)
		for (int k = i + 1; k < n; k++)
			buf_printf(b, "(assert (< %c%d %c%d))", name, i, name, k);
}

static void budgets_end_a_lookup(void **state)
{
	(void)state;
	struct reader c, q;
	struct cache_options o = cache_defaults;
	struct cache_hit hit;
	struct buf b = {0};
	uint32_t all[16];
	o.max_steps = 5000;
	struct cache *cache = cache_new(cache_mode_find("cache-a-lot"), &o);
	reader_init(&c);
	reader_init(&q);
	/* a cycle through five variables, looked for in an order without cycles: many partial substitutions, no
	 * complete one */
	add_order(&b, 'k', 5);
	buf_str_add(&b, "(assert (< k4 k0))");
	assert_true(smt_load(&c, b.at));
	for (uint32_t i = 0; i < c.query.conj.n; i++)
		all[i] = i;
	cache_add(cache, &c.query, all, c.query.conj.n, true, "");
	buf_clear(&b);
	add_order(&b, 'v', 40);
	assert_true(smt_load(&q, b.at));
	assert_int_equal(cache_lookup(cache, &q.query, &hit), RC_NO);
	assert_int_equal(cache_stats(cache).gave_up, 1);
	buf_release(&b);
	cache_free(cache);
	reader_release(&c);
	reader_release(&q);
}

static void old_cores_make_room(void **state)
{
	(void)state;
	struct reader q;
	struct cache_options o = cache_defaults;
	struct cache_hit hit;
	struct buf b = {0};
	uint32_t zero = 0;
	o.max_cores_bytes = 40000;
	struct cache *cache = cache_new(cache_mode_find("full"), &o);
	reader_init(&q);
	for (int i = 0; i < 300; i++) {
		buf_clear(&b);
		buf_printf(&b, "(declare-fun x () Int)(assert (> (* x x) %d))", i);
		assert_true(smt_load(&q, b.at));
		assert_int_equal(cache_lookup(cache, &q.query, &hit), RC_NO);
		cache_add(cache, &q.query, &zero, 1, true, "o");
		assert_int_equal(cache_lookup(cache, &q.query, &hit), RC_OK);
		assert_true(cache_stats(cache).bytes < 2 * o.max_cores_bytes);
	}
	assert_true(cache_stats(cache).evicted > 50);
	buf_release(&b);
	cache_free(cache);
	reader_release(&q);
}

/* ---- random formulas against brute force
 *
 * Formulas are strings over tokens; a core's tokens are its variables (and the cells of an array that it only reads), a
 * query's tokens its atoms. A substitution replaces tokens; σ(core) ⊆ query is equality of strings. */

enum { MAX_CLAUSES = 5, CLAUSE = 200 };
static const char *const core_token[] = {"P", "Q", "R", "S"};
static const char *const core_text[] = {"p", "q", "(select k #x00)", "(select k #x01)"};
static const char *const query_token[] = {"A", "B", "C", "D", "E"};
static const char *const query_text[] = {"a", "b", "(select m #x00)", "(select m #x01)", "(select n #x00)"};

struct formula {
	int n;
	char clause[MAX_CLAUSES][CLAUSE];
};

static const char *token(struct rng *r, const char *const *tokens, int n)
{
	return tokens[rng_below(r, (uint64_t)n)];
}

static void random_formula(struct rng *r, struct formula *f, int max, const char *const *t, int n)
{
	f->n = 1 + (int)rng_below(r, (uint64_t)max);
	for (int i = 0; i < f->n; i++) {
		char *c = f->clause[i];
		switch (rng_below(r, 5)) {
		case 0:
			snprintf(c, CLAUSE, "(bvult %s %s)", token(r, t, n), token(r, t, n));
			break;
		case 1:
			snprintf(c, CLAUSE, "(= %s %s)", token(r, t, n), token(r, t, n));
			break;
		case 2:
			snprintf(c, CLAUSE, "(= %s #x0%d)", token(r, t, n), (int)rng_below(r, 2));
			break;
		case 3:
			snprintf(c, CLAUSE, "(not (= %s (bvadd %s %s)))", token(r, t, n), token(r, t, n),
				 token(r, t, n));
			break;
		default:
			snprintf(c, CLAUSE, "(forall ((z (_ BitVec 8))) (bvule %s (bvor z %s)))", token(r, t, n),
				 rng_below(r, 3) ? token(r, t, n) : "z");
			break;
		}
	}
}

/* Replaces each capital-letter token from[i] by to[i]. */
static void replace(const char *in, char *out, const char *const *from, const char *const *to, int n)
{
	for (; *in; in++) {
		int i = 0;
		/* "BitVec" has a capital too: tokens stand alone */
		bool alone = (in[1] == ' ' || in[1] == ')');
		while (alone && i < n && *from[i] != *in)
			i++;
		if (alone && i < n) {
			memcpy(out, to[i], strlen(to[i]));
			out += strlen(to[i]);
		} else {
			*out++ = *in;
		}
	}
	*out = 0;
}

static bool brute_force(const struct formula *core, const struct formula *query, int vars, int atoms)
{
	int total = 1;
	for (int i = 0; i < vars; i++)
		total *= atoms;
	for (int code = 0; code < total; code++) {
		const char *to[4];
		for (int i = 0, c = code; i < vars; i++, c /= atoms)
			to[i] = query_token[c % atoms];
		bool all = true;
		for (int i = 0; i < core->n && all; i++) {
			char image[CLAUSE * 2];
			replace(core->clause[i], image, core_token, to, vars);
			bool some = false;
			for (int k = 0; k < query->n && !some; k++)
				some = !strcmp(image, query->clause[k]);
			all = some;
		}
		if (all)
			return true;
	}
	return false;
}

static char *script(const struct formula *f, const char *const *from, const char *const *to, int n)
{
	struct buf b = {0};
	for (const char *p = "abpq"; *p; p++)
		buf_printf(&b, "(declare-fun %c () (_ BitVec 8))", *p);
	for (const char *p = "kmn"; *p; p++)
		buf_printf(&b, "(declare-fun %c () (Array (_ BitVec 8) (_ BitVec 8)))", *p);
	for (int i = 0; i < f->n; i++) {
		char text[1000];
		replace(f->clause[i], text, from, to, n);
		buf_printf(&b, "(assert %s)", text);
	}
	return b.at;
}

static void against_brute_force(void **state)
{
	(void)state;
	struct rng r = {20260101};
	int found[2] = {0};
	for (int round = 0; round < 6000; round++) {
		struct formula core, query;
		/* scalars only: what cache-a-lot knows; with cells: what full knows */
		bool cells = round % 2;
		int vars = cells ? 4 : 2, atoms = cells ? 5 : 2;
		random_formula(&r, &core, 3, core_token, vars);
		random_formula(&r, &query, MAX_CLAUSES, query_token, atoms);
		bool want = brute_force(&core, &query, vars, atoms);
		char *c = script(&core, core_token, core_text, vars),
		     *q = script(&query, query_token, query_text, atoms);
		unsigned flags = (unsigned)rng_below(&r, MATCH_ALL + 1);
		bool got = matches(cells ? "full" : "cache-a-lot", flags, c, q);
		if (got != want)
			print_message("core %s\nquery %s\nflags %u\n", c, q, flags);
		assert_int_equal(got, want);
		found[cells] += want;
		/* what the lesser caches find, the greater ones find */
		if (!cells && (matches("utopia", MATCH_ALL, c, q) || matches("subset", MATCH_ALL, c, q)))
			assert_true(got);
		if (matches("cache-a-lot", MATCH_ALL, c, q))
			assert_true(matches("full", MATCH_ALL, c, q));
		free(c);
		free(q);
	}
	/* a test that never matches would prove nothing */
	assert_true(found[0] > 200 && found[1] > 200);
}

UNIT_TESTS(cmocka_unit_test(papers_example), cmocka_unit_test(bound_variables_are_not_captured),
	   cmocka_unit_test(names_sorts_and_constants_count), cmocka_unit_test(cells_as_variables),
	   cmocka_unit_test(empty_core_matches_nothing), cmocka_unit_test(shared_terms_are_matched_once),
	   cmocka_unit_test(budgets_end_a_lookup), cmocka_unit_test(old_cores_make_room),
	   cmocka_unit_test(against_brute_force))

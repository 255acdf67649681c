/* SPDX-License-Identifier: MIT */
/* Terms: what is equal, what is not, and that printing and reading keep it. */
#include "smt/cache/core.h"
#include "smt/term/print.h"
#include "smt/term/sortcheck.h"

#include "smt_load.h"
#include "testing.h"

#define DECLS                                                                                                          \
	"(declare-fun a () (_ BitVec 8))(declare-fun b () (_ BitVec 8))(declare-fun p () Bool)(declare-fun q () Bool)" \
	"(declare-fun m () (Array (_ BitVec 32) (_ BitVec 8)))(declare-fun i () Int)(declare-fun j () Int)"

/* Each test's own. */
static struct reader l;

static int set_up(void **state)
{
	(void)state;
	reader_init(&l);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	reader_release(&l);
	return 0;
}

/* Reads DECLS and what printf makes of the rest; false when some command is not understood. */
__attribute__((format(printf, 1, 2))) static bool loads(const char *format, ...)
{
	struct buf b = {0};
	va_list args;
	va_start(args, format);
	buf_str_add(&b, DECLS);
	buf_vprintf(&b, format, args);
	va_end(args);
	bool understood = smt_load(&l, buf_str(&b));
	buf_release(&b);
	return understood;
}

/* Both terms, asserted in one script, are one term. */
static bool same(const char *s, const char *t)
{
	assert_true(loads("(define-fun f ((x Int) (y Int)) Bool (< x (+ y i)))(define-fun n () Int (+ i 1))(assert "
			  "%s)(assert %s)",
			  s, t));
	return l.assertion.at[0] == l.assertion.at[1];
}

static void spelling_does_not_count(void **state)
{
	(void)state;
	assert_true(same("(= a #x0a)", "( = a  (_ bv10 8) )"));
	assert_true(same("(= a #b00001010)", "(= a #x0A)"));
	assert_true(same("(= ((_ extract 6 0) a) #b0000001)", "(= ((_  extract 6  0) a) (_ bv1 7))"));
	assert_true(same("(let ((x a) (y b)) (= x y))", "(= a b)"));
	assert_true(same("(let ((a b) (b a)) (= a b))", "(= b a)")); /* bindings of one let take effect together */
	assert_true(same("(let ((x a)) (let ((x b) (y x)) (= x y)))", "(= b a)"));
	assert_true(same("(! (= a b) :qid x)", "(= a |b|)"));
	assert_true(same("(f j n)", "(< j (+ (+ i 1) i))"));
	assert_false(same("(= a b)", "(= b a)"));
	assert_false(same("(= a #x0a)", "(= a #x0b)"));
	assert_false(same("(= ((_ extract 6 0) a) #b0000001)", "(= ((_ extract 7 1) a) #b0000001)"));
}

static void binders(void **state)
{
	(void)state;
	assert_true(same("(forall ((x Int)) (< x i))", "(forall ((i2 Int)) (< i2 i))"));
	assert_true(
		same("(forall ((x Int)) (exists ((x Int)) (< x i)))", "(forall ((y Int)) (exists ((z Int)) (< z i)))"));
	assert_false(
		same("(forall ((x Int)) (exists ((y Int)) (< x y)))", "(forall ((x Int)) (exists ((y Int)) (< y x)))"));
	assert_false(same("(forall ((x Int)) (< x i))", "(forall ((i Int)) (< i i))"));
	assert_false(same("(forall ((x Int)) (= x x))", "(forall ((x Real)) (= x x))"));
	assert_false(same("(forall ((x Int)) (< x i))", "(exists ((x Int)) (< x i))"));
	/* a let-bound term with a bound variable, used below another binder */
	assert_true(same("(forall ((x Int)) (let ((y (+ x 1))) (exists ((z Int)) (< y z))))",
			 "(forall ((x Int)) (exists ((z Int)) (< (+ x 1) z)))"));
	assert_true(
		same("(forall ((x Int)) (exists ((i Int)) (f x i)))",
		     "(forall ((u Int)) (exists ((v Int)) (< u (+ v i))))")); /* the macro's i is the declared one */
	assert_true(same("(forall ((x Int)) (f x x))", "(forall ((u Int)) (< u (+ u i)))"));
}

static void not_understood(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"(assert (match x ((nil 1))))",
		"(assert)",
		"(assert ())",
		"(assert (forall () p))",
		"(assert (forall ((x)) p))",
		"(assert (let ((x)) p))",
		"(assert (p))",
		"(assert (f 1 2 3))",
		"(assert (lambda ((x Int)) x))",
		"(assert ((f) 1))",
		"(declare-fun p () Int)",
		"(declare-fun)",
		"(define-fun g ((x)) Int x)",
		"(assert (! p :named))",
		"(assert (let x p))",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(loads("(define-fun f ((x Int) (y Int)) Bool (< x y))%s", bad[i]));
}

static void conjunctions_are_flattened(void **state)
{
	(void)state;
	assert_true(
		smt_load(&l, DECLS "(assert (let ((c (and p q))) (and (and c true) (and p (or p q)) c)))(assert q)"));
	assert_int_equal(l.query.conj.n, 3);
	assert_int_equal(l.query.var.n, 2);
	/* a DAG whose tree has 2^60 leaves */
	struct buf b = {0};
	buf_str_add(&b, DECLS "(assert (let ((x0 (and p q))) ");
	for (int i = 1; i <= 60; i++)
		buf_printf(&b, "(let ((x%d (and x%d x%d)))", i, i - 1, i - 1);
	buf_str_add(&b, "x60");
	for (int i = 0; i <= 61; i++)
		buf_char(&b, ')');
	assert_true(smt_load(&l, b.at));
	assert_int_equal(l.query.conj.n, 2);
	buf_release(&b);
}

static void push_and_pop(void **state)
{
	(void)state;
	assert_true(smt_load(&l, DECLS "(assert p)"));
	size_t terms = l.dag.term.n;
	struct scope_mark m = scope_mark(&l.scope);
	for (int round = 0; round < 3; round++) {
		const char *text = "(declare-fun fresh () Int)";
		assert_int_equal(sexpr_parse(&l.x, text, strlen(text), 1, 1, NULL), RC_OK);
		assert_int_equal(reader_command(&l), RC_OK);
		text = "(assert (! (< fresh i) :named nm))";
		assert_int_equal(sexpr_parse(&l.x, text, strlen(text), 1, 1, NULL), RC_OK);
		assert_int_equal(reader_command(&l), RC_OK);
		scope_cut(&l.scope, m);
		assert_int_equal(l.dag.term.n, terms);
	}
}

/* A core printed and read again has the same clauses. */
static void round_trip(const char *script)
{
	struct reader again;
	struct printer p = {0};
	struct buf b = {0};
	uint32_t all[] = {0, 1, 2, 3};
	reader_init(&again);
	assert_true(smt_load(&l, script));
	struct core *c = core_new(&l.query, all, l.query.conj.n, CORE_NAMES, "here");
	assert_int_equal(core_print(c, &p, &b, false), RC_OK);
	assert_true(smt_load(&again, b.at));
	assert_int_equal(again.query.conj.n, c->n_clauses);
	for (uint32_t k = 0; k < c->n_clauses; k++)
		assert_true(again.dag.term.at[again.query.conj.at[k]].named == l.dag.term.at[l.query.conj.at[k]].named);
	core_free(c);
	printer_release(&p);
	buf_release(&b);
	reader_release(&again);
}

static void printing_round_trip(void **state)
{
	(void)state;
	static const char *const scripts[] = {
		DECLS "(assert (let ((x (bvadd a b))) (and (= x (bvmul x x)) (bvult x #x07))))",
		DECLS
		"(assert (forall ((x Int) (y Real)) (exists ((x Int)) (< x (+ i (* i i) (* i i))))))(assert (< i j))",
		"(declare-fun |a b| () Int)(declare-fun g (Int Bool) Int)(assert (= (g |a b| true) (g 3 (= (g 3 false) "
		"|a b|))))",
		"(set-logic ALL)(declare-sort S 0)(declare-fun s () S)(declare-fun t () S)(assert (not (= s "
		"t)))(assert (= s t))",
		"(declare-fun x () String)(assert (= x \"a\"\"b\"))(assert (= 1.5 (/ 3.0 2.0)))(assert (= ((as const "
		"(Array Int Int)) 0) (store ((as const (Array Int Int)) 0) 1 2)))",
	};
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
		round_trip(scripts[i]);
}

static void deep_terms(void **state)
{
	(void)state;
	struct buf b = {0};
	struct printer p = {0};
	enum { DEPTH = 100000 };
	buf_str_add(&b, DECLS "(assert ");
	for (int i = 0; i < DEPTH; i++)
		buf_str_add(&b, i % 3 == 0 ? "(not " : i % 3 == 1 ? "(let ((p (not p))) " : "(exists ((z Int)) ");
	buf_str_add(&b, "(or p q)");
	for (int i = 0; i < DEPTH; i++)
		buf_char(&b, ')');
	buf_char(&b, ')');
	assert_true(smt_load(&l, b.at));
	uint32_t all[] = {0};
	struct core *c = core_new(&l.query, all, 1, CORE_SCALAR, "");
	buf_clear(&b);
	assert_int_equal(core_print(c, &p, &b, false), RC_OK);
	core_free(c);
	printer_release(&p);
	buf_release(&b);
}

/* Hashes are the same in every run and on every machine: stores depend on it. */
static void hashes_are_stable(void **state)
{
	(void)state;
	assert_true(smt_load(&l, DECLS "(assert (bvult a (select m #x00000001)))"));
	const struct term *t = &l.dag.term.at[l.query.conj.at[0]];
	assert_true(t->shape != t->scalar && t->named != t->shape);
	uint64_t first = query_exact_key(&l.query);
	assert_true(smt_load(&l, DECLS "(assert (bvult b b))(assert (bvult a (select m #x00000001)))"));
	assert_true(smt_load(&l, DECLS "(assert (bvult a (select m #x00000001)))"));
	assert_true(query_exact_key(&l.query) == first);
	struct u64s scratch = {0};
	uint64_t renamed = query_renamed_key(&l.query, &scratch);
	assert_true(smt_load(
		&l, DECLS
		"(declare-fun zz () (Array (_ BitVec 32) (_ BitVec 8)))(assert (bvult b (select zz #x00000001)))"));
	assert_true(query_renamed_key(&l.query, &scratch) == renamed);
	assert_true(query_exact_key(&l.query) != first);
	assert_true(smt_load(&l, DECLS "(assert (bvult b (select m #x00000002)))"));
	assert_true(query_renamed_key(&l.query, &scratch) != renamed);
	vec_release(&scratch);
}

static void check_sort(const char *term, bool ok)
{
	struct sortcheck c = {0};
	assert_true(loads("(declare-fun h (Int) Bool)(declare-fun g (Int Bool) Int)(assert %s)", term));
	if (sortcheck_assertion(&c, &l.dag, l.assertion.at[0], false) != ok)
		fail_msg("%s is %s", term, ok ? "refused" : "accepted");
	sortcheck_release(&c);
}

static const char *const accepted[] = {
	"(bvult a b)",
	"p",
	"(= a b b)",
	"(= i 1.5)",
	"(< i j 3)",
	"(and p (= (select m #x00000001) a))",
	"(= (store m #x00000001 a) m)",
	"(= ((_ extract 3 0) a) #x1)",
	"(= ((_ zero_extend 8) a) #x0001)",
	"(= (concat a b) #x0001)",
	"(= (bvcomp a b) #b1)",
	"(ite p p q)",
	"(h i)",
	"(= (g i p) 3)",
	"(g i p)",
	"(forall ((z Int)) (< z i))",
	"(fp.lt i j)",
	"(=> p q p)",
};

static const char *const refused[] = {
	"a",
	"(bvult a i)",
	"(bvult a)",
	"(= a i)",
	"(< i a)",
	"(not i)",
	"(= (select m #x01) a)",
	"(= (store m #x00000001 p) m)",
	"(= ((_ extract 3 0) a) #x01)",
	"(= ((_ extract 8 0) a) #b000000000)",
	"(= (concat a b) #x001)",
	"(nothing p)",
	"nothing",
	"(ite p p a)",
	"(ite i p q)",
	"(h p)",
	"(h i i)",
	"(forall ((z Int)) i)",
	"(= (+ i a) 1)",
	"(distinct a p)",
};

/* What solvers refuse must be told from what they accept. */
static void sorts(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(accepted); k++)
		check_sort(accepted[k], true);
	for (size_t k = 0; k < ARRAY_LEN(refused); k++)
		check_sort(refused[k], false);
}

#define READS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(READS(spelling_does_not_count), READS(binders), READS(not_understood), READS(conjunctions_are_flattened),
	   READS(push_and_pop), READS(printing_round_trip), READS(deep_terms), READS(hashes_are_stable), READS(sorts))

/* SPDX-License-Identifier: MIT */
/* Sessions in front of a solver that only pretends: it counts what it is asked and says how long it took, so that what
 * depends on a solver's time can be tested without waiting. */
#include "smt/session/internal.h"
#include "smt/sexpr.h"

#include "testing.h"

/* What the solver is asked, and how long it says each kind of question takes. */
struct pretender {
	int own, side;
	double own_s, side_s;
	double side_limit; /* the longest that a question of our own may take; 0: none was asked, or without limit */
};

/* The test's: what a second solver is asked counts as well. */
static struct pretender *asked;

static bool is_side(const char *text, size_t n)
{
	return n && memmem(text, n, "rf!c", 4);
}

static enum rc pretend_query(struct solver *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	(void)e;
	struct pretender *p = asked;
	bool side = is_side(q->text, q->n);
	*(side ? &p->side : &p->own) += 1;
	if (side && (p->side_limit < q->timeout_s || q->timeout_s <= 0))
		p->side_limit = q->timeout_s;
	s->calls++;
	s->seconds += side ? p->side_s : p->own_s;
	a->verdict = VERDICT_UNSAT;
	buf_str_add(&a->text, "unsat\n");
	return RC_OK;
}

static enum rc pretend_send(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out,
			    struct err *e)
{
	(void)timeout_s, (void)e;
	struct pretender *p = asked;
	if (memmem(text, n, "(check-sat", 10)) {
		p->own++;
		s->seconds += p->own_s;
		buf_str_add(out, "unsat\n");
	}
	if (memmem(text, n, "(pop 1)", 7) || memmem(text, n, "(push x)", 8))
		buf_str_add(out, "(error \"\")\n");
	if (n == 16 && !memcmp(text, "(get-unsat-core)", 16))
		buf_str_add(out, "(rf!c0 rf!c1)\n");
	return RC_OK;
}

static void pretend_stop(struct solver *s)
{
	(void)s;
}

static const struct solver_kind pretending = {.query = pretend_query, .send = pretend_send, .stop = pretend_stop};

static void run(struct smt_session *s, const char *script)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	struct err e = ERR_INIT;
	size_t n = strlen(script);
	smt_session_begin(s, "test");
	while (sexpr_split_next(&sp, script, n, true) == SEXPR_FOUND)
		assert_int_equal(
			smt_session_command(s, script + sp.start, sp.at - sp.start, sp.start_line, sp.start_col, &e),
			RC_OK);
}

/* An unsat query whose core no other number's has. */
static void run_number(struct smt_session *s, int number)
{
	char script[128];
	snprintf(script, sizeof script, "(declare-const a Int)(assert (< a %d))(assert (> a %d))(check-sat)", number,
		 number);
	run(s, script);
}

static struct smt_session *start(struct pretender *p, const char *cache)
{
	struct smt_session_options o = {.mode = cache_mode_find(cache), .cache = cache_defaults};
	struct smt_session *s;
	struct err e = ERR_INIT;
	static struct solver solver;
	asked = p;
	solver = (struct solver){.kind = &pretending};
	assert_int_equal(smt_session_new(&s, &o, &solver, &e), RC_OK);
	return s;
}

/* Ten different queries; returns how many of them a question of our own followed. */
static int side_questions(double own_s, double side_s)
{
	struct pretender p = {.own_s = own_s, .side_s = side_s};
	struct smt_session *s = start(&p, "cache-a-lot");
	for (int i = 0; i < 10; i++)
		run_number(s, i);
	assert_int_equal(p.own, 10);
	smt_session_free(s);
	return p.side;
}

static void questions_of_our_own_end_when_they_cost_too_much(void **state)
{
	(void)state;
	assert_int_equal(side_questions(0.01, 8), 3); /* 24 of 20 seconds */
	assert_int_equal(side_questions(0.01, 0.01), 10);
	/* a script that takes long may have more of them */
	assert_int_equal(side_questions(20, 8), 10);
}

static void what_a_core_saves_is_credited(void **state)
{
	(void)state;
	struct pretender p = {.own_s = 4, .side_s = 8};
	struct smt_session *s = start(&p, "cache-a-lot");
	run_number(s, 0);
	assert_int_equal(p.side, 1);
	for (int i = 0; i < 20; i++)
		run_number(s, 0); /* the first of them has the core proved */
	assert_int_equal(p.own + p.side, 3);
	assert_int_equal(smt_session_stats(s).reused_unsat, 20);
	for (int i = 1; i < 10; i++)
		run_number(s, i);
	assert_int_equal(p.own, 10);
	assert_int_equal(p.side, 11);
	smt_session_free(s);
}

static void books_end_what_costs_more_than_it_saves(void **state)
{
	(void)state;
	struct books b = {0};
	assert_true(books_allow(&b, 0.009));
	assert_false(books_allow(&b, 0.011)); /* the loan */
	for (int i = 0; i < 40; i++)
		books_work(&b, i % 4 ? 1 : 0.25); /* a quarter of it is cheap */
	assert_true(books_allow(&b, 0.3));        /* a hundredth of 32.5 and the loan */
	books_spend(&b, 1);
	assert_false(books_allow(&b, 0));
	for (int i = 0; i < 3; i++)
		books_save(&b);
	assert_true(books_allow(&b, 0)); /* three times at least 0.25 */
	books_spend(&b, 0.1 + books_quartile(&b) * 3 - 0.75);
	assert_true(books_quartile(&b) < 1.01);
	for (int i = 0; i < 32; i++)
		books_work(&b, i < 9 ? 0.125 : 8);
	assert_true(books_quartile(&b) < 0.2); /* what is saved is the cheap work */
}

static void a_question_of_our_own_is_bounded(void **state)
{
	(void)state;
	struct pretender p = {.own_s = 1, .side_s = 0.1};
	struct smt_session *s = start(&p, "cache-a-lot");
	run_number(s, 0);
	run_number(s, 0);
	assert_int_equal(p.side, 2); /* for the core, for its proof */
	assert_true(p.side_limit >= 1 && p.side_limit <= 10);
	smt_session_free(s);
}

/* In the mode that is to cost no more than the solver. */
static void a_core_must_be_paid_for(void **state)
{
	(void)state;
	struct pretender p = {.own_s = 0.021, .side_s = 0.021};
	struct smt_session *s = start(&p, "full");
	int known = -1;
	for (int i = 0; i < 130; i++) {
		run_number(s, i);
		known = p.side && known < 0 ? i : known;
	}
	assert_int_equal(p.own, 130);
	/* above the loan until a hundredth of the work pays for one and for starting the solver, and the next one needs
	 * as much again */
	assert_int_equal(p.side, 1);
	assert_true(known > 100); /* 21 ms and 15 for the start, of 10 and a hundredth of the work */
	for (int i = 0; i < 20; i++)
		run_number(s, known);
	assert_int_equal(p.own, 130);
	assert_int_equal(p.side, 2); /* the proof */
	for (int i = 130; i < 140; i++)
		run_number(s, i);
	assert_int_equal(p.side, 12); /* what it saved pays for these */
	smt_session_free(s);
}

static void lookups_keep_books(void **state)
{
	(void)state;
	struct pretender p = {.own_s = 0.001, .side_s = 0.001};
	struct smt_session *s = start(&p, "full");
	struct books *b = &s->side.lookups;
	run_number(s, 0);
	assert_true(b->spent > 0); /* a miss */
	run_number(s, 0);
	assert_int_equal(p.own, 1);
	double spent = b->spent;
	b->spent = 1;
	run_number(s, 0);
	assert_int_equal(p.own, 2); /* nobody looked */
	b->spent = spent;
	run_number(s, 0);
	assert_int_equal(p.own, 2);
	smt_session_free(s);
}

static void a_command_is_read_as_it_stands(void **state)
{
	(void)state;
	struct pretender p = {0};
	struct err e = ERR_INIT;
	struct smt_session *s = start(&p, "cache-a-lot");
	run(s, "(check-sat-assuming)(check-sat-assuming ())(assert)(pop 1)(push x)(push 2)(pop 1)");
	assert_int_equal(smt_session_command(s, "(exit)", 6, 1, 1, &e), RC_NO);
	assert_int_equal(smt_session_command(s, "exit", 4, 1, 1, &e), RC_OK);
	assert_int_equal(smt_session_stats(s).errors, 3);
	smt_session_free(s);
}

UNIT_TESTS(cmocka_unit_test(questions_of_our_own_end_when_they_cost_too_much),
	   cmocka_unit_test(what_a_core_saves_is_credited), cmocka_unit_test(a_question_of_our_own_is_bounded),
	   cmocka_unit_test(a_core_must_be_paid_for), cmocka_unit_test(lookups_keep_books),
	   cmocka_unit_test(a_command_is_read_as_it_stands), cmocka_unit_test(books_end_what_costs_more_than_it_saves))

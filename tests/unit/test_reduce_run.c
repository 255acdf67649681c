/* SPDX-License-Identifier: MIT */
/* Parts of a run that need no process: the time limit of a test, and what is recalled by text. */
#include "base/bits.h"
#include "reduce/run/recall.h"
#include "reduce/run/tester.h"
#include "testing.h"

static void test_timeout(void **state)
{
	(void)state;
	/* never below 10 s by itself, whatever the first run took */
	assert_true(tester_timeout(0, 0) == 10);
	assert_true(tester_timeout(0, 0.005) == 10);
	assert_true(tester_timeout(0, 1) == 10);
	assert_true(tester_timeout(0, 1.5) == 15);
	/* but the user may ask for less */
	assert_true(tester_timeout(0.05, 3) == 0.05);
	assert_true(tester_timeout(60, 0.1) == 60);
}

enum { TEXTS = 40 };

static void fill(struct text_query *q, uint32_t i)
{
	text_query_clear(q);
	/* the same bytes, divided otherwise between the files */
	buf_printf(&q->texts[0], "%.*s", (int)(i % 4), "aaaa");
	buf_printf(&q->texts[1], "%.*s%u", (int)(4 - i % 4), "aaaa", i / 4);
}

static void test_recall(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct rng r = {seed};
		struct recall recall = {0};
		struct text_query q;
		enum { UNKNOWN, NO, YES } want[TEXTS] = {UNKNOWN};
		uint64_t hits = 0;
		text_query_init(&q, 2);
		for (unsigned step = 0; step < 300; step++) {
			uint32_t i = (uint32_t)rng_below(&r, TEXTS);
			bool yes = false;
			fill(&q, i);
			assert_int_equal(recall_find(&recall, &q, &yes), want[i] != UNKNOWN);
			assert_int_equal(yes, want[i] == YES);
			hits += want[i] != UNKNOWN;
			/* a later verdict replaces the first: a flaky text is not interesting */
			if (want[i] == UNKNOWN || rng_below(&r, 4) == 0) {
				yes = rng_below(&r, 2);
				recall_note(&recall, &q, yes);
				want[i] = yes ? YES : NO;
			}
		}
		assert_int_equal(recall.hits, hits);
		text_query_release(&q);
		recall_release(&recall);
	}
}

/* Without a cache nothing is remembered. */
static void test_recall_off(void **state)
{
	(void)state;
	struct recall recall = {.off = true};
	struct text_query q;
	bool yes;
	text_query_init(&q, 2);
	fill(&q, 1);
	assert_false(recall_find(&recall, &q, &yes));
	recall_note(&recall, &q, true);
	assert_false(recall_find(&recall, &q, &yes));
	text_query_release(&q);
	recall_release(&recall);
}

/* What was the minimum does not become it again, whatever the test said of it; other texts may. */
static void test_recall_old_minimum(void **state)
{
	(void)state;
	struct recall recall = {0};
	struct text_query q;
	bool yes = true;
	text_query_init(&q, 2);
	fill(&q, 1);
	recall_note(&recall, &q, true);
	assert_true(recall_find(&recall, &q, &yes) && yes);
	recall_minimum(&recall, &q);
	assert_true(recall_find(&recall, &q, &yes) && !yes);
	fill(&q, 2);
	assert_false(recall_find(&recall, &q, &yes));
	text_query_release(&q);
	recall_release(&recall);
}

UNIT_TESTS(cmocka_unit_test(test_timeout), cmocka_unit_test(test_recall), cmocka_unit_test(test_recall_off),
	   cmocka_unit_test(test_recall_old_minimum))

/* SPDX-License-Identifier: MIT */
/* The contract runtime on graphs of `shared` nodes: random comparison, and how much is looked at again. */
#include "testing.h"
#include "check_graph.h"
#include "check_runs.h"

#include <stdlib.h>

static void verdicts_are_those_of_a_full_walk(void **state)
{
	(void)state;
	struct runs r = {.run = graph_run, .each = 40000, .seed = 1};
	assert_true(runs_see_both(&r, 120000, 20000, 10000));
}

/* A chain in which every node is reached twice: each check looks at what is new only, and a cycle is found. */
static void what_is_shared_is_looked_at_once(void **state)
{
	(void)state;
	enum { N = 3000 };
	struct rf_check_stats before, after;
	struct vertex *v = aligned_alloc(64, N * sizeof *v);
	assert_int_equal(rf_check_configure("count"), 0);
	for (int i = 0; i < G_TYPES; i++)
		rf_type_register(&graph_types[i]);
	rf_check_get_stats(&before);
	for (int i = 0; i < N; i++) {
		v[i] = (struct vertex){.a = i ? &v[i - 1] : NULL, .b = i ? &v[i - 1] : NULL};
		assert_true(rf_check(&v[i], &graph_types[G_DAG]));
	}
	rf_check_get_stats(&after);
	assert_in_range(after.nodes - before.nodes, 1, 2 * N);
	rf_touch(&v[N / 2].b, sizeof v->b);
	v[N / 2].b = &v[N / 4];
	assert_true(rf_check(&v[N - 1], &graph_types[G_DAG]));
	rf_check_get_stats(&before);
	assert_in_range(before.nodes - after.nodes, 1, 10);
	rf_touch(&v[0].a, sizeof v->a);
	v[0].a = &v[N - 1];
	assert_false(rf_check(&v[N - 1], &graph_types[G_DAG]));
	rf_freed(v, N * sizeof *v);
	free(v);
}

#ifdef __SANITIZE_ADDRESS__
#pragma GCC diagnostic ignored "-Wunused-function"
/* AddressSanitizer has its shadow where the watch map would lie. */
static void no_room_beside_a_sanitizer(void **state)
{
	(void)state;
	assert_int_equal(rf_check_configure("count"), -1);
}

UNIT_TESTS(cmocka_unit_test(no_room_beside_a_sanitizer))
#else
UNIT_TESTS(cmocka_unit_test(verdicts_are_those_of_a_full_walk), cmocka_unit_test(what_is_shared_is_looked_at_once))
#endif

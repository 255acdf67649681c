/* SPDX-License-Identifier: MIT */
/* The contract runtime through its public interface: random comparison of engine B, engine A, configuration. */
#include "testing.h"
#include "check_random.h"
#include "check_runs.h"
#include "runtime/check/inside/rt.h"

#include <pthread.h>
#include <stdlib.h>

static void verdicts_are_those_of_a_full_walk(void **state)
{
	(void)state;
	struct runs r = {.run = random_run, .each = 100000, .seed = 1};
	assert_true(runs_see_both(&r, 400000, 40000, 40000));
	/* here a value is built above one of two regions of changes */
	assert_int_equal(random_run(40000, 1001, &r.good, &r.bad), 40000);
	struct rf_check_stats s;
	rf_check_get_stats(&s);
	print_message("# %llu true, %llu false, %llu nodes, %llu restarts, %llu full\n", (unsigned long long)r.good,
		      (unsigned long long)r.bad, (unsigned long long)s.nodes, (unsigned long long)s.restarts,
		      (unsigned long long)s.full_passes);
}

static struct gnode *plain_nodes(unsigned n)
{
	struct gnode *p = aligned_alloc(16, n * sizeof *p);
	for (unsigned i = 0; i < n; i++)
		p[i] = (struct gnode){.tag = 1};
	for (int i = 0; i < N_T; i++)
		rf_type_register(&rnd_types[i]);
	return p;
}

/* The queued node takes over the root of the very tree it is in. */
static void a_cycle_through_an_old_root_is_found(void **state)
{
	(void)state;
	assert_int_equal(rf_check_configure("count"), 0);
	struct gnode *p = plain_nodes(3);
	p[0].a = &p[1];
	p[1].a = &p[2];
	assert_true(rf_check(&p[0], &rnd_types[T_TREE]));
	rf_touch(&p[2].a, sizeof p[2].a);
	p[2].a = &p[0];
	assert_false(rf_check(&p[0], &rnd_types[T_TREE]));
	free(p);
}

static void *spoil(void *p)
{
	struct gnode *x = p;
	rf_touch(&x->tag, sizeof x->tag);
	x->tag = 9;
	return NULL;
}

/* Two verified trees, nodes 0 and 2 with one below, of which another thread changes one. */
static struct gnode *spoiled_by_a_thread(void)
{
	struct gnode *p = plain_nodes(4);
	pthread_t t;
	assert_int_equal(rf_check_configure("count"), 0);
	p[0].a = &p[1];
	p[2].a = &p[3];
	assert_true(rf_check(&p[0], &rnd_types[T_TREE]));
	assert_true(rf_check(&p[2], &rnd_types[T_TREE]));
	assert_int_equal(pthread_create(&t, NULL, spoil, &p[1]), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	return p;
}

/* What another thread has changed and not yet checked is its own: nobody else looks at it. */
static void changes_of_another_thread_are_not_read(void **state)
{
	(void)state;
	struct gnode *p = spoiled_by_a_thread();
	struct rf_check_stats before, after;
	rf_check_get_stats(&before);
	assert_true(rf_check(&p[2], &rnd_types[T_TREE]));
	rf_check_get_stats(&after);
	assert_int_equal(after.restarts, before.restarts);
	assert_int_equal(after.nodes, before.nodes + 2);
	assert_false(rf_check(&p[0], &rnd_types[T_TREE]));
	free(p);
}

/* A thread left changes behind: the others walk in full for a while, then they no longer care. */
static void a_thread_that_is_gone_is_forgotten(void **state)
{
	(void)state;
	struct gnode *p = spoiled_by_a_thread();
	struct rf_check_stats before, after;
	for (unsigned i = 0; i < 20; i++)
		assert_true(rf_check(&p[2], &rnd_types[T_TREE]));
	rf_check_get_stats(&before);
	assert_true(rf_check(&p[2], &rnd_types[T_TREE]));
	rf_check_get_stats(&after);
	assert_int_equal(after.nodes, before.nodes);
	assert_false(rf_check(&p[0], &rnd_types[T_TREE]));
	free(p);
}

/* A write that nobody announced, then one that was: what the node's edges were is lost, and a full walk decides. */
static void an_unseen_write_before_a_seen_one(void **state)
{
	(void)state;
	for (int several = 0; several < 2; several++) {
		pretend_threads(several);
		assert_int_equal(rf_check_configure("count"), 0);
		struct gnode *p = plain_nodes(2);
		p[0].a = &p[1];
		assert_true(rf_check(&p[0], &rnd_types[T_TREE]));
		p[1].tag = 9;
		rf_touch(&p[1].val, sizeof p[1].val);
		p[1].val = 1;
		assert_false(rf_check(&p[0], &rnd_types[T_TREE]));
		free(p);
	}
}

/* Engine A: bounded, right for data that does not change, entries go with their memory, ends on cycles. */
static void the_cache_engine(void **state)
{
	(void)state;
	static const char *const words[] = {"engine=cache,policy=lru,size=1,depth=1,count",
					    "engine=cache,policy=direct,size=7,depth=2,count",
					    "engine=cache,policy=lru,size=65536,depth=inf,count", "engine=none,count"};
	for (unsigned w = 0; w < 4; w++) {
		assert_int_equal(rf_check_configure(words[w]), 0);
		struct gnode *p = plain_nodes(64);
		for (unsigned i = 1; i < 64; i++)
			*(i & 1 ? &p[(i - 1) / 2].a : &p[(i - 1) / 2].b) = &p[i];
		for (unsigned i = 0; i < 64; i++)
			assert_true(rf_check(&p[i], &rnd_types[T_TREE]));
		rf_forget(p, 64 * sizeof *p);
		p[63].tag = 8;
		assert_false(rf_check(&p[0], &rnd_types[T_TREE]));
		rf_forget(p, 64 * sizeof *p);
		p[63] = (struct gnode){.tag = 1, .a = &p[0]};
		assert_false(rf_check(&p[0], &rnd_types[T_TREE]));
		rf_freed(p, 64 * sizeof *p);
		assert_false(rf_check(&p[0], &rnd_types[T_TREE]));
		rf_alloced(p, 64 * sizeof *p);
		free(p);
	}
	assert_int_equal(rf_check_configure("size=0"), -1);
	assert_int_equal(rf_check_configure("size=65537"), -1);
	assert_int_equal(rf_check_configure("depth=0"), -1);
	assert_int_equal(rf_check_configure("engine=x"), -1);
}

/* Entries come, are found, are evicted and go with their memory; the cache is looked through after each step. */
static void the_cache_stays_whole(void **state)
{
	(void)state;
	static const char *const words[] = {"engine=cache,policy=lru,size=1,depth=2,count",
					    "engine=cache,policy=lru,size=20,depth=inf,count",
					    "engine=cache,policy=direct,size=20,depth=inf,count"};
	enum { NODES_A = 200 };
	struct rng r = {7};
	struct gnode *p = plain_nodes(NODES_A);
	for (unsigned i = 1; i < NODES_A; i++)
		*(i & 1 ? &p[(i - 1) / 2].a : &p[(i - 1) / 2].b) = &p[i];
	for (unsigned w = 0; w < ARRAY_LEN(words); w++) {
		assert_int_equal(rf_check_configure(words[w]), 0);
		for (unsigned step = 0; step < 5000; step++) {
			struct gnode *x = &p[rng_below(&r, NODES_A)];
			size_t n = 1 + rng_below(&r, (size_t)(p + NODES_A - x) > 9 ? 9 : (size_t)(p + NODES_A - x));
			if (rng_below(&r, 3))
				assert_true(rf_check(x, &rnd_types[rng_below(&r, 2) ? T_TREE : T_LIST]));
			else
				rf_forget(x, n * sizeof *x);
			rt_cache_walk();
		}
		rf_freed(p, NODES_A * sizeof *p);
		rt_cache_walk();
		rf_alloced(p, NODES_A * sizeof *p);
	}
	struct rf_check_stats s;
	rf_check_get_stats(&s);
	assert_true(s.hits > 100 && s.lookups > s.hits);
	free(p);
}

struct small {
	int ok;
};

static struct rf_edge *scan_small(const void *p, struct rf_edge *out)
{
	return ((const struct small *)p)->ok ? out : NULL;
}

/* Nodes need not start where a granule does. */
static void the_cache_forgets_small_nodes(void **state)
{
	(void)state;
	static const struct rf_span spans[] = {{0, sizeof(struct small), 0}};
	static struct rf_type small = {.name = "small",
				       .ctype = "struct small",
				       .source = "small",
				       .size = sizeof(struct small),
				       .align = _Alignof(struct small),
				       .n_spans = 1,
				       .spans = spans,
				       .scan = scan_small,
				       .explain = explain_nothing};
	static const char *const words[] = {"engine=cache,policy=lru,size=64,count",
					    "engine=cache,policy=direct,size=64,count"};
	enum { N_SMALL = 7 };
	struct small *s = calloc(N_SMALL, sizeof *s);
	rf_type_register(&small);
	for (unsigned w = 0; w < ARRAY_LEN(words); w++) {
		assert_int_equal(rf_check_configure(words[w]), 0);
		for (unsigned i = 0; i < N_SMALL; i++) {
			s[i].ok = 1;
			assert_true(rf_check(&s[i], &small));
			rf_forget(&s[i], sizeof s[i]);
			s[i].ok = 0;
			assert_false(rf_check(&s[i], &small));
		}
	}
	free(s);
}

/* The last test: trust cannot be taken back. */
static void blocks_of_the_allocator(void **state)
{
	(void)state;
	uint64_t good = 0, bad = 0;
	random_trust_blocks();
	assert_int_equal(rf_check_configure("count"), 0);
	for (uint64_t seed = 5; seed <= 7; seed++)
		assert_int_equal(random_run(100000, seed, &good, &bad), 100000);
	assert_true(good > 30000 && bad > 30000);
	/* many short runs: types whose structures met in one place are kept apart until all is set up anew */
	for (uint64_t seed = 100; seed < 400; seed++) {
		assert_int_equal(rf_check_configure("count"), 0);
		assert_int_equal(random_run(1000, seed, &good, &bad), 1000);
	}
}

#ifdef __SANITIZE_ADDRESS__
#pragma GCC diagnostic ignored "-Wunused-function"
/* AddressSanitizer has its shadow where the watch map would lie: contracts are refused, nothing crashes. */
static void no_room_beside_a_sanitizer(void **state)
{
	(void)state;
	assert_int_equal(rf_check_configure("count"), -1);
	assert_int_equal(rf_check_configure("count"), -1);
}

UNIT_TESTS(cmocka_unit_test(no_room_beside_a_sanitizer))
#else
UNIT_TESTS(cmocka_unit_test(verdicts_are_those_of_a_full_walk), cmocka_unit_test(a_cycle_through_an_old_root_is_found),
	   cmocka_unit_test(changes_of_another_thread_are_not_read),
	   cmocka_unit_test(a_thread_that_is_gone_is_forgotten), cmocka_unit_test(an_unseen_write_before_a_seen_one),
	   cmocka_unit_test(the_cache_engine), cmocka_unit_test(the_cache_stays_whole),
	   cmocka_unit_test(the_cache_forgets_small_nodes), cmocka_unit_test(blocks_of_the_allocator))
#endif

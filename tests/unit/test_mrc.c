/* SPDX-License-Identifier: MIT */
/* Miss curves drawn by hand: where they bend, and what they say about sizes between and beyond their points. */
#include "testing.h"

#include "base/bits.h"
#include "trace/simulate/mrc.h"

enum { MOST = 16 };

/* Ended by a point of size 0. */
struct drawing {
	const char *name;
	struct {
		uint64_t size, misses;
	} at[MOST];
	uint64_t from;
	uint64_t knee; /* its size */
};

static struct mrc curve(const struct drawing *d)
{
	struct mrc m = {.requests = 1000};
	for (size_t i = 0; i < MOST && d->at[i].size; i++)
		vec_push(&m.points, ((struct mrc_point){d->at[i].size, d->at[i].misses, 0}));
	return m;
}

static void no_larger_cache_is_worth_it_at_the_knee(void **unused)
{
	(void)unused;
	/* of 1000 requests: 10 of them for every doubling make a larger cache worth it */
	static const struct drawing drawings[] = {
		{"a slope that ends at 4", {{1, 999}, {2, 700}, {3, 400}, {4, 100}, {5, 99}, {6, 98}, {8, 96}}, 1, 4},
		{"a cliff at 5", {{1, 999}, {2, 999}, {3, 999}, {4, 999}, {5, 3}, {6, 3}, {7, 3}, {8, 3}}, 1, 5},
		{"half way down a cliff is no place to stop", {{1, 999}, {466, 530}, {999, 2}, {1000, 1}}, 1, 999},
		{"a plateau before a high cliff", {{1, 999}, {10, 500}, {100, 500}, {5000, 10}}, 1, 5000},
		{"a plateau before a low one", {{1, 999}, {10, 500}, {100, 500}, {100000, 450}}, 1, 10},
		{"just not worth it, again and again", {{1, 100}, {2, 91}, {4, 82}, {8, 73}, {16, 64}}, 1, 1},
		{"just worth it, again and again", {{1, 100}, {2, 89}, {4, 78}, {8, 67}, {16, 56}}, 1, 16},
		{"small steps close together", {{100, 500}, {101, 495}, {102, 490}, {103, 485}, {110, 484}}, 1, 102},
		{"two cliffs, the second too far", {{1, 999}, {2, 40}, {3, 39}, {4000, 38}, {5000, 10}}, 1, 2},
		{"the same from 3000 on", {{1, 999}, {2, 40}, {3, 39}, {4000, 38}, {5000, 10}}, 3000, 5000},
		{"a flat one", {{1, 7}, {2, 7}, {3, 7}}, 1, 1},
		{"a single point", {{1, 5}}, 1, 1},
		{"the last point of a curve that ends before", {{1, 5}, {2, 1}, {3, 0}}, 99, 3},
	};
	for (size_t i = 0; i < ARRAY_LEN(drawings); i++) {
		struct mrc m = curve(&drawings[i]);
		size_t knee = mrc_knee(&m, drawings[i].from, m.requests);
		assert_true(knee < m.points.n);
		if (m.points.at[knee].size != drawings[i].knee)
			fail_msg("%s: the knee is at %lu, not at %lu", drawings[i].name,
				 (unsigned long)drawings[i].knee, (unsigned long)m.points.at[knee].size);
		mrc_release(&m);
	}
}

static void an_empty_curve_has_no_knee(void **unused)
{
	(void)unused;
	struct mrc m = {0};
	assert_int_equal(mrc_knee(&m, 1, 0), 0);
	assert_int_equal(mrc_misses(&m, 5), 0);
}

static void sizes_between_points_have_the_misses_of_the_smaller(void **unused)
{
	(void)unused;
	static const struct drawing d = {"", {{2, 70}, {10, 40}, {100, 5}}, 1, 0};
	struct mrc m = curve(&d);
	static const struct {
		uint64_t size, misses;
	} want[] = {{0, 1000}, {1, 1000}, {2, 70}, {9, 70}, {10, 40}, {99, 40}, {100, 5}, {UINT64_MAX, 5}};
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(mrc_misses(&m, want[i].size), want[i].misses);
	mrc_release(&m);
}

UNIT_TESTS(cmocka_unit_test(no_larger_cache_is_worth_it_at_the_knee), cmocka_unit_test(an_empty_curve_has_no_knee),
	   cmocka_unit_test(sizes_between_points_have_the_misses_of_the_smaller))

/* SPDX-License-Identifier: MIT */
/* Miss curves drawn by hand: where they bend, and what they say about sizes between and beyond their points. */
#include "testing.h"

#include "base/bits.h"
#include "trace/mrc.h"

enum { MOST = 16 };

/* Ended by a point of size 0. */
struct drawing {
	const char *name;
	struct mrc_point at[MOST];
	uint64_t from;
	uint64_t knee; /* its size */
};

static struct mrc curve(const struct drawing *d)
{
	struct mrc m = {.requests = 1000};
	for (size_t i = 0; i < MOST && d->at[i].size; i++)
		vec_push(&m.points, d->at[i]);
	return m;
}

static void the_knee_is_where_anyone_sees_it(void **unused)
{
	(void)unused;
	static const struct drawing drawings[] = {
		{"a slope that ends at 4", {{1, 100}, {2, 70}, {3, 40}, {4, 10}, {5, 9}, {6, 8}, {7, 7}, {8, 6}}, 1, 4},
		{"a cliff at 5", {{1, 100}, {2, 100}, {3, 100}, {4, 100}, {5, 3}, {6, 3}, {7, 3}, {8, 3}}, 1, 5},
		{"points far apart", {{1, 900}, {3, 200}, {50, 180}, {1000, 100}}, 1, 3},
		{"two cliffs, the higher first", {{1, 100}, {2, 40}, {3, 39}, {4, 38}, {5, 10}, {6, 9}}, 1, 2},
		{"the same from 3 on", {{1, 100}, {2, 40}, {3, 39}, {4, 38}, {5, 10}, {6, 9}}, 3, 5},
		{"a straight line has none", {{1, 40}, {2, 30}, {3, 20}, {4, 10}}, 1, 1},
		{"nor has a flat one", {{1, 7}, {2, 7}, {3, 7}}, 1, 1},
		{"nor one that bends the other way", {{1, 90}, {2, 85}, {3, 70}, {4, 0}}, 1, 1},
		{"a single point", {{1, 5}}, 1, 1},
		{"the last point of a curve that ends before", {{1, 5}, {2, 1}, {3, 0}}, 99, 3},
	};
	for (size_t i = 0; i < ARRAY_LEN(drawings); i++) {
		struct mrc m = curve(&drawings[i]);
		size_t knee = mrc_knee(&m, drawings[i].from);
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
	assert_int_equal(mrc_knee(&m, 1), 0);
	assert_int_equal(mrc_misses(&m, 5), 0);
}

static void sizes_between_points_have_the_misses_of_the_smaller(void **unused)
{
	(void)unused;
	static const struct drawing d = {"", {{2, 70}, {10, 40}, {100, 5}}, 1, 0};
	struct mrc m = curve(&d);
	static const struct mrc_point want[] = {{0, 1000}, {1, 1000}, {2, 70},  {9, 70},
						{10, 40},  {99, 40},  {100, 5}, {UINT64_MAX, 5}};
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(mrc_misses(&m, want[i].size), want[i].misses);
	mrc_release(&m);
}

UNIT_TESTS(cmocka_unit_test(the_knee_is_where_anyone_sees_it), cmocka_unit_test(an_empty_curve_has_no_knee),
	   cmocka_unit_test(sizes_between_points_have_the_misses_of_the_smaller))

/* SPDX-License-Identifier: MIT */
/* Pictures of curves: they keep to their width, the axis is logarithmic where it should be, and a dot is where its
 * value is. */
#include "testing.h"

#include "cli/plot.h"
#include "data/text.h"

#include <math.h>

static double half_of_the_rest(void *user, double x)
{
	(void)user;
	return x < 10 ? 1 : x < 100 ? 0.5 : 0;
}

static double nowhere(void *user, double x)
{
	(void)user;
	return x < 3 ? 99 : -99;
}

struct picture {
	struct buf text;
	const char *line[40];
	unsigned width[40], n;
};

static struct picture take(struct plot *p)
{
	struct picture s = {0};
	plot_print(p, &s.text);
	plot_free(p);
	for (size_t i = 0, start = 0; i < s.text.n; i++) {
		if (s.text.at[i] != '\n')
			continue;
		s.line[s.n] = s.text.at + start;
		for (size_t k = start; k < i; k += text_utf8_len(s.text.at + k, i - k))
			s.width[s.n]++;
		s.n++;
		s.text.at[i] = 0;
		start = i + 1;
	}
	return s;
}

/* Columns before the first character that is not a blank, behind the axis; −1: an empty row. */
static int first_of(const struct picture *s, unsigned row)
{
	const char *p = strstr(s->line[row], "│");
	p = p ? p : strstr(s->line[row], "┤");
	assert_non_null(p);
	p += strlen("│");
	size_t blanks = strspn(p, " ");
	return p[blanks] ? (int)blanks : -1;
}

static void a_picture_keeps_to_its_width(void **unused)
{
	(void)unused;
	for (unsigned columns = 20; columns < 200; columns += 7) {
		struct plot *p = plot_new(columns, 10, 1, 1e6, 1);
		plot_curve(p, half_of_the_rest, NULL);
		plot_mark(p, 1e6, 0, 'z');
		struct picture s = take(p);
		assert_int_equal(s.n, 11);
		for (unsigned i = 0; i < s.n; i++)
			assert_true(s.width[i] <= columns);
		buf_release(&s.text);
	}
}

static void the_axis_is_logarithmic_for_decades_only(void **unused)
{
	(void)unused;
	struct picture s = take(plot_new(80, 5, 1, 100000, 1));
	assert_non_null(strstr(s.line[5], " 100 "));
	assert_non_null(strstr(s.line[5], " 10k "));
	buf_release(&s.text);
	s = take(plot_new(80, 5, 100, 200, 1));
	assert_non_null(strstr(s.line[5], " 150 "));
	assert_null(strstr(s.line[5], " 1000"));
	buf_release(&s.text);
}

static void steps_are_where_they_happen(void **unused)
{
	(void)unused;
	struct plot *p = plot_new(68, 9, 1, 1000, 1); /* a grid of 60 columns, 20 for each decade */
	plot_curve(p, half_of_the_rest, NULL);
	struct picture s = take(p);
	assert_int_equal(first_of(&s, 0), 0);
	assert_int_equal(first_of(&s, 8), 40);                       /* below 0.5 from the second decade's end on */
	assert_true(first_of(&s, 2) >= 19 && first_of(&s, 2) <= 20); /* the cliff at 10 is a line */
	buf_release(&s.text);
}

static void letters_do_not_hide_one_another(void **unused)
{
	(void)unused;
	struct plot *p = plot_new(68, 9, 1, 1000, 1);
	plot_mark(p, 10, 1, 'a');
	plot_mark(p, 10, 1, 'b');
	plot_mark(p, 1000, 0, 'c');
	struct picture s = take(p);
	assert_non_null(strchr(s.line[0], 'a'));
	assert_null(strchr(s.line[0], 'b'));
	assert_non_null(strchr(s.line[8], 'c'));
	buf_release(&s.text);
}

static void values_outside_stay_inside(void **unused)
{
	(void)unused;
	struct plot *p = plot_new(0, 3, 1, 1, 0); /* everything too small */
	plot_curve(p, nowhere, NULL);
	plot_mark(p, 1e9, INFINITY, 'x');
	plot_mark(p, 1e-9, -5, 'y');
	struct picture s = take(p);
	assert_int_equal(s.n, 4);
	buf_release(&s.text);
}

UNIT_TESTS(cmocka_unit_test(a_picture_keeps_to_its_width), cmocka_unit_test(the_axis_is_logarithmic_for_decades_only),
	   cmocka_unit_test(steps_are_where_they_happen), cmocka_unit_test(letters_do_not_hide_one_another),
	   cmocka_unit_test(values_outside_stay_inside))

/* SPDX-License-Identifier: MIT */
/* The report's parts: escaping, numbers, thinning of points, base64. */
#include "testing.h"

#include "base/bits.h"
#include "data/json/json.h"
#include "report/page/chart.h"
#include "report/page/html.h"

#include <math.h>

static struct buf out;

static const char *text(const char *s, size_t n)
{
	buf_clear(&out);
	html_text_n(&out, s, n);
	return buf_str(&out);
}

static void test_text(void **state)
{
	(void)state;
	assert_string_equal(text("a<b>&\"'", 7), "a&lt;b&gt;&amp;&quot;&#39;");
	assert_string_equal(text("\0\033\x7f", 3), "&#x2400;&#x241b;&#x2421;");
	assert_string_equal(text("\xff\xc3", 2), "&#xfffd;&#xfffd;");
	assert_string_equal(text("\xc3\xa4\xe4\xb8\xad", 5), "\xc3\xa4\xe4\xb8\xad");
	assert_string_equal(text("\xe2\x80\xae\xe2\x80\xa8", 6), "[U+202E][U+2028]");
	/* whatever comes in: nothing that could open a tag, end an attribute or steer the text comes out */
	struct rng r = {1};
	for (unsigned round = 0; round < 2000; round++) {
		char in[40];
		size_t n = rng_below(&r, sizeof in);
		for (size_t i = 0; i < n; i++)
			in[i] = (char)(rng_below(&r, 3) ? rng_next(&r) : (uint64_t) "<>&\"'\0"[rng_below(&r, 6)]);
		text(in, n);
		assert_null(strpbrk(buf_str(&out), "<>\"'"));
		for (size_t i = 0; i < out.n; i++)
			assert_true((unsigned char)out.at[i] >= 0x20);
	}
}

static void test_data(void **state)
{
	(void)state;
	static const char hostile[] = "</script><!--<script>&\xe2\x80\xa8\xe2\x80\xa9\"\\\n";
	struct buf json = {0};
	struct json_writer w;
	json_writer_init(&w, &json, false);
	json_array(&w);
	json_string(&w, hostile);
	json_array_end(&w);
	buf_clear(&out);
	html_data(&out, json.at, json.n);
	assert_null(strpbrk(buf_str(&out), "<>&"));
	assert_null(strstr(buf_str(&out), "\xe2\x80\xa8"));
	assert_null(strstr(buf_str(&out), "\xe2\x80\xa9"));
	/* it still means the same */
	struct arena a = {0};
	struct json *v;
	assert_int_equal(json_parse(&a, out.at, out.n, "x", 0, &v, NULL), RC_OK);
	assert_string_equal(v->u.list.first->u.string.at, hostile);
	arena_release(&a);
	buf_release(&json);
}

static const char *shown(void (*fn)(struct buf *, double), double v)
{
	buf_clear(&out);
	fn(&out, v);
	return buf_str(&out);
}

static void test_numbers(void **state)
{
	(void)state;
	assert_string_equal(shown(html_count, 0), "0");
	assert_string_equal(shown(html_count, 1234), "1234");
	assert_string_equal(shown(html_count, 1234567), "1\xe2\x80\xaf"
							"234\xe2\x80\xaf"
							"567");
	assert_string_equal(shown(html_count, NAN), "–");
	assert_string_equal(shown(html_bytes, 1023), "1023 B");
	assert_string_equal(shown(html_bytes, 1536), "1.50 KB");
	assert_string_equal(shown(html_bytes, 300e6), "286 MB");
	assert_string_equal(shown(html_seconds, 0), "0 s");
	assert_string_equal(shown(html_seconds, 0.0025), "2.5 ms");
	assert_string_equal(shown(html_seconds, 200), "3 min 20 s");
	assert_string_equal(shown(html_seconds, -0.0025), "−2.5 ms");
	assert_string_equal(shown(html_seconds, -INFINITY), "–");
	assert_string_equal(shown(html_percent, 0.125), "12.5 %");
	assert_string_equal(shown(html_percent, NAN), "–");
}

/* The points of a chart as its data block has them. */
static struct json *data_of(struct chart *c, struct arena *a)
{
	struct json *v;
	buf_clear(&out);
	struct page page = {&out, NULL};
	chart_html(c, &page);
	const char *from = strstr(buf_str(&out), "<script type=\"application/json\">"),
		   *to = from ? strstr(from, "</script>") : NULL;
	assert_non_null(to);
	from += strlen("<script type=\"application/json\">");
	assert_int_equal(json_parse(a, from, (size_t)(to - from), "data", 0, &v, NULL), RC_OK);
	return v;
}

static void test_chart_merges(void **state)
{
	(void)state;
	struct chart c = {.title = "t", .x_label = "x", .y_label = "y"};
	struct arena a = {0};
	size_t p = chart_series(&c, "p"), q = chart_series(&c, "q|<q>");
	assert_true(chart_empty(&c));
	chart_add(&c, p, 3, 30);
	chart_add(&c, p, 1, 10);
	chart_add(&c, p, NAN, 1);
	chart_add(&c, p, 2, INFINITY);
	chart_add(&c, q, 2, 5);
	chart_add(&c, q, 3, 6);
	const struct json *d = json_get(data_of(&c, &a), "data")->u.list.first;
	assert_int_equal(d->u.list.n, 3);
	const struct json *pv = d->next->u.list.first, *qv = d->next->next->u.list.first;
	assert_true(pv->u.number.value == 10 && pv->next->type == JSON_NULL && pv->next->next->u.number.value == 30);
	assert_true(qv->type == JSON_NULL && qv->next->u.number.value == 5);
	assert_non_null(strstr(out.at, "q/&lt;q&gt;"));
	arena_release(&a);
	chart_release(&c);
}

/* What every name begins with is said once; a part that only some have stays, and so does a name that stands alone. */
static void test_chart_shortens_names(void **state)
{
	(void)state;
	struct chart c = {.title = "t", .x_label = "x", .y_label = "y"};
	struct arena a = {0};
	chart_add(&c, chart_series(&c, "a.log · <t> · lru · 1"), 1, 1);
	chart_add(&c, chart_series(&c, "a.log · <t> · lru2"), 1, 1);
	const struct json *first = json_get(data_of(&c, &a), "series")->u.list.first;
	assert_string_equal(json_get(first, "name")->u.string.at, "lru · 1");
	assert_string_equal(json_get(first->next, "name")->u.string.at, "lru2");
	assert_non_null(strstr(out.at, "<p class=\"note\">a.log · &lt;t&gt;</p>"));
	chart_release(&c);
	chart_add(&c, chart_series(&c, "a.log · lru"), 1, 1);
	assert_string_equal(json_get(json_get(data_of(&c, &a), "series")->u.list.first, "name")->u.string.at,
			    "a.log · lru");
	arena_release(&a);
	chart_release(&c);
}

/* A long series becomes short, and keeps its ends, its highest and its lowest point. */
static void test_chart_thins(void **state)
{
	(void)state;
	struct chart c = {.title = "t", .x_label = "x", .y_label = "y"};
	struct arena a = {0};
	struct rng r = {9};
	size_t s = chart_series(&c, "s");
	enum { N = 100000, PEAK = 54321, PIT = 77777 };
	for (unsigned i = 0; i < N; i++)
		chart_add(&c, s, i, i == PEAK ? 1e6 : i == PIT ? -1e6 : (double)rng_below(&r, 1000));
	const struct json *x = json_get(data_of(&c, &a), "data")->u.list.first;
	assert_true(x->u.list.n <= 1600 && x->u.list.n > 1000);
	assert_true(out.n < 200000);
	bool peak = false, pit = false;
	double last = -1;
	for (const struct json *v = x->u.list.first; v; v = v->next) {
		assert_true(v->u.number.value > last);
		last = v->u.number.value;
		peak |= last == PEAK;
		pit |= last == PIT;
	}
	assert_true(peak && pit && last == N - 1 && x->u.list.first->u.number.value == 0);
	arena_release(&a);
	chart_release(&c);
}

static void test_base64(void **state)
{
	(void)state;
	static const char *const cases[][2] = {{"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
					       {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {"\xff\xfe\xfd", "//79"}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		buf_clear(&out);
		buf_base64(&out, cases[i][0], strlen(cases[i][0]));
		assert_string_equal(buf_str(&out), cases[i][1]);
	}
	buf_release(&out);
}

/* The same points as a picture: lines where the axes say, hostile names as text. */
static void test_svg(void **state)
{
	(void)state;
	struct chart c = {.title = "<t>", .x_label = "x", .y_label = "y", .log_x = true};
	struct plots plots = {0};
	struct page page = {&out, &plots};
	size_t p = chart_series(&c, "</svg><script>");
	chart_add(&c, p, 1, 100);
	chart_add(&c, p, 1000, 0);
	assert_true(chart_spans_decades(&c));
	buf_clear(&out);
	chart_html(&c, &page);
	assert_int_equal(plots.list.n, 1);
	const char *svg = plots.list.at[0].svg;
	/* from the left edge to the right one, from 100 of 105 down to the axis */
	assert_non_null(strstr(svg, "d=\"M78.0 54.5L700.0 344.0\""));
	assert_non_null(strstr(svg, "&lt;/svg&gt;&lt;script&gt;"));
	assert_null(strstr(svg, "<script"));
	/* a tick at each power of ten */
	for (const char *const *t = (const char *const[]){">1<", ">10<", ">100<", ">1000<", NULL}; *t; t++)
		assert_non_null(strstr(svg, *t));
	plots_release(&plots);
	chart_release(&c);
}

UNIT_TESTS(cmocka_unit_test(test_svg), cmocka_unit_test(test_text), cmocka_unit_test(test_data),
	   cmocka_unit_test(test_numbers), cmocka_unit_test(test_chart_merges), cmocka_unit_test(test_chart_thins),
	   cmocka_unit_test(test_chart_shortens_names), cmocka_unit_test(test_base64))

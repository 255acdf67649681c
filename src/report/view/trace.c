/* SPDX-License-Identifier: MIT */
/* Traces: miss ratio over cache size, distributions, results of simulations. */
#include "report/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curve {
	struct chart chart;
};

/* Adds the points of the event, [x, y] each, with y scaled. */
static void add_points(const struct json *event, struct chart *c, size_t series, double scale)
{
	const struct json *points = json_get(event, "points");
	if (!points || points->type != JSON_ARRAY)
		return;
	for (const struct json *p = points->u.list.first; p; p = p->next) {
		const struct json *x = p->type == JSON_ARRAY ? p->u.list.first : NULL, *y = x ? x->next : NULL;
		if (y && x->type == JSON_NUMBER && y->type == JSON_NUMBER)
			chart_add(c, series, x->u.number.value, y->u.number.value * scale);
	}
}

static size_t named_series(struct chart *c, const struct run_id *run, const struct json *event, const char *second)
{
	struct buf name = {0};
	const char *what = json_string_or(event, "name", ""), *how = json_string_or(event, second, "");
	buf_printf(&name, "%s%s%s", what, *what && *how ? " · " : "", how);
	char *full = view_name(run, buf_str(&name));
	size_t series = chart_series(c, full);
	free(full);
	buf_release(&name);
	return series;
}

static void add_curve(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct curve *v = state;
	double requests = json_number_or(event, "requests", NAN), knee = json_number_or(event, "knee", 0);
	(void)ev;
	size_t s = named_series(&v->chart, run, event, "policy");
	add_points(event, &v->chart, s, 100 / requests);
	if (knee > 0)
		v->chart.series.at[s].mark = knee;
}

static void show_curve(void *state, struct page *page)
{
	struct buf *out = page->out;
	struct curve *v = state;
	v->chart.title = "Miss ratio by cache size";
	v->chart.x_label = "Cache size (entries)";
	v->chart.y_label = "Misses";
	v->chart.y_unit = UNIT_PERCENT;
	v->chart.kind = CHART_STEP;
	v->chart.log_x = chart_spans_decades(&v->chart);
	chart_html(&v->chart, page);
	bool marked = false;
	for (size_t i = 0; i < v->chart.series.n; i++)
		marked |= isfinite(v->chart.series.at[i].mark);
	if (marked)
		buf_str_add(out, "<p class=\"note\">A dashed line marks a curve's knee: a larger cache saves little "
				 "more.</p>\n");
}

static void release_curve(void *state)
{
	chart_release(&((struct curve *)state)->chart);
}

const struct view view_trace_curve = {"trace",    EVENT_BIT(TRACE_CURVE), sizeof(struct curve), add_curve,
				      show_curve, release_curve};

/* One plot per kind of histogram. */
struct histograms {
	VEC(struct chart) charts;
	VEC(char *) kinds;
};

static void add_histogram(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct histograms *h = state;
	const char *kind = json_string_or(event, "kind", "");
	size_t i = 0;
	(void)ev;
	while (i < h->kinds.n && strcmp(h->kinds.at[i], kind) != 0)
		i++;
	if (i == h->kinds.n) {
		vec_push(&h->kinds, mem_strdup(kind));
		vec_push(&h->charts, ((struct chart){.kind = CHART_BARS, .y_label = "References"}));
	}
	add_points(event, &h->charts.at[i], named_series(&h->charts.at[i], run, event, ""), 1);
}

static void show_histograms(void *state, struct page *page)
{
	struct histograms *h = state;
	for (size_t i = 0; i < h->charts.n; i++) {
		struct chart *c = &h->charts.at[i];
		char *title = mem_printf("Distribution: %s", h->kinds.at[i]);
		c->title = title;
		c->x_label = *h->kinds.at[i] ? h->kinds.at[i] : "Value";
		c->log_x = chart_spans_decades(c);
		chart_html(c, page);
		free(title);
	}
}

static void release_histograms(void *state)
{
	struct histograms *h = state;
	for (size_t i = 0; i < h->charts.n; i++) {
		chart_release(&h->charts.at[i]);
		free(h->kinds.at[i]);
	}
	vec_release_all(&h->charts, &h->kinds);
}

const struct view view_trace_histogram = {
	"trace",         EVENT_BIT(TRACE_HISTOGRAM), sizeof(struct histograms), add_histogram,
	show_histograms, release_histograms};

/* The results as a plot, if some cache was simulated at several sizes. */
static void plot_results(const struct view_rows *r, struct page *page)
{
	struct chart c = {.title = "Miss ratio of the simulated caches",
			  .x_label = "Cache size (entries)",
			  .y_label = "Misses",
			  .y_unit = UNIT_PERCENT};
	bool several = false;
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct json *v = r->rows.at[i].event;
		double size = json_number_or(v, "size", NAN);
		struct run_id run = {0, r->rows.at[i].run};
		char *what = mem_printf("%s · %s", json_string_or(v, "name", ""), json_string_or(v, "policy", "")),
		     *name = view_name(&run, what);
		size_t s = view_series(&c, name);
		chart_add(&c, s, size, json_number_or(v, "misses", NAN) / json_number_or(v, "requests", NAN) * 100);
		several |= c.series.at[s].points.n > 1;
		free(name);
		free(what);
	}
	c.log_x = chart_spans_decades(&c);
	if (several)
		chart_html(&c, page);
	chart_release(&c);
}

static void show_results(void *state, struct page *page)
{
	struct buf *out = page->out;
	const struct view_rows *r = state;
	bool several = r->rows.n && *r->rows.at[0].run;
	plot_results(r, page);
	struct html_table t = html_table(out, "Simulated caches",
					 several ? "Run|Trace|Policy|#Size|#Requests|#Misses|#Miss ratio"
						 : "Trace|Policy|#Size|#Requests|#Misses|#Miss ratio");
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct json *v = r->rows.at[i].event;
		double requests = json_number_or(v, "requests", NAN), misses = json_number_or(v, "misses", NAN);
		html_row(&t);
		if (several)
			html_cell_text(&t, r->rows.at[i].run);
		html_cell_text(&t, json_string_or(v, "name", ""));
		html_cell_text(&t, json_string_or(v, "policy", ""));
		html_cell_count(&t, json_number_or(v, "size", NAN));
		html_cell_count(&t, requests);
		html_cell_count(&t, misses);
		html_cell_bar(&t, misses / requests, html_percent, misses / requests);
	}
	html_table_end(&t);
	view_left_out(r, out);
}

const struct view view_trace_result = {"trace",      EVENT_BIT(TRACE_RESULT), sizeof(struct view_rows), view_keep,
				       show_results, view_rows_release};

/* SPDX-License-Identifier: MIT */
/* Plots: see chart.h.
 *
 * uPlot wants one column of x for all series, so the x of all series are merged and the gaps filled with null. A series
 * with many points is thinned: of each run of neighbours the lowest and the highest are kept, so that peaks stay
 * visible and the page stays small whatever the size of the log. */
#include "report/page/chart.h"

#include "data/json/json.h"
#include "report/page/html.h"
#include "report/page/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1600, MOST_ROWS = 250 };
#define BETWEEN " · " /* parts of a name: see view_name */

size_t chart_series(struct chart *c, const char *name)
{
	vec_push(&c->series, ((struct chart_series){.name = mem_strdup(name), .mark = NAN}));
	return c->series.n - 1;
}

void chart_add_note(struct chart *c, size_t series, double x, double y, const char *note)
{
	if (isfinite(x) && isfinite(y))
		vec_push(&c->series.at[series].points, ((struct chart_point){x, y, note}));
}

void chart_add(struct chart *c, size_t series, double x, double y)
{
	chart_add_note(c, series, x, y, NULL);
}

bool chart_spans_decades(const struct chart *c)
{
	double low = INFINITY, high = 0;
	for (size_t i = 0; i < c->series.n; i++)
		for (size_t k = 0; k < c->series.at[i].points.n; k++) {
			double x = c->series.at[i].points.at[k].x;
			low = x > 0 ? fmin(low, x) : low;
			high = fmax(high, x);
		}
	return high >= low * 100;
}

bool chart_empty(const struct chart *c)
{
	for (size_t i = 0; i < c->series.n; i++)
		if (c->series.at[i].points.n)
			return false;
	return true;
}

void chart_release(struct chart *c)
{
	for (size_t i = 0; i < c->series.n; i++) {
		free(c->series.at[i].name);
		vec_release(&c->series.at[i].points);
	}
	vec_release(&c->series);
}

static int by_x(const void *a, const void *b)
{
	const struct chart_point *p = a, *q = b;
	return p->x < q->x ? -1 : p->x > q->x;
}

static int by_number(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;
	return p < q ? -1 : p > q;
}

/* Sorts by x; of points with equal x the last one added is kept. */
static void sort_points(struct chart_series *s)
{
	bool sorted = true;
	for (size_t i = 1; i < s->points.n; i++)
		sorted &= s->points.at[i - 1].x <= s->points.at[i].x;
	if (!sorted)
		qsort(s->points.at, s->points.n, sizeof *s->points.at, by_x);
	size_t kept = 0;
	for (size_t i = 0; i < s->points.n; i++) {
		if (kept && s->points.at[kept - 1].x == s->points.at[i].x)
			kept--;
		s->points.at[kept++] = s->points.at[i];
	}
	s->points.n = kept;
}

static void thin(struct chart_series *s)
{
	size_t n = s->points.n, runs = MOST_POINTS / 2 - 1, kept = 1;
	struct chart_point *p = s->points.at;
	if (n <= MOST_POINTS)
		return;
	for (size_t r = 0; r < runs; r++) {
		size_t from = 1 + (n - 2) * r / runs, to = 1 + (n - 2) * (r + 1) / runs, low = from, high = from;
		for (size_t i = from; i < to; i++) {
			low = p[i].y < p[low].y ? i : low;
			high = p[i].y > p[high].y ? i : high;
		}
		/* no point is overwritten before it is read: both lie at or after their new places */
		struct chart_point a = p[low < high ? low : high], b = p[low < high ? high : low];
		p[kept++] = a;
		if (a.x != b.x)
			p[kept++] = b;
	}
	p[kept++] = p[n - 1];
	s->points.n = kept;
}

struct columns {
	VEC(double) x;
};

static void merge_x(const struct chart *c, struct columns *m)
{
	for (size_t i = 0; i < c->series.n; i++)
		for (size_t k = 0; k < c->series.at[i].points.n; k++)
			vec_push(&m->x, c->series.at[i].points.at[k].x);
	if (m->x.n)
		qsort(m->x.at, m->x.n, sizeof(double), by_number);
	size_t kept = 0;
	for (size_t i = 0; i < m->x.n; i++)
		if (!kept || m->x.at[kept - 1] != m->x.at[i])
			m->x.at[kept++] = m->x.at[i];
	m->x.n = kept;
}

/* One array a series that has notes: the note at each x, or null. */
static void write_notes(const struct chart *c, const struct columns *m, struct json_writer *w)
{
	bool noted = false;
	for (size_t i = 0; i < c->series.n; i++)
		for (size_t k = 0; k < c->series.at[i].points.n; k++)
			noted |= c->series.at[i].points.at[k].note != NULL;
	if (!noted)
		return;
	json_key(w, "notes");
	json_array(w);
	for (size_t i = 0; i < c->series.n; i++) {
		const struct chart_series *s = &c->series.at[i];
		json_array(w);
		for (size_t r = 0, k = 0; r < m->x.n; r++) {
			bool here = k < s->points.n && s->points.at[k].x == m->x.at[r];
			const char *note = here ? s->points.at[k].note : NULL;
			k += here;
			if (note)
				json_string(w, note);
			else
				json_null(w);
		}
		json_array_end(w);
	}
	json_array_end(w);
}

static void write_data(const struct chart *c, const struct columns *m, struct buf *out)
{
	static const char *const kinds[] = {"line", "step", "bars"}, *const units[] = {"count", "bytes", "seconds",
										       "percent"};
	struct json_writer w;
	json_writer_init(&w, out, false);
	json_object(&w);
	json_kv_string(&w, "kind", kinds[c->kind]);
	json_kv_string(&w, "xLabel", c->x_label);
	json_kv_string(&w, "yLabel", c->y_label);
	json_kv_string(&w, "xUnit", units[c->x_unit]);
	json_kv_string(&w, "yUnit", units[c->y_unit]);
	json_kv_bool(&w, "logX", c->log_x);
	json_key(&w, "series");
	json_array(&w);
	for (size_t i = 0; i < c->series.n; i++) {
		json_object(&w);
		json_kv_string(&w, "name", c->series.at[i].name);
		json_kv_double(&w, "mark", c->series.at[i].mark); /* NAN is null */
		json_object_end(&w);
	}
	json_array_end(&w);
	json_key(&w, "data");
	json_array(&w);
	json_array(&w);
	for (size_t r = 0; r < m->x.n; r++)
		json_double(&w, m->x.at[r]);
	json_array_end(&w);
	for (size_t i = 0; i < c->series.n; i++) {
		const struct chart_series *s = &c->series.at[i];
		json_array(&w);
		for (size_t r = 0, k = 0; r < m->x.n; r++) {
			if (k < s->points.n && s->points.at[k].x == m->x.at[r])
				json_double(&w, s->points.at[k++].y);
			else
				json_null(&w);
		}
		json_array_end(&w);
	}
	json_array_end(&w);
	write_notes(c, m, &w);
	json_object_end(&w);
}

static void percent(struct buf *out, double v)
{
	buf_printf(out, "%.4g %%", v);
}

chart_number *chart_number_of(enum chart_unit unit)
{
	static chart_number *const numbers[] = {html_count, html_bytes, html_seconds, percent};
	return numbers[unit];
}

static void heads_of(const struct chart *c, struct buf *heads)
{
	buf_printf(heads, "#%s", c->x_label);
	for (size_t i = 0; i < c->series.n; i++)
		html_head(heads, c->series.at[i].name);
}

/* Whether row r is shown: all of a short table; of a long one MOST_ROWS, spread evenly, with both ends. */
static bool shown(size_t r, size_t n)
{
	return n <= MOST_ROWS || r == 0 || r == n - 1 || r * MOST_ROWS / n != (r - 1) * MOST_ROWS / n;
}

static void write_table(const struct chart *c, const struct columns *m, struct buf *out)
{
	struct buf heads = {0};
	VEC(size_t) next = {0};
	buf_str_add(out, "<details><summary>Data</summary>\n");
	if (m->x.n > MOST_ROWS)
		buf_printf(out, "<p class=\"note\">Showing about %d of %zu rows.</p>\n", MOST_ROWS, m->x.n);
	heads_of(c, &heads);
	struct html_table t = html_table(out, c->title, buf_str(&heads));
	for (size_t i = 0; i < c->series.n; i++)
		vec_push(&next, 0);
	for (size_t r = 0; r < m->x.n; r++) {
		bool show = shown(r, m->x.n);
		if (show) {
			html_row(&t);
			html_cell_number(&t, chart_number_of(c->x_unit), m->x.at[r]);
		}
		for (size_t i = 0; i < c->series.n; i++) {
			const struct chart_series *s = &c->series.at[i];
			bool has = next.at[i] < s->points.n && s->points.at[next.at[i]].x == m->x.at[r];
			if (show && has)
				html_cell_number(&t, chart_number_of(c->y_unit), s->points.at[next.at[i]].y);
			else if (show)
				html_cell_empty(&t);
			next.at[i] += has;
		}
	}
	html_table_end(&t);
	buf_str_add(out, "</details>\n");
	vec_release(&next);
	buf_release(&heads);
}

/* The first part of a name ("run · trace · policy") if every series has it, with what follows it; 0 if not, or if
 * there is no more than one series, whose name says what it is. */
static size_t common_part(const struct chart *c)
{
	const char *first = c->series.at[0].name, *end = strstr(first, BETWEEN);
	if (c->series.n < 2 || !end)
		return 0;
	size_t n = (size_t)(end - first) + strlen(BETWEEN);
	for (size_t i = 1; i < c->series.n; i++)
		if (strncmp(c->series.at[i].name, first, n) != 0)
			return 0;
	return n;
}

/* What all names have in common is said once; a legend of long names is read by nobody. */
static void shorten_names(struct chart *c, struct buf *out)
{
	struct buf common = {0};
	for (size_t n; (n = common_part(c)) > 0;) {
		if (common.n)
			buf_str_add(&common, BETWEEN);
		buf_add(&common, c->series.at[0].name, n - strlen(BETWEEN));
		for (size_t i = 0; i < c->series.n; i++) {
			char *name = c->series.at[i].name;
			memmove(name, name + n, strlen(name + n) + 1);
		}
	}
	if (common.n) {
		buf_str_add(out, "<p class=\"note\">");
		html_text(out, buf_str(&common));
		buf_str_add(out, "</p>\n");
	}
	buf_release(&common);
}

void chart_html(struct chart *c, struct page *page)
{
	struct buf *out = page->out;
	struct columns m = {0};
	struct buf data = {0}, common = {0};
	if (chart_empty(c))
		return;
	for (size_t i = 0; i < c->series.n; i++) {
		sort_points(&c->series.at[i]);
		thin(&c->series.at[i]);
	}
	shorten_names(c, &common);
	merge_x(c, &m);
	if (page->plots)
		page_plot(page, c->title, svg_chart(c));
	write_data(c, &m, &data);
	html_figure(out, "chart", c->title, &data, "The plot needs JavaScript; its numbers are below.");
	buf_add(out, common.at, common.n);
	buf_str_add(out, "<div class=\"plot\"></div>\n");
	write_table(c, &m, out);
	buf_str_add(out, "</figure>\n");
	vec_release(&m.x);
	buf_release(&common);
	buf_release(&data);
}

/* SPDX-License-Identifier: MIT */
/* Reductions: the results, size and cache memory over time and over queries, the gain of each pass. */
#include "report/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void show_end(void *state, struct page *page)
{
	view_facts(state, "Reductions",
		   "file:c:File|algorithm:t:Algorithm|cache:t:Cache|language:t:Language|complete:y:Complete|"
		   "bytes_before:b:Bytes before|bytes_after:b:Bytes after|"
		   "tokens_before:n:Tokens before|tokens_after:n:Tokens after|"
		   "queries:n:Queries|useful:n:Useful|merged:n:Merges|wasted:n:Wasted|retests:n:Retests|cache_hits:n:"
		   "Cache hits|"
		   "cache_peak_bytes:b:Cache memory, peak|cache_avg_bytes:b:Cache memory, average|"
		   "cache_peak_entries:n:Cache entries, peak|"
		   "wall_s:s:Wall time|test_s:s:Time in tests|engine_s:s:Time in refrain",
		   page->out);
}

const struct view view_reduce_end = {"reduce", EVENT_BIT(REDUCE_END), sizeof(struct view_rows), view_keep,
				     show_end, view_rows_release};

enum { SIZE_TIME, SIZE_QUERIES, CACHE_TIME, CACHE_QUERIES, HITS_QUERIES, N_CHARTS };

static const struct chart templates[N_CHARTS] = {
	[SIZE_TIME] = {.title = "Size over time",
		       .x_label = "Seconds",
		       .y_label = "Bytes",
		       .kind = CHART_STEP,
		       .x_unit = UNIT_SECONDS,
		       .y_unit = UNIT_BYTES},
	[SIZE_QUERIES] = {.title = "Size over queries",
			  .x_label = "Queries",
			  .y_label = "Bytes",
			  .kind = CHART_STEP,
			  .y_unit = UNIT_BYTES},
	[CACHE_TIME] = {.title = "Cache memory over time",
			.x_label = "Seconds",
			.y_label = "Bytes",
			.x_unit = UNIT_SECONDS,
			.y_unit = UNIT_BYTES},
	[CACHE_QUERIES] = {.title = "Cache memory over queries",
			   .x_label = "Queries",
			   .y_label = "Bytes",
			   .y_unit = UNIT_BYTES},
	[HITS_QUERIES] = {.title = "Variants answered by the cache", .x_label = "Queries", .y_label = "Cache hits"},
};

struct sizes {
	struct chart chart[N_CHARTS];
	struct arena names; /* of passes, for the notes */
	VEC(const char *) passes;
};

static const char *pass_name(struct sizes *v, const char *name)
{
	for (size_t i = v->passes.n; i-- > 0;)
		if (strcmp(v->passes.at[i], name) == 0)
			return v->passes.at[i];
	vec_push(&v->passes, arena_strndup(&v->names, name, strlen(name)));
	return vec_last(&v->passes);
}

static void point(struct chart *c, const char *name, double x, double y, const char *note)
{
	chart_add_note(c, view_series(c, name), x, y, note);
}

static void add_size(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct sizes *v = state;
	char *size = view_name(run, "size"), *cache = view_name(run, "cache"), *hits = view_name(run, "hits");
	double t = json_number_or(event, "t", NAN), queries = json_number_or(event, "queries", NAN);
	double bytes = json_number_or(event, "bytes", NAN);
	const char *pass = ev == EVENT_REDUCE_MINIMUM ? pass_name(v, json_string_or(event, "pass", "")) : NULL;
	point(&v->chart[SIZE_TIME], size, t, bytes, pass);
	point(&v->chart[SIZE_QUERIES], size, queries, bytes, pass);
	if (ev == EVENT_REDUCE_SAMPLE) {
		double held = json_number_or(event, "cache_bytes", NAN);
		point(&v->chart[CACHE_TIME], cache, t, held, NULL);
		point(&v->chart[CACHE_QUERIES], cache, queries, held, NULL);
		point(&v->chart[HITS_QUERIES], hits, queries, json_number_or(event, "hits", NAN), NULL);
	}
	free(size);
	free(cache);
	free(hits);
}

static void show_sizes(void *state, struct page *page)
{
	struct buf *out = page->out;
	struct sizes *v = state;
	buf_str_add(out, "<div class=\"charts\">\n");
	for (size_t i = 0; i < N_CHARTS; i++) {
		struct chart *c = &v->chart[i], filled = templates[i];
		filled.series = c->series;
		*c = filled;
		chart_html(c, page);
	}
	buf_str_add(out, "</div>\n");
}

static void release_sizes(void *state)
{
	for (size_t i = 0; i < N_CHARTS; i++)
		chart_release(&((struct sizes *)state)->chart[i]);
	vec_release(&((struct sizes *)state)->passes);
	arena_release(&((struct sizes *)state)->names);
}

const struct view view_reduce_size = {
	"reduce",     EVENT_BIT(REDUCE_MINIMUM) | EVENT_BIT(REDUCE_SAMPLE), sizeof(struct sizes), add_size, show_sizes,
	release_sizes};

/* A pass runs many times: its events are summed. */
struct pass {
	double runs, queries, gain, seconds;
};
struct passes {
	struct view_names names; /* of the passes, in the same order */
	VEC(struct pass) list;
};

static void add_pass(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct passes *v = state;
	(void)ev;
	size_t i = view_index(&v->names, run, json_string_or(event, "pass", ""));
	if (i == v->list.n)
		vec_push(&v->list, (struct pass){0});
	struct pass *p = &v->list.at[i];
	p->runs++;
	p->queries += json_number_or(event, "queries", 0);
	p->gain += json_number_or(event, "before", 0) - json_number_or(event, "after", 0);
	p->seconds += json_number_or(event, "seconds", 0);
}

static void show_passes(void *state, struct page *page)
{
	struct buf *out = page->out;
	struct passes *v = state;
	double most = 0;
	for (size_t i = 0; i < v->list.n; i++)
		most = fmax(most, v->list.at[i].gain);
	struct html_table t =
		html_table(out, "Gain per pass", "Pass|#Runs|#Queries|#Time|#Bytes removed|#Bytes per query");
	for (size_t i = 0; i < v->list.n; i++) {
		const struct pass *p = &v->list.at[i];
		html_row(&t);
		html_cell_text(&t, v->names.all.at[i]);
		html_cell_count(&t, p->runs);
		html_cell_count(&t, p->queries);
		html_cell_seconds(&t, p->seconds);
		html_cell_bar(&t, most > 0 ? p->gain / most : 0, html_count, p->gain);
		if (p->queries > 0)
			html_cell_count(&t, round(p->gain / p->queries * 10) / 10);
		else
			html_cell_empty(&t);
	}
	html_table_end(&t);
}

static void release_passes(void *state)
{
	struct passes *v = state;
	view_names_release(&v->names);
	vec_release(&v->list);
}

const struct view view_reduce_pass = {"reduce",    EVENT_BIT(REDUCE_PASS), sizeof(struct passes), add_pass,
				      show_passes, release_passes};

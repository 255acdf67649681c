/* SPDX-License-Identifier: MIT */
/* SMT queries one by one: who answered, and what it took; and the share answered without a solver as the run goes
 * on.
 *
 * The rows go to the page as columns of a data block, words by number, and the script shows the part that is in
 * view, so that ten thousand of them are no burden. */
#include "report/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUERIES = 50000 };
enum { RUN, FILE_NAME, VERDICT, BY, N_WORDS };

struct query {
	uint32_t number, word[N_WORDS];
	double solver_s, cache_s;
};
struct queries {
	VEC(char *) words;
	VEC(struct query) rows;
	struct chart reuse;
	size_t left_out, run, n, reused;
};

/* There are few different words; the newest is the likeliest. */
static uint32_t word(struct queries *v, const char *text)
{
	for (size_t i = v->words.n; i-- > 0;)
		if (strcmp(v->words.at[i], text) == 0)
			return (uint32_t)i;
	vec_push(&v->words, mem_strdup(text));
	return (uint32_t)(v->words.n - 1);
}

static void add(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct queries *v = state;
	const char *by = json_string_or(event, "by", "?");
	(void)ev;
	if (run->number != v->run || v->n == 0) {
		v->run = run->number;
		v->n = v->reused = 0;
	}
	v->n++;
	v->reused += strcmp(by, "solver") != 0;
	char *name = view_name(run, "answered without the solver");
	chart_add(&v->reuse, view_series(&v->reuse, name), (double)v->n, 100.0 * (double)v->reused / (double)v->n);
	free(name);
	if (v->rows.n == MOST_QUERIES) {
		v->left_out++;
		return;
	}
	struct query q = {.number = (uint32_t)v->n,
			  .solver_s = json_number_or(event, "solver_s", 0),
			  .cache_s = json_number_or(event, "cache_s", 0)};
	q.word[RUN] = word(v, run->label);
	q.word[FILE_NAME] = word(v, json_string_or(event, "file", ""));
	q.word[VERDICT] = word(v, json_string_or(event, "verdict", ""));
	q.word[BY] = word(v, by);
	vec_push(&v->rows, q);
}

static void column(struct json_writer *w, const char *title, const char *kind)
{
	json_object(w);
	json_kv_string(w, "title", title);
	json_kv_string(w, "kind", kind);
	json_object_end(w);
}

static void write_rows(const struct queries *v, struct json_writer *w)
{
	json_array(w);
	json_array(w);
	for (size_t i = 0; i < v->rows.n; i++)
		json_uint(w, v->rows.at[i].number);
	json_array_end(w);
	for (size_t k = 0; k < N_WORDS; k++) {
		json_array(w);
		for (size_t i = 0; i < v->rows.n; i++)
			json_uint(w, v->rows.at[i].word[k]);
		json_array_end(w);
	}
	for (size_t k = 0; k < 2; k++) {
		json_array(w);
		for (size_t i = 0; i < v->rows.n; i++)
			json_double(w, k ? v->rows.at[i].cache_s : v->rows.at[i].solver_s);
		json_array_end(w);
	}
	json_array_end(w);
}

static void write_table(const struct queries *v, struct buf *out)
{
	struct json_writer w;
	json_writer_init(&w, out, false);
	json_object(&w);
	json_key(&w, "columns");
	json_array(&w);
	column(&w, "Query", "count");
	column(&w, "Run", "word");
	column(&w, "File", "word");
	column(&w, "Verdict", "word");
	column(&w, "Answered by", "word");
	column(&w, "Solver time", "seconds");
	column(&w, "Cache time", "seconds");
	json_array_end(&w);
	json_key(&w, "words");
	json_array(&w);
	for (size_t i = 0; i < v->words.n; i++)
		json_string(&w, v->words.at[i]);
	json_array_end(&w);
	json_key(&w, "data");
	write_rows(v, &w);
	json_object_end(&w);
}

static void show(void *state, struct page *page)
{
	struct queries *v = state;
	struct buf *out = page->out, data = {0};
	v->reuse.title = "Reuse over time";
	v->reuse.x_label = "Queries";
	v->reuse.y_label = "Answered without the solver";
	v->reuse.y_unit = UNIT_PERCENT;
	chart_html(&v->reuse, page);
	write_table(v, &data);
	html_figure(out, "rows", "Queries", &data, "The list of queries needs JavaScript; it is in the log.");
	buf_str_add(out, "</figure>\n");
	if (v->left_out)
		buf_printf(out, "<p class=\"note\">%zu more queries are in the log.</p>\n", v->left_out);
	buf_release(&data);
}

static void release(void *state)
{
	struct queries *v = state;
	for (size_t i = 0; i < v->words.n; i++)
		free(v->words.at[i]);
	vec_release_all(&v->words, &v->rows);
	chart_release(&v->reuse);
}

const struct view view_smt_list = {"smt", EVENT_BIT(SMT_QUERY), sizeof(struct queries), add, show, release};

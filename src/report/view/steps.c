/* SPDX-License-Identifier: MIT */
/* A reduction as steps one can walk through: the text of each minimum beside the one before, with the pass that
 * found it.
 *
 * The script of the page draws it from a data block. Of many minima at most MOST_STEPS are shown, spread evenly,
 * always with the original and the last. */
#include "report/view/view.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 80 };

struct step {
	char *text, *pass;
	double queries, bytes;
};
struct steps_run {
	size_t run;
	char *title, *language;
	VEC(struct step) steps;
};
struct steps {
	VEC(struct steps_run) runs;
};

static void add(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct steps *v = state;
	const struct json *text = json_get(event, "text");
	if (ev == EVENT_REDUCE_START) {
		char *title = view_name(run, json_string_or(event, "file", ""));
		vec_push(&v->runs, ((struct steps_run){.run = run->number,
						       .title = title,
						       .language = mem_strdup(json_string_or(event, "language", ""))}));
	}
	if (!text || text->type != JSON_STRING || v->runs.n == 0 || vec_last(&v->runs).run != run->number)
		return;
	const char *pass = ev == EVENT_REDUCE_START ? "original" : json_string_or(event, "pass", "");
	vec_push(&vec_last(&v->runs).steps,
		 ((struct step){mem_strdup(text->u.string.at), mem_strdup(pass), json_number_or(event, "queries", 0),
				json_number_or(event, "bytes", (double)text->u.string.n)}));
}

static bool shown(size_t i, size_t n)
{
	return n <= MOST_STEPS || i == 0 || i == n - 1 || i * MOST_STEPS / n != (i - 1) * MOST_STEPS / n;
}

static void write_steps(const struct steps_run *r, struct buf *out)
{
	struct json_writer w;
	json_writer_init(&w, out, false);
	json_object(&w);
	json_kv_string(&w, "language", r->language);
	json_kv_uint(&w, "all", r->steps.n);
	json_key(&w, "steps");
	json_array(&w);
	for (size_t i = 0; i < r->steps.n; i++) {
		const struct step *s = &r->steps.at[i];
		if (!shown(i, r->steps.n))
			continue;
		json_object(&w);
		json_kv_uint(&w, "number", i);
		json_kv_string(&w, "pass", s->pass);
		json_kv_double(&w, "queries", s->queries);
		json_kv_double(&w, "bytes", s->bytes);
		json_kv_string(&w, "text", s->text);
		json_object_end(&w);
	}
	json_array_end(&w);
	json_object_end(&w);
}

static void show(void *state, struct page *page)
{
	const struct steps *v = state;
	struct buf *out = page->out;
	for (size_t i = 0; i < v->runs.n; i++) {
		const struct steps_run *r = &v->runs.at[i];
		struct buf data = {0};
		if (r->steps.n < 2)
			continue;
		write_steps(r, &data);
		char *title = mem_printf("Step by step: %s", r->title);
		html_figure(out, "steps", title, &data, "Walking through the minima needs JavaScript.");
		buf_str_add(out, "</figure>\n");
		free(title);
		buf_release(&data);
	}
}

static void release(void *state)
{
	struct steps *v = state;
	for (size_t i = 0; i < v->runs.n; i++) {
		struct steps_run *r = &v->runs.at[i];
		for (size_t k = 0; k < r->steps.n; k++) {
			free(r->steps.at[k].text);
			free(r->steps.at[k].pass);
		}
		vec_release(&r->steps);
		free(r->title);
		free(r->language);
	}
	vec_release(&v->runs);
}

const struct view view_reduce_steps = {
	"reduce", EVENT_BIT(REDUCE_START) | EVENT_BIT(REDUCE_MINIMUM), sizeof(struct steps), add, show, release};

/* SPDX-License-Identifier: MIT */
/* SMT queries: totals, answers per stage, time in solver and cache. */
#include "report/view/view.h"

#include <stdlib.h>
#include <string.h>

static void show_end(void *state, struct page *page)
{
	view_facts(state, "Totals",
		   "solver:t:Solver|cache:t:Cache|queries:n:Queries|sat:n:sat|unsat:n:unsat|unknown:n:unknown|"
		   "reused_unsat:n:unsat reused|reused_sat:n:sat reused|"
		   "solver_calls:n:Solver calls|solver_s:s:Solver time|cache_s:s:Cache time|"
		   "cache_peak_bytes:b:Cache memory, peak|lookup_peak_bytes:b:Look-up memory, peak",
		   page->out);
}

const struct view view_smt_end = {"smt",     EVENT_BIT(SMT_END), sizeof(struct view_rows),
				  view_keep, show_end,           view_rows_release};

enum { SAT, UNSAT, OTHER, N_VERDICTS };

struct stage {
	size_t run;
	double count[N_VERDICTS], all, solver_s, cache_s;
};

struct queries {
	struct view_names names; /* of the stages, in the same order */
	VEC(struct stage) stages;
	struct chart time;
	size_t run, n; /* queries of this run so far */
	double solver_s, cache_s;
};

static struct stage *find_stage(struct queries *v, const struct run_id *run, const char *by)
{
	size_t i = view_index(&v->names, run, by);
	if (i == v->stages.n)
		vec_push(&v->stages, (struct stage){.run = run->number});
	return &v->stages.at[i];
}

static void add_query(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct queries *v = state;
	double solver = json_number_or(event, "solver_s", 0), cache = json_number_or(event, "cache_s", 0);
	const char *verdict = json_string_or(event, "verdict", "");
	(void)ev;
	if (run->number != v->run) {
		v->run = run->number;
		v->n = 0;
		v->solver_s = v->cache_s = 0;
	}
	struct stage *s = find_stage(v, run, json_string_or(event, "by", "?"));
	s->count[strcmp(verdict, "sat") == 0 ? SAT : strcmp(verdict, "unsat") == 0 ? UNSAT : OTHER]++;
	s->all++;
	s->solver_s += solver;
	s->cache_s += cache;
	v->solver_s += solver;
	v->cache_s += cache;
	v->n++;
	char *in_solver = view_name(run, "solver"), *in_cache = view_name(run, "cache");
	chart_add(&v->time, view_series(&v->time, in_solver), (double)v->n, v->solver_s);
	chart_add(&v->time, view_series(&v->time, in_cache), (double)v->n, v->cache_s);
	free(in_solver);
	free(in_cache);
}

static double answers_of(const struct queries *v, size_t run)
{
	double all = 0;
	for (size_t i = 0; i < v->stages.n; i++)
		all += v->stages.at[i].run == run ? v->stages.at[i].all : 0;
	return all;
}

static void show_queries(void *state, struct page *page)
{
	struct buf *out = page->out;
	struct queries *v = state;
	struct html_table t = html_table(out, "Answers per stage",
					 "Stage|#Answers|#Share|#sat|#unsat|#other|#Solver time|#Cache time");
	for (size_t i = 0; i < v->stages.n; i++) {
		const struct stage *s = &v->stages.at[i];
		html_row(&t);
		html_cell_text(&t, v->names.all.at[i]);
		html_cell_count(&t, s->all);
		double share = s->all / answers_of(v, s->run);
		html_cell_bar(&t, share, html_percent, share);
		for (size_t k = 0; k < N_VERDICTS; k++)
			html_cell_count(&t, s->count[k]);
		html_cell_seconds(&t, s->solver_s);
		html_cell_seconds(&t, s->cache_s);
	}
	html_table_end(&t);
	v->time.title = "Cumulative time";
	v->time.x_label = "Queries";
	v->time.y_label = "Seconds";
	v->time.y_unit = UNIT_SECONDS;
	chart_html(&v->time, page);
}

static void release_queries(void *state)
{
	struct queries *v = state;
	view_names_release(&v->names);
	vec_release(&v->stages);
	chart_release(&v->time);
}

const struct view view_smt_query = {"smt",     EVENT_BIT(SMT_QUERY), sizeof(struct queries),
				    add_query, show_queries,         release_queries};

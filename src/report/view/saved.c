/* SPDX-License-Identifier: MIT */
/* What was saved, the first thing on the page: work that was asked for and not done, in large figures over all runs
 * and in one row per run.
 *
 * A reduction saved the tests of the variants that its cache knew, a solver front the calls that it did not make,
 * contracts the nodes that were not walked again; a memo table that `profile --try` measured answered calls.
 *
 * Seconds are measured where they can be: against a run of the same queries without a cache. Else they are an estimate,
 * and a low one, since what a cache does not know is the harder part: what was not done, times the lower quartile of
 * what was done (of tests, whose times are not logged one by one, the average), less what the cache itself cost. Where
 * little was done there is nothing to estimate from. A cache that cost more than it saved is shown as a loss. */
#include "report/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { TESTS, CALLS, NODES, COMPUTED, N_KINDS };

static const struct {
	const char *engine, *what, *done;
} kinds[N_KINDS] = {
	[TESTS] = {"reduce", "tests not run", "Tests"},
	[CALLS] = {"smt", "solver calls not made", "Solver calls"},
	[NODES] = {"check", "nodes not checked again", "Nodes"},
	[COMPUTED] = {"profile", "calls answered by a memo table", "Calls, measured"},
};

enum { LEAST_DONE = 8 }; /* fewer say nothing about the others */

/* A run of the solver's front, to be found again by another one of the same queries. */
struct asked {
	double queries, sat, unsat, spent; /* spent: seconds in the solver and in the cache */
	bool cached;
};

struct saved {
	char *run;
	enum kind kind;
	double done, saved, seconds; /* seconds: NAN if unknown */
	double removed;              /* bytes of the reduced file */
	struct asked asked;
};
struct all_saved {
	VEC(struct saved) runs;
	VEC(double) solved; /* seconds of each query that went to the solver, in the run at hand */
	size_t run;
};

static int by_number(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;
	return p < q ? -1 : p > q;
}

/* What one of the queries not asked would have cost: NAN if that cannot be said. */
static double lower_quartile(struct all_saved *v)
{
	if (v->solved.n < LEAST_DONE)
		return NAN;
	qsort(v->solved.at, v->solved.n, sizeof(double), by_number);
	return v->solved.at[v->solved.n / 4];
}

static void add_query(struct all_saved *v, const struct run_id *run, const struct json *event)
{
	double seconds = json_number_or(event, "solver_s", 0);
	if (run->number != v->run)
		v->solved.n = 0;
	v->run = run->number;
	if (strcmp(json_string_or(event, "by", ""), "solver") == 0 && seconds > 0)
		vec_push(&v->solved, seconds);
}

static void add_front(struct all_saved *v, const struct run_id *run, const struct json *event, struct saved *s)
{
	double in_cache = json_number_or(event, "cache_s", 0);
	s->kind = CALLS;
	s->done = json_number_or(event, "solver_calls", 0);
	s->asked = (struct asked){.queries = json_number_or(event, "queries", 0),
				  .sat = json_number_or(event, "sat", 0),
				  .unsat = json_number_or(event, "unsat", 0),
				  .spent = json_number_or(event, "solver_s", NAN) + in_cache,
				  .cached = strcmp(json_string_or(event, "cache", "none"), "none") != 0};
	s->saved = fmax(0, s->asked.queries - s->done);
	if (run->number != v->run)
		v->solved.n = 0;
	s->seconds = s->saved > 0 ? s->saved * lower_quartile(v) - in_cache : 0;
}

static void add_reduction(const struct json *event, struct saved *s)
{
	s->kind = TESTS;
	s->done = json_number_or(event, "queries", 0);
	s->saved = json_number_or(event, "cache_hits", 0);
	if (s->done >= LEAST_DONE) {
		/* the time is that of all tests, the repeated ones too */
		double tests = s->done + json_number_or(event, "retests", 0);
		s->seconds = s->saved * json_number_or(event, "test_s", NAN) / tests;
	}
	s->removed = json_number_or(event, "bytes_before", 0) - json_number_or(event, "bytes_after", 0);
}

static void add(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct all_saved *v = state;
	struct saved s = {.seconds = NAN};
	if (ev == EVENT_SMT_QUERY) {
		add_query(v, run, event);
		return;
	}
	if (ev == EVENT_REDUCE_END) {
		add_reduction(event, &s);
	} else if (ev == EVENT_SMT_END) {
		add_front(v, run, event, &s);
	} else if (ev == EVENT_PROFILE_TRY) {
		s.kind = COMPUTED;
		s.saved = json_number_or(event, "hits", 0);
		s.done = fmax(0, json_number_or(event, "gets", 0) - s.saved);
		/* measured, not estimated */
		s.seconds = json_number_or(event, "before_s", NAN) - json_number_or(event, "after_s", NAN);
	} else {
		/* marks have no look-ups: what they save is not counted */
		if (!(json_number_or(event, "lookups", 0) > 0))
			return;
		s.kind = NODES;
		s.done = json_number_or(event, "nodes", 0);
		s.saved = json_number_or(event, "hits", 0);
	}
	s.run = mem_strdup(run->label);
	vec_push(&v->runs, s);
}

/* A run of the same queries without a cache says what the cache saved. */
static void measure(struct all_saved *v)
{
	for (size_t i = 0; i < v->runs.n; i++) {
		struct saved *s = &v->runs.at[i];
		for (size_t k = 0; k < v->runs.n && s->kind == CALLS && s->asked.cached; k++) {
			const struct saved *o = &v->runs.at[k];
			if (o->kind == CALLS && !o->asked.cached && o->asked.queries == s->asked.queries &&
			    o->asked.sat == s->asked.sat && o->asked.unsat == s->asked.unsat)
				s->seconds = o->asked.spent - s->asked.spent;
		}
	}
}

static void tile(struct buf *out, void (*number)(struct buf *, double), double v, const char *about, const char *what)
{
	if (!(v > 0))
		return;
	buf_printf(out, "<div class=\"tile\"><b>%s", about);
	number(out, v);
	buf_printf(out, "</b> <span>%s</span></div>\n", what);
}

static void tiles(const struct all_saved *v, struct buf *out)
{
	double saved[N_KINDS] = {0}, seconds = 0, removed = 0;
	for (size_t i = 0; i < v->runs.n; i++) {
		const struct saved *s = &v->runs.at[i];
		saved[s->kind] += s->saved;
		seconds += isfinite(s->seconds) ? s->seconds : 0;
		removed += s->removed;
	}
	buf_str_add(out, "<div class=\"tiles\">\n");
	for (size_t k = 0; k < N_KINDS; k++)
		tile(out, html_count, saved[k], "", kinds[k].what);
	tile(out, html_seconds, seconds, "≈ ", "of work not done");
	tile(out, html_bytes, removed, "", "removed from reduced files");
	buf_str_add(out, "</div>\n");
}

static void show(void *state, struct page *page)
{
	struct all_saved *v = state;
	struct buf *out = page->out;
	if (v->runs.n == 0) {
		buf_str_add(out, "<p class=\"note\">None of these runs counts work that was saved.</p>\n");
		return;
	}
	bool several = *v->runs.at[0].run != '\0';
	measure(v);
	tiles(v, out);
	struct html_table t = html_table(out, "Per run",
					 several ? "Run|Work|#Asked for|#Done|#Saved|#Share saved|#Time saved, about"
						 : "Work|#Asked for|#Done|#Saved|#Share saved|#Time saved, about");
	for (size_t i = 0; i < v->runs.n; i++) {
		const struct saved *s = &v->runs.at[i];
		double asked = s->done + s->saved, share = asked > 0 ? s->saved / asked : 0;
		html_row(&t);
		if (several)
			html_cell_text(&t, s->run);
		html_cell_text(&t, kinds[s->kind].done);
		html_cell_count(&t, asked);
		html_cell_count(&t, s->done);
		html_cell_count(&t, s->saved);
		html_cell_bar(&t, share, html_percent, share);
		html_cell_seconds(&t, s->seconds);
	}
	html_table_end(&t);
	buf_str_add(
		out,
		"<p class=\"note\">Time saved: against a run of the same queries without a cache, where there is one; "
		"else what was not done, times what was (of solver calls the lower quartile, of tests the average), "
		"less the time in the cache.</p>\n");
}

static void release(void *state)
{
	struct all_saved *v = state;
	for (size_t i = 0; i < v->runs.n; i++)
		free(v->runs.at[i].run);
	vec_release(&v->runs);
	vec_release(&v->solved);
}

const struct view view_saved = {"saved",
				EVENT_BIT(REDUCE_END) | EVENT_BIT(SMT_QUERY) | EVENT_BIT(SMT_END) |
					EVENT_BIT(PROFILE_TRY) | EVENT_BIT(CHECK_STATS),
				sizeof(struct all_saved),
				add,
				show,
				release};

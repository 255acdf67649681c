/* SPDX-License-Identifier: MIT */
/* What was saved, the first thing on the page: work that was asked for and not done, in large figures over all runs
 * and in one row per run.
 *
 * A reduction saved the tests of the variants that its cache knew, a solver front the calls that it did not make,
 * contracts the nodes that were not walked again; a memo table that `profile --try` measured answered calls. Seconds
 * are an estimate: what was not done, times what one of those that were done took on average, less what the cache
 * itself cost. Where nothing was done there is nothing to estimate from. */
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

struct saved {
	char *run;
	enum kind kind;
	double done, saved, seconds; /* seconds: NAN if unknown */
	double removed;              /* bytes of the reduced file */
};
struct all_saved {
	VEC(struct saved) runs;
};

static double estimate(double saved, double done, double seconds, double cost)
{
	return done > 0 && isfinite(seconds) ? fmax(0, saved * seconds / done - cost) : NAN;
}

static void add(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event)
{
	struct all_saved *v = state;
	struct saved s = {.seconds = NAN};
	if (ev == EVENT_REDUCE_END) {
		s.kind = TESTS;
		s.done = json_number_or(event, "queries", 0);
		s.saved = json_number_or(event, "cache_hits", 0);
		s.seconds = estimate(s.saved, s.done, json_number_or(event, "test_s", NAN), 0);
		s.removed = json_number_or(event, "bytes_before", 0) - json_number_or(event, "bytes_after", 0);
	} else if (ev == EVENT_SMT_END) {
		s.kind = CALLS;
		s.done = json_number_or(event, "solver_calls", 0);
		s.saved = fmax(0, json_number_or(event, "queries", 0) - s.done);
		s.seconds = estimate(s.saved, s.done, json_number_or(event, "solver_s", NAN),
				     json_number_or(event, "cache_s", 0));
	} else if (ev == EVENT_PROFILE_TRY) {
		s.kind = COMPUTED;
		s.saved = json_number_or(event, "hits", 0);
		s.done = fmax(0, json_number_or(event, "gets", 0) - s.saved);
		/* measured, not estimated */
		s.seconds = fmax(0, json_number_or(event, "before_s", NAN) - json_number_or(event, "after_s", NAN));
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
	const struct all_saved *v = state;
	struct buf *out = page->out;
	if (v->runs.n == 0) {
		buf_str_add(out, "<p class=\"note\">None of these runs counts work that was saved.</p>\n");
		return;
	}
	bool several = *v->runs.at[0].run != '\0';
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
	buf_str_add(out,
		    "<p class=\"note\">Time saved: what was not done, times the average of what was, less the time in "
		    "the cache.</p>\n");
}

static void release(void *state)
{
	struct all_saved *v = state;
	for (size_t i = 0; i < v->runs.n; i++)
		free(v->runs.at[i].run);
	vec_release(&v->runs);
}

const struct view view_saved = {"saved",
				EVENT_BIT(REDUCE_END) | EVENT_BIT(SMT_END) | EVENT_BIT(PROFILE_TRY) |
					EVENT_BIT(CHECK_STATS),
				sizeof(struct all_saved),
				add,
				show,
				release};

/* SPDX-License-Identifier: MIT */
/* The views a report is made of, one or more per engine. To add one: its functions in ENGINE.c, one extern here,
 * one row in views[] of report.c.
 *
 * A view is given the events it asks for, of all runs in the order of the logs, and writes its part of the page at the
 * end if there was at least one. Its state starts as zeros. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "stream/runlog.h"
#include "report/page/chart.h"
#include "report/page/html.h"

/* The run an event belongs to. */
struct run_id {
	size_t number;     /* from 0 */
	const char *label; /* tells it from other runs; "" when it is the only one */
};

#define EVENT_BIT(symbol) ((uint64_t)1 << EVENT_##symbol)

struct view {
	const char *engine; /* the section it belongs to, see sections[] */
	uint64_t events;    /* EVENT_BITs */
	size_t state_size;
	void (*add)(void *state, const struct run_id *run, enum runlog_event ev, const struct json *event);
	void (*html)(void *state, struct page *page);
	void (*release)(void *state);
};

extern const struct view view_trace_curve, view_trace_histogram, view_trace_result;
extern const struct view view_saved;
extern const struct view view_reduce_end, view_reduce_size, view_reduce_pass, view_reduce_steps;
extern const struct view view_smt_end, view_smt_query, view_smt_list;
extern const struct view view_profile_function, view_profile_curve, view_profile_source, view_profile_try;
extern const struct view view_check_stats, view_check_violations;

/* "label · name", or what there is of it; the caller frees it. */
char *view_name(const struct run_id *run, const char *name);
/* The names that rows of a table have, each once: starts as zeros. */
struct view_names {
	VEC(char *) all;
};
/* The place of "label · name", behind the others when it is new. */
size_t view_index(struct view_names *names, const struct run_id *run, const char *name);
void view_names_release(struct view_names *names);
/* The series of this name, made when it is new. */
size_t view_series(struct chart *c, const char *name);

/* Events kept until the page is written, with their fields copied: the state of a view that is one table. */
struct view_row {
	const char *run;
	const struct json *event;
};
struct view_rows {
	struct arena arena;
	VEC(struct view_row) rows;
	size_t left_out; /* rows beyond what a page can show */
};
/* `add` of such a view. */
void view_keep(void *rows, const struct run_id *run, enum runlog_event ev, const struct json *event);
void view_rows_release(void *rows);

/* Says how many rows were left out, if any. */
void view_left_out(const struct view_rows *r, struct buf *out);
/* One row per kept event. columns: "field:format:title", separated by '|'; formats: t text, c code, n count, b bytes,
 * s seconds, u seconds from microseconds, p percent (of a ratio), m percent with a bar, y yes or no. Columns that no
 * event has are left out; with several runs the first column names the run. */
void view_table(const struct view_rows *r, const char *caption, const char *columns, struct buf *out);
/* The same transposed, one line per field: for few events with many fields. */
void view_facts(const struct view_rows *r, const char *caption, const char *columns, struct buf *out);

#endif

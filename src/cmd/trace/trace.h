/* SPDX-License-Identifier: MIT */
/* What the `refrain trace` commands share: how a trace is read, warnings, stopping. */
#ifndef CMD_TRACE_H
#define CMD_TRACE_H

#include "base/policy.h"
#include "cmd/commands.h"
#include "data/json/json.h"
#include "cli/progress.h"
#include "stream/runlog.h"
#include "trace/format/reader.h"

extern const struct command cmd_trace_info, cmd_trace_convert, cmd_trace_record, cmd_trace_reduce, cmd_trace_simulate,
	cmd_trace_mrc;

/* Options that say how IN is read. */
struct read_options {
	struct trace_options o;
	const char *unit; /* "page", "line" or bytes */
};

extern const struct opt trace_read_opts[];
/* The members of a command whose struct has `struct read_options read`. */
#define TRACE_OPTIONS(table, initial)                                                                                  \
	OPTIONS(table, initial), .shared = trace_read_opts, .shared_at = offsetof(VALUES, read)

/* What a running command has open. */
struct trace_run_state {
	struct invocation *inv;
	struct progress *progress;
	struct trace_reader *reader; /* IN */
	bool complete;               /* all of IN was read; known when the work is done */
	const char *verb;            /* for the progress line */
	double start;                /* when, by the one clock */
	bool all_columns;            /* set by check: read all that IN has beside the keys */
	struct err e;
};

/* Runs a command on the one trace IN: checks the operand, calls check (if there is one), catches signals, opens IN,
 * calls work, and gives the exit code. Both return RC_OK or have filled s->e; the options are in s->inv->values. */
int trace_run_on(struct invocation *inv, const char *verb, enum rc (*check)(struct trace_run_state *s),
		 enum rc (*work)(struct trace_run_state *s));
/* run() of a command that does nothing else. */
#define TRACE_RUN_ON(verb, check, work)                                                                                \
	static int run(struct invocation *inv)                                                                         \
	{                                                                                                              \
		return trace_run_on(inv, verb, check, work);                                                           \
	}
/* Shows progress; false when a signal came. */
bool trace_tick(void *state, uint64_t references);
/* Choices of an option that takes policies: their names and "all". */
const char *trace_policy_or_all(size_t i);
/* The next item of a list with commas, copied; NULL at its end. */
char *trace_next_item(const char **list);
/* The policies of such a list, those of "all" one by one. */
struct policy_items {
	const char *list;
	bool all; /* the last one is of "all" */
	size_t next;
};
/* NULL at the end. */
const struct policy *trace_next_policy(struct policy_items *p);
/* --plot: its choices; the columns a picture may have, 0 for none; the end of its axis. */
const char *trace_plot_mode(size_t i);
unsigned trace_plot_columns(const char *mode);
double trace_plot_top(double highest);
void trace_note(struct trace_run_state *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* --prefix: RC_INPUT, with s->e filled in, when the trace has no requests or not all of them. */
enum rc trace_check_prefix(struct trace_run_state *s, const struct trace_meta *m);
/* A cost in the user's unit, from millionths. */
double trace_units(uint64_t cost);
/* RC_INPUT when both the trace that is written to `out` and --json want standard output. */
enum rc trace_check_stdout(const struct invocation *inv, const char *out, struct err *e);
/* cmd_json_begin with what all these commands say. */
struct json_writer *trace_json_begin(struct json_doc *d, const char *action, const char *input);
/* The reduction's mark of a trace, as members of the open object. */
void trace_json_meta(struct json_writer *w, const struct trace_meta *m);

#endif

/* SPDX-License-Identifier: MIT */
/* What the `refrain trace` commands share: how a trace is read, warnings, stopping. */
#ifndef CMD_TRACE_H
#define CMD_TRACE_H

#include "cmd/commands.h"
#include "data/json.h"
#include "cli/progress.h"
#include "stream/runlog.h"
#include "trace/reader.h"

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
	const char *verb; /* for the progress line */
	struct err e;
};

/* Checks that there is one operand, and catches signals. RC_OK or an error in s->e. */
enum rc trace_begin(struct trace_run_state *s, struct invocation *inv, const char *verb);
/* Opens IN; on RC_OK *r is open. */
enum rc trace_begin_read(struct trace_run_state *s, struct read_options *ro, struct trace_reader **r);
/* Shows progress; false when a signal came. */
bool trace_tick(void *state, uint64_t references);
void trace_note(struct trace_run_state *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Ends the progress line; prints s->e when rc is an error. Gives the exit code. */
int trace_end(struct trace_run_state *s, enum rc rc, bool complete);
/* cmd_json_begin with what all these commands say. */
struct json_writer *trace_json_begin(struct json_doc *d, const char *action, const char *input);
/* The reduction's mark of a trace, as members of the open object. */
void trace_json_meta(struct json_writer *w, const struct trace_meta *m);

#endif

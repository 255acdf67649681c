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

extern const char *const trace_accesses[]; /* NULL-ended */

#define TRACE_READ_OPTS(S)                                                                                             \
	{.name = "format",                                                                                             \
	 .kind = OPT_CHOICE,                                                                                           \
	 .arg = "FORMAT",                                                                                              \
	 .help = "how IN is read (by itself: first bytes, suffix, look)",                                              \
	 .offset = offsetof(S, read.o.format),                                                                         \
	 .choices = trace_read_formats},                                                                               \
		{.name = "unit",                                                                                       \
		 .kind = OPT_STRING,                                                                                   \
		 .arg = "UNIT",                                                                                        \
		 .help = "keys are addresses: blocks of page (4096), line (64) or N bytes",                            \
		 .offset = offsetof(S, read.unit)},                                                                    \
		{.name = "limit",                                                                                      \
		 .kind = OPT_UINT,                                                                                     \
		 .arg = "N",                                                                                           \
		 .help = "read no more than N references",                                                             \
		 .offset = offsetof(S, read.o.limit)},                                                                 \
		{.name = "access",                                                                                     \
		 .kind = OPT_CHOICE,                                                                                   \
		 .arg = "KIND",                                                                                        \
		 .help = "din, lackey: all, data or fetch references",                                                 \
		 .offset = offsetof(S, read.o.access),                                                                 \
		 .choices = trace_accesses},                                                                           \
		{.name = "column",                                                                                     \
		 .kind = OPT_STRING,                                                                                   \
		 .arg = "COL",                                                                                         \
		 .help = "csv: the key's column, a number or (with --header) a name",                                  \
		 .offset = offsetof(S, read.o.column)},                                                                \
		{.name = "size-column",                                                                                \
		 .kind = OPT_STRING,                                                                                   \
		 .arg = "COL",                                                                                         \
		 .help = "csv: the column of object sizes",                                                            \
		 .offset = offsetof(S, read.o.size_column)},                                                           \
		{.name = "delimiter",                                                                                  \
		 .kind = OPT_STRING,                                                                                   \
		 .arg = "CHAR",                                                                                        \
		 .help = "csv: what separates fields (comma; tab for *.tsv)",                                          \
		 .offset = offsetof(S, read.o.delimiter)},                                                             \
	{                                                                                                              \
		.name = "header", .kind = OPT_FLAG, .help = "csv: the first line has the columns' names",              \
		.offset = offsetof(S, read.o.header)                                                                   \
	}

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

/* SPDX-License-Identifier: MIT */
/* `refrain trace`: the table of its commands and what they share. */
#include "cmd/trace/trace.h"

#include "base/bits.h"
#include "cli/plot.h"
#include "data/clock.h"
#include "data/mem.h"
#include "stream/input.h"
#include "data/text.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command *const subs[] = {
	&cmd_trace_record,
	&cmd_trace_info,
	&cmd_trace_convert,
	&cmd_trace_reduce,
	&cmd_trace_simulate,
	&cmd_trace_mrc,
	NULL,
};

const struct command cmd_trace = {
	.name = "trace",
	.operands = "COMMAND",
	.summary = "record, reduce, simulate and plot the reference stream of any cache",
	.details = "A trace is the stream of keys a cache was asked for: block numbers, addresses, web objects, or the "
		   "keys that a cache of refrain wrote. IN is a file or '-' for standard input, and may be gzip-, "
		   "zstd- or xz-compressed.",
	.subs = subs,
};

#define VALUES struct read_options
const struct opt trace_read_opts[] = {
	{CHOICE(0, "format", "FORMAT", o.format, trace_format_name,
		"read IN in this format (default: by content and name)")},
	{TEXT(0, "unit", "UNIT", unit, "take keys as addresses, in blocks of page (4096), line (64) or N bytes")},
	{COUNT(0, "limit", "N", o.limit, 1, 0, "read at most N references")},
	{CHOICE(0, "access", "KIND", o.access, trace_access_name,
		"din, lackey: read only these references (default: all)")},
	{TEXT(0, "column", "COL", o.key,
	      "csv, columns: take the key from this column, a number or a name (default: 1)")},
	{TEXT(0, "path", "WHERE", o.path, "jsonl: take the key from here (such as key, request.key, hash_ids[])")},
	{TEXT(0, "size-column", "COL", o.column[COLUMN_SIZE], "take object sizes from this column or path")},
	{TEXT(0, "time-column", "COL", o.column[COLUMN_TIME], "take time stamps from this column or path")},
	{TEXT(0, "operation-column", "COL", o.column[COLUMN_OPERATION], "take operations from this column or path")},
	{TEXT(0, "tenant-column", "COL", o.column[COLUMN_TENANT], "take tenants from this column or path")},
	{FLAG(0, "by-tenant", o.by_tenant, "take equal keys of different tenants as different")},
	{TEXT(0, "cost-column", "COL", o.column[COLUMN_COST], "take the cost of a miss from this column or path")},
	{TEXT(0, "request-column", "COL", o.column[COLUMN_REQUEST],
	      "take numbers of requests from this column or path")},
	{TEXT(0, "delimiter", "CHAR", o.delimiter, "csv: split fields at CHAR (default: comma; tab for *.tsv)")},
	{FLAG(0, "header", o.header,
	      "csv, columns: take the columns' names from the first line (default: if it looks so)")},
	{FLAG(0, "no-header", o.no_header, "csv, columns: read the first line as a record")},
	{TEXT(0, "names", "NAME,…", o.names, "csv, columns: name the columns")},
	{FLAG(0, "strings", o.strings, "take keys as strings, also those that look like numbers")},
	{0},
};
#undef VALUES

static volatile sig_atomic_t signal_caught;

static void on_signal(int sig)
{
	signal_caught = sig;
}

static bool stop_asked(void)
{
	return signal_caught != 0;
}

/* The first signal ends the command in good order, the second at once. */
static void catch_signals(void)
{
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	struct sigaction old;
	input_on_interrupt(stop_asked);
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++)
		if (sigaction(sigs[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
}

static enum rc open_trace(struct trace_run_state *s)
{
	struct read_options *ro = (struct read_options *)((char *)s->inv->values + s->inv->cmd->shared_at);
	if (ro->unit && strcmp(ro->unit, "page") == 0)
		ro->o.unit = 4096;
	else if (ro->unit && strcmp(ro->unit, "line") == 0)
		ro->o.unit = 64;
	else if (ro->unit && (!text_size(ro->unit, &ro->o.unit) || !ro->o.unit))
		return err_set(&s->e, RC_INPUT, "--unit: invalid unit '%s' (page, line or a number of bytes)",
			       ro->unit);
	ro->o.all_columns |= s->all_columns;
	enum rc rc = trace_open(&s->reader, s->inv->args.at[0], &ro->o, &s->e);
	if (rc)
		return rc;
	const struct trace_meta *m = trace_meta(s->reader);
	for (unsigned c = 0; c < COLUMNS; c++)
		if (ro->o.column[c] && !m->has[c] && !(c == COLUMN_SIZE && ro->o.unit))
			return err_set(&s->e, RC_INPUT, "--%s-column: the format %s has no such column",
				       keytrace_column_name(c), m->format);
	if (m->header_found)
		trace_note(s, "note: %s: the first line was read as the names of columns (--no-header: as a record)",
			   trace_name(s->reader));
	if (m->assumed)
		trace_note(s, "note: %s: the key is taken from the first of %u columns (--column=N: from another)",
			   trace_name(s->reader), m->assumed);
	return RC_OK;
}

int trace_run_on(struct invocation *inv, const char *verb, enum rc (*check)(struct trace_run_state *s),
		 enum rc (*work)(struct trace_run_state *s))
{
	struct trace_run_state s = {.inv = inv, .verb = verb, .start = clock_seconds()};
	enum rc rc = RC_OK;
	if (inv->args.n != 1)
		rc = err_set(&s.e, RC_INPUT, "%s: %s (see 'refrain %s --help')", inv->cmd->name,
			     inv->args.n ? "only one trace at a time" : "IN is missing ('-' is standard input)",
			     inv->cmd->name);
	if (!rc && check)
		rc = check(&s);
	if (!rc) {
		catch_signals();
		s.progress = progress_new(inv->common.progress, inv->common.quiet);
		rc = open_trace(&s);
	}
	if (!rc)
		rc = work(&s);
	trace_free(s.reader);
	progress_free(s.progress);
	inv->incomplete = rc || !s.complete;
	if (rc == RC_STOPPED && signal_caught)
		return 128 + (int)signal_caught;
	return rc ? cmd_fail(&s.e) : 0;
}

enum rc trace_check_prefix(struct trace_run_state *s, const struct trace_meta *m)
{
	if (!m->has[COLUMN_REQUEST])
		return err_set(&s->e, RC_INPUT,
			       "--prefix: %s traces have no requests (text and JSON lines have, tables with "
			       "--request-column)",
			       m->format);
	return m->method == KEYTRACE_WHOLE
		       ? RC_OK
		       : err_set(&s->e, RC_INPUT, "--prefix: the trace was reduced, its requests are not whole");
}

double trace_units(uint64_t cost)
{
	return (double)cost / 1e6;
}

enum rc trace_check_stdout(const struct invocation *inv, const char *out, struct err *e)
{
	if (cmd_json_stdout(inv) && strcmp(out, "-") == 0)
		return err_set(e, RC_INPUT, "both the trace and --json want standard output: give one of them a file");
	return RC_OK;
}

/* ", 3 min left": what the rest of the file will take at the speed so far. */
static void time_left(const struct trace_run_state *s, double seconds, char *out, size_t size)
{
	double position = s->reader ? trace_position(s->reader) : -1, left;
	*out = 0;
	if (position < 0.01 || seconds < 1)
		return;
	left = seconds * (1 - position) / position;
	if (left < 90)
		snprintf(out, size, ", %.0f s left", ceil(left));
	else
		snprintf(out, size, ", %.0f min left", ceil(left / 60));
}

bool trace_tick(void *state, uint64_t references)
{
	struct trace_run_state *s = state;
	if (progress_due(s->progress)) {
		char line[128], left[32];
		double seconds = clock_seconds() - s->start;
		time_left(s, seconds, left, sizeof left);
		snprintf(line, sizeof line, "%s: %llu references, %.1f million/s%s", s->verb,
			 (unsigned long long)references, seconds > 0 ? (double)references / seconds / 1e6 : 0, left);
		progress_show(s->progress, line);
	}
	return !signal_caught;
}

const char *trace_policy_or_all(size_t i)
{
	return i ? policy_name(i - 1) : "all";
}

char *trace_next_item(const char **list)
{
	if (!*list)
		return NULL;
	const char *comma = strchr(*list, ',');
	char *item = comma ? mem_strndup(*list, (size_t)(comma - *list)) : mem_strdup(*list);
	*list = comma ? comma + 1 : NULL;
	return item;
}

const struct policy *trace_next_policy(struct policy_items *p)
{
	if (p->all && policies[p->next])
		return policies[p->next++];
	char *item = trace_next_item(&p->list);
	if (!item)
		return NULL;
	p->all = strcmp(item, "all") == 0;
	p->next = 1;
	const struct policy *found = p->all ? policies[0] : policy_find(item);
	free(item);
	return found;
}

const char *trace_plot_mode(size_t i)
{
	static const char *const modes[] = {"auto", "always", "never"};
	return i < ARRAY_LEN(modes) ? modes[i] : NULL;
}

unsigned trace_plot_columns(const char *mode)
{
	unsigned columns = plot_terminal_columns();
	if (mode && strcmp(mode, "never") == 0)
		return 0;
	return mode && strcmp(mode, "always") == 0 && !columns ? 80 : columns;
}

double trace_plot_top(double highest)
{
	static const double tops[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
	for (size_t i = 0; i < ARRAY_LEN(tops); i++)
		if (highest <= tops[i])
			return tops[i];
	return 1;
}

void trace_note(struct trace_run_state *s, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	if (s->inv->common.quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	progress_message(s->progress, "%s", text);
}

struct json_writer *trace_json_begin(struct json_doc *d, const char *action, const char *input)
{
	struct json_writer *w = cmd_json_begin(d, "refrain.trace/1");
	json_kv_string(w, "action", action);
	json_kv_string(w, "input", input);
	return w;
}

void trace_json_meta(struct json_writer *w, const struct trace_meta *m)
{
	json_kv_string(w, "format", m->format);
	if (m->unit)
		json_kv_uint(w, "unit", m->unit);
	json_kv_bool(w, "sizes", m->sizes);
	json_key(w, "columns");
	json_array(w);
	for (unsigned c = 0; c < COLUMNS; c++)
		if (m->has[c])
			json_string(w, keytrace_column_name(c));
	json_array_end(w);
	json_kv_string(w, "method", keytrace_method_name(m->method));
	if (m->method != KEYTRACE_WHOLE) {
		json_kv_uint(w, "k", m->k);
		json_kv_uint(w, "original_requests", m->original_requests);
	}
}

/* SPDX-License-Identifier: MIT */
/* `refrain trace convert`: one format to another. */
#include "cmd/trace/trace.h"

#include "trace/format/writer.h"

#include <stdio.h>
#include <string.h>

struct convert_options {
	struct read_options read;
	const char *to, *out;
};

#define VALUES struct convert_options
static const struct opt opts[] = {
	{CHOICE(0, "to", "FORMAT", to, trace_write_format_name, "write this format")},
	{TEXT('o', "output", "OUT", out, "write to OUT ('-': standard output)")},
	{0},
};

static enum rc copy(struct trace_run_state *s, struct trace_reader *r, struct trace_writer *w, uint64_t *references)
{
	struct trace_block b;
	enum rc rc;
	while ((rc = trace_next(r, &b, &s->e)) == RC_OK && b.n) {
		if (!trace_tick(s, *references))
			return err_set(&s->e, RC_STOPPED, "stopped");
		if (!trace_write(w, &b))
			return RC_OK; /* trace_close has the reason */
		*references += b.n;
	}
	return rc;
}

/* Says what the format has no place for. */
static void warn_of_loss(struct trace_run_state *s, const char *to, const struct trace_meta *m)
{
	unsigned room = trace_write_room(to);
	struct buf lost = {0};
	for (unsigned c = 0; c < COLUMNS; c++)
		if (m->has[c] && !(room >> c & 1))
			buf_printf(&lost, "%s%s", lost.n ? ", " : "", keytrace_column_name(c));
	if (lost.n)
		trace_note(s, "warning: '%s' has no room for: %s", to, buf_str(&lost));
	buf_release(&lost);
	if (m->by_tenant)
		trace_note(s, "note: 64-bit hashes of tenants and keys are written");
	else if (m->strings)
		trace_note(s, "note: the keys are strings; their 64-bit hashes are written");
	if (m->method != KEYTRACE_WHOLE && strcmp(to, "rft") != 0)
		trace_note(s, "warning: '%s' cannot carry the mark that this trace was reduced (%s, k = %llu)", to,
			   keytrace_method_name(m->method), (unsigned long long)m->k);
}

static enum rc write_trace(struct trace_run_state *s, const struct convert_options *o, struct trace_reader *r,
			   uint64_t *references)
{
	const struct trace_meta *m = trace_meta(r);
	struct keytrace_header h = {.unit = m->unit, .ticks = m->ticks, .method = m->method, .k = m->k};
	struct trace_writer *w;
	memcpy(h.has, m->has, sizeof h.has);
	snprintf(h.source, sizeof h.source, "%.255s", m->source[0] ? m->source : trace_name(r));
	if (m->method != KEYTRACE_WHOLE && o->read.o.unit)
		return err_set(&s->e, RC_INPUT,
			       "a reduced trace cannot be re-blocked: its reduction holds for its own blocks only");
	enum rc rc = trace_create(&w, o->out, o->to, &h, &s->e);
	if (rc)
		return rc;
	rc = copy(s, r, w, references);
	if (!rc) /* strings are known to be some only when they were seen */
		warn_of_loss(s, o->to, m);
	if (rc) {
		trace_abandon(w);
		return rc;
	}
	return trace_close(w, m->original_requests, &s->e);
}

static enum rc check(struct trace_run_state *s)
{
	const struct convert_options *o = s->inv->values;
	if (!o->to || !o->out)
		return err_set(&s->e, RC_INPUT, "trace convert needs --to=FORMAT and -o OUT");
	s->all_columns = true;
	return trace_check_stdout(s->inv, o->out, &s->e);
}

static enum rc convert(struct trace_run_state *s)
{
	const struct convert_options *o = s->inv->values;
	uint64_t references = 0;
	enum rc rc = write_trace(s, o, s->reader, &references);
	if (rc)
		return rc;
	s->complete = !trace_limited(s->reader);
	struct json_doc doc;
	struct json_writer *w = trace_json_begin(&doc, "convert", s->inv->args.at[0]);
	trace_json_meta(w, trace_meta(s->reader));
	json_kv_string(w, "to", o->to);
	json_kv_uint(w, "requests", references);
	json_kv_bool(w, "complete", s->complete);
	return cmd_json_end(s->inv, &doc, &s->e);
}

TRACE_RUN_ON("converting", check, convert)

const struct command cmd_trace_convert = {
	COMMAND("trace convert", "--to=FORMAT IN -o OUT", "write a trace in another format", NULL),
	TRACE_OPTIONS(opts, NULL),
	RUN(run, 0),
};

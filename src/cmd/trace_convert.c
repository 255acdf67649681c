/* SPDX-License-Identifier: MIT */
/* `refrain trace convert`: one format to another. */
#include "cmd/trace.h"

#include "trace/writer.h"

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
		if (!trace_write(w, b.keys, b.sizes, b.n))
			return RC_OK; /* trace_close has the reason */
		*references += b.n;
	}
	return rc;
}

static enum rc convert(struct trace_run_state *s, struct convert_options *o, struct trace_reader *r,
		       uint64_t *references)
{
	const struct trace_meta *m = trace_meta(r);
	struct keytrace_header h = {.unit = m->unit, .sizes = m->sizes, .method = m->method, .k = m->k};
	struct trace_writer *w;
	snprintf(h.source, sizeof h.source, "%.255s", m->source[0] ? m->source : trace_name(r));
	if (m->method != KEYTRACE_WHOLE && o->read.o.unit)
		return err_set(&s->e, RC_INPUT,
			       "a reduced trace cannot be re-blocked: its reduction holds for its own blocks only");
	if (m->method != KEYTRACE_WHOLE && strcmp(o->to, "rft") != 0)
		trace_note(s, "warning: '%s' cannot carry the mark that this trace was reduced (%s, k = %llu)", o->to,
			   keytrace_method_name(m->method), (unsigned long long)m->k);
	enum rc rc = trace_create(&w, o->out, o->to, &h, &s->e);
	if (rc)
		return rc;
	rc = copy(s, r, w, references);
	if (rc) {
		trace_abandon(w);
		return rc;
	}
	return trace_close(w, m->original_requests, &s->e);
}

static int run(struct invocation *inv)
{
	struct convert_options *o = inv->values;
	struct trace_run_state s;
	struct trace_reader *r = NULL;
	uint64_t references = 0;
	bool complete = false;
	enum rc rc = trace_begin(&s, inv, "converting");
	if (!rc && (!o->to || !o->out))
		rc = err_set(&s.e, RC_INPUT, "trace convert needs --to=FORMAT and -o OUT");
	if (!rc && cmd_json_stdout(inv) && strcmp(o->out, "-") == 0)
		rc = err_set(&s.e, RC_INPUT, "both the trace and --json want standard output: give one of them a file");
	if (!rc)
		rc = trace_begin_read(&s, &o->read, &r);
	if (!rc)
		rc = convert(&s, o, r, &references);
	if (!rc)
		complete = !trace_limited(r);
	if (!rc && inv->common.json) {
		struct json_doc doc;
		struct json_writer *w = trace_json_begin(&doc, "convert", inv->args.at[0]);
		trace_json_meta(w, trace_meta(r));
		json_kv_string(w, "to", o->to);
		json_kv_uint(w, "requests", references);
		json_kv_bool(w, "complete", complete);
		rc = cmd_json_end(inv, &doc, &s.e);
	}
	trace_free(r);
	return trace_end(&s, rc, complete);
}

const struct command cmd_trace_convert = {.name = "trace convert",
					  .operands = "--to=FORMAT IN -o OUT",
					  .summary = "write a trace in another format",
					  TRACE_OPTIONS(opts, NULL),
					  .run = run};

/* SPDX-License-Identifier: MIT */
/* `refrain trace reduce`: the shortest trace with the same LRU behaviour. */
#include "cmd/trace/trace.h"

#include "base/policy.h"
#include "trace/reduce.h"

#include <stdio.h>
#include <string.h>

struct reduce_options {
	struct read_options read;
	uint64_t k;
	const char *method, *to, *out;
};

/* A whole trace is not a reduction. */
static const char *method(size_t i)
{
	return i < KEYTRACE_SAD ? keytrace_method_name((enum keytrace_method)(i + 1)) : NULL;
}

static const char details[] =
	"The result has the same misses and evictions as IN for every LRU cache of at least K blocks, and so for every "
	"policy behind an LRU front of at least K. It is written as a key trace (rft), which says how it was reduced; "
	"simulate refuses what that does not cover. Memory depends on K only.";

#define VALUES struct reduce_options
static const struct opt opts[] = {
	{COUNT('k', NULL, "K", k, 1, POLICY_MAX_CAP, "make the result exact for caches of at least K blocks")},
	{CHOICE(0, "method", "METHOD", method, method,
		"make it exact for LRU (olr) or for LRU and OPT (sad) (default: olr)")},
	{TEXT('o', "output", "OUT", out, "write to OUT ('-': standard output)")},
	{CHOICE(0, "to", "FORMAT", to, trace_write_format_name,
		"write this format (default: rft, which keeps the reduction's mark)")},
	{0},
};

static const struct reduce_options defaults = {.method = "olr", .to = "rft"};

static enum rc check(struct trace_run_state *s)
{
	const struct reduce_options *o = s->inv->values;
	if (!o->k)
		return err_set(&s->e, RC_INPUT,
			       "trace reduce needs -k K, the smallest cache size the result is to be exact for");
	if (!o->out)
		return err_set(&s->e, RC_INPUT, "trace reduce needs -o OUT");
	return trace_check_stdout(s->inv, o->out, &s->e);
}

/* A reduction of a reduction is exact for what both are exact for. */
static enum rc check_again(struct trace_run_state *s, const struct trace_meta *m, const struct reduction *d)
{
	if (m->method == KEYTRACE_WHOLE)
		return RC_OK;
	if (((struct reduce_options *)s->inv->values)->read.o.unit)
		return err_set(&s->e, RC_INPUT,
			       "a reduced trace cannot be re-blocked: its reduction holds for its own blocks only");
	if (d->k < m->k)
		return err_set(&s->e, RC_INPUT,
			       "the trace was reduced for k = %llu: it cannot be made exact for smaller caches",
			       (unsigned long long)m->k);
	if (d->method == KEYTRACE_SAD && m->method == KEYTRACE_OLR)
		return err_set(&s->e, RC_INPUT,
			       "the trace was reduced with olr, which does not keep OPT: sad would claim that it does");
	return RC_OK;
}

static enum rc write_reduced(struct trace_run_state *s, const struct reduce_options *o, struct trace_reader *r,
			     struct reduction *d)
{
	const struct trace_meta *m = trace_meta(r);
	struct keytrace_header h = {.unit = m->unit, .method = d->method, .k = o->k};
	struct trace_writer *w;
	snprintf(h.source, sizeof h.source, "%.255s", m->source[0] ? m->source : trace_name(r));
	enum rc rc = check_again(s, m, d);
	if (rc)
		return rc;
	if (strcmp(o->to, "rft") != 0)
		trace_note(s, "warning: '%s' cannot carry the mark that the trace is reduced (%s, k = %llu)", o->to,
			   o->method, (unsigned long long)o->k);
	if (m->sizes)
		trace_note(s,
			   "note: the sizes of objects are left out, a reduced trace is exact for equal blocks only");
	if ((rc = trace_create(&w, o->out, o->to, &h, &s->e)))
		return rc;
	if ((rc = trace_reduce(r, w, d, &s->e))) {
		trace_abandon(w);
		return rc;
	}
	return trace_close(w, m->original_requests ? m->original_requests : d->in, &s->e);
}

static enum rc report(struct trace_run_state *s, const struct reduce_options *o, const struct trace_meta *m,
		      const struct reduction *d)
{
	double factor = d->out ? (double)d->in / (double)d->out : 1;
	progress_hide(s->progress);
	if (!s->inv->common.quiet)
		fprintf(stderr,
			"refrain: %llu references became %llu (%.1f times fewer), exact for LRU%s at sizes of at least "
			"%llu\n",
			(unsigned long long)d->in, (unsigned long long)d->out, factor,
			d->method == KEYTRACE_SAD ? " and OPT" : "", (unsigned long long)o->k);
	if (!s->inv->common.json)
		return RC_OK;
	struct json_doc doc;
	struct json_writer *w = trace_json_begin(&doc, "reduce", s->inv->args.at[0]);
	json_kv_string(w, "method", o->method);
	json_kv_uint(w, "k", o->k);
	json_kv_uint(w, "original_requests", m->original_requests ? m->original_requests : d->in);
	json_kv_uint(w, "references_in", d->in);
	json_kv_uint(w, "references_out", d->out);
	json_kv_double(w, "factor", factor);
	json_kv_bool(w, "complete", s->complete);
	return cmd_json_end(s->inv, &doc, &s->e);
}

static enum rc reduce(struct trace_run_state *s)
{
	const struct reduce_options *o = s->inv->values;
	struct reduction d = {.method = strcmp(o->method, "sad") == 0 ? KEYTRACE_SAD : KEYTRACE_OLR,
			      .k = (uint32_t)o->k,
			      .tick = trace_tick,
			      .user = s};
	enum rc rc = write_reduced(s, o, s->reader, &d);
	if (rc)
		return rc;
	s->complete = !trace_limited(s->reader);
	return report(s, o, trace_meta(s->reader), &d);
}

TRACE_RUN_ON("reducing", check, reduce)

const struct command cmd_trace_reduce = {
	COMMAND("trace reduce", "-k K IN -o OUT", "find the shortest trace with the same LRU behaviour", details),
	TRACE_OPTIONS(opts, &defaults),
	RUN(run, 0),
};

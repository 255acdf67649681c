/* SPDX-License-Identifier: MIT */
/* `refrain trace record`: the references a program makes, as a key trace. */
#include "cmd/trace.h"

#include "base/bits.h"
#include "base/keyblock.h"
#include "base/olr.h"
#include "base/policy.h"
#include "stream/keytrace.h"
#include "data/mem.h"
#include "process/runner.h"
#include "data/text.h"
#include "process/valgrind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record_options {
	const char *unit, *out, *kind;
	uint64_t k, references;
	const char *functions;
	double timeout;
};

/* What the tool can record (runtime/valgrind). */
static const char *kind(size_t i)
{
	static const char *const kinds[] = {"data", "code", "both"};
	return i < ARRAY_LEN(kinds) ? kinds[i] : NULL;
}

#define VALUES struct record_options
static const struct opt opts[] = {
	{TEXT(0, "unit", "UNIT", unit, "record blocks of page (4096), line (64) or N bytes (default: page)")},
	{TEXT('o', "output", "OUT", out, "write the trace to OUT (default: refrain.rft; '-': standard output)")},
	{CHOICE(0, "access", "KIND", kind, kind, "record loads and stores, instructions, or both (default: data)")},
	{COUNT('k', "reduce", "K", k, 1, POLICY_MAX_CAP,
	       "reduce on the way, exact for LRU caches of at least K blocks")},
	{COUNT(0, "limit", "N", references, 1, INT64_MAX, "end the program after N recorded references")},
	{TEXT(0, "functions", "F,…", functions, "record only while one of these functions runs")},
	{SECONDS(0, "timeout", "SECONDS", timeout, "end the program after this long and keep what was recorded")},
	{0},
};

static const struct record_options defaults = {.unit = "page", .out = "refrain.rft", .kind = "data"};

struct recording {
	struct keytrace_writer *w;
	bool reduce;
	struct olr olr;
	uint64_t references, written;
	uint64_t keys[KEYBLOCK_KEYS]; /* of one record */
	bool failed;                  /* the trace cannot be written; its writer knows why */
	struct progress *progress;
};

static void *base_realloc(void *user, void *p, size_t old, size_t n)
{
	(void)user, (void)old;
	if (!n) {
		free(p);
		return NULL;
	}
	return realloc(p, n);
}

static void write_keys(void *user, const uint64_t *keys, size_t n)
{
	struct recording *r = user;
	r->written += n;
	r->failed |= keytrace_add_many(r->w, keys, n) != RC_OK;
}

static enum rc on_record(void *user, enum vg_kind kind, const void *p, size_t n, struct err *e)
{
	struct recording *r = user;
	if (kind == VG_TICK && progress_due(r->progress)) {
		char line[96];
		snprintf(line, sizeof line, "recording: %llu references", (unsigned long long)r->references);
		progress_show(r->progress, line);
	}
	struct vg_keys k;
	if (kind != VG_KEYS)
		return RC_OK;
	if (n < sizeof k)
		return err_set(e, RC_BUG, "the tool's record of references is broken");
	memcpy(&k, p, sizeof k);
	const unsigned char *payload = (const unsigned char *)p + sizeof k;
	r->references += k.count;
	if (!r->reduce) {
		r->written += k.count;
		r->failed |= keytrace_add_block(r->w, k.count, payload, n - sizeof k) != RC_OK;
		return r->failed ? RC_ENV : RC_OK;
	}
	if (k.count > KEYBLOCK_KEYS || !keyblock_decode(payload, n - sizeof k, r->keys, k.count))
		return err_set(e, RC_BUG, "the tool's record of references is broken");
	if (!olr_feed(&r->olr, r->keys, k.count))
		return err_set(e, RC_ENV, "out of memory");
	return r->failed ? RC_ENV : RC_OK;
}

static enum rc parse_unit(const char *text, unsigned *shift, struct err *e)
{
	uint64_t unit = 0;
	if (strcmp(text, "page") == 0)
		unit = 4096;
	else if (strcmp(text, "line") == 0)
		unit = 64;
	else if (!text_size(text, &unit))
		unit = 0;
	if (!unit || (unit & (unit - 1)) || unit > (uint64_t)1 << 40)
		return err_set(e, RC_INPUT, "--unit: invalid unit '%s' (page, line or a power of two)", text);
	*shift = (unsigned)__builtin_ctzll(unit);
	return RC_OK;
}

static enum rc record(struct invocation *inv, const struct record_options *o, struct recording *r,
		      struct valgrind_result *result, struct err *e)
{
	unsigned shift = 12;
	char path[4096], shift_opt[32], kind_opt[32], limit_opt[48];
	enum rc rc = parse_unit(o->unit, &shift, e);
	if (rc || (rc = valgrind_program(inv->args.at[inv->dashdash], path, sizeof path, e)))
		return rc;
	struct keytrace_header h = {
		.unit = (uint64_t)1 << shift, .method = o->k ? KEYTRACE_OLR : KEYTRACE_WHOLE, .k = o->k};
	snprintf(h.source, sizeof h.source, "%s references of %.200s", o->kind, inv->args.at[inv->dashdash]);
	if ((rc = keytrace_create(&r->w, o->out, &h, e)))
		return rc;
	r->reduce = o->k != 0;
	const struct base_alloc alloc = {base_realloc, NULL};
	if (r->reduce)
		olr_init(&r->olr, (uint32_t)o->k, &alloc, write_keys, r);
	snprintf(shift_opt, sizeof shift_opt, "--rf-shift=%u", shift);
	snprintf(kind_opt, sizeof kind_opt, "--rf-kinds=%s", o->kind);
	snprintf(limit_opt, sizeof limit_opt, "--rf-references=%llu", (unsigned long long)o->references);
	char *functions = o->functions ? mem_printf("--rf-functions=%s", o->functions) : NULL;
	const char *const options[] = {"--rf-mode=record", shift_opt, kind_opt, limit_opt, functions, NULL};
	struct strings program = {0};
	for (size_t i = inv->dashdash; i < inv->args.n; i++)
		vec_push(&program, inv->args.at[i]);
	vec_push(&program, NULL);
	const struct valgrind_run v = {
		.tool = "rfcount",
		.options = options,
		.program = program.at,
		.path = path,
		.wall_s = o->timeout,
		.stdout_to_stderr = strcmp(o->out, "-") == 0 || cmd_json_stdout(inv),
		.on_record = on_record,
		.user = r,
	};
	rc = valgrind_run(inv->runner, &v, result, e);
	vec_release(&program);
	free(functions);
	if (r->reduce) {
		if (!rc)
			olr_finish(&r->olr);
		olr_release(&r->olr);
	}
	/* what ended the run may be a write error: closing says which */
	if (!rc || r->failed)
		return keytrace_close(r->w, r->reduce ? r->references : 0, e);
	keytrace_abandon(r->w);
	return rc;
}

static enum rc report(const struct invocation *inv, const struct record_options *o, const struct recording *r,
		      const struct valgrind_result *v, bool complete, struct err *e)
{
	if (!inv->common.quiet) {
		fprintf(stderr, "refrain: %llu references recorded in '%s'", (unsigned long long)r->references, o->out);
		if (o->k)
			fprintf(stderr, ", reduced to %llu for LRU caches of at least %llu",
				(unsigned long long)r->written, (unsigned long long)o->k);
		if (v->run.end == RUN_SIGNALLED)
			fprintf(stderr, "; the program was ended by signal %d", v->run.code);
		else if (!complete)
			fprintf(stderr, "; the program was stopped");
		fputc('\n', stderr);
	}
	if (!inv->common.json)
		return RC_OK;
	struct json_doc doc;
	struct json_writer *w = trace_json_begin(&doc, "record", inv->args.at[inv->dashdash]);
	json_kv_string(w, "output", o->out);
	json_kv_uint(w, "requests", r->references);
	json_kv_uint(w, "written", r->written);
	json_kv_uint(w, "instructions", v->end.instructions);
	json_kv_bool(w, "complete", complete);
	return cmd_json_end(inv, &doc, e);
}

static int run(struct invocation *inv)
{
	const struct record_options *o = inv->values;
	struct err e = ERR_INIT;
	if (inv->dashdash >= inv->args.n || inv->dashdash != 0) {
		err_set(&e, RC_INPUT, "%s: PROG is missing: refrain trace record [OPTIONS] -- PROG ARG…",
			inv->cmd->name);
		return cmd_fail(&e);
	}
	if (trace_check_stdout(inv, o->out, &e) != RC_OK)
		return cmd_fail(&e);
	runner_catch_signals(inv->runner);
	struct valgrind_result result;
	struct recording r = {.progress = progress_new(inv->common.progress, inv->common.quiet)};
	enum rc rc = record(inv, o, &r, &result, &e);
	progress_free(r.progress);
	bool complete = false;
	if (!rc) {
		complete = result.done && !(result.end.flags & VG_DONE_STOPPED) && result.run.end == RUN_EXITED;
		rc = report(inv, o, &r, &result, complete, &e);
	}
	inv->incomplete = !complete;
	int code = rc ? cmd_fail(&e) : 0;
	return runner_stopped() ? 128 + runner_stopped() : code;
}

static const char details[] = "PROG runs under Valgrind, unchanged, about 20 to 40 times slower. References are "
			      "numbers of pages (or lines, or "
			      "blocks of N bytes); one that repeats the last is left out, as a cache of one block "
			      "would. With --reduce the trace "
			      "is shortened while it is recorded (see 'refrain trace reduce').";

const struct command cmd_trace_record = {
	COMMAND("trace record", "-- PROG ARG…", "record the memory references of a program", details),
	OPTIONS(opts, &defaults),
	RUN(run, COMMAND_RUNNER),
};

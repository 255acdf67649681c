/* SPDX-License-Identifier: MIT */
/* `refrain trace record`: the references a program makes, and its children, as a key trace. */
#include "cmd/trace/trace.h"

#include "base/bits.h"
#include "base/keyblock.h"
#include "base/olr.h"
#include "base/policy.h"
#include "stream/keytrace.h"
#include "data/mem.h"
#include "process/runner.h"
#include "data/text.h"
#include "process/valgrind.h"
#include "trace/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record_options {
	const char *unit, *out, *kind;
	uint64_t k, references;
	const char *functions, *children;
	double timeout;
};

enum { ADDRESS_BITS = 48 }; /* of a process; above them a merged trace has the process */

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
	{OPTIONAL(0, "children", "HOW", children,
		  "record child processes too: merged (the default) into OUT, or split into a trace for each")},
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
	unsigned shift;
	uint64_t forks; /* children of the first process */
	bool replaced;  /* it became another program with its last record */
	FILE *first;    /* --children: the first process's stream, beside those of the others */
	bool first_failed;
	struct processes *processes; /* --children: what was recorded */
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

static void keep_record(struct recording *r, uint32_t kind, const void *p, size_t n)
{
	struct vg_record head = {kind, (uint32_t)n};
	r->first_failed |= fwrite(&head, sizeof head, 1, r->first) != 1 || fwrite(p, 1, n, r->first) != n;
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
	r->forks += (uint32_t)kind == VG_FORK;
	r->replaced = (uint32_t)kind == VG_EXEC;
	if (r->first)
		keep_record(r, kind, p, n);
	if (kind != VG_KEYS)
		return RC_OK;
	if (n < sizeof k)
		return err_set(e, RC_BUG, "the tool's record of references is broken");
	memcpy(&k, p, sizeof k);
	const unsigned char *payload = (const unsigned char *)p + sizeof k;
	r->references += k.count;
	if (r->first)
		return RC_OK;
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

/* ---- the trace */

static const struct base_alloc alloc = {base_realloc, NULL};

static enum rc open_trace(const struct record_options *o, struct recording *r, const char *path, const char *program,
			  bool tenants, struct err *e)
{
	struct keytrace_header h = {
		.unit = (uint64_t)1 << r->shift, .method = o->k ? KEYTRACE_OLR : KEYTRACE_WHOLE, .k = o->k};
	h.has[COLUMN_TENANT] = tenants;
	snprintf(h.source, sizeof h.source, "%s references of %.200s", o->kind, program);
	enum rc rc = keytrace_create(&r->w, path, &h, e);
	r->reduce = o->k != 0;
	if (!rc && r->reduce)
		olr_init(&r->olr, (uint32_t)o->k, &alloc, write_keys, r);
	return rc;
}

/* rc: of what came before; a failed write is reported here, whatever it made of the rest. */
static enum rc close_trace(struct recording *r, uint64_t references, enum rc rc, struct err *e)
{
	if (r->reduce) {
		if (!rc)
			olr_finish(&r->olr);
		olr_release(&r->olr);
	}
	if (!rc || r->failed)
		return keytrace_close(r->w, r->reduce ? references : 0, e);
	keytrace_abandon(r->w);
	return rc;
}

/* ---- children */

/* Keys of different processes are different blocks: the process stands above their addresses. */
static enum rc write_block(void *user, size_t process, const uint64_t *keys, size_t n, struct err *e)
{
	struct recording *r = user;
	uint64_t tenant[KEYBLOCK_KEYS], above = (uint64_t)process << (ADDRESS_BITS - r->shift);
	for (size_t i = 0; i < n; i++) {
		r->keys[i] = keys[i] + above;
		tenant[i] = process + 1;
	}
	if (r->reduce && !olr_feed(&r->olr, r->keys, n))
		return err_set(e, RC_ENV, "out of memory");
	if (!r->reduce) {
		const uint64_t *const column[COLUMNS] = {[COLUMN_TENANT] = tenant};
		r->written += n;
		r->failed |= keytrace_add_rows(r->w, r->keys, column, n) != RC_OK;
	}
	return r->failed ? RC_ENV : RC_OK;
}

static enum rc write_own_block(void *user, size_t process, const uint64_t *keys, size_t n, struct err *e)
{
	struct recording *r = user;
	(void)process;
	if (r->reduce && !olr_feed(&r->olr, keys, n))
		return err_set(e, RC_ENV, "out of memory");
	if (!r->reduce)
		write_keys(r, keys, n);
	return r->failed ? RC_ENV : RC_OK;
}

static enum rc write_merged(const struct record_options *o, struct recording *r, const char *program, struct err *e)
{
	if (processes_count(r->processes) >> (64 - ADDRESS_BITS))
		return err_set(e, RC_INPUT, "%zu processes are too many for one trace: use --children=split",
			       processes_count(r->processes));
	enum rc rc = open_trace(o, r, o->out, program, !o->k, e);
	if (rc)
		return rc;
	rc = processes_each(r->processes, SIZE_MAX, write_block, r, e);
	return close_trace(r, r->references, rc, e);
}

/* refrain.rft becomes refrain.1.rft, refrain.2.rft … */
static char *split_name(const char *out, size_t i)
{
	const char *slash = strrchr(out, '/'), *dot = strrchr(slash ? slash : out, '.');
	size_t stem = dot && dot > out && dot[-1] != '/' ? (size_t)(dot - out) : strlen(out);
	return mem_printf("%.*s.%zu%s", (int)stem, out, i + 1, out + stem);
}

static enum rc write_split(const struct record_options *o, struct recording *r, struct err *e)
{
	enum rc rc = RC_OK;
	for (size_t i = 0; i < processes_count(r->processes) && !rc; i++) {
		const struct process *p = processes_at(r->processes, i);
		char *path = split_name(o->out, i);
		if (!(rc = open_trace(o, r, path, p->program, false, e))) {
			rc = processes_each(r->processes, i, write_own_block, r, e);
			rc = close_trace(r, p->references, rc, e);
		}
		free(path);
	}
	return rc;
}

static bool is_split(const struct record_options *o)
{
	return o->children && strcmp(o->children, "split") == 0;
}

/* All streams are in the folder; the first one was kept there by keep_record. */
static enum rc collect_children(const struct record_options *o, struct recording *r, const char *folder,
				const struct valgrind_result *result, const char *program, struct err *e)
{
	if (result->done)
		keep_record(r, VG_DONE, &result->end, sizeof result->end);
	r->first_failed |= fclose(r->first) != 0;
	r->first = NULL;
	if (r->first_failed)
		return err_set(e, RC_ENV, "cannot write to the folder for temporary files");
	enum rc rc = processes_read(&r->processes, folder, e);
	if (rc)
		return rc;
	r->references = 0;
	for (size_t i = 0; i < processes_count(r->processes); i++)
		r->references += processes_at(r->processes, i)->references;
	return is_split(o) ? write_split(o, r, e) : write_merged(o, r, program, e);
}

/* ---- the run */

static enum rc run_tool(struct invocation *inv, const struct record_options *o, struct recording *r, const char *folder,
			struct valgrind_result *result, struct err *e)
{
	char path[4096], shift_opt[32], kind_opt[32], limit_opt[48];
	enum rc rc = valgrind_program(inv->args.at[inv->dashdash], path, sizeof path, e);
	if (rc)
		return rc;
	snprintf(shift_opt, sizeof shift_opt, "--rf-shift=%u", r->shift);
	snprintf(kind_opt, sizeof kind_opt, "--rf-kinds=%s", o->kind);
	snprintf(limit_opt, sizeof limit_opt, "--rf-references=%llu", (unsigned long long)o->references);
	char *functions = o->functions ? mem_printf("--rf-functions=%s", o->functions) : NULL;
	char *children = folder ? mem_printf("--rf-children=%s", folder) : NULL;
	struct strings options = {0}, program = {0};
	const char *const words[] = {"--rf-mode=record", shift_opt, kind_opt, limit_opt, functions, children};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i])
			vec_push(&options, words[i]);
	vec_push(&options, NULL);
	for (size_t i = inv->dashdash; i < inv->args.n; i++)
		vec_push(&program, inv->args.at[i]);
	vec_push(&program, NULL);
	const struct valgrind_run v = {
		.tool = "rfcount",
		.options = options.at,
		.program = program.at,
		.wall_s = o->timeout,
		.stdout_to_stderr = strcmp(o->out, "-") == 0 || cmd_json_stdout(inv),
		.children = folder != NULL,
		.on_record = on_record,
		.user = r,
	};
	rc = valgrind_run(inv->runner, &v, result, e);
	vec_release_all(&options, &program);
	free(functions);
	free(children);
	return rc;
}

static enum rc record_one(struct invocation *inv, const struct record_options *o, struct recording *r,
			  struct valgrind_result *result, struct err *e)
{
	enum rc rc = open_trace(o, r, o->out, inv->args.at[inv->dashdash], false, e);
	if (rc)
		return rc;
	rc = run_tool(inv, o, r, NULL, result, e);
	return close_trace(r, r->references, rc, e);
}

static enum rc record_children(struct invocation *inv, const struct record_options *o, struct recording *r,
			       struct valgrind_result *result, struct err *e)
{
	char folder[4096], path[4200];
	enum rc rc = runner_scratch(inv->runner, folder, sizeof folder, e);
	if (rc)
		return rc;
	snprintf(path, sizeof path, "%s/first", folder);
	if (!(r->first = fopen(path, "wb")))
		rc = err_set(e, RC_ENV, "cannot write to the folder for temporary files");
	if (!rc)
		rc = run_tool(inv, o, r, folder, result, e);
	if (!rc)
		rc = collect_children(o, r, folder, result, inv->args.at[inv->dashdash], e);
	if (r->first)
		fclose(r->first);
	runner_scratch_remove(inv->runner, folder);
	return rc;
}

/* ---- what is said about it */

static void print_processes(const struct record_options *o, const struct recording *r)
{
	for (size_t i = 0; i < processes_count(r->processes); i++) {
		const struct process *p = processes_at(r->processes, i);
		char shown[256];
		char *path = is_split(o) ? split_name(o->out, i) : NULL;
		text_escape(p->program, strlen(p->program), shown, sizeof shown);
		fprintf(stderr, "refrain: %4zu  %s%s, %llu references%s%s%s\n", i + 1, shown,
			p->forked ? " (forked)" : "", (unsigned long long)p->references,
			p->complete ? "" : ", was stopped", path ? ", in " : "", path ? path : "");
		free(path);
	}
}

static void print_report(const struct record_options *o, const struct recording *r, const struct valgrind_result *v,
			 bool complete)
{
	if (r->processes)
		print_processes(o, r);
	if (r->processes && is_split(o))
		fprintf(stderr, "refrain: %llu references recorded in %zu traces", (unsigned long long)r->references,
			processes_count(r->processes));
	else
		fprintf(stderr, "refrain: %llu references recorded in '%s'", (unsigned long long)r->references, o->out);
	if (o->k)
		fprintf(stderr, ", reduced to %llu for LRU caches of at least %llu", (unsigned long long)r->written,
			(unsigned long long)o->k);
	if (v->run.end == RUN_SIGNALLED)
		fprintf(stderr, "; the program was ended by signal %d", v->run.code);
	else if (r->replaced && !r->processes)
		fprintf(stderr, "; the program became another one (exec), which was not recorded");
	else if (!complete)
		fprintf(stderr, "; the program was stopped");
	if (r->forks && !r->processes)
		fprintf(stderr, "; %llu child process%s not recorded", (unsigned long long)r->forks,
			r->forks == 1 ? " was" : "es were");
	fprintf(stderr, "%s\n", (r->forks || r->replaced) && !r->processes ? " (--children records them)" : "");
}

static void json_processes(struct json_writer *w, const struct record_options *o, const struct recording *r)
{
	json_key(w, "processes");
	json_array(w);
	for (size_t i = 0; i < processes_count(r->processes); i++) {
		const struct process *p = processes_at(r->processes, i);
		char *path = is_split(o) ? split_name(o->out, i) : NULL;
		json_object(w);
		json_kv_uint(w, "process", i + 1);
		json_kv_uint(w, "pid", p->pid);
		json_kv_uint(w, "parent", p->parent);
		json_kv_string(w, "program", p->program);
		json_kv_bool(w, "forked", p->forked);
		json_kv_bool(w, "complete", p->complete);
		json_kv_uint(w, "references", p->references);
		if (path)
			json_kv_string(w, "output", path);
		json_object_end(w);
		free(path);
	}
	json_array_end(w);
}

static enum rc report(const struct invocation *inv, const struct record_options *o, const struct recording *r,
		      const struct valgrind_result *v, bool complete, struct err *e)
{
	if (!inv->common.quiet)
		print_report(o, r, v, complete);
	if (!inv->common.json)
		return RC_OK;
	struct json_doc doc;
	struct json_writer *w = trace_json_begin(&doc, "record", inv->args.at[inv->dashdash]);
	json_kv_string(w, "output", o->out);
	json_kv_uint(w, "requests", r->references);
	json_kv_uint(w, "written", r->written);
	json_kv_uint(w, "instructions", v->end.instructions);
	if (r->processes)
		json_processes(w, o, r);
	else
		json_kv_uint(w, "children_not_recorded", r->forks);
	json_kv_bool(w, "complete", complete);
	return cmd_json_end(inv, &doc, e);
}

static bool all_complete(const struct recording *r, const struct valgrind_result *v)
{
	bool complete = v->run.end == RUN_EXITED;
	if (!r->processes)
		return complete && v->done && !(v->end.flags & VG_DONE_STOPPED);
	for (size_t i = 0; i < processes_count(r->processes); i++)
		complete &= processes_at(r->processes, i)->complete;
	return complete;
}

static enum rc check(const struct invocation *inv, const struct record_options *o, struct recording *r, struct err *e)
{
	if (inv->dashdash >= inv->args.n || inv->dashdash != 0)
		return err_set(e, RC_INPUT, "%s: PROG is missing: refrain trace record [OPTIONS] -- PROG ARG…",
			       inv->cmd->name);
	if (o->children && *o->children && strcmp(o->children, "merged") != 0 && !is_split(o))
		return err_set(e, RC_INPUT, "--children: invalid value '%s' (merged or split)", o->children);
	if (o->children && o->references)
		return err_set(e, RC_INPUT,
			       "--limit counts the references of one process: it cannot go with --children");
	if (is_split(o) && strcmp(o->out, "-") == 0)
		return err_set(e, RC_INPUT, "--children=split writes several traces: standard output is only one");
	enum rc rc = parse_unit(o->unit, &r->shift, e);
	return rc ? rc : trace_check_stdout(inv, o->out, e);
}

static int run(struct invocation *inv)
{
	const struct record_options *o = inv->values;
	struct err e = ERR_INIT;
	struct recording r = {0};
	if (check(inv, o, &r, &e) != RC_OK)
		return cmd_fail(&e);
	runner_catch_signals(inv->runner);
	struct valgrind_result result = {0};
	r.progress = progress_new(inv->common.progress, inv->common.quiet);
	enum rc rc = o->children ? record_children(inv, o, &r, &result, &e) : record_one(inv, o, &r, &result, &e);
	progress_free(r.progress);
	bool complete = false;
	if (!rc) {
		complete = all_complete(&r, &result);
		rc = report(inv, o, &r, &result, complete, &e);
	}
	processes_free(r.processes);
	inv->incomplete = !complete;
	int code = rc ? cmd_fail(&e) : 0;
	return runner_stopped() ? 128 + runner_stopped() : code;
}

static const char details[] = "PROG runs under Valgrind, unchanged, about 20 to 40 times slower. References are "
			      "numbers of pages (or lines, or "
			      "blocks of N bytes); one that repeats the last is left out, as a cache of one block "
			      "would. With --reduce the trace "
			      "is shortened while it is recorded (see 'refrain trace reduce').\n"
			      "Child processes are recorded with --children, each program in each process by itself. A "
			      "merged trace has the process as tenant, and above the 48 bits of its addresses; blocks "
			      "of several processes are in order of time, within some thousand references.";

const struct command cmd_trace_record = {
	COMMAND("trace record", "-- PROG ARG…", "record the memory references of a program", details),
	OPTIONS(opts, &defaults),
	RUN(run, COMMAND_RUNNER),
};

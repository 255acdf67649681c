/* SPDX-License-Identifier: MIT */
/* `refrain profile`: the functions of a program that are worth memoizing. */
#include "cmd/profile.h"

#include "stream/keytrace.h"
#include "data/text.h"
#include "process/valgrind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct profile_values {
	const char *functions, *keytrace, *suggest, *trial, *build, *source, *patch, *input2;
	const char *min_share, *min_hit, *from, *method;
	uint64_t depth, min_average, min_calls, first, max, max_calls, max_functions, memory, runs;
	double timeout, window;
	bool keep_padding, no_explain, children;
};

static const char details[] =
	"PROG, built with -O2 -g and otherwise unchanged, is run several times under Valgrind: once to count calls and "
	"instructions, then to follow what the functions that take time read and write. A function is an opportunity "
	"when enough of its calls have an input that was seen before and give the same output. Opportunities are "
	"ranked "
	"by the CPU time a cache would save; for each there is the simplest cache that suffices, and what to mind. "
	"See docs/profile.md.";

/* How calls are compared. */
static const char *method(size_t i)
{
	static const char *const methods[] = {"memory", "memoizeit"};
	return i < ARRAY_LEN(methods) ? methods[i] : NULL;
}

static bool is_memoizeit(const struct profile_values *v)
{
	return strcmp(v->method, "memoizeit") == 0;
}

#define VALUES struct profile_values
static const struct opt opts[] = {
	{TEXT(0, "functions", "F,…", functions, "look at just these functions and list each of them")},
	{TEXT(0, "min-share", "PERCENT", min_share,
	      "leave out functions with less of the run's instructions (default: 1)")},
	{COUNT(0, "min-average", "N", min_average, 0, 0,
	       "leave out functions with fewer instructions per call (default: 100)")},
	{COUNT(0, "min-calls", "N", min_calls, 1, 0, "leave out functions with fewer calls (default: 2)")},
	{TEXT(0, "min-hit-ratio", "PERCENT", min_hit,
	      "suggest only caches with at least this hit ratio (default: 50)")},
	{COUNT(0, "first-limit", "N", first, 1, 1 << 24,
	       "follow N places of 8 bytes per call in the first memory pass (default: as --max-limit)")},
	{COUNT(0, "max-limit", "N", max, 1, 1 << 24,
	       "and N in a second one, for functions that need more (default: 262144)")},
	{COUNT(0, "max-calls", "N", max_calls, 2, 1 << 30,
	       "keep N calls per function for the simulation (default: 1000000)")},
	{COUNT(0, "max-functions", "N", max_functions, 1, 4096,
	       "look at the N most expensive functions (default: 128)")},
	{SIZE(0, "memory", "SIZE", memory, "limit what the tools add to the program's memory (default: 1G)")},
	{SECONDS(0, "timeout", "SECONDS", timeout, "end after about this long with what is known by then")},
	{TEXT(0, "from-function", "F", from, "look at the run from the first call of this function on")},
	{SECONDS(0, "seconds", "SECONDS", window,
		 "look at what the counting pass does in so many seconds, then end the program")},
	{CHOICE(0, "method", "METHOD", method, method,
		"compare calls by the memory they read and write, or by their arguments and results as the paper does "
		"(default: memory)")},
	{COUNT(0, "first-depth", "K", depth, 1, 1 << 20,
	       "memoizeit: follow K references in the first pass, then twice as many (default: 1)")},
	{FLAG(0, "children", children, "profile the processes that PROG starts too, each by itself")},
	{FLAG(0, "keep-padding", keep_padding, "leave bytes that the program never wrote as they are")},
	{FLAG(0, "no-explain", no_explain, "skip the last pass, which finds out what differed between calls")},
	{TEXT(0, "suggest", "F,…", suggest,
	      "print the suggested cache for each of these functions as a patch, and nothing else")},
	{TEXT(0, "try", "FUNCTION|top", trial,
	      "build the program with the suggested cache in a copy of its source and measure it; top: the best "
	      "three")},
	{TEXT(0, "build", "COMMAND", build, "build the program with this shell command (default: make)")},
	{TEXT(0, "source", "FOLDER", source, "copy this source folder (default: the current one)")},
	{TEXT(0, "patch", "FILE", patch, "try this patch of the source folder instead of the suggested cache")},
	{TEXT(0, "input2", "ARGUMENTS", input2, "try these arguments and redirections of PROG too, as shell text")},
	{COUNT(0, "runs", "N", runs, 2, 1000, "measure each program N times (default: 30)")},
	{TEXT(0, "keytrace", "FILE", keytrace, "write the best function's inputs to FILE, for 'refrain trace'")},
	{0},
};

static const struct profile_values defaults = {
	.method = "memory",
	.depth = 1,
	.min_share = "1",
	.min_hit = "50",
	.min_average = 100,
	.min_calls = 2,
	.first = 262144,
	.max = 1 << 18,
	.max_calls = 1000000,
	.max_functions = 128,
	.memory = (uint64_t)1 << 30,
	.build = "make",
	.source = ".",
	.runs = 30,
};

static enum rc percent(const char *option, const char *text, double *out, struct err *e)
{
	if (!text_seconds(text, out) || *out > 100)
		return err_set(e, RC_INPUT, "--%s: invalid percentage '%s'", option, text);
	*out /= 100;
	return RC_OK;
}

static void split(const char *list, struct strings *out)
{
	/* C++ names have commas between parentheses */
	int depth = 0;
	const char *start = list;
	for (const char *p = list;; p++) {
		if (*p == '(' || *p == '<')
			depth++;
		else if (*p == ')' || *p == '>')
			depth--;
		if (*p == 0 || (*p == ',' && depth <= 0)) {
			if (p > start)
				vec_push(out, mem_strndup(start, (size_t)(p - start)));
			start = p + 1;
		}
		if (*p == 0)
			return;
	}
}

static enum rc write_keytrace(const struct profile *p, const char *path, struct err *e)
{
	const struct profile_function *f = NULL;
	for (size_t i = 0; i < p->n_ranking && !f; i++)
		if (p->fn.at[p->ranking[i]].seen.call.n)
			f = &p->fn.at[p->ranking[i]];
	if (!f)
		return err_set(e, RC_ENV, "no function's inputs were recorded: no key trace written");
	struct keytrace_header h = {0};
	snprintf(h.source, sizeof h.source, "inputs of %.200s", f->name);
	struct keytrace_writer *w;
	enum rc rc = keytrace_create(&w, path, &h, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < f->seen.call.n && !rc; i++)
		rc = keytrace_add(w, caches_key(&f->seen, &f->caches, i), 0);
	return keytrace_close(w, 0, e);
}

/* The engine's options and what they point to. */
struct request {
	struct profile_options o;
	struct strings program; /* NULL-ended */
	struct strings wanted;  /* names of functions, ours */
	char path[4096];        /* of the program */
};

static void request_release(struct request *q)
{
	for (size_t i = 0; i < q->wanted.n; i++)
		free((char *)q->wanted.at[i]);
	vec_release_all(&q->wanted, &q->program);
}

static enum rc read_options(const struct invocation *inv, struct request *q, struct err *e)
{
	const struct profile_values *v = inv->values;
	struct profile_options *o = &q->o;
	bool writes_code = v->suggest || (v->trial && !v->patch);
	if (inv->dashdash != 0 || inv->args.n == 0)
		return err_set(e, RC_INPUT, "PROG is missing: refrain profile [OPTIONS] -- PROG ARG…");
	if (v->trial && (v->from || v->window > 0))
		return err_set(e, RC_INPUT,
			       "--try measures whole runs: it takes neither --from-function nor --seconds");
	if (v->children && (v->suggest || v->trial || v->from || v->window > 0))
		return err_set(e, RC_INPUT,
			       "--children takes neither --suggest, --try, --from-function nor --seconds: profile the "
			       "child by itself for these");
	if (is_memoizeit(v) && (v->suggest || v->children || (v->trial && !v->patch)))
		return err_set(e, RC_INPUT,
			       "--method=memoizeit takes neither --suggest, --children nor --try without --patch");
	*o = (struct profile_options){
		.min_average = v->min_average,
		.min_calls = v->min_calls,
		.first_locations = v->first < v->max ? v->first : v->max,
		.max_locations = v->max,
		.max_calls = v->max_calls,
		.max_functions = v->max_functions,
		.memory = v->memory,
		.timeout = v->timeout,
		.from = v->from,
		.window_s = v->window,
		.children = v->children,
		.first_depth = is_memoizeit(v) ? v->depth : 0,
		.scrub = !v->keep_padding,
		.explain = !v->no_explain || writes_code,
		.whole_shapes = writes_code,
		.stdout_to_stderr = cmd_json_stdout(inv) || v->suggest,
	};
	enum rc rc = percent("min-share", v->min_share, &o->min_share, e);
	if (!rc)
		rc = percent("min-hit-ratio", v->min_hit, &o->min_hit_ratio, e);
	if (!rc)
		rc = valgrind_program(inv->args.at[0], q->path, sizeof q->path, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < inv->args.n; i++)
		vec_push(&q->program, inv->args.at[i]);
	vec_push(&q->program, NULL);
	const char *only = v->trial && strcmp(v->trial, "top") != 0 ? v->trial : NULL;
	if (v->suggest)
		split(v->suggest, &q->wanted);
	else if (only)
		vec_push(&q->wanted, mem_strdup(only));
	else if (v->functions)
		split(v->functions, &q->wanted);
	o->program = q->program.at;
	o->path = q->path;
	o->wanted.at = q->wanted.at;
	o->wanted.n = q->wanted.n;
	return RC_OK;
}

static enum rc finish(const struct invocation *inv, const struct profile *p, const struct profile_options *o,
		      struct err *e)
{
	const struct profile_values *v = inv->values;
	enum rc rc = RC_OK;
	profile_log(inv->log, p);
	if (v->suggest)
		return profile_suggest(p, o, v->source, e);
	struct profile_tries tries = {0};
	if (v->trial) {
		const struct try_options t = {v->source, v->build, v->patch, v->input2, (unsigned)v->runs};
		rc = profile_try(inv, p, o, &t, v->trial, &tries, e);
		profile_log_tries(inv->log, &tries);
	}
	if (!rc && v->keytrace)
		rc = write_keytrace(p, v->keytrace, e);
	if (!rc)
		rc = profile_json(inv, p, &tries, e);
	if (!rc && !cmd_json_stdout(inv)) {
		profile_print(p, o, inv->common.verbose);
		profile_print_tries(&tries);
	}
	profile_tries_release(&tries);
	return rc;
}

static int run(struct invocation *inv)
{
	struct err e = ERR_INIT;
	struct request q = {0};
	struct profile p = {0};
	enum rc rc = read_options(inv, &q, &e);
	if (!rc) {
		runner_catch_signals(inv->runner);
		struct progress *progress = progress_new(inv->common.progress, inv->common.quiet);
		rc = profile_run(inv->runner, &q.o, progress, &p, &e);
		progress_free(progress);
	}
	if (!rc)
		rc = finish(inv, &p, &q.o, &e);
	int code = rc ? cmd_fail(&e) : 0;
	if (runner_stopped())
		code = 128 + runner_stopped();
	inv->incomplete = rc || !p.complete;
	profile_release(&p);
	request_release(&q);
	return code;
}

const struct command cmd_profile = {
	COMMAND("profile", "-- PROG ARG…", "find the functions of a native program that are worth memoizing", details),
	OPTIONS(opts, &defaults),
	RUN(run, COMMAND_RUNNER),
};

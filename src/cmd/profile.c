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
	const char *functions, *keytrace;
	const char *min_share, *min_hit;
	uint64_t min_average, min_calls, first, max, max_calls, max_functions, memory;
	double timeout;
	bool keep_padding, no_explain;
};

static const struct opt opts[] = {
	{.name = "functions",
	 .kind = OPT_STRING,
	 .arg = "F,…",
	 .help = "look at just these functions and list each of them",
	 .offset = offsetof(struct profile_values, functions)},
	{.name = "min-share",
	 .kind = OPT_STRING,
	 .arg = "PERCENT",
	 .help = "leave out functions with less of the run's instructions (1)",
	 .offset = offsetof(struct profile_values, min_share)},
	{.name = "min-average",
	 .kind = OPT_UINT,
	 .arg = "N",
	 .help = "leave out functions with fewer instructions per call (100)",
	 .offset = offsetof(struct profile_values, min_average)},
	{.name = "min-calls",
	 .kind = OPT_UINT,
	 .arg = "N",
	 .help = "leave out functions with fewer calls (2)",
	 .offset = offsetof(struct profile_values, min_calls),
	 .min = 1},
	{.name = "min-hit-ratio",
	 .kind = OPT_STRING,
	 .arg = "PERCENT",
	 .help = "the hit ratio a suggested cache must reach (50)",
	 .offset = offsetof(struct profile_values, min_hit)},
	{.name = "first-limit",
	 .kind = OPT_UINT,
	 .arg = "N",
	 .help = "places of 8 bytes followed per call in the first memory pass (256)",
	 .offset = offsetof(struct profile_values, first),
	 .min = 1,
	 .max = 1 << 24},
	{.name = "max-limit",
	 .kind = OPT_UINT,
	 .arg = "N",
	 .help = "and in the last; the limit doubles from pass to pass (16384)",
	 .offset = offsetof(struct profile_values, max),
	 .min = 1,
	 .max = 1 << 24},
	{.name = "max-calls",
	 .kind = OPT_UINT,
	 .arg = "N",
	 .help = "calls kept per function for the cache simulation (1000000)",
	 .offset = offsetof(struct profile_values, max_calls),
	 .min = 2,
	 .max = 1 << 30},
	{.name = "max-functions",
	 .kind = OPT_UINT,
	 .arg = "N",
	 .help = "functions looked at, those with most instructions first (128)",
	 .offset = offsetof(struct profile_values, max_functions),
	 .min = 1,
	 .max = 4096},
	{.name = "memory",
	 .kind = OPT_SIZE,
	 .arg = "SIZE",
	 .help = "memory the tools may add to what the program takes (1G)",
	 .offset = offsetof(struct profile_values, memory),
	 .min = 1 << 20},
	{.name = "timeout",
	 .kind = OPT_SECONDS,
	 .arg = "S",
	 .help = "end after about S seconds with what is known by then",
	 .offset = offsetof(struct profile_values, timeout)},
	{.name = "keep-padding",
	 .kind = OPT_FLAG,
	 .help = "leave bytes that the program never wrote as they are (they can make equal inputs differ)",
	 .offset = offsetof(struct profile_values, keep_padding)},
	{.name = "no-explain",
	 .kind = OPT_FLAG,
	 .help = "skip the last pass, which finds out what differed between calls",
	 .offset = offsetof(struct profile_values, no_explain)},
	{.name = "keytrace",
	 .kind = OPT_STRING,
	 .arg = "FILE",
	 .help = "write the inputs of the best (or the one named) function for 'refrain trace'",
	 .offset = offsetof(struct profile_values, keytrace)},
};

static const struct profile_values defaults = {
	.min_share = "1",
	.min_hit = "50",
	.min_average = 100,
	.min_calls = 2,
	.first = 256,
	.max = 16384,
	.max_calls = 1000000,
	.max_functions = 128,
	.memory = (uint64_t)1 << 30,
};

static enum rc percent(const char *option, const char *text, double *out, struct err *e)
{
	if (!text_seconds(text, out) || *out > 100)
		return err_set(e, RC_INPUT, "--%s: '%s' is no percentage", option, text);
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

static enum rc read_options(const struct invocation *inv, struct profile_options *o, struct strings *program,
			    struct strings *wanted, char *path, size_t path_size, struct err *e)
{
	const struct profile_values *v = inv->values;
	if (inv->dashdash != 0 || inv->args.n == 0)
		return err_set(e, RC_INPUT, "say which program: refrain profile [OPTIONS] -- PROG ARG…");
	*o = (struct profile_options){
		.min_average = v->min_average,
		.min_calls = v->min_calls,
		.first_locations = v->first,
		.max_locations = v->max < v->first ? v->first : v->max,
		.max_calls = v->max_calls,
		.max_functions = v->max_functions,
		.memory = v->memory,
		.timeout = v->timeout,
		.scrub = !v->keep_padding,
		.explain = !v->no_explain,
		.stdout_to_stderr = cmd_json_stdout(inv),
	};
	enum rc rc = percent("min-share", v->min_share, &o->min_share, e);
	if (!rc)
		rc = percent("min-hit-ratio", v->min_hit, &o->min_hit_ratio, e);
	if (!rc)
		rc = valgrind_program(inv->args.at[0], path, path_size, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < inv->args.n; i++)
		vec_push(program, inv->args.at[i]);
	vec_push(program, NULL);
	if (v->functions)
		split(v->functions, wanted);
	o->program = program->at;
	o->path = path;
	o->wanted.at = wanted->at;
	o->wanted.n = wanted->n;
	return RC_OK;
}

static enum rc finish(const struct invocation *inv, const struct profile *p, const struct profile_options *o,
		      struct err *e)
{
	const struct profile_values *v = inv->values;
	enum rc rc = RC_OK;
	profile_log(inv->log, p);
	if (v->keytrace)
		rc = write_keytrace(p, v->keytrace, e);
	if (!rc)
		rc = profile_json(inv, p, e);
	if (!rc && !cmd_json_stdout(inv) && !inv->common.quiet)
		profile_print(p, o, inv->common.verbose);
	return rc;
}

static int run(struct invocation *inv)
{
	struct err e = ERR_INIT;
	struct profile_options o;
	struct strings program = {0}, wanted = {0};
	char path[4096];
	struct profile p = {0};
	enum rc rc = read_options(inv, &o, &program, &wanted, path, sizeof path, &e);
	if (!rc) {
		runner_catch_signals(inv->runner);
		struct progress *progress = progress_new(inv->common.progress, inv->common.quiet);
		rc = profile_run(inv->runner, &o, progress, &p, &e);
		progress_free(progress);
	}
	if (!rc)
		rc = finish(inv, &p, &o, &e);
	int code = rc ? cmd_fail(&e) : 0;
	if (runner_stopped())
		code = 128 + runner_stopped();
	inv->incomplete = rc || !p.complete;
	profile_release(&p);
	for (size_t i = 0; i < wanted.n; i++)
		free((char *)wanted.at[i]);
	vec_release(&wanted);
	vec_release(&program);
	return code;
}

const struct command cmd_profile = {
	.name = "profile",
	.operands = "-- PROG ARG…",
	.summary = "finds the functions of a native program that are worth memoizing",
	.details = "PROG, built with -O2 -g and otherwise unchanged, is run several times under Valgrind: once to "
		   "count calls and instructions, then to\n"
		   "follow what the functions that take time read and write. A function is an opportunity when enough "
		   "of its calls have an input\n"
		   "that was seen before and give the same output. They are ranked by the instructions a cache would "
		   "save; for each there is the\n"
		   "simplest cache that suffices, and what to mind. See docs/profile.md.",
	.opts = opts,
	.n_opts = sizeof opts / sizeof *opts,
	.values_size = sizeof(struct profile_values),
	.defaults = &defaults,
	.flags = COMMAND_RUNNER,
	.run = run,
};

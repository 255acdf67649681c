/* SPDX-License-Identifier: MIT */
/* `refrain reduce`: options, the terminal, and printing. The work is in src/reduce. */
#include "cmd/commands.h"

#include "cmd/reduce_ui.h"
#include "base/bits.h"
#include "data/json/json.h"
#include "stream/keytrace.h"
#include "cli/progress.h"
#include "stream/runlog.h"
#include "process/runner.h"
#include "reduce/syntax/syntax.h"
#include "data/text.h"
#include "reduce/run/reduce.h"
#include "store/store.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

struct reduce_values {
	uint64_t jobs, max_queries, seed, store_ttl;
	const char *algorithm, *cache, *language, *out, *store, *commands, *keytrace, *workers, *key;
	double timeout, max_time;
	bool resume, check, list_passes, not_c, deterministic, read_errors, deaf, ui;
	struct strings skip, keep, with;
};

static const char details[] =
	"TEST is a program that exits 0 when the file in its current folder is still interesting. It runs in a scratch "
	"folder that holds just the FILE(s), with no standard input. FILE is reduced in place and the original kept as "
	"FILE.orig; each smaller result is in FILE at once.\n"
	"Several FILEs, or a folder, keep their layout there: lib/src/a.c is lib/src/a.c. Files that are not needed "
	"are "
	"dropped first, with the lines that include or import them, then all are reduced together.\n"
	"--resume continues a run that was stopped or killed: what was tested before is not tested again. On a "
	"terminal "
	"the key s skips the current pass.\n"
	"Exit code: 0 done, or stopped by --max-time or --max-queries; 1 FILE is not interesting to begin with, or the "
	"test is flaky; 2 wrong usage or input; 3 the environment failed; 128+signal when stopped.";

#define VALUES struct reduce_values
static const struct opt opts[] = {
	{TEXT('o', "output", "OUT", out, "write the result to OUT (several files: a folder) and leave FILE alone")},
	{LIST(0, "with", "FILE", with, NULL, "copy FILE, or a folder, beside the reduced files for each test")},
	{COUNT('j', "jobs", "N", jobs, 1, 1024, "run N tests at the same time (default: one per core)")},
	{COUNT(0, "n", "N", jobs, 1, 1024, NULL)}, /* cvise's name for it */
	{TEXT(0, "workers", "URL", workers, "send tests to the workers at a Redis server too (see refrain worker)")},
	{TEXT(0, "key", "FILE", key, "sign what goes to workers with the key in FILE")},
	{FLAG(0, "deterministic", deterministic, "with several jobs, make the run independent of timing (slower)")},
	{CHOICE(0, "algorithm", "ALGORITHM", algorithm, algorithm_name, "choose the algorithm (default: full)")},
	{CHOICE(0, "cache", "CACHE", cache, verdicts_name,
		"choose how failed variants are remembered (default: full)")},
	{SUGGEST(0, "language", "LANGUAGE", language, language_name,
		 "parse the files as this (default: by name and content)")},
	{SECONDS(0, "timeout", "SECONDS", timeout, "limit one test (default: ten times the first, at least 10)")},
	{SECONDS(0, "max-time", "SECONDS", max_time, "stop after this long with the best result so far")},
	{COUNT(0, "max-queries", "N", max_queries, 0, 0, "stop after N tests with the best result so far")},
	{TEXT(0, "store", "URI", store,
	      "keep verdicts in a file or on a server, or none (default: FILE.refrain, for this run)")},
	{COUNT(0, "store-ttl", "SECONDS", store_ttl, 1, INT_MAX, "let records on a Redis server expire")},
	{FLAG(0, "resume", resume, "continue an interrupted run")},
	{FLAG(0, "read-errors", read_errors, "use the errors that the test prints (default: where there are any)")},
	{FLAG(0, "no-read-errors", deaf, "do not look at what the test prints")},
	{COUNT(0, "seed", "N", seed, 0, 0, "accepted for scripts that set one: nothing here is drawn at random")},
	{FLAG(0, "check", check, "run the test once on the file and show how to run it by hand")},
	{TEXT(0, "commands", "CMD", commands, "use the shell command CMD as the test; all operands are files")},
	{FLAG(0, "list-passes", list_passes, "list the algorithms and passes")},
	{LIST(0, "skip-pass", "PASS", skip, pass_name, "leave out a pass")},
	{LIST(0, "keep", "REGEX", keep, NULL, "never delete what this extended regular expression matches")},
	{FLAG(0, "ui", ui, "show the shrinking file on the whole terminal, or else the log as a live page")},
	{TEXT(0, "keytrace", "FILE", keytrace, "write the key of every variant to FILE, for 'refrain trace'")},
	{FLAG(0, "not-c", not_c, NULL)}, /* cvise's: there are no C-only passes to switch off */
	{0},
};

static int list_passes(void)
{
	for (const struct algorithm *const *a = algorithms; *a; a++) {
		printf("%-10s %s:", (*a)->name, (*a)->summary);
		for (const char *const *p = (*a)->passes; *p; p++)
			printf(" %s", *p);
		printf("%s\n", (*a)->loop ? ", again until nothing changes" : "");
	}
	printf("\n");
	for (const struct pass *const *p = pass_rows; *p; p++)
		printf("%-10s %s\n", (*p)->name, (*p)->summary);
	return 0;
}

static enum rc take_options(const struct invocation *inv, struct reduce_options *o, struct err *e)
{
	const struct reduce_values *v = inv->values;
	size_t first = v->commands ? 0 : 1;
	if (inv->args.n < first + 1)
		return err_set(e, RC_INPUT,
			       v->commands ? "FILE is missing" : "TEST or FILE is missing: refrain reduce TEST FILE…");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	*o = (struct reduce_options){
		.runner = inv->runner,
		.test = v->commands ? NULL : inv->args.at[0],
		.command = v->commands,
		.files = inv->args.at + first,
		.n_files = inv->args.n - first,
		.with = &v->with,
		.out = v->out,
		.jobs = v->jobs    ? (unsigned)v->jobs
			: cpus > 0 ? (unsigned)cpus
				   : 1,
		.workers = v->workers,
		.key_file = v->key,
		.deterministic = v->deterministic,
		.algorithm = v->algorithm ? algorithm_find(v->algorithm) : algorithms[0],
		.cache = v->cache ? verdicts_find(v->cache) : verdicts_kinds[0],
		.timeout_s = v->timeout,
		.max_time_s = v->max_time,
		.max_queries = v->max_queries,
		.store = v->store,
		.resume = v->resume,
		.deaf = v->deaf && !v->read_errors,
		.skip = &v->skip,
		.keep = &v->keep,
		.key_fd = -1,
	};
	if (v->workers && v->deterministic)
		return err_set(e, RC_INPUT, "--workers and --deterministic do not go together: workers come and go");
	if (v->key && !v->workers)
		return err_set(e, RC_INPUT, "--key is for --workers");
	if (!o->algorithm || !o->cache)
		return err_set(e, RC_BUG, "an option names what is not in the tables");
	if (v->language && !(o->language = language_find(v->language)))
		return options_invalid(inv->cmd, "language", v->language, e);
	if (o->language && !language_available(o->language))
		return err_set(e, RC_INPUT, "the language '%s' was left out when this program was built",
			       o->language->name);
	return RC_OK;
}

/* Foreign text, line by line, made harmless. */
static void print_output(FILE *f, const char *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		const char *nl = memchr(text + at, '\n', n - at);
		size_t len = nl ? (size_t)(nl - text) - at : n - at;
		char line[2048];
		text_escape(text + at, len, line, sizeof line);
		fprintf(f, "  | %s\n", line);
		at += len + 1;
	}
}

static void print_by_hand(FILE *f, const struct reduce_result *r)
{
	fprintf(f, "the test ended with %s and printed%s\n", r->what, r->output_len ? ":" : " nothing");
	print_output(f, r->output, r->output_len);
	fprintf(f, "to run it by hand: %s\n", r->how);
}

/* A test that does not find what it needs is the usual reason for a file that is not interesting. */
static void print_where(FILE *f, const struct reduce_result *r)
{
	char where[2048];
	text_escape(r->where, strlen(r->where), where, sizeof where);
	fprintf(f, "it ran in the scratch folder %s\n", where);
	static const char *const signs[] = {"No such file", "not found", "cannot find", "can't open", "cannot open"};
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (r->output_len && memmem(r->output, r->output_len, signs[i], strlen(signs[i]))) {
			fprintf(f, "a file it needs may be missing there: name it with --with FILE, or by its whole "
				   "path in the test\n");
			break;
		}
	}
}

static enum rc write_json(const struct invocation *inv, const struct reduce_result *r, struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.reduce/1");
	reduce_result_json(r, w);
	return cmd_json_end(inv, &doc, e);
}

static void print_summary(FILE *f, const struct invocation *inv, const struct reduce_options *o,
			  const struct reduce_result *r)
{
	char name[256];
	text_escape(o->files[0], strlen(o->files[0]), name, sizeof name);
	fprintf(f, "%s%s: ", name, o->n_files > 1 ? " and others" : "");
	if (r->files_before > 1)
		fprintf(f, "%llu -> %llu files, ", (unsigned long long)r->files_before,
			(unsigned long long)r->files_after);
	fprintf(f, "%llu -> %llu bytes, %llu -> %llu tokens (%s)\n", (unsigned long long)r->bytes_before,
		(unsigned long long)r->bytes_after, (unsigned long long)r->tokens_before,
		(unsigned long long)r->tokens_after, r->language);
	fprintf(f,
		"%llu queries, %llu saved by the cache (%zu bytes at most), %llu tests repeated, %.1f s (%.1f s "
		"without tests)\n",
		(unsigned long long)r->queries, (unsigned long long)r->cache_hits, r->cache.peak_bytes,
		(unsigned long long)r->retests, r->wall_s, r->engine_s);
	if (inv->common.verbose && r->store_hits)
		fprintf(f, "%llu verdicts came from the store\n", (unsigned long long)r->store_hits);
}

/* What else there is to say about the end, on standard error. */
static void print_warnings(const struct reduce_options *o, const struct reduce_result *r)
{
	if (r->stopped && strcmp(r->stopped, "signal") != 0)
		progress_message(o->progress, "stopped by --%s; the best so far is kept%s", r->stopped,
				 o->store && strcmp(o->store, "none") == 0 ? "" : ", --resume continues the run");
	if (r->final_failed)
		progress_message(o->progress,
				 "the result, tested again, was not interesting: the test is flaky (%llu times seen)%s",
				 (unsigned long long)r->flaky,
				 r->went_back ? "; went back to an earlier result that still is" : "");
	else if (r->flaky > r->retests) /* most of them before it was resumed */
		progress_message(o->progress, "the test is flaky: %llu repeated tests said something else",
				 (unsigned long long)r->flaky);
	else if (r->flaky)
		progress_message(o->progress, "the test is flaky: %llu of %llu repeated tests said something else",
				 (unsigned long long)r->flaky, (unsigned long long)r->retests);
}

static int not_interesting(const struct invocation *inv, const struct reduce_options *o, const struct reduce_result *r)
{
	struct err e = ERR_INIT;
	char name[256];
	text_escape(o->files[0], strlen(o->files[0]), name, sizeof name);
	fflush(stdout);
	fprintf(stderr, "refrain: '%s' is not interesting as it is: there is nothing to reduce\n", name);
	print_by_hand(stderr, r);
	print_where(stderr, r);
	return write_json(inv, r, &e) == RC_OK ? 1 : cmd_fail_output(&e, 1);
}

static int report(const struct invocation *inv, const struct reduce_options *o, const struct reduce_result *r,
		  enum rc rc, struct err *e)
{
	if (rc == RC_NO)
		return not_interesting(inv, o, r);
	if (rc != RC_OK)
		return cmd_fail(e);
	print_warnings(o, r);
	if (!cmd_json_stdout(inv) && !inv->common.quiet)
		print_summary(stdout, inv, o, r);
	int code = 0;
	if (r->stopped && strcmp(r->stopped, "signal") == 0)
		code = 128 + runner_stopped();
	else if (r->store_failed)
		code = 3;
	else if (r->final_failed || r->flaky)
		code = 1;
	return write_json(inv, r, e) == RC_OK ? code : cmd_fail_output(e, code);
}

static enum rc check_json(const struct invocation *inv, const struct reduce_result *r, bool interesting, struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.reduce/1");
	json_kv_string(w, "action", "check");
	json_kv_bool(w, "interesting", interesting);
	json_kv_string(w, "ended_with", r->what);
	json_kv_double(w, "test_s", r->test_s);
	json_kv_string(w, "by_hand", r->how);
	return cmd_json_end(inv, &doc, e);
}

static int run_check(const struct reduce_options *o, const struct invocation *inv)
{
	struct reduce_result r;
	struct err e = ERR_INIT;
	enum rc rc = reduce_check(o, &r, &e);
	int code = rc == RC_OK ? 0 : 1;
	if (rc == RC_OK || rc == RC_NO) {
		FILE *f = cmd_json_stdout(inv) ? stderr : stdout;
		fprintf(f, "%s in %.2f s\n", rc == RC_OK ? "interesting" : "not interesting", r.test_s);
		print_by_hand(f, &r);
		if (rc == RC_NO)
			print_where(f, &r);
		if (check_json(inv, &r, rc == RC_OK, &e) != RC_OK)
			code = cmd_fail_output(&e, code);
	} else {
		code = rc == RC_STOPPED ? 128 + runner_stopped() : cmd_fail(&e);
	}
	reduce_result_release(&r);
	return code;
}

/* Key strokes come at once, unechoed, while we run in the foreground of a terminal. */
static bool keys_on(struct termios *before)
{
	struct termios raw;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, before) != 0)
		return false;
	raw = *before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static int reduce(struct invocation *inv, struct reduce_options o)
{
	const struct reduce_values *v = inv->values;
	struct reduce_result r;
	struct err e = ERR_INIT;
	struct termios before;
	struct keytrace_header h = {.source = "variants of refrain reduce"};
	o.log = inv->log;
	o.progress = progress_new(inv->common.progress, inv->common.quiet);
	if ((v->ui && reduce_ui(inv, o.progress, o.out ? o.out : o.files[0], &e) != RC_OK) ||
	    (v->keytrace && keytrace_create(&o.keys, v->keytrace, &h, &e) != RC_OK)) {
		progress_free(o.progress);
		return cmd_fail(&e);
	}
	bool keys = !inv->common.quiet && !(inv->common.progress && strcmp(inv->common.progress, "never") == 0) &&
		    keys_on(&before);
	o.key_fd = keys ? STDIN_FILENO : -1;
	enum rc rc = reduce_files(&o, &r, &e);
	if (keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	progress_hide(o.progress);
	int code = report(inv, &o, &r, rc, &e);
	progress_free(o.progress);
	struct err key_err = ERR_INIT;
	if (o.keys && keytrace_close(o.keys, 0, &key_err) != RC_OK)
		code = cmd_fail_output(&key_err, code);
	inv->incomplete = !r.complete;
	/* processes and folders go before the store does: a run that is killed up to here can be resumed */
	runner_close(inv->runner);
	inv->runner = NULL;
	fflush(stdout);
	reduce_over(&r);
	reduce_result_release(&r);
	return code;
}

static int run_reduce(struct invocation *inv)
{
	const struct reduce_values *v = inv->values;
	struct reduce_options o;
	struct buf uri = {0};
	struct err e = ERR_INIT;
	if (v->list_passes)
		return list_passes();
	if (take_options(inv, &o, &e) != RC_OK)
		return cmd_fail(&e);
	runner_catch_signals(inv->runner);
	if (v->check)
		return run_check(&o, inv);
	enum rc rc = v->store_ttl ? store_expiring(&uri, v->store ? v->store : "none", v->store_ttl, &e) : RC_OK;
	if (v->store_ttl)
		o.store = buf_str(&uri);
	int code = rc == RC_OK ? reduce(inv, o) : cmd_fail(&e);
	buf_release(&uri);
	return code;
}

const struct command cmd_reduce = {
	COMMAND("reduce", "TEST FILE…", "shrink a file that triggers a bug, without testing any variant twice",
		details),
	OPTIONS(opts, NULL),
	RUN(run_reduce, COMMAND_RUNNER),
};

/* SPDX-License-Identifier: MIT */
/* `refrain report LOG…`: run logs made into one page (-o), into pictures (--svg), or into a page that is served and
 * updated while runs go on (--serve). */
#include "cmd/commands.h"

#include "data/json/json.h"
#include "report/report.h"
#include "report/serve.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

struct report_options {
	const char *output, *svg;
	bool serve;
	uint64_t port;
};

static const char details[] =
	"Run logs are written by every command with --log FILE. The page shows all of them together, so that runs can "
	"be compared: what was saved, miss-ratio curves, sizes over time and over queries, every step of a reduction, "
	"who answered each query, ranked functions. It is one file that loads nothing.\n"
	"--serve prints the address of a page that follows the logs while they are written. Only this machine can open "
	"it, and only with the random token in the address. Ctrl-C ends it.";

#define VALUES struct report_options
static const struct opt opts[] = {
	{TEXT('o', "output", "FILE", output, "write the page to FILE ('-': standard output)")},
	{TEXT(0, "svg", "FOLDER", svg, "write each plot to FOLDER as an SVG file")},
	{FLAG(0, "serve", serve, "serve the page on this machine and update it while runs go on")},
	{COUNT(0, "port", "N", port, 0, 65535, "serve on port N (default: any free one)")},
	{0},
};

static enum rc check_usage(const struct invocation *inv, const struct report_options *o, struct err *e)
{
	if (inv->args.n == 0)
		return err_set(e, RC_INPUT, "LOG is missing (run logs are made with --log FILE)");
	if (o->serve && (o->output || o->svg || inv->common.json))
		return err_set(e, RC_INPUT, "--serve writes no files: leave out -o, --svg and --json");
	if (!o->serve && o->port)
		return err_set(e, RC_INPUT, "--port needs --serve");
	if (!o->output && !o->svg && !o->serve)
		return err_set(e, RC_INPUT,
			       "what to do is missing: -o FILE ('-': standard output), --svg=FOLDER or --serve");
	if (o->output && strcmp(o->output, "-") == 0 && cmd_json_stdout(inv))
		return err_set(e, RC_INPUT, "the page and the JSON document cannot both go to standard output");
	return RC_OK;
}

static enum rc print_result(const struct invocation *inv, const struct report_options *o, const struct report *r,
			    size_t plots, struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.report/1");
	if (o->output)
		json_kv_string(w, "output", o->output);
	json_kv_uint(w, "logs", inv->args.n);
	json_kv_uint(w, "runs", report_runs(r));
	json_kv_uint(w, "events", report_events(r));
	json_kv_uint(w, "truncated", report_truncated(r));
	if (o->svg)
		json_kv_uint(w, "plots", plots);
	return cmd_json_end(inv, &doc, e);
}

/* The title in small letters, with a number in front: 01-size-over-time.svg. */
static char *plot_path(const char *folder, size_t number, const char *title)
{
	struct buf path = {0};
	buf_printf(&path, "%s/%02zu-", folder, number);
	for (const char *c = title; *c; c++) {
		if (isalnum((unsigned char)*c))
			buf_char(&path, (char)tolower((unsigned char)*c));
		else if (vec_last(&path) != '-')
			buf_char(&path, '-');
	}
	buf_str_add(&path, ".svg");
	return path.at;
}

static enum rc write_plots(const char *folder, const struct plots *plots, struct err *e)
{
	enum rc rc = RC_OK;
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return err_sys(e, RC_ENV, errno, "cannot make the folder '%s'", folder);
	for (size_t i = 0; rc == RC_OK && i < plots->list.n; i++) {
		struct buf text = {0};
		char *path = plot_path(folder, i + 1, plots->list.at[i].title);
		buf_str_add(&text, plots->list.at[i].svg);
		rc = buf_write_file(&text, path, 0666, e);
		buf_release(&text);
		free(path);
	}
	return rc;
}

static enum rc make_files(struct invocation *inv, const struct report_options *o, struct err *e)
{
	struct buf html = {0};
	struct plots plots = {0};
	struct page page = {&html, o->svg ? &plots : NULL};
	struct report *r = report_new(inv->args.n);
	enum rc rc = RC_OK;
	for (size_t i = 0; rc == RC_OK && i < inv->args.n; i++)
		rc = report_add(r, inv->args.at[i], e);
	if (rc == RC_OK)
		report_html(r, NULL, &page);
	if (rc == RC_OK && o->svg)
		rc = write_plots(o->svg, &plots, e);
	if (rc == RC_OK && o->output)
		rc = cmd_write(o->output, &html, e);
	if (rc == RC_OK)
		rc = print_result(inv, o, r, plots.list.n, e);
	if (rc == RC_OK && !inv->common.quiet && report_truncated(r))
		fprintf(stderr, "refrain: %zu of the logs end in the middle of a line: the run was killed\n",
			report_truncated(r));
	report_free(r);
	plots_release(&plots);
	buf_release(&html);
	return rc;
}

static enum rc serve(const struct invocation *inv, uint16_t port, struct err *e)
{
	struct serve *s;
	sigset_t stop;
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	int fd = signalfd(-1, &stop, SFD_CLOEXEC);
	if (fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot wait for signals");
	enum rc rc = serve_new(&s, &inv->args, port, e);
	if (rc == RC_OK) {
		printf("%s\n", serve_address(s));
		rc = cmd_flush_stdout(e);
		if (rc == RC_OK)
			rc = serve_run(s, fd, e);
		serve_free(s);
	}
	close(fd);
	return rc;
}

static int run_report(struct invocation *inv)
{
	const struct report_options *o = inv->values;
	struct err e = ERR_INIT;
	enum rc rc = check_usage(inv, o, &e);
	if (rc == RC_OK)
		rc = o->serve ? serve(inv, (uint16_t)o->port, &e) : make_files(inv, o, &e);
	return rc == RC_OK ? 0 : cmd_fail(&e);
}

const struct command cmd_report = {
	COMMAND("report", "LOG… [-o FILE]", "make one HTML page of run logs, or follow them live", details),
	OPTIONS(opts, NULL),
	RUN(run_report, 0),
};

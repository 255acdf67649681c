/* SPDX-License-Identifier: MIT */
/* `refrain report LOG… -o report.html`: run logs made into one page. */
#include "cmd/commands.h"

#include "data/json.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

struct report_options {
	const char *output;
};

static const char details[] =
	"Run logs are written by every command with --log FILE. The page shows all of them together, so that runs can "
	"be "
	"compared: miss-ratio curves, sizes over time and over queries, answers by stage, ranked functions. It is one "
	"file that loads nothing.";

#define VALUES struct report_options
static const struct opt opts[] = {
	{TEXT('o', "output", "FILE", output, "write the page to FILE ('-': standard output)")},
	{0},
};

static enum rc check_usage(const struct invocation *inv, const char *output, struct err *e)
{
	if (inv->args.n == 0)
		return err_set(e, RC_INPUT, "LOG is missing (run logs are made with --log FILE)");
	if (!output)
		return err_set(e, RC_INPUT, "-o FILE is missing ('-': standard output)");
	if (strcmp(output, "-") == 0 && cmd_json_stdout(inv))
		return err_set(e, RC_INPUT, "the page and the JSON document cannot both go to standard output");
	return RC_OK;
}

static enum rc print_result(const struct invocation *inv, const char *output, const struct report *r, struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.report/1");
	json_kv_string(w, "output", output);
	json_kv_uint(w, "logs", inv->args.n);
	json_kv_uint(w, "runs", report_runs(r));
	json_kv_uint(w, "events", report_events(r));
	json_kv_uint(w, "truncated", report_truncated(r));
	return cmd_json_end(inv, &doc, e);
}

static int run_report(struct invocation *inv)
{
	const struct report_options *o = inv->values;
	struct err e = ERR_INIT;
	struct buf page = {0};
	struct report *r = report_new(inv->args.n);
	enum rc rc = check_usage(inv, o->output, &e);
	for (size_t i = 0; rc == RC_OK && i < inv->args.n; i++)
		rc = report_add(r, inv->args.at[i], &e);
	if (rc == RC_OK) {
		report_html(r, &page);
		rc = cmd_write(o->output, &page, &e);
	}
	if (rc == RC_OK)
		rc = print_result(inv, o->output, r, &e);
	if (rc == RC_OK && !inv->common.quiet && report_truncated(r))
		fprintf(stderr, "refrain: %zu of the logs end in the middle of a line: the run was killed\n",
			report_truncated(r));
	report_free(r);
	buf_release(&page);
	return rc == RC_OK ? 0 : cmd_fail(&e);
}

const struct command cmd_report = {
	COMMAND("report", "LOG… -o FILE", "make one HTML page of run logs", details),
	OPTIONS(opts, NULL),
	RUN(run_report, 0),
};

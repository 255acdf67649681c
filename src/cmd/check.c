/* SPDX-License-Identifier: MIT */
/* `refrain check`: contracts and regular types for C. */
#include "cmd/commands.h"

#include "check/cc.h"
#include "check/contracts.h"
#include "check/words.h"
#include "data/json/json.h"
#include "data/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message, then the line it is about with a caret below the column. */
static int fail_with_line(const struct err *e)
{
	int code = cmd_fail(e);
	struct buf text = {0};
	struct err quiet = ERR_INIT;
	if (!e->file[0] || e->line <= 0 || buf_read_file(&text, e->file, (size_t)256 << 20, &quiet) != RC_OK) {
		buf_release(&text);
		return code;
	}
	const char *p = buf_str(&text), *end = p + text.n;
	for (long line = 1; p < end && line < e->line; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		p = nl ? nl + 1 : end;
	}
	const char *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
	size_t n = (size_t)((nl ? nl : end) - p);
	if (n && n < 1000) {
		char shown[4100];
		text_escape(p, n, shown, sizeof shown);
		fprintf(stderr, "  %s\n", shown);
		size_t col = e->col > 0 && (size_t)e->col <= n ? (size_t)e->col - 1 : n;
		text_escape(p, col, shown, sizeof shown);
		fprintf(stderr, "  %*s^\n", (int)strlen(shown), "");
	}
	buf_release(&text);
	return code;
}

/* ---- compile */

struct compile_options {
	const char *output;
	struct strings contracts;
};

#define VALUES struct compile_options
static const struct opt compile_opts[] = {
	{TEXT('o', "output", "FILE", output, "write the C to FILE (default: standard output)")},
	{LIST(0, "contracts", "FILE", contracts, NULL, "read annotations from this file too")},
	{0},
};

static enum rc compile_json(struct invocation *inv, const struct buf *functions, size_t bytes, struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.check/1");
	json_key(w, "functions");
	json_array(w);
	for (const char *p = buf_str(functions); *p;) {
		size_t n = strcspn(p, " ");
		json_string_n(w, p, n);
		p += n + (p[n] == ' ');
	}
	json_array_end(w);
	json_kv_uint(w, "bytes", bytes);
	return cmd_json_end(inv, &doc, e);
}

static int run_compile(struct invocation *inv)
{
	const struct compile_options *o = inv->values;
	struct buf out = {0}, functions = {0};
	struct err e = ERR_INIT;
	enum rc rc = inv->args.n || o->contracts.n
			     ? RC_OK
			     : err_set(&e, RC_INPUT, "FILE is missing (see 'refrain check compile --help')");
	if (rc == RC_OK && cmd_json_stdout(inv) && !o->output)
		rc = err_set(&e, RC_INPUT, "both the C and --json want standard output: give -o FILE");
	if (rc == RC_OK)
		rc = contracts_compile(&inv->args, &o->contracts, &out, &functions, &e);
	if (rc == RC_OK)
		rc = cmd_write(o->output, &out, &e);
	if (rc == RC_OK)
		rc = compile_json(inv, &functions, out.n, &e);
	buf_release(&out);
	buf_release(&functions);
	return rc == RC_OK ? 0 : fail_with_line(&e);
}

static const char compile_details[] =
	"The C includes FILE… and wraps functions for the linker: link it, librefrain-rt and the options "
	"-Wl,--wrap=FUNCTION that its first line names. Calls within the file that defines a function are seen by "
	"refrain-cc only.";

static const struct command cmd_check_compile = {
	COMMAND("check compile", "FILE…", "write the checkers and wrappers of annotated headers as C", compile_details),
	OPTIONS(compile_opts, NULL),
	RUN(run_compile, 0),
};

/* ---- cc */

static int run_cc(struct invocation *inv)
{
	struct err e = ERR_INIT;
	struct strings warnings = {0};
	int code = cc_main(inv->args.at, (int)inv->args.n, &warnings, &e);
	for (size_t i = 0; i < warnings.n; i++) {
		fprintf(stderr, "refrain: warning: %s\n", warnings.at[i]);
		free((char *)(uintptr_t)warnings.at[i]);
	}
	vec_release(&warnings);
	return code < 0 ? fail_with_line(&e) : code;
}

static const char cc_details[] =
	"Takes the arguments of the C compiler that RF_CC names (default: cc; gcc and clang are known). "
	"RF_CHECK_OPTIONS "
	"may hold --contracts=FILE (annotations from a side file) and --keep (leave the transformed text as "
	"OUTPUT.rf.i).\n"
	"When the program runs, RF_CHECK says what a violation does: abort (default), warn, count or off, with more "
	"words after commas: stats, sample=N, json=FILE, violations=FILE, keys=FOLDER, paranoid=N, "
	"engine=marks|cache|none, policy=lru|direct, "
	"size=N, "
	"depth=N|inf.";

static const struct command cmd_check_cc = {
	COMMAND("check cc", "ARGUMENT…", "compile and link C with its contracts checked (also: refrain-cc)",
		cc_details),
	RUN(run_cc, COMMAND_RAW),
};

/* ---- explain */

static enum rc explain_json(struct invocation *inv, const struct buf *text, struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, "refrain.check/1");
	json_key(w, "text");
	json_string_n(w, buf_str(text), text->n);
	return cmd_json_end(inv, &doc, e);
}

static int run_explain(struct invocation *inv)
{
	struct buf out = {0};
	struct err e = ERR_INIT;
	enum rc rc = inv->args.n ? words_explain(&inv->args, &out, &e)
				 : err_set(&e, RC_INPUT, "FILE is missing (see 'refrain check explain --help')");
	if (rc == RC_OK && !cmd_json_stdout(inv))
		rc = cmd_write(NULL, &out, &e);
	if (rc == RC_OK)
		rc = explain_json(inv, &out, &e);
	buf_release(&out);
	return rc == RC_OK ? 0 : fail_with_line(&e);
}

static const struct command cmd_check_explain = {
	COMMAND("check explain", "FILE…", "say in words what the contracts of annotated files and side files mean",
		NULL),
	RUN(run_explain, 0),
};

static const struct command *const subs[] = {&cmd_check_compile, &cmd_check_cc, &cmd_check_explain, NULL};

const struct command cmd_check = {
	.name = "check",
	.operands = "COMMAND",
	.summary = "check contracts and regular types of C data at every call",
	.details = "Annotations are comments /*@ regtype …, prop …, pred … */ beside the declarations; docs/check.md "
		   "has a tutorial.",
	.subs = subs,
};

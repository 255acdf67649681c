/* SPDX-License-Identifier: MIT */
/* What the subcommands share: error messages with their exit code, and where --json goes. */
#include "cmd/commands.h"

#include <stdio.h>
#include <string.h>

int cmd_fail(const struct err *e)
{
	char text[4096];
	fflush(stdout);
	fprintf(stderr, "refrain: %s\n", err_message(e, text, sizeof text));
	switch (e->rc) {
	case RC_OK:
		return 0;
	case RC_NO:
		return 1;
	case RC_INPUT:
		return 2;
	case RC_ENV:
	case RC_STOPPED:
	case RC_BUG:
		return 3;
	}
	return 3;
}

enum rc cmd_json_out(const struct invocation *inv, const struct buf *doc, struct err *e)
{
	if (!inv->common.json)
		return RC_OK;
	if (inv->common.json[0] && strcmp(inv->common.json, "-") != 0)
		return buf_write_file(doc, inv->common.json, 0644, e);
	if (fwrite(buf_str(doc), 1, doc->n, stdout) != doc->n || fflush(stdout) != 0)
		return err_set(e, RC_ENV, "cannot write standard output");
	return RC_OK;
}

enum rc cmd_log_open(const struct invocation *inv, struct runlog **out, struct err *e)
{
	*out = NULL;
	if (!inv->common.log)
		return RC_OK;
	return runlog_open(out, inv->common.log, inv->cmd->name, inv->argc, (const char *const *)inv->argv, e);
}

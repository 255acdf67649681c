/* SPDX-License-Identifier: MIT */
/* What the subcommands share: error messages with their exit code, where --json goes, standard output. */
#include "cmd/commands.h"

#include "cli/progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct command *cmd_find(const struct command *const *list, const char *word)
{
	for (; *list; list++) {
		const char *last = strrchr((*list)->name, ' ');
		if (strcmp(last ? last + 1 : (*list)->name, word) == 0)
			return *list;
	}
	return NULL;
}

static bool colored;

void cmd_color(const char *mode)
{
	colored = progress_color(mode);
}

int cmd_fail(const struct err *e)
{
	char text[4096] = "internal error: a failure without a reason";
	fflush(stdout);
	if (e->rc != RC_OK)
		err_message(e, text, sizeof text);
	fprintf(stderr, "%srefrain:%s %s\n", colored ? "\033[1;31m" : "", colored ? "\033[0m" : "", text);
	switch (e->rc) {
	case RC_NO:
		return 1;
	case RC_INPUT:
		return 2;
	case RC_OK:
	case RC_ENV:
	case RC_STOPPED:
	case RC_BUG:
		break;
	}
	return 3;
}

int cmd_fail_output(const struct err *e, int code)
{
	int failed = cmd_fail(e);
	return code > 1 ? code : failed;
}

static bool is_stdout(const char *path)
{
	return !path || !*path || strcmp(path, "-") == 0;
}

bool cmd_json_stdout(const struct invocation *inv)
{
	return inv->common.json && is_stdout(inv->common.json);
}

struct json_writer *cmd_json_begin(struct json_doc *d, const char *schema)
{
	d->text = (struct buf){0};
	json_writer_init(&d->w, &d->text, true);
	json_object(&d->w);
	json_kv_string(&d->w, "schema", schema);
	return &d->w;
}

enum rc cmd_json_end(const struct invocation *inv, struct json_doc *d, struct err *e)
{
	json_object_end(&d->w);
	buf_char(&d->text, '\n');
	enum rc rc = inv->common.json ? cmd_write(inv->common.json, &d->text, e) : RC_OK;
	buf_release(&d->text);
	return rc;
}

enum rc cmd_json_counts(const struct invocation *inv, const char *schema, const char *name, const char *text,
			const struct json_count *counts, size_t n, struct err *e)
{
	struct json_doc doc;
	struct json_writer *w = cmd_json_begin(&doc, schema);
	json_kv_string(w, name, text);
	for (size_t i = 0; i < n; i++)
		json_kv_uint(w, counts[i].name, counts[i].value);
	return cmd_json_end(inv, &doc, e);
}

enum rc cmd_write(const char *path, const struct buf *text, struct err *e)
{
	if (!is_stdout(path))
		return buf_write_file(text, path, 0644, e);
	fwrite(buf_str(text), 1, text->n, stdout);
	return cmd_flush_stdout(e);
}

/* A failure of standard output is reported once. */
static bool stdout_reported, stdout_closed;

/* A reader that has seen enough (`| head`) is no error to talk about: we end as if nobody had ignored SIGPIPE. */
static void end_if_reader_left(void)
{
	int error = errno;
	struct pollfd p = {STDOUT_FILENO, POLLOUT, 0};
	if (poll(&p, 1, 0) == 1 && (p.revents & POLLERR)) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	errno = error;
}

enum rc cmd_flush_stdout(struct err *e)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return RC_OK;
	end_if_reader_left();
	stdout_reported |= e->rc == RC_OK;
	return err_sys(e, RC_ENV, errno, "cannot write standard output");
}

int cmd_close_stdout(int code)
{
	struct err e = ERR_INIT;
	if (stdout_closed)
		return code;
	stdout_closed = true;
	bool failed = fflush(stdout) != 0 || ferror(stdout);
	if (failed)
		end_if_reader_left();
	errno = failed ? errno : 0;
	failed |= fclose(stdout) != 0;
	if (!failed || stdout_reported)
		return code;
	err_sys(&e, RC_ENV, errno, "cannot write standard output");
	return cmd_fail_output(&e, code);
}

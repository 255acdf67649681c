/* SPDX-License-Identifier: MIT */
/* Run logs, reading side: see runlog.h. Lines are found in a window that is filled from the file, so a log of any
 * length is read in the memory of its longest line; each line is parsed into an arena that is emptied for the next. */
#include "stream/runlog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_LINE = 256 << 20 };

struct runlog_reader {
	int fd; /* −1: bytes holds everything */
	char *name;
	struct buf window; /* what was read and not yet given out is at window[next …] */
	const char *bytes; /* the window's content, or the caller's bytes */
	size_t n, next;
	long line;
	bool truncated, ended, started; /* started: the first event was seen */
	struct arena arena;
};

enum rc runlog_read_open(struct runlog_reader **out, const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0)
		return err_sys(e, RC_INPUT, errno, "cannot open '%s'", path);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return err_set(e, RC_INPUT, "'%s' is a folder", path);
	}
	struct runlog_reader *r = mem_zalloc(sizeof *r);
	r->fd = fd;
	r->name = mem_strdup(path);
	*out = r;
	return RC_OK;
}

struct runlog_reader *runlog_read_bytes(const char *bytes, size_t n, const char *name)
{
	struct runlog_reader *r = mem_zalloc(sizeof *r);
	r->fd = -1;
	r->name = mem_strdup(name);
	r->bytes = bytes;
	r->n = n;
	r->ended = true;
	return r;
}

/* Reads some more into the window; what was given out already makes room first. */
static enum rc fill(struct runlog_reader *r, struct err *e)
{
	struct buf *w = &r->window;
	if (r->next) {
		memmove(w->at, w->at + r->next, w->n - r->next);
		w->n -= r->next;
		r->next = 0;
	}
	if (w->n > LONGEST_LINE)
		return err_at(e, RC_INPUT, r->name, r->line + 1, 0, "a line is longer than %d bytes", LONGEST_LINE);
	vec_reserve(w, w->n / 2 + 65536);
	ssize_t got;
	do
		got = read(r->fd, w->at + w->n, w->cap - w->n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_sys(e, RC_ENV, errno, "cannot read '%s'", r->name);
	r->ended = got == 0;
	w->n += (size_t)got;
	r->bytes = w->at;
	r->n = w->n;
	return RC_OK;
}

/* The next line without its newline; *whole tells whether it had one. RC_NO at the end. */
static enum rc next_line(struct runlog_reader *r, const char **line, size_t *len, bool *whole, struct err *e)
{
	size_t searched = 0;
	for (;;) {
		size_t left = r->n - r->next;
		const char *start = left ? r->bytes + r->next : NULL;
		const char *nl = left > searched ? memchr(start + searched, '\n', left - searched) : NULL;
		if (nl || r->ended) {
			if (!nl && !left)
				return RC_NO;
			*line = start;
			*len = nl ? (size_t)(nl - start) : left;
			*whole = nl != NULL;
			r->next += *len + (nl != NULL);
			r->line++;
			return RC_OK;
		}
		searched = left;
		enum rc rc = fill(r, e);
		if (rc != RC_OK)
			return rc;
	}
}

/* json_parse counts lines from 1 in what it is given; the line of the log is ours to say. */
static enum rc reject(struct runlog_reader *r, const struct err *why, struct err *e)
{
	return err_at(e, RC_INPUT, r->name, r->line, why->col, "%s", why->text);
}

static enum rc check_event(struct runlog_reader *r, const struct json *v, enum runlog_event *ev, struct err *e)
{
	const struct json *name = json_get(v, "event");
	bool check = !r->started && !name && strcmp(json_string_or(v, "schema", ""), CHECK_SCHEMA) == 0;
	struct err why = ERR_INIT;
	if (check) {
		r->started = true;
		*ev = EVENT_CHECK_STATS;
		return runlog_check(*ev, v, &why) == RC_OK ? RC_OK : reject(r, &why, e);
	}
	if (!name || name->type != JSON_STRING)
		return err_at(e, RC_INPUT, r->name, r->line, 0, "not an event of a run log");
	if (!r->started &&
	    (strcmp(json_string_or(v, "schema", ""), RUNLOG_SCHEMA) != 0 || strcmp(name->u.string.at, "start") != 0))
		return err_at(e, RC_INPUT, r->name, r->line, 0,
			      "not a run log of refrain (a first line with \"schema\": \"%s\" is missing)",
			      RUNLOG_SCHEMA);
	r->started = true;
	*ev = runlog_event_find(name->u.string.at);
	if (*ev != N_RUNLOG_EVENTS && runlog_check(*ev, v, &why) != RC_OK)
		return reject(r, &why, e);
	return RC_OK;
}

enum rc runlog_read_next(struct runlog_reader *r, enum runlog_event *ev, const struct json **event, struct err *e)
{
	const char *line = NULL;
	size_t len = 0;
	bool whole = false;
	enum rc rc;
	do
		rc = next_line(r, &line, &len, &whole, e);
	while (rc == RC_OK && len == 0);
	if (rc == RC_NO && !r->started)
		return err_set(e, RC_INPUT, "'%s' is empty: not a run log", r->name);
	if (rc != RC_OK)
		return rc;
	struct json *v;
	struct err why = ERR_INIT;
	arena_clear(&r->arena);
	if (json_parse(&r->arena, line, len, r->name, 0, &v, &why) != RC_OK) {
		/* a run that was killed may leave half a line; the others are good all the same */
		if (!whole && r->started) {
			r->truncated = true;
			return RC_NO;
		}
		return reject(r, &why, e);
	}
	*event = v;
	return check_event(r, v, ev, e);
}

bool runlog_read_truncated(const struct runlog_reader *r)
{
	return r->truncated;
}

void runlog_read_close(struct runlog_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	arena_release(&r->arena);
	buf_release(&r->window);
	free(r->name);
	free(r);
}

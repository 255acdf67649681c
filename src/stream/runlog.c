/* SPDX-License-Identifier: MIT */
/* Run logs, writing side: see runlog.h. A line is built in memory and written at once, so that a reader never sees
 * half an event unless the disk was full or the machine died. The first failed write is remembered and
 * ends the logging; the run itself goes on, and runlog_close reports it. A log whose first event cannot be written is
 * not opened. */
#include "stream/runlog.h"

#include "data/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *name, *fields;
} table[] = {
#define X(symbol, name, fields) {name, fields},
	RUNLOG_EVENTS(X)
#undef X
};

struct runlog {
	int fd;
	char *path;
	double start;
	struct buf line;
	struct json_writer w;
	bool check;
	struct err failed; /* the first failure; nothing is written after it */
};

enum runlog_event runlog_event_find(const char *name)
{
	enum runlog_event ev = 0;
	while (ev < N_RUNLOG_EVENTS && strcmp(table[ev].name, name) != 0)
		ev++;
	return ev;
}

static bool has_type(const struct json *v, char type)
{
	switch (type) {
	case 'u':
		return v->type == JSON_NUMBER && v->u.number.is_integer && v->u.number.integer >= 0;
	case 'd':
		return v->type == JSON_NUMBER;
	case 's':
		return v->type == JSON_STRING;
	case 'b':
		return v->type == JSON_BOOL;
	case 'a':
		return v->type == JSON_ARRAY;
	default:
		return v->type == JSON_OBJECT;
	}
}

/* The declared type of a field, or 0. */
static char field_type(const char *fields, const char *key, size_t n)
{
	for (const char *f = fields; *f; f += strcspn(f, " "), f += strspn(f, " "))
		if (strncmp(f, key, n) == 0 && f[n] == ':')
			return f[n + 1];
	return 0;
}

enum rc runlog_check(enum runlog_event ev, const struct json *event, struct err *e)
{
	static const char everywhere[] = "event:s t:d schema:s";
	if (event->type != JSON_OBJECT)
		return err_set(e, RC_BUG, "an event is not an object");
	for (const struct json *v = event->u.list.first; v; v = v->next) {
		char type = field_type(everywhere, v->key, v->key_len);
		if (!type)
			type = field_type(table[ev].fields, v->key, v->key_len);
		if (!type)
			return err_set(e, RC_BUG, "event '%s' has no field '%s'", table[ev].name, v->key);
		if (v->type != JSON_NULL && !has_type(v, type))
			return err_set(e, RC_BUG, "field '%s' of event '%s' is not of type '%c'", v->key,
				       table[ev].name, type);
	}
	return RC_OK;
}

static void cannot_write(struct runlog *log)
{
	err_sys(&log->failed, RC_ENV, errno, "cannot write the log '%s'", log->path);
}

static void start_event(struct runlog *log, const char *command, int argc, const char *const *argv)
{
	char date[32];
	time_t now = time(NULL);
	struct tm tm;
	gmtime_r(&now, &tm);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
	struct json_writer *w = runlog_begin(log, EVENT_START);
	json_kv_string(w, "schema", RUNLOG_SCHEMA);
	json_kv_string(w, "command", command);
	json_kv_string(w, "version", RF_VERSION);
	json_kv_string(w, "started", date);
	json_key(w, "args");
	json_array(w);
	for (int i = 0; i < argc; i++)
		json_string(w, argv[i]);
	json_array_end(w);
	runlog_end(log);
}

static enum rc release(struct runlog *log, struct err *e)
{
	if (close(log->fd) != 0)
		cannot_write(log);
	enum rc rc = log->failed.rc;
	if (rc != RC_OK)
		err_set(e, rc, "%s", log->failed.text);
	buf_release(&log->line);
	free(log->path);
	free(log);
	return rc;
}

enum rc runlog_open(struct runlog **out, const char *path, const char *command, int argc, const char *const *argv,
		    struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot write the log '%s'", path);
	struct runlog *log = mem_zalloc(sizeof *log);
	log->fd = fd;
	log->path = mem_strdup(path);
	log->check = getenv("RF_LOG_CHECK") != NULL;
	log->start = clock_seconds();
	start_event(log, command, argc, argv);
	if (log->failed.rc != RC_OK)
		return release(log, e);
	*out = log;
	return RC_OK;
}

struct json_writer *runlog_begin(struct runlog *log, enum runlog_event ev)
{
	if (!log)
		return NULL;
	buf_clear(&log->line);
	json_writer_init(&log->w, &log->line, false);
	json_object(&log->w);
	json_kv_string(&log->w, "event", table[ev].name);
	json_kv_double(&log->w, "t", floor((clock_seconds() - log->start) * 1e6) / 1e6);
	return &log->w;
}

static void check_line(struct runlog *log)
{
	struct arena a = {0};
	struct json *event;
	if (json_parse(&a, buf_str(&log->line), log->line.n, log->path, 0, &event, &log->failed) == RC_OK) {
		enum runlog_event ev = runlog_event_find(json_string_or(event, "event", ""));
		if (ev == N_RUNLOG_EVENTS)
			err_set(&log->failed, RC_BUG, "the log has no such event");
		else
			runlog_check(ev, event, &log->failed);
	}
	arena_release(&a);
}

void runlog_end(struct runlog *log)
{
	if (!log || log->failed.rc != RC_OK)
		return;
	json_object_end(&log->w);
	if (log->check)
		check_line(log);
	buf_char(&log->line, '\n');
	if (!write_all(log->fd, log->line.at, log->line.n))
		cannot_write(log);
}

enum rc runlog_close(struct runlog *log, int exit_code, bool complete, struct err *e)
{
	if (!log)
		return RC_OK;
	struct json_writer *w = runlog_begin(log, EVENT_END);
	json_kv_uint(w, "exit", (uint64_t)exit_code);
	json_kv_bool(w, "complete", complete);
	runlog_end(log);
	return release(log, e);
}

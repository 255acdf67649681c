/* Run logs: JSON lines, one event each, for `refrain report` and for scripts. One table (runlog.c) holds each event's
 * name and fields; writer, readers and report share it. Secrets never go in: no environment, no key material.
 *
 *	struct json_writer *w = runlog_begin(log, EVENT_REDUCE_MINIMUM);
 *	json_kv_uint(w, "bytes", n); …
 *	runlog_end(log);
 *
 * A NULL log is allowed everywhere: runlog_begin then returns NULL and the caller skips the fields. */
#ifndef CORE_RUNLOG_H
#define CORE_RUNLOG_H

#include "core/err.h"
#include "core/json.h"

struct runlog;

/* X(symbol, "name", "fields: name:type, types u (integer) d (number) s (string) b (bool) a (array) o (object)").
 * Every line also has "event", "t" (seconds since the start) and, in the first, "schema": "refrain.log/1". */
#define RUNLOG_EVENTS(X)                                                                                              \
	X(START, "start", "command:s version:s args:a")                                                                \
	X(END, "end", "exit:u complete:b")                                                                             \
	X(TRACE_CURVE, "trace.curve", "name:s policy:s requests:u points:a knee:u")                                    \
	X(TRACE_HISTOGRAM, "trace.histogram", "name:s kind:s points:a")                                                \
	X(TRACE_RESULT, "trace.result", "name:s policy:s size:u requests:u misses:u")

enum runlog_event {
#define X(symbol, name, fields) EVENT_##symbol,
	RUNLOG_EVENTS(X)
#undef X
	N_RUNLOG_EVENTS
};

const char *runlog_event_name(enum runlog_event ev);
const char *runlog_event_fields(enum runlog_event ev);

enum rc runlog_open(struct runlog **out, const char *path, const char *command, int argc, const char *const *argv,
                    struct err *e);
struct json_writer *runlog_begin(struct runlog *log, enum runlog_event ev);
void runlog_end(struct runlog *log);
/* Writes the last event. RC_ENV if some write failed. */
enum rc runlog_close(struct runlog *log, int exit_code, bool complete, struct err *e);

#endif

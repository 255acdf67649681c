/* SPDX-License-Identifier: MIT */
/* Run logs: JSON lines, one event each, for `refrain report` and for scripts. One table (below) holds each event's
 * name and fields; writer, readers and report share it. Secrets never go in: no environment, no key material.
 *
 *	struct json_writer *w = runlog_begin(log, EVENT_REDUCE_MINIMUM);
 *	if (w)
 *		json_kv_uint(w, "bytes", n);
 *	runlog_end(log);
 *
 * A NULL log is allowed everywhere: runlog_begin then, and only then, returns NULL and the caller skips the fields.
 * Each event is one write: what was logged before a kill −9 is in the file. */
#ifndef STREAM_RUNLOG_H
#define STREAM_RUNLOG_H

#include "data/err.h"
#include "data/json/json.h"

#define RUNLOG_SCHEMA "refrain.log/1"
/* What RF_CHECK=json=FILE writes: one check.stats without "event" and "t". Readers take it for a log. */
#define CHECK_SCHEMA "refrain.check/1"

/* X(symbol, "name", "fields: name:type, types u (integer) d (number) s (string) b (bool) a (array) o (object)").
 * Every line also has "event", "t" (seconds since the start) and, in the first, "schema": "refrain.log/1".
 * A field may be left out or null when it is not known. */
#define RUNLOG_EVENTS(X)                                                                                               \
	X(START, "start", "command:s version:s args:a started:s")                                                      \
	X(END, "end", "exit:u complete:b")                                                                             \
	X(TRACE_CURVE, "trace.curve", "name:s policy:s requests:u points:a knee:u")                                    \
	X(TRACE_HISTOGRAM, "trace.histogram", "name:s kind:s points:a")                                                \
	X(TRACE_RESULT, "trace.result", "name:s policy:s size:u requests:u misses:u")                                  \
	/* what the run starts from; text: of the first file, if it is not long */                                     \
	X(REDUCE_START, "reduce.start", "file:s language:s text:s")                                                    \
	/* a new smallest variant */                                                                                   \
	X(REDUCE_MINIMUM, "reduce.minimum", "queries:u bytes:u tokens:u pass:s text:s")                                \
	/* the state now and then; counts run from the start */                                                        \
	X(REDUCE_SAMPLE, "reduce.sample", "queries:u hits:u cache_bytes:u cache_entries:u bytes:u tokens:u")           \
	/* one pass is over: its own queries and seconds, bytes before and after */                                    \
	X(REDUCE_PASS, "reduce.pass", "pass:s queries:u before:u after:u seconds:d")                                   \
	X(REDUCE_END, "reduce.end",                                                                                    \
	  "file:s algorithm:s cache:s language:s complete:b bytes_before:u bytes_after:u tokens_before:u "             \
	  "tokens_after:u queries:u retests:u cancelled:u useful:u merged:u wasted:u cache_hits:u "                    \
	  "cache_peak_bytes:u cache_avg_bytes:u "                                                                      \
	  "cache_peak_entries:u wall_s:d test_s:d engine_s:d")                                                         \
	/* one check-sat: by is "solver" or the stage that answered */                                                 \
	X(SMT_QUERY, "smt.query", "file:s verdict:s by:s solver_s:d cache_s:d")                                        \
	X(SMT_END, "smt.end",                                                                                          \
	  "solver:s cache:s queries:u sat:u unsat:u unknown:u reused_unsat:u reused_sat:u solver_calls:u "             \
	  "solver_s:d cache_s:d cache_peak_bytes:u lookup_peak_bytes:u")                                               \
	/* source: the function's text, if it could be read; curve: [entries, hits] of an LRU table */                 \
	X(PROFILE_FUNCTION, "profile.function",                                                                        \
	  "rank:u function:s file:s line:u status:s cluster:u calls:u distinct_inputs:u hit_ratio:d time_share:d "     \
	  "hint_inputs:u saved_share:d saved_instructions:d unsure:b needs_invalidation:b conflicts:u syscalls:u "     \
	  "suggestion:o safety:s key:s source:s curve:a")                                                              \
	/* a memo table that was built into the program and measured: shares and seconds of CPU time */                \
	X(PROFILE_TRY, "profile.try",                                                                                  \
	  "function:s predicted_share:d saved_share:d low:d high:d before_s:d after_s:d gets:u hits:u conflicts:u "    \
	  "bytes:u "                                                                                                   \
	  "same_output:b")                                                                                             \
	/* one run of a program with contracts; reports: objects with function, kind, condition, where, caller and */  \
	/* faults, a list of {literal, fault} */                                                                       \
	X(CHECK_STATS, "check.stats",                                                                                  \
	  "program:s checks:u violations:u nodes:u dirtied:u full_passes:u restarts:u lookups:u hits:u max_depth:u "   \
	  "shadow_bytes:u sample:u skipped:u cpu_us:u reports:a")

enum runlog_event {
#define X(symbol, name, fields) EVENT_##symbol,
	RUNLOG_EVENTS(X)
#undef X
		N_RUNLOG_EVENTS
};

/* N_RUNLOG_EVENTS when there is no such event. */
enum runlog_event runlog_event_find(const char *name);
/* RC_BUG, with what is wrong, when the object has a field that the table does not declare for ev, or one of another
 * type. */
enum rc runlog_check(enum runlog_event ev, const struct json *event, struct err *e);

/* The writer. With RF_LOG_CHECK set in the environment (the tests do) every line is read back and checked against
 * the table; runlog_close then reports the first event that does not fit as RC_BUG. */
struct runlog;
/* RC_ENV when the file or its first event cannot be written. */
enum rc runlog_open(struct runlog **out, const char *path, const char *command, int argc, const char *const *argv,
		    struct err *e);
struct json_writer *runlog_begin(struct runlog *log, enum runlog_event ev);
void runlog_end(struct runlog *log);
/* Writes the last event and frees log. RC_ENV if any write failed. */
enum rc runlog_close(struct runlog *log, int exit_code, bool complete, struct err *e);

/* The reader: events in order. A last line that was cut off in the middle is left out and noted; any other line that
 * is not an event is RC_INPUT with file and line. Events of later versions come as N_RUNLOG_EVENTS. */
struct runlog_reader;
enum rc runlog_read_open(struct runlog_reader **out, const char *path, struct err *e);
/* From n bytes that stay where they are. */
struct runlog_reader *runlog_read_bytes(const char *bytes, size_t n, const char *name);
/* RC_OK and an event that lives until the next call, RC_NO at the end. */
enum rc runlog_read_next(struct runlog_reader *r, enum runlog_event *ev, const struct json **event, struct err *e);
bool runlog_read_truncated(const struct runlog_reader *r);
void runlog_read_close(struct runlog_reader *r);

#endif

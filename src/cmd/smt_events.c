/* SPDX-License-Identifier: MIT */
/* Run-log events and the key stream of `refrain smt`. Both are written as the answers come, so that a run which is
 * killed leaves the events up to there. */
#include "cmd/smt_events.h"

#include <stdio.h>

enum rc smt_events_open(struct smt_events *v, const struct invocation *inv, const char *keytrace, struct err *e)
{
	struct keytrace_header h = {0};
	*v = (struct smt_events){.log = inv->log};
	snprintf(h.source, sizeof h.source, "queries of refrain smt");
	if (keytrace && keytrace_create(&v->keys, keytrace, &h, e) != RC_OK)
		return e->rc;
	return RC_OK;
}

static void log_answer(struct runlog *log, const struct smt_session_answer *a)
{
	struct json_writer *w = runlog_begin(log, EVENT_SMT_QUERY);
	json_kv_string(w, "file", a->file);
	json_kv_string(w, "verdict", verdict_text(a->verdict));
	json_kv_string(w, "by", a->by);
	json_kv_double(w, "solver_s", a->solver_s);
	json_kv_double(w, "cache_s", a->cache_s);
	runlog_end(log);
}

void smt_events_add(struct smt_events *v, const struct smt_session *s)
{
	size_t n;
	const struct smt_session_answer *a = smt_session_answers(s, &n);
	for (; v->done < n; v->done++) {
		const struct smt_session_answer *x = &a[v->done];
		if (v->log)
			log_answer(v->log, x);
		/* an error is kept by the writer and returned when it is closed */
		if (v->keys && x->has_key)
			(void)keytrace_add(v->keys, x->key, 0);
	}
}

void smt_stats_json(const struct smt_session_stats *t, struct json_writer *w)
{
	json_kv_uint(w, "queries", t->queries);
	json_kv_uint(w, "sat", t->sat);
	json_kv_uint(w, "unsat", t->unsat);
	json_kv_uint(w, "unknown", t->unknown);
	json_kv_uint(w, "reused_unsat", t->reused_unsat);
	json_kv_uint(w, "reused_sat", t->reused_sat);
	json_kv_uint(w, "solver_calls", t->solver_calls);
	json_kv_double(w, "solver_s", t->solver_s);
	json_kv_double(w, "cache_s", t->cache_s);
	json_kv_uint(w, "cache_peak_bytes", t->cache_peak_bytes);
	json_kv_uint(w, "lookup_peak_bytes", t->lookup_peak_bytes);
}

static void log_end(struct runlog *log, const struct smt_session_stats *t, const char *solver, const char *cache)
{
	struct json_writer *w = runlog_begin(log, EVENT_SMT_END);
	json_kv_string(w, "solver", solver);
	json_kv_string(w, "cache", cache);
	smt_stats_json(t, w);
	runlog_end(log);
}

int smt_events_close(struct smt_events *v, const struct smt_session *s, const char *solver, const char *cache, int code)
{
	struct err e = ERR_INIT;
	smt_events_add(v, s);
	if (v->keys && keytrace_close(v->keys, 0, &e) != RC_OK)
		code = cmd_fail_output(&e, code);
	if (v->log) {
		struct smt_session_stats t = smt_session_stats(s);
		log_end(v->log, &t, solver, cache);
	}
	return code;
}

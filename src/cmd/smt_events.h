/* SPDX-License-Identifier: MIT */
/* What a run of `refrain smt` leaves for other commands: events for the report, keys for `refrain trace`. */
#ifndef CMD_SMT_EVENTS_H
#define CMD_SMT_EVENTS_H

#include "cmd/commands.h"
#include "stream/keytrace.h"
#include "stream/runlog.h"
#include "smt/session/session.h"

struct smt_events {
	struct runlog *log;           /* NULL: not wanted */
	struct keytrace_writer *keys; /* the same */
	size_t done;                  /* answers written */
};

/* keytrace: a path or NULL. */
enum rc smt_events_open(struct smt_events *v, const struct invocation *inv, const char *keytrace, struct err *e);
/* Writes the answers that came since the last call. */
void smt_events_add(struct smt_events *v, const struct smt_session *s);
/* The totals as members of an open object: for the run log and for --json. */
void smt_stats_json(const struct smt_session_stats *t, struct json_writer *w);
/* Writes the totals and closes the key stream. code is the run's exit code; a failure to write is reported and gives
 * another. */
int smt_events_close(struct smt_events *v, const struct smt_session *s, const char *solver, const char *cache,
		     int code);

#endif

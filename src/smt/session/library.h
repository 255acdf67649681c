/* SPDX-License-Identifier: MIT */
/* What the files of <refrain/smt.h> share. */
#ifndef SMT_SESSION_LIBRARY_H
#define SMT_SESSION_LIBRARY_H

#include "refrain/smt.h"

#include "process/runner.h"
#include "smt/session/session.h"

#include <signal.h>

struct rf_smt {
	struct runner *runner;
	struct solver solver;
	struct smt_session *session;
	struct buf shown; /* the answers that the caller has */
	char *logic;      /* of terms; NULL: none */
};

/* A solver that died must not end the caller: SIGPIPE is blocked between these, and taken back if we raised it. */
struct pipe_guard {
	sigset_t before;
	bool pending;
};
void guard_begin(struct pipe_guard *g);
void guard_end(const struct pipe_guard *g);

#endif

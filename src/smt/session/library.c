/* SPDX-License-Identifier: MIT */
/* <refrain/smt.h>: a session, its solver and a runner of its own behind one opaque struct. The caller's process is not
 * ours: SIGPIPE is blocked while we write to a solver and taken back if we raised it, and nothing else is changed. */
#include "smt/session/library.h"

#include "data/library.h"
#include "smt/session/terms.h"
#include "smt/sexpr.h"
#include "smt/value/exact.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void guard_begin(struct pipe_guard *g)
{
	sigset_t pipe;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &g->before);
	sigset_t pending;
	g->pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE);
}

void guard_end(const struct pipe_guard *g)
{
	sigset_t pipe;
	struct timespec none = {0};
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (!g->pending)
		sigtimedwait(&pipe, NULL, &none);
	pthread_sigmask(SIG_SETMASK, &g->before, NULL);
}

/* ---- making and freeing */

static enum rc make(rf_smt *s, const rf_smt_options *o, struct err *e)
{
	const char *cache = o->cache ? o->cache : "full";
	struct smt_session_options so = {.mode = cache_mode_find(cache),
					 .cache = cache_defaults,
					 .timeout_s = o->timeout_s > 0 ? o->timeout_s : 0,
					 .store = o->store};
	unsigned theories;
	if (o->cache_bytes)
		so.cache.max_cores_bytes = (size_t)o->cache_bytes;
	if (o->logic && !exact_logic(o->logic, strlen(o->logic), &theories))
		return err_set(e, RC_INPUT, "unknown logic '%s'", o->logic);
	s->logic = o->logic ? mem_strdup(o->logic) : NULL;
	if (!so.mode)
		return err_set(e, RC_INPUT, "unknown cache '%s'", cache);
	enum rc rc = runner_open(&s->runner, e);
	if (rc == RC_OK)
		rc = solver_init(&s->solver, o->solver ? o->solver : "z3", NULL, s->runner, e);
	s->solver.memory_bytes = (size_t)o->memory_bytes;
	if (rc == RC_OK)
		rc = smt_session_new(&s->session, &so, &s->solver, e);
	return rc;
}

rf_status rf_smt_new(rf_smt **out, const rf_smt_options *options, rf_error *e)
{
	struct err err = ERR_INIT;
	rf_smt_options o = RF_SMT_OPTIONS_INIT;
	struct pipe_guard g;
	*out = NULL;
	/* a caller built with an older header gives fewer of them */
	if (options)
		memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
	rf_smt *s = mem_zalloc(sizeof *s);
	guard_begin(&g);
	enum rc rc = make(s, &o, &err);
	guard_end(&g);
	if (rc == RC_OK)
		*out = s;
	else
		rf_smt_free(s);
	return library_status(rc, &err, e);
}

void rf_smt_free(rf_smt *s)
{
	struct pipe_guard g;
	if (!s)
		return;
	guard_begin(&g);
	smt_session_free(s->session);
	solver_release(&s->solver);
	runner_close(s->runner);
	guard_end(&g);
	buf_release(&s->shown);
	free(s->logic);
	free(s);
}

/* ---- asking */

static enum rc feed(rf_smt *s, const char *text, size_t n, struct err *e)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	enum sexpr_found found;
	enum rc rc = RC_OK;
	if (terms_begun(s->session))
		smt_session_begin(s->session, "-");
	while (rc == RC_OK && (found = sexpr_split_next(&sp, text, n, true)) != SEXPR_MORE) {
		if (found == SEXPR_STRAY)
			smt_session_syntax_error(s->session, sp.start_line, sp.start_col,
						 "invalid command, '(' expected");
		else
			rc = smt_session_command(s->session, text + sp.start, sp.at - sp.start, sp.start_line,
						 sp.start_col, e);
	}
	if (rc == RC_NO)
		smt_session_begin(s->session, "-");
	if (rc == RC_OK)
		rc = smt_session_idle(s->session, e);
	if (rc == RC_OK && sexpr_split_open(&sp))
		return err_at(e, RC_INPUT, "", sp.start_line, sp.start_col, "this command does not end");
	return rc;
}

rf_status rf_smt_commands(rf_smt *s, const char *text, size_t n, rf_error *e)
{
	struct err err = ERR_INIT;
	struct pipe_guard g;
	guard_begin(&g);
	enum rc rc = feed(s, text, n, &err);
	guard_end(&g);
	buf_clear(smt_session_messages(s->session)); /* a store that fails: the answers go on without it */
	return library_status(rc, &err, e);
}

const char *rf_smt_answers(rf_smt *s, size_t *n)
{
	struct buf *out = smt_session_output(s->session);
	struct buf taken = *out;
	*out = s->shown;
	s->shown = taken;
	buf_clear(out);
	if (n)
		*n = s->shown.n;
	return buf_str(&s->shown);
}

void rf_smt_stats(const rf_smt *s, rf_smt_totals *out, size_t size)
{
	struct smt_session_stats t = smt_session_stats(s->session);
	rf_smt_totals totals = {.queries = t.queries,
				.sat = t.sat,
				.unsat = t.unsat,
				.unknown = t.unknown,
				.reused_sat = t.reused_sat,
				.reused_unsat = t.reused_unsat,
				.solver_calls = t.solver_calls,
				.errors = t.errors,
				.solver_s = t.solver_s,
				.cache_s = t.cache_s};
	memcpy(out, &totals, size < sizeof totals ? size : sizeof totals);
}

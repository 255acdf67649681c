/* SPDX-License-Identifier: MIT */
/* SMT-LIB programs. A co-process is asked in its own language; (echo) of a number after each question tells where the
 * answer ends. A program that takes one script only (boolector) is started for each question. */
#include "smt/solver/solver.h"

#include "data/clock.h"

#include "process/runner.h"
#include "smt/solver/exchange.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct program_state {
	struct proc proc;
	bool running, answered;
	uint64_t serial;
	char mark[48];
	size_t scanned; /* bytes of the answer that hold no mark */
	char dir[512];  /* scratch folder of a program that reads files; empty: none yet */
	struct buf ask, got;
};

static struct program_state *state_of(struct solver *s)
{
	if (!s->state)
		s->state = mem_zalloc(sizeof(struct program_state));
	return s->state;
}

/* Ends it, giving it that long to leave by itself; then its exit code, else −1. */
static int forget(struct solver *s, double seconds)
{
	struct program_state *p = s->state;
	struct run_result r = {.end = RUN_CANCELLED};
	if (p && p->running) {
		proc_finish(s->runner, &p->proc, seconds, &r);
		free(r.output);
	}
	if (p)
		p->running = false;
	s->lines = 0;
	return r.end == RUN_EXITED ? r.code : -1;
}

static void stop(struct solver *s)
{
	struct program_state *p = s->state;
	if (!p)
		return;
	if (p->running)
		proc_finish(s->runner, &p->proc, 0.2, NULL);
	if (p->dir[0])
		runner_scratch_remove(s->runner, p->dir);
	buf_release(&p->ask);
	buf_release(&p->got);
	free(p);
	s->state = NULL;
}

static enum rc start(struct solver *s, struct err *e)
{
	struct program_state *p = state_of(s);
	if (p->running)
		return RC_OK;
	const char *argv[] = {"/bin/sh", "-c", s->command, NULL};
	struct run_spec spec = {.argv = argv, .limits = {.rss_bytes = s->memory_bytes}};
	if (proc_start(s->runner, &spec, &p->proc, e) != RC_OK)
		return e->rc;
	p->running = true;
	s->starts++;
	s->lines = 0;
	return RC_OK;
}

/* The mark stands on a line of its own, bare or in quotes. */
static bool mark_seen(void *user, const struct buf *got)
{
	struct program_state *p = user;
	size_t n = strlen(p->mark), from = p->scanned > n + 2 ? p->scanned - n - 2 : 0;
	const char *m = got->n > from ? memmem(got->at + from, got->n - from, p->mark, n) : NULL;
	p->scanned = got->n;
	/* its line must have ended, or a later question would read the rest */
	return m && memchr(m + n, '\n', got->n - (size_t)(m + n - got->at));
}

/* Sends text, collects what is printed before the mark. */
static enum rc ask(struct solver *s, const char *text, size_t n, double deadline, struct buf *out, bool *alive,
		   struct err *e)
{
	struct program_state *p = state_of(s);
	if (start(s, e) != RC_OK)
		return e->rc;
	snprintf(p->mark, sizeof p->mark, "rf-mark-%llu-%d", (unsigned long long)++p->serial, (int)getpid());
	buf_clear(&p->ask);
	buf_add(&p->ask, text, n);
	buf_printf(&p->ask, "\n(echo \"%s\")\n", p->mark);
	for (const char *at = p->ask.at; (at = memchr(at, '\n', p->ask.n - (size_t)(at - p->ask.at))); at++)
		s->lines++;
	buf_clear(&p->got);
	p->scanned = 0;
	double begin = clock_seconds();
	enum exchange_end end = exchange(p->proc.in, p->proc.out, p->ask.at, p->ask.n, &p->got, mark_seen, p, deadline);
	s->seconds += clock_seconds() - begin;
	*alive = end == EXCHANGE_DONE;
	if (!*alive) {
		/* what it said before it went away may say why */
		if (end == EXCHANGE_CLOSED)
			buf_add(out, p->got.at, p->got.n);
		int code = forget(s, end == EXCHANGE_CLOSED ? 1 : 0);
		if (!p->answered && (code == 126 || code == 127)) /* what sh says of a program it cannot run */
			return err_set(e, RC_ENV, "cannot run the solver '%s'", s->command);
		return RC_OK;
	}
	p->answered = true;
	const char *m = memmem(p->got.at, p->got.n, p->mark, strlen(p->mark));
	size_t len = (size_t)(m - p->got.at);
	if (len && m[-1] == '"')
		len--;
	buf_add(out, p->got.at, len);
	return RC_OK;
}

static double deadline_of(double timeout_s)
{
	return timeout_s > 0 ? clock_seconds() + timeout_s : -1;
}

static enum rc query(struct solver *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	struct program_state *p = state_of(s);
	struct buf text = {0};
	bool alive, fresh = !p->running;
	/* one line before the text when it is running, none when it is fresh: the session counts on it */
	if (!fresh)
		buf_str_add(&text, "(reset)");
	if (q->want & WANT_MODEL)
		buf_str_add(&text, "(set-option :produce-models true)");
	if (!fresh)
		buf_char(&text, '\n');
	buf_add(&text, q->text, q->n);
	buf_str_add(&text, "\n(check-sat)");
	s->calls++;
	enum rc rc = ask(s, text.at, text.n, deadline_of(q->timeout_s), &a->text, &alive, e);
	buf_release(&text);
	if (rc != RC_OK)
		return rc;
	a->verdict = alive ? solver_find_verdict(a->text.at, a->text.n) : VERDICT_UNKNOWN;
	a->timed_out = !alive;
	if (a->verdict == VERDICT_SAT && (q->want & WANT_MODEL)) {
		rc = ask(s, "(get-model)", 11, deadline_of(q->timeout_s), &a->model, &alive, e);
		if (!alive)
			buf_clear(&a->model);
	}
	return rc;
}

static enum rc send_text(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out, bool *alive,
			 struct err *e)
{
	return ask(s, text, n, deadline_of(timeout_s), out, alive, e);
}

static enum rc query_once(struct solver *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	struct program_state *p = state_of(s);
	struct buf text = {0};
	char file[600];
	if (!p->dir[0] && runner_scratch(s->runner, p->dir, sizeof p->dir, e) != RC_OK)
		return e->rc;
	snprintf(file, sizeof file, "%s/query.smt2", p->dir);
	buf_add(&text, q->text, q->n);
	buf_str_add(&text, "\n(check-sat)\n(exit)\n");
	enum rc rc = buf_write_file(&text, file, 0600, e);
	buf_release(&text);
	if (rc != RC_OK)
		return rc;
	const char *argv[] = {"/bin/sh", "-c", s->command, "sh", file, NULL};
	struct run_spec spec = {.argv = argv, .limits = {.rss_bytes = s->memory_bytes}};
	if (proc_start(s->runner, &spec, &p->proc, e) != RC_OK)
		return e->rc;
	p->running = true;
	s->starts++;
	s->calls++;
	double begin = clock_seconds();
	enum exchange_end end = exchange(-1, p->proc.out, NULL, 0, &a->text, NULL, NULL, deadline_of(q->timeout_s));
	s->seconds += clock_seconds() - begin;
	a->timed_out = end != EXCHANGE_DONE;
	a->verdict = a->timed_out ? VERDICT_UNKNOWN : solver_find_verdict(a->text.at, a->text.n);
	forget(s, 0);
	return RC_OK;
}

static enum rc send_refused(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out,
			    bool *alive, struct err *e)
{
	(void)s, (void)text, (void)n, (void)timeout_s, (void)e;
	buf_str_add(out, "(error \"this solver answers check-sat of one script only\")\n");
	*alive = true;
	return RC_OK;
}

const struct solver_kind solver_program = {
	.name = "program",
	.summary = "an SMT-LIB program as a co-process",
	.flags = 0,
	.query = query,
	.send = send_text,
	.stop = stop,
};

const struct solver_kind solver_program_once = {
	.name = "program-once",
	.summary = "a program that is started for each question",
	.flags = SOLVER_ONE_SHOT | SOLVER_STATELESS,
	.query = query_once,
	.send = send_refused,
	.stop = stop,
};

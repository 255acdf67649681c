/* SPDX-License-Identifier: MIT */
/* SMT-LIB programs. A co-process is asked in SMT-LIB; an (echo) of a unique mark after each question tells where the
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
		p->running = s->started = false;
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

/* limit is of our own table: it has a place for one number. */
static void add_limit(struct buf *command, const char *limit, double seconds)
{
	const char *place = strstr(limit, "%llu");
	buf_add(command, limit, (size_t)(place - limit));
	buf_printf(command, "%llu", (unsigned long long)(seconds * 1000) + 1);
	buf_str_add(command, place + 4);
}

static enum rc start(struct solver *s, struct err *e)
{
	struct program_state *p = state_of(s);
	if (p->running)
		return RC_OK;
	struct buf command = {0};
	buf_str_add(&command, s->command);
	if (s->limit && s->timeout_s > 0)
		add_limit(&command, s->limit, s->timeout_s);
	const char *argv[] = {"/bin/sh", "-c", command.at, NULL}, *env[] = {s->behind, NULL};
	struct run_spec spec = {.argv = argv, .env = env, .limits = {.rss_bytes = s->memory_bytes}};
	enum rc rc = proc_start(s->runner, &spec, &p->proc, e);
	buf_release(&command);
	if (rc != RC_OK)
		return rc;
	p->running = s->started = true;
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

/* Does the text end with an error message? cvc5 ends with one. */
static bool ends_with_error(const struct buf *text)
{
	size_t n = text->n;
	while (n && strchr(" \n", text->at[n - 1]))
		n--;
	return n > 2 && !memcmp(text->at + n - 2, "\")", 2) && solver_has_error(text);
}

/* Sends text, collects what is printed before the mark. RC_NO: it is gone. */
static enum rc ask(struct solver *s, const char *text, size_t n, double deadline, struct buf *out, struct err *e)
{
	struct program_state *p = state_of(s);
	enum rc rc = start(s, e);
	if (rc != RC_OK)
		return rc;
	snprintf(p->mark, sizeof p->mark, "rf-mark-%llu-%d", (unsigned long long)++p->serial, (int)getpid());
	buf_clear(&p->ask);
	if (!s->lines && s->compliant)
		buf_str_add(&p->ask, "(set-option :print-success false)"); /* that is ours to print */
	if (!s->lines)
		buf_char(&p->ask, '\n'); /* z3 counts the columns of its first line differently: see mirror.c */
	buf_add(&p->ask, text, n);
	buf_printf(&p->ask, "\n(echo \"%s\")\n", p->mark);
	for (const char *at = p->ask.at; (at = memchr(at, '\n', p->ask.n - (size_t)(at - p->ask.at))); at++)
		s->lines++;
	buf_clear(&p->got);
	p->scanned = 0;
	double begin = clock_seconds();
	struct exchange x = {.in = p->proc.in,
			     .out = p->proc.out,
			     .text = p->ask.at,
			     .n = p->ask.n,
			     .got = &p->got,
			     .enough = mark_seen,
			     .user = p,
			     .deadline = deadline};
	enum exchange_end end = exchange(&x);
	s->seconds += clock_seconds() - begin;
	if (end != EXCHANGE_DONE) {
		/* what it said before it went away may say why, and before its time was up it may be about commands */
		if (end != EXCHANGE_STOPPED)
			buf_add(out, p->got.at, p->got.n);
		s->left = end == EXCHANGE_CLOSED && !s->keeps_options && ends_with_error(&p->got);
		int code = forget(s, end == EXCHANGE_CLOSED ? 1 : 0);
		if (!p->answered && (code == 126 || code == 127)) /* what sh says of a program it cannot run */
			return err_set(e, RC_ENV, "cannot run the solver '%s'", s->command + strlen("exec "));
		return RC_NO;
	}
	p->answered = true;
	const char *m = memmem(p->got.at, p->got.n, p->mark, strlen(p->mark));
	size_t len = (size_t)(m - p->got.at);
	if (len && m[-1] == '"')
		len--;
	buf_add(out, p->got.at, len);
	return RC_OK;
}

/* A program that knows its limit ends by itself, and is killed only when that fails. */
static double deadline_of(const struct solver *s, double timeout_s)
{
	double grace = s->limit && s->timeout_s > 0 ? timeout_s / 4 + 0.5 : 0;
	return timeout_s > 0 ? clock_seconds() + timeout_s + grace : -1;
}

static enum rc query(struct solver *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	struct program_state *p = state_of(s);
	struct buf text = {0};
	if (p->running)
		buf_str_add(&text, "(reset)\n");
	buf_add(&text, q->text, q->n);
	buf_str_add(&text, "\n(check-sat)");
	s->calls++;
	enum rc rc = ask(s, text.at, text.n, deadline_of(s, q->timeout_s), &a->text, e);
	buf_release(&text);
	a->timed_out = rc == RC_NO;
	a->verdict = rc == RC_OK ? solver_find_verdict(a->text.at, a->text.n) : VERDICT_UNKNOWN;
	return solver_gone_is_ok(rc);
}

static enum rc send_text(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out, struct err *e)
{
	return ask(s, text, n, deadline_of(s, timeout_s), out, e);
}

static enum rc send_end(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out, struct err *e)
{
	struct program_state *p = state_of(s);
	enum rc rc = start(s, e);
	if (rc != RC_OK)
		return rc;
	buf_clear(&p->ask);
	if (!s->lines)
		buf_char(&p->ask, '\n'); /* as in ask */
	buf_add(&p->ask, text, n);
	struct exchange x = {.in = p->proc.in,
			     .out = p->proc.out,
			     .text = p->ask.at,
			     .n = p->ask.n,
			     .last = true,
			     .got = out,
			     .deadline = deadline_of(s, timeout_s > 0 ? timeout_s : 10)};
	enum exchange_end end = exchange(&x);
	p->proc.in = -1;
	forget(s, end == EXCHANGE_DONE ? 1 : 0);
	return end == EXCHANGE_DONE ? RC_OK : RC_NO;
}

static enum rc query_once(struct solver *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	struct program_state *p = state_of(s);
	struct buf text = {0};
	char file[600];
	enum rc rc = p->dir[0] ? RC_OK : runner_scratch(s->runner, p->dir, sizeof p->dir, e);
	if (rc != RC_OK)
		return rc;
	snprintf(file, sizeof file, "%s/query.smt2", p->dir);
	buf_add(&text, q->text, q->n);
	buf_str_add(&text, "\n(check-sat)\n(exit)\n");
	rc = buf_write_file(&text, file, 0600, e);
	buf_release(&text);
	if (rc != RC_OK)
		return rc;
	const char *argv[] = {"/bin/sh", "-c", s->command, "sh", file, NULL}, *env[] = {s->behind, NULL};
	struct run_spec spec = {.argv = argv, .env = env, .limits = {.rss_bytes = s->memory_bytes}};
	rc = proc_start(s->runner, &spec, &p->proc, e);
	if (rc != RC_OK)
		return rc;
	p->running = true;
	s->calls++;
	double begin = clock_seconds();
	struct exchange x = {.in = -1, .out = p->proc.out, .got = &a->text, .deadline = deadline_of(s, q->timeout_s)};
	enum exchange_end end = exchange(&x);
	s->seconds += clock_seconds() - begin;
	a->timed_out = end != EXCHANGE_DONE;
	a->verdict = a->timed_out ? VERDICT_UNKNOWN : solver_find_verdict(a->text.at, a->text.n);
	forget(s, 0);
	return RC_OK;
}

static enum rc send_refused(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out,
			    struct err *e)
{
	(void)s, (void)text, (void)n, (void)timeout_s, (void)e;
	buf_str_add(out, "(error \"this solver answers check-sat of one script only\")\n");
	return RC_OK;
}

/* An SMT-LIB program as a co-process. */
const struct solver_kind solver_program = {
	.query = query,
	.send = send_text,
	.end = send_end,
	.stop = stop,
};

/* A program that is started for each question. */
const struct solver_kind solver_program_once = {
	.flags = SOLVER_ONE_SHOT | SOLVER_STATELESS | SOLVER_NO_ECHO,
	.query = query_once,
	.send = send_refused,
	.stop = stop,
};

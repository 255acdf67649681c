/* SPDX-License-Identifier: MIT */
/* Talking to the solver on behalf of a session: its own stack is a prefix of the script's, plus pops it has not yet
 * heard of. */
#include "smt/session/internal.h"

#include <string.h>

void smt_session_truncate(struct smt_session *s, size_t items)
{
	for (size_t i = s->mirrored; i-- > items;)
		s->pops += s->item.at[i].push;
	if (s->mirrored > items)
		s->mirrored = items;
	if (s->shown > items)
		s->shown = items;
	s->item.n = items;
	s->solver_checked = false;
}

void smt_session_forget_stack(struct smt_session *s)
{
	s->mirrored = 0;
	s->pops = 0;
	s->stale = false;
	s->solver_checked = false;
}

static uint64_t lines_in(const char *text, size_t n)
{
	uint64_t lines = 0;
	for (const char *p = text, *end = text + n; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
		lines++;
	return lines;
}

/* Appends an item's text and a line feed; *sent is the line it starts on, and moves on. */
static void add_item_text(struct smt_session *s, const struct item *i, struct buf *out, uint64_t *sent)
{
	const char *text = s->log.at + i->off;
	vec_push(&s->span, ((struct span){*sent, i->line, i->col, i->option}));
	if (i->push) {
		buf_str_add(out, "(push 1)");
	} else {
		buf_add(out, text, i->n);
		*sent += lines_in(text, i->n);
	}
	buf_char(out, '\n');
	++*sent;
}

void smt_session_flat_text(struct smt_session *s, struct buf *out, uint64_t sent)
{
	vec_clear(&s->span);
	for (size_t i = 0; i < s->item.n; i++)
		if (!s->item.at[i].push)
			add_item_text(s, &s->item.at[i], out, &sent);
	vec_push(&s->span, ((struct span){.sent = sent, .line = s->line, .col = s->col}));
}

static const char error_head[] = "(error \"line ";

/* The command that "(error \"line L column C: …" is about, with L and C read; NULL when it does not say. */
static const struct span *error_span(const struct smt_session *s, const char *text, size_t n, uint64_t *line, long *col,
				     const char **rest)
{
	char *end;
	size_t h = sizeof error_head - 1;
	if (n <= h + 12 || memcmp(text, error_head, h))
		return NULL;
	*line = strtoull(text + h, &end, 10);
	if (strncmp(end, " column ", 8))
		return NULL;
	*col = strtol(end + 8, &end, 10);
	*rest = end;
	const struct span *best = NULL;
	for (size_t i = 0; i < s->span.n && s->span.at[i].sent <= *line; i++)
		best = &s->span.at[i];
	return best;
}

/* From the solver's input to the script. */
static size_t map_position(const struct smt_session *s, struct buf *out, const char *text, size_t n)
{
	uint64_t line;
	long col;
	const char *rest;
	const struct span *at = error_span(s, text, n, &line, &col, &rest);
	if (!at)
		return 0;
	buf_printf(out, "%s%ld column %ld", error_head, at->line + (long)(line - at->sent),
		   line == at->sent ? col + at->col - 1 : col);
	return (size_t)(rest - text);
}

static bool about_option(const struct smt_session *s, const char *text, size_t n)
{
	uint64_t line;
	long col;
	const char *rest;
	const struct span *at = error_span(s, text, n, &line, &col, &rest);
	return at && at->option;
}

void smt_session_show(struct smt_session *s, struct buf *out, const char *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		const char *nl = memchr(text + at, '\n', n - at);
		size_t len = nl ? (size_t)(nl - text) - at : n - at;
		size_t head = map_position(s, out, text + at, len);
		buf_add(out, text + at + head, len - head);
		buf_char(out, '\n');
		at += len + 1;
	}
}

/* Shows output of commands not shown before; "success" lines are ours to print. */
static void show(struct smt_session *s, const struct buf *got)
{
	for (size_t at = 0; at < got->n;) {
		const char *nl = memchr(got->at + at, '\n', got->n - at);
		size_t len = nl ? (size_t)(nl - got->at) - at : got->n - at;
		if (len && !(len == 7 && !memcmp(got->at + at, "success", 7))) {
			smt_session_show(s, &s->out, got->at + at, len);
			if (len > 6 && !memcmp(got->at + at, "(error", 6)) {
				s->stats.errors++;
				s->odd |= !about_option(s, got->at + at, len);
			}
		}
		at += len + 1;
	}
}

enum rc smt_session_sync(struct smt_session *s, bool *alive, struct err *e)
{
	struct buf text = {0}, got = {0};
	*alive = true;
	if (s->stale)
		buf_str_add(&text, "(reset)\n");
	else if (s->pops)
		buf_printf(&text, "(pop %llu)\n", (unsigned long long)s->pops);
	size_t again = s->shown > s->mirrored ? s->shown : s->mirrored;
	/* what was shown before is repeated in silence, the rest aloud */
	for (int loud = 0; loud < 2 && *alive; loud++) {
		size_t to = loud ? s->item.n : again;
		uint64_t sent = s->solver->lines + 1 + lines_in(buf_str(&text), text.n);
		vec_clear(&s->span);
		for (size_t i = s->mirrored; i < to; i++)
			add_item_text(s, &s->item.at[i], &text, &sent);
		if (text.n) {
			buf_clear(&got);
			enum rc rc = s->solver->kind->send(s->solver, text.at, text.n, s->o.timeout_s, &got, alive, e);
			if (rc != RC_OK) {
				buf_release(&text);
				buf_release(&got);
				return rc;
			}
			s->solver_checked = false;
			buf_clear(&text);
			if (loud)
				show(s, &got);
		}
		s->mirrored = to;
	}
	s->stale = false;
	s->pops = 0;
	s->shown = s->item.n;
	buf_release(&text);
	buf_release(&got);
	if (!*alive)
		smt_session_forget_stack(s);
	return RC_OK;
}

enum rc smt_session_pass(struct smt_session *s, const char *text, size_t n, struct buf *got, bool *alive, struct err *e)
{
	struct buf answer = {0};
	vec_clear(&s->span);
	vec_push(&s->span, ((struct span){.sent = s->solver->lines + 1, .line = s->line, .col = s->col}));
	enum rc rc = s->solver->kind->send(s->solver, text, n, s->o.timeout_s, &answer, alive, e);
	if (rc == RC_OK) {
		if (!*alive) {
			smt_session_forget_stack(s);
			buf_str_add(&answer, "unknown\n");
		}
		smt_session_show(s, &s->out, buf_str(&answer), answer.n);
		if (answer.n && memmem(answer.at, answer.n, "(error", 6))
			s->stats.errors++;
		if (got)
			buf_add(got, answer.at, answer.n);
	}
	buf_release(&answer);
	return rc;
}

enum rc smt_session_recheck(struct smt_session *s, bool *alive, struct err *e)
{
	enum rc rc = smt_session_sync(s, alive, e);
	if (rc != RC_OK || !*alive || s->solver_checked || !s->last_check.n)
		return rc;
	struct buf got = {0};
	s->solver->calls++;
	rc = s->solver->kind->send(s->solver, s->last_check.at, s->last_check.n, s->o.timeout_s, &got, alive, e);
	if (!*alive)
		smt_session_forget_stack(s);
	s->solver_checked = rc == RC_OK && *alive;
	enum verdict v = solver_find_verdict(buf_str(&got), got.n);
	buf_release(&got);
	if (s->solver_checked && (v == VERDICT_SAT || v == VERDICT_UNSAT) && v != s->last_verdict &&
	    (s->last_verdict == VERDICT_SAT || s->last_verdict == VERDICT_UNSAT))
		return err_set(e, RC_BUG, "the solver now says %s where %s was answered", verdict_text(v),
			       verdict_text(s->last_verdict));
	return rc;
}

/* A side question may run away (quantifiers, other options than the script's): each is bounded by a few seconds and
 * what its answer took, all of them together by half of the script's own questions and what they saved. Both limits
 * are far above what questions of milliseconds need, so what is reused there does not depend on the clock. */
enum { SIDE_SECONDS = 5, SIDE_TOTAL_SECONDS = 20 };

double smt_session_side_limit(const struct smt_session *s, double seconds)
{
	double limit = SIDE_SECONDS + 2 * seconds;
	return s->o.timeout_s > 0 && s->o.timeout_s < limit ? s->o.timeout_s : limit;
}

bool smt_session_side_worth(const struct smt_session *s)
{
	double all = s->solver->seconds + s->aux.seconds;
	return s->side_s <= SIDE_TOTAL_SECONDS + (all - s->side_s) / 2 + s->saved_s;
}

enum rc smt_session_side_query(struct smt_session *s, const struct solver_query *q, struct solver_answer *a,
			       struct err *e)
{
	struct solver *solver = s->solver;
	if (!(solver->kind->flags & SOLVER_STATELESS)) {
		if (s->pushed || s->checks > 1) {
			/* the script goes on from where the solver stands: ask a second one */
			if (!s->aux_ready) {
				s->aux =
					(struct solver){.kind = solver->kind,
							.runner = solver->runner,
							.command = solver->command ? mem_strdup(solver->command) : NULL,
							.memory_bytes = solver->memory_bytes};
				s->aux_ready = true;
			}
			solver = &s->aux;
		} else {
			smt_session_forget_stack(s);
			s->stale = true;
		}
	}
	solver_answer_clear(a);
	double before = solver->seconds;
	enum rc rc = solver->kind->query(solver, q, a, e);
	s->side_s += solver->seconds - before;
	return rc;
}

/* Talking to the solver on behalf of a session: its own stack is a prefix of the script's, plus pops it has not yet
 * heard of. */
#include "smt/session_internal.h"

#include <string.h>

void session_truncate(struct session *s, size_t items)
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

void session_forget_stack(struct session *s)
{
	s->mirrored = 0;
	s->pops = 0;
	s->stale = false;
	s->solver_checked = false;
}

void session_flat_text(struct session *s, struct buf *out)
{
	for (size_t i = 0; i < s->item.n; i++) {
		if (s->item.at[i].push)
			continue;
		buf_add(out, s->log.at + s->item.at[i].off, s->item.at[i].n);
		buf_char(out, '\n');
	}
}

/* Shows output of commands not shown before; "success" lines are ours to print. */
static void show(struct session *s, const struct buf *got)
{
	for (size_t at = 0; at < got->n;) {
		const char *nl = memchr(got->at + at, '\n', got->n - at);
		size_t len = nl ? (size_t)(nl - got->at) - at : got->n - at;
		if (len && !(len == 7 && !memcmp(got->at + at, "success", 7))) {
			buf_add(&s->out, got->at + at, len);
			buf_char(&s->out, '\n');
			if (len > 6 && !memcmp(got->at + at, "(error", 6))
				s->stats.errors++, s->odd = true;
		}
		at += len + 1;
	}
}

enum rc session_sync(struct session *s, bool *alive, struct err *e)
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
		for (size_t i = s->mirrored; i < to; i++) {
			if (s->item.at[i].push)
				buf_str_add(&text, "(push 1)");
			else
				buf_add(&text, s->log.at + s->item.at[i].off, s->item.at[i].n);
			buf_char(&text, '\n');
		}
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
		session_forget_stack(s);
	return RC_OK;
}

enum rc session_pass(struct session *s, const char *text, size_t n, struct buf *got, bool *alive, struct err *e)
{
	struct buf answer = {0};
	enum rc rc = s->solver->kind->send(s->solver, text, n, s->o.timeout_s, &answer, alive, e);
	if (rc == RC_OK) {
		if (!*alive) {
			session_forget_stack(s);
			buf_str_add(&answer, "unknown\n");
		}
		buf_add(&s->out, answer.at, answer.n);
		if (answer.n && vec_last(&answer) != '\n')
			buf_char(&s->out, '\n');
		if (answer.n && memmem(answer.at, answer.n, "(error", 6))
			s->stats.errors++;
		if (got)
			buf_add(got, answer.at, answer.n);
	}
	buf_release(&answer);
	return rc;
}

enum rc session_recheck(struct session *s, bool *alive, struct err *e)
{
	enum rc rc = session_sync(s, alive, e);
	if (rc != RC_OK || !*alive || s->solver_checked || !s->last_check.n)
		return rc;
	struct buf got = {0};
	s->solver->calls++;
	rc = s->solver->kind->send(s->solver, s->last_check.at, s->last_check.n, s->o.timeout_s, &got, alive, e);
	if (!*alive)
		session_forget_stack(s);
	s->solver_checked = rc == RC_OK && *alive;
	enum verdict v = solver_find_verdict(buf_str(&got), got.n);
	buf_release(&got);
	if (s->solver_checked && (v == VERDICT_SAT || v == VERDICT_UNSAT) && v != s->last_verdict &&
	    (s->last_verdict == VERDICT_SAT || s->last_verdict == VERDICT_UNSAT))
		return err_set(e, RC_BUG, "the solver now says %s where %s was answered", verdict_text(v), verdict_text(s->last_verdict));
	return rc;
}

enum rc session_side_query(struct session *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	struct solver *solver = s->solver;
	if (!(solver->kind->flags & SOLVER_STATELESS)) {
		if (s->pushed || s->checks > 1) {
			/* the script goes on from where the solver stands: ask a second one */
			if (!s->aux_ready) {
				s->aux = (struct solver){.kind = solver->kind,
				                         .runner = solver->runner,
				                         .command = solver->command ? mem_strdup(solver->command) : NULL,
				                         .memory_bytes = solver->memory_bytes};
				s->aux_ready = true;
			}
			solver = &s->aux;
		} else {
			session_forget_stack(s);
			s->stale = true;
		}
	}
	solver_answer_clear(a);
	return solver->kind->query(solver, q, a, e);
}

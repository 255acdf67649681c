/* SPDX-License-Identifier: MIT */
/* The solver's own assertion stack, which lags behind the script's: commands that only change the stack are sent when a
 * question has to be asked. The solver counts lines of its own input, so positions in its errors are turned into those
 * of the script by the spans of what was sent last. */
#include "smt/session/internal.h"

#include "base/invariant.h"

#include "data/clock.h"
#include "process/runner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

size_t mirror_truncate(struct smt_session *s, size_t items)
{
	struct mirror *m = &s->mirror;
	struct script *p = &s->script;
	size_t kept = 0, sent = m->items < items ? m->items : items, shown = m->shown < items ? m->shown : items;
	for (size_t i = items; i < p->item.n; i++) {
		bool keep = p->global_declarations && p->item.at[i].declares;
		m->pops += i < m->items && p->item.at[i].push;
		sent += i < m->items && keep;
		shown += i < m->shown && keep;
		if (keep)
			p->item.at[items + kept++] = p->item.at[i];
	}
	p->item.n = items + kept;
	p->unsure = p->unsure < p->item.n ? p->unsure : p->item.n;
	m->items = sent;
	m->shown = shown;
	m->checked = m->held = false;
	return kept;
}

void mirror_state_gone(struct smt_session *s)
{
	struct last_check *last = &s->script.last;
	s->mirror.checked = s->mirror.held = false;
	last->doubted = last->other = false;
	buf_clear(&last->text);
}

void mirror_forget(struct mirror *m)
{
	m->items = 0;
	m->pops = 0;
	m->stale = m->checked = m->held = false;
}

enum rc mirror_send(struct smt_session *s, const char *text, size_t n, struct buf *got, struct err *e)
{
	struct solver *v = s->mirror.solver;
	enum rc rc = v->kind->send(v, text, n, session_timeout(s), got, e);
	if (rc == RC_NO)
		mirror_forget(&s->mirror);
	return rc;
}

static uint64_t lines_in(const char *text, size_t n)
{
	uint64_t lines = 0;
	for (const char *p = text, *end = text + n; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
		lines++;
	return lines;
}

/* The line of the solver's input on which the next command starts: not the first, see program.c. */
static uint64_t next_line(const struct solver *s)
{
	return s->lines ? s->lines + 1 : 2;
}

/* Appends an item's text and a line feed; *sent is the line it starts on, and moves on. */
static void add_item_text(struct smt_session *s, const struct item *i, struct buf *out, uint64_t *sent)
{
	const char *text = s->script.log.at + i->off;
	size_t number = (size_t)(i - s->script.item.at) + 1;
	vec_push(&s->mirror.span, ((struct span){*sent, i->line, i->col, i->option, number}));
	if (i->push && !i->n) {
		buf_str_add(out, "(push 1)");
	} else {
		buf_add(out, text, i->n);
		*sent += lines_in(text, i->n);
	}
	buf_char(out, '\n');
	++*sent;
}

void mirror_question(struct smt_session *s, const struct command *c, bool plainly, struct buf *out)
{
	const struct script *p = &s->script;
	const struct sexpr *x = c->x;
	uint64_t sent = 1;
	if (p->built.on) {
		terms_question(s, out);
		return;
	}
	vec_clear(&s->mirror.span);
	for (size_t i = 0; i < p->item.n; i++) {
		const struct item *t = &p->item.at[i];
		if (!t->push && !(plainly && t->option > OPTION_PLAIN))
			add_item_text(s, t, out, &sent);
	}
	vec_push(&s->mirror.span, ((struct span){.sent = sent, .line = c->line, .col = c->col}));
	for (uint32_t i = 3; c->assuming && x->n > 2 && i < x->at[2].next; i = x->at[i].next) {
		buf_str_add(out, "(assert ");
		scope_node_text(x, i, out);
		buf_str_add(out, ")\n");
	}
}

/* How a solver's error message begins up to its name for standard input, that name, and what stands between line and
 * column: z3's and cvc5's. z3 counts columns from 1 on the first line and from 0 on all others; a program's first line
 * has nothing of the script (program.c). cvc5 does it the other way round, and counts lines of standard input from
 * 0. */
static const struct error_form {
	const char *head, *name, *between;
	long first_line, first_col;
} error_forms[] = {{"(error \"line ", "", " column ", 0, 1}, {"(error \"Parse Error: ", "<stdin>:", ".", 1, -1}};

/* The position that an error message gives. */
struct error_position {
	const struct error_form *form;
	uint64_t line;
	long col;
	const char *rest;
};

static const struct error_form *error_form(const char *text, size_t n)
{
	for (size_t i = 0; i < sizeof error_forms / sizeof *error_forms; i++) {
		const struct error_form *f = &error_forms[i];
		size_t head = strlen(f->head), name = strlen(f->name);
		if (n > head + name && !memcmp(text, f->head, head) && !memcmp(text + head, f->name, name))
			return f;
	}
	return NULL;
}

/* The command that an error message is about; NULL when it does not say. */
static const struct span *error_span(const struct mirror *m, const char *text, size_t n, struct error_position *p)
{
	char *end;
	p->form = error_form(text, n);
	if (!p->form)
		return NULL;
	p->line = strtoull(text + strlen(p->form->head) + strlen(p->form->name), &end, 10) +
		  (uint64_t)p->form->first_line;
	if (strncmp(end, p->form->between, strlen(p->form->between)))
		return NULL;
	p->col = strtol(end + strlen(p->form->between), &end, 10);
	p->rest = end;
	const struct span *best = NULL;
	for (size_t i = 0; i < m->span.n && m->span.at[i].sent <= p->line; i++)
		best = &m->span.at[i];
	return best;
}

/* Appends a line of the solver's; returns the command that it is an error about, if it says so. */
static const struct span *show_line(struct smt_session *s, struct buf *out, const char *text, size_t n)
{
	bool error = n > 6 && !memcmp(text, "(error", 6);
	struct error_position p;
	const struct span *at = error_span(&s->mirror, text, n, &p);
	if (error) /* one that does not say is about the command that was sent last */
		s->error = at ? (struct place){at->line, at->col} : s->command;
	if (at) {
		long line = at->line + (long)(p.line - at->sent);
		long col = p.line == at->sent ? p.col + at->col - 1 : p.col;
		col += line == 1 ? p.form->first_col : 0;
		buf_str_add(out, p.form->head);
		if (strcmp(s->script.name, "-") && p.form->name[0])
			buf_printf(out, "%s:", s->script.name);
		else
			buf_str_add(out, p.form->name);
		buf_printf(out, "%ld%s%ld", line, p.form->between, col);
		n -= (size_t)(p.rest - text);
		text = p.rest;
	}
	buf_add(out, text, n);
	buf_char(out, '\n');
	return at;
}

/* The length of the line at `at`. */
static size_t line_length(const struct buf *text, size_t at)
{
	const char *nl = memchr(text->at + at, '\n', text->n - at);
	return nl ? (size_t)(nl - text->at) - at : text->n - at;
}

void mirror_show(struct smt_session *s, struct buf *out, const struct buf *text)
{
	for (size_t at = 0, len; at < text->n; at += len + 1) {
		len = line_length(text, at);
		show_line(s, out, text->at + at, len);
	}
}

/* Shows output of commands not shown before; "success" lines are ours to print. An error message may have several
 * lines, some of them empty. */
static void show_new(struct smt_session *s, const struct buf *got)
{
	bool open = false;
	for (size_t at = 0, len; at < got->n; at += len + 1) {
		const char *line = got->at + at;
		len = line_length(got, at);
		if ((!len && !open) || (len == 7 && !memcmp(line, "success", 7)))
			continue;
		s->mirror.spoke = true;
		const struct span *about = show_line(s, &s->out, line, len);
		open = (open || (len > 6 && !memcmp(line, "(error", 6))) &&
		       !(len > 1 && !memcmp(line + len - 2, "\")", 2));
		if (len > 6 && !memcmp(line, "(error", 6)) {
			s->stats.errors++;
			s->script.uncacheable |= !about || !about->option;
			/* one about a missing parenthesis comes after the command has been obeyed */
			if (about && about->item && !memmem(line, len, "')' expected", 12))
				s->script.item.at[about->item - 1].refused = true;
		}
	}
}

/* What brings the solver's stack back to the items that it shares with the script's. */
static void add_return(const struct smt_session *s, struct buf *text)
{
	const struct mirror *m = &s->mirror;
	if (m->stale) {
		buf_str_add(text, "(reset)\n");
		if (m->solver->keeps_options) /* or that of an earlier script stays */
			buf_printf(text, "(set-info :status %s)\n", verdict_text(s->script.status));
		if (m->options) /* as above; what the script itself has said follows */
			buf_str_add(text, "(set-option :produce-models true)(set-option :produce-assignments false)"
					  "(set-option :produce-unsat-assumptions false)\n");
	} else if (m->pops) {
		buf_printf(text, "(pop %llu)\n", (unsigned long long)m->pops);
	}
}

/* Text that ends a part of what is sent, as an (echo); what the solver prints there is found by it. */
struct part {
	char mark[48];
};

static void end_part(struct smt_session *s, struct part *p, struct buf *text, uint64_t *sent)
{
	snprintf(p->mark, sizeof p->mark, "rf-part-%llu-%d", (unsigned long long)++s->mirror.parts, (int)getpid());
	buf_printf(text, "(echo \"%s\")\n", p->mark);
	++*sent;
}

/* The solver has ended at an error, which has been shown. */
static bool note_end(struct smt_session *s, enum rc rc)
{
	if (rc != RC_NO || !s->mirror.solver->left || !s->o.ends_with_solver)
		return false;
	s->said = s->ended ? s->said : s->out.n;
	return s->ended = true;
}

/* Takes the part's output off the front of got. False: the solver did not get that far, and all of it is the part's. */
static bool take_part(const struct part *p, struct buf *got, struct buf *out)
{
	const char *m = got->n ? memmem(got->at, got->n, p->mark, strlen(p->mark)) : NULL;
	const char *nl = m ? memchr(m, '\n', got->n - (size_t)(m - got->at)) : NULL;
	size_t len = m ? (size_t)(m - got->at) : got->n;
	buf_clear(out);
	buf_add(out, got->at, len && m && m[-1] == '"' ? len - 1 : len); /* some solvers print it in quotes */
	size_t rest = nl ? (size_t)(nl + 1 - got->at) : got->n;
	got->n -= rest;
	if (got->n)
		memmove(got->at, got->at + rest, got->n);
	return m;
}

void mirror_judge(struct smt_session *s, size_t items)
{
	struct script *p = &s->script;
	bool taken = false;
	if (!p->last.doubted)
		return;
	for (size_t i = p->last.items; i < items; i++)
		taken |= p->item.at[i].asserts && !p->item.at[i].refused;
	if (taken)
		mirror_state_gone(s);
	else if (items == p->item.n)
		p->last.doubted = false;
}

/* Brings the solver's own stack up to date with the script's first `all` items and asks c, in one exchange: commands
 * whose output has been shown are replayed with their output discarded, the output of new ones is shown, and what is
 * left in got answers c. c NULL: no question. */
static enum rc bring(struct smt_session *s, const struct command *c, size_t all, struct buf *got, struct err *e)
{
	struct mirror *m = &s->mirror;
	struct script *p = &s->script;
	struct buf text = {0}, said = {0};
	struct part replayed, taken;
	size_t again = m->shown > m->items ? m->shown : m->items;
	again = again < all ? again : all;
	/* what is certain to print nothing need not be told apart, and returning to an earlier level does not */
	bool marked = p->unsure > m->items || (!c && again < all), replays = marked && again > m->items;
	INVARIANT(m->items <= all && all <= p->item.n && m->shown <= p->item.n);
	add_return(s, &text);
	uint64_t sent = next_line(m->solver) + lines_in(buf_str(&text), text.n);
	vec_clear(&m->span);
	for (size_t i = m->items; i < again; i++)
		add_item_text(s, &p->item.at[i], &text, &sent);
	if (replays)
		end_part(s, &replayed, &text, &sent);
	for (size_t i = again; i < all; i++)
		add_item_text(s, &p->item.at[i], &text, &sent);
	if (marked && c)
		end_part(s, &taken, &text, &sent);
	if (c) {
		vec_push(&m->span, ((struct span){.sent = sent, .line = c->line, .col = c->col}));
		buf_add(&text, c->text, c->n);
	}
	buf_clear(got);
	enum rc rc = text.n ? mirror_send(s, text.at, text.n, got, e) : RC_OK;
	if (text.n && (c || m->stale || m->pops || m->items < p->last.items))
		m->checked = false;
	bool learn = rc == RC_OK && m->shown < p->unsure;
	if ((rc == RC_OK || rc == RC_NO) && marked && (!replays || take_part(&replayed, got, &said))) {
		if (c)
			take_part(&taken, got, &said);
		show_new(s, c ? &said : got);
		if (!c || !got->n)
			note_end(s, rc);
	}
	if (rc == RC_OK) {
		m->items = all;
		m->stale = m->held = false;
		m->pops = 0;
	}
	if ((rc == RC_OK || rc == RC_NO) && m->shown < all)
		m->shown = all;
	if (rc == RC_OK)
		mirror_judge(s, all);
	if (learn)
		silent_learn(s);
	buf_release(&text);
	buf_release(&said);
	return rc;
}

enum rc mirror_sync(struct smt_session *s, struct err *e)
{
	struct buf got = {0};
	enum rc rc = bring(s, NULL, s->script.item.n, &got, e);
	buf_release(&got);
	return rc;
}

enum rc mirror_settle(struct smt_session *s, struct err *e)
{
	if (s->script.unsure <= s->mirror.shown || (s->mirror.solver->kind->flags & SOLVER_ONE_SHOT))
		return RC_OK;
	if (silent_known(s)) {
		s->mirror.shown = s->script.item.n;
		mirror_judge(s, s->script.item.n);
		return RC_OK;
	}
	return solver_gone_is_ok(mirror_sync(s, e));
}

/* Shows what the solver said to the command sent last; a copy goes to got unless NULL. */
static void take_answer(struct smt_session *s, enum rc rc, struct buf *answer, struct buf *got)
{
	bool left = rc == RC_NO && s->mirror.solver->left && s->o.ends_with_solver;
	if (rc == RC_NO && !left)
		buf_str_add(answer, "unknown\n");
	mirror_show(s, &s->out, answer);
	s->stats.errors += solver_has_error(answer);
	note_end(s, rc);
	if (got)
		buf_add(got, answer->at, answer->n);
}

enum rc mirror_pass(struct smt_session *s, const struct command *c, struct buf *got, struct err *e)
{
	struct mirror *m = &s->mirror;
	struct buf answer = {0};
	vec_clear(&m->span);
	vec_push(&m->span, ((struct span){.sent = next_line(m->solver), .line = c->line, .col = c->col}));
	enum rc rc = mirror_send(s, c->text, c->n, &answer, e);
	if (rc == RC_OK || rc == RC_NO)
		take_answer(s, rc, &answer, got);
	buf_release(&answer);
	return rc;
}

bool mirror_end(struct smt_session *s, const struct command *c)
{
	struct mirror *m = &s->mirror;
	struct buf answer = {0};
	struct err e = ERR_INIT;
	if (!m->solver->kind->end || mirror_sync(s, &e) != RC_OK)
		return false;
	vec_clear(&m->span);
	vec_push(&m->span, ((struct span){.sent = next_line(m->solver), .line = c->line, .col = c->col}));
	bool told =
		m->solver->kind->end(m->solver, c->text, c->n, session_timeout(s), &answer, &e) == RC_OK && answer.n;
	mirror_forget(m);
	if (told) {
		mirror_show(s, &s->out, &answer);
		s->stats.errors += solver_has_error(&answer);
	}
	buf_release(&answer);
	return told;
}

static enum rc ask_once(struct smt_session *s, const struct command *c, struct buf *got, struct err *e)
{
	struct buf answer = {0};
	enum rc rc = bring(s, c, s->script.item.n, &answer, e);
	if (rc == RC_OK || rc == RC_NO) {
		take_answer(s, rc, &answer, got);
		s->mirror.spoke |= solver_has_error(got);
		s->script.uncacheable |= solver_has_error(got);
	}
	buf_release(&answer);
	return rc;
}

/* A program that has answered other scripts may fall over what one that is started for this script answers (seen with
 * z3 after a reset): one that is gone before its time was up, and had been asked something before, is started again for
 * the question. */
enum rc mirror_ask(struct smt_session *s, const struct command *c, struct buf *got, struct err *e)
{
	struct mirror *m = &s->mirror;
	size_t said = s->out.n, shown = m->shown;
	bool used = m->solver->lines > 0;
	double limit = session_timeout(s), end = limit > 0 ? clock_seconds() + limit : 0;
	uint64_t errors = s->stats.errors;
	enum rc rc = ask_once(s, c, got, e);
	if (rc != RC_NO || !used || s->ended || runner_stopped() || (end > 0 && clock_seconds() >= end))
		return rc;
	s->out.n = said;
	s->stats.errors = errors;
	m->shown = shown;
	buf_clear(got);
	return ask_once(s, c, got, e);
}

/* Puts the script's last check-sat to the solver, which has heard all that came before it and nothing since. */
static enum rc ask_again(struct smt_session *s, struct buf *got, struct err *e)
{
	const struct last_check *last = &s->script.last;
	struct mirror *m = &s->mirror;
	if (m->items > last->items) {
		mirror_forget(m);
		m->stale = true;
	}
	enum rc rc = bring(s, NULL, last->items, got, e);
	if (rc != RC_OK)
		return rc;
	buf_clear(got);
	m->solver->calls++;
	rc = mirror_send(s, last->text.at, last->text.n, got, e);
	m->checked = rc == RC_OK;
	enum verdict v = solver_find_verdict(buf_str(got), got->n);
	if (rc == RC_OK && verdict_decided(v) && verdict_decided(last->verdict) && v != last->verdict)
		return err_set(e, RC_BUG, "the solver now says %s where %s was answered", verdict_text(v),
			       verdict_text(last->verdict));
	return rc;
}

enum rc mirror_recheck(struct smt_session *s, struct err *e)
{
	static const char drop[] = "(pop 0)";
	const struct last_check *last = &s->script.last;
	struct mirror *m = &s->mirror;
	struct buf got = {0};
	/* what follows the check-sat may be an assertion that is taken: then there is nothing to ask again */
	enum rc rc = last->doubted ? mirror_sync(s, e) : RC_OK;
	if (rc == RC_OK && last->text.n && !m->checked)
		rc = ask_again(s, &got, e);
	if (rc == RC_OK)
		rc = mirror_sync(s, e);
	/* z3 may still have the model of an earlier question, which the script has left without its hearing of it */
	if (rc == RC_OK && !last->text.n && !last->other && m->solver->keeps_options)
		rc = mirror_send(s, drop, sizeof drop - 1, &got, e);
	buf_release(&got);
	return rc;
}

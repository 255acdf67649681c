/* SPDX-License-Identifier: MIT */
/* Whether the result holds. A test may be flaky, and one wrong "yes" on the way is enough for a result that nobody can
 * use, so the result is tested again at the end, by no cache, several times. If all say "yes" that was all. Else the
 * test is flaky, and a text holds if it is interesting more often than not. Where the result does not hold, a binary
 * search among the minima of the run finds a late one that does: what came after a wrong "yes" is rarely right. A test
 * that errs a quarter of the time gives the lead by which the search goes to the wrong side once in 700 times, which
 * is too often for what a run ends with: that one is tested for longer, and once in 59,000 times is wrong.
 *
 * Of large minima one per sixteenth of the size is kept, so all of them take at most some sixteen times the input. */
#include "reduce/run/session.h"

#include "process/runner.h"

#include <string.h>

#define LOOK_S 0.1 /* how often a signal is looked for */

enum {
	RUNS = 8,       /* of the result */
	LEAD = 6,       /* of one answer before the other, once the test is known to be flaky, to search by */
	SURE = 10,      /* and to end with */
	MOST_RUNS = 60, /* then, of one text */
	SMALL = 4096,   /* bytes; all minima below are kept */
};

void session_keep_past(struct session *s)
{
	if (s->past.n && s->min_bytes > SMALL && s->min_bytes > vec_last(&s->past).bytes / 16 * 15)
		return;
	struct past p = {.bytes = s->min_bytes, .number = s->minima};
	p.texts = mem_zalloc(mem_mul(s->n_files, sizeof *p.texts));
	p.absent = mem_dup(s->absent, s->n_files);
	for (size_t i = 0; i < s->n_files; i++)
		buf_add(&p.texts[i], buf_str(&s->texts[i]), s->texts[i].n);
	vec_push(&s->past, p);
}

void session_release_past(struct session *s)
{
	for (size_t k = 0; k < s->past.n; k++) {
		for (size_t i = 0; i < s->n_files; i++)
			buf_release(&s->past.at[k].texts[i]);
		free_all(s->past.at[k].texts, s->past.at[k].absent);
	}
	vec_release(&s->past);
}

/* What the tests of one text said. The ledger has it too, so that a run that is stopped here does not begin again. */
struct counts {
	uint32_t yes, no;
	uint32_t failed; /* it hung or died, which is a "no" in this run only */
	char *name;      /* of the note */
};

/* Puts s->texts into s->next, to ask for their key. */
static void ask_about_texts(struct session *s)
{
	session_begin_query(s);
	for (size_t i = 0; i < s->n_files; i++)
		buf_add(&s->next.texts[i], buf_str(&s->texts[i]), s->texts[i].n);
}

static void counts_begin(struct session *s, struct counts *c)
{
	struct buf note = {0};
	uint32_t n[2];
	*c = (struct counts){0};
	if (!s->ledger)
		return;
	ask_about_texts(s);
	c->name = session_note_name("last", &s->next);
	if (s->resumed && ledger_note_get(s->ledger, c->name, &note) && note.n == sizeof n) {
		memcpy(n, note.at, sizeof n);
		c->yes = n[0];
		c->no = n[1];
	}
	buf_release(&note);
}

static void count(struct session *s, struct counts *c, enum answer answer)
{
	++*(answer == ANSWER_YES ? &c->yes : answer == ANSWER_NO ? &c->no : &c->failed);
	uint32_t n[2] = {c->yes, c->no};
	if (c->name)
		ledger_note(s->ledger, c->name, n, sizeof n);
}

/* Tests s->texts n times more, all at once, and counts the answers. */
static enum rc test_times(struct session *s, unsigned n, struct counts *c, struct err *e)
{
	enum rc rc = RC_OK;
	unsigned left = 0;
	for (; left < n && rc == RC_OK; left++) {
		rc = tester_start(s->tester, left, s->texts, false, e);
		s->r->retests++;
	}
	while (left && rc == RC_OK) {
		unsigned slot;
		struct test_end end;
		rc = tester_wait(s->tester, LOOK_S, &slot, &end, e);
		if (rc == RC_OK && slot < n) {
			free(end.output);
			/* what ended by the signal is no answer */
			if (!runner_stopped())
				count(s, c, end.answer);
			left--;
		}
		if (rc == RC_OK && runner_stopped())
			rc = err_set(e, RC_STOPPED, "stopped");
	}
	for (unsigned slot = 0; rc != RC_OK && slot < n; slot++)
		tester_cancel(s->tester, slot);
	s->r->cancelled += rc == RC_OK ? 0 : left;
	return rc;
}

/* Whether s->texts is interesting: always, in `enough` tests, or else more often than not. */
static enum rc holds(struct session *s, unsigned enough, unsigned lead_wanted, bool *so, struct err *e)
{
	struct counts c;
	enum rc rc = RC_OK;
	counts_begin(s, &c);
	uint32_t known = c.no, no = known;
	while (rc == RC_OK) {
		bool flaky = no || s->r->flaky;
		unsigned lead = c.yes > no ? c.yes - no : no - c.yes, wanted = flaky ? lead_wanted : enough;
		if (lead >= wanted || c.yes + no >= MOST_RUNS)
			break;
		rc = test_times(s, wanted - lead < s->o->jobs ? wanted - lead : s->o->jobs, &c, e);
		no = c.no + c.failed;
	}
	session_note_flaky(s, no - known);
	*so = c.yes > no;
	free(c.name);
	return rc;
}

/* The text does not hold: a resumed run must not take it again. */
static void forget(struct session *s)
{
	ask_about_texts(s);
	recall_note(&s->recall, &s->next, false);
}

/* Exchanges s->texts and s->absent for those of a minimum that was. */
static void swap_past(struct session *s, struct past *p)
{
	for (size_t i = 0; i < s->n_files; i++) {
		struct buf text = s->texts[i];
		bool absent = s->absent[i];
		s->texts[i] = p->texts[i];
		s->absent[i] = p->absent[i];
		p->texts[i] = text;
		p->absent[i] = absent;
	}
}

static enum rc past_holds(struct session *s, size_t k, unsigned lead, bool *so, struct err *e)
{
	swap_past(s, &s->past.at[k]);
	enum rc rc = holds(s, RUNS, lead, so, e);
	if (rc == RC_OK && !*so)
		forget(s);
	swap_past(s, &s->past.at[k]);
	return rc;
}

/* The result does not hold: looks for a late minimum that does. The first of them is the input; if not even that holds,
 * the result stays as it is. */
static enum rc go_back(struct session *s, struct err *e)
{
	size_t good = 0, bad = s->past.n;
	bool so = false;
	if (bad > 1 && s->past.at[bad - 1].number == s->minima)
		bad--; /* the result itself */
	forget(s);
	enum rc rc = RC_OK;
	while (!so && bad > 0 && rc == RC_OK) {
		for (good = 0; good + 1 < bad && rc == RC_OK;) {
			size_t middle = good + (bad - good) / 2;
			rc = past_holds(s, middle, LEAD, &so, e);
			*(so ? &good : &bad) = middle;
		}
		if (rc == RC_OK)
			rc = past_holds(s, good, SURE, &so, e);
		bad = good;
	}
	if (rc != RC_OK || !so)
		return rc;
	swap_past(s, &s->past.at[good]);
	s->r->went_back = true;
	if (s->ledger)
		ledger_note(s->ledger, "best", &s->past.at[good].number, sizeof s->past.at[good].number);
	return rc;
}

enum rc session_final(struct session *s, struct err *e)
{
	bool so = true;
	/* a user who sets a limit does not want to wait for more than one test after it */
	bool late = s->r->stopped && strcmp(s->r->stopped, "max-time") == 0;
	enum rc rc = holds(s, late ? 1 : RUNS, SURE, &so, e);
	if (rc == RC_OK && !so) {
		s->r->final_failed = true;
		rc = go_back(s, e);
	}
	if (rc == RC_STOPPED) {
		s->r->stopped = "signal";
		err_clear(e);
		rc = RC_OK;
	}
	return rc;
}
